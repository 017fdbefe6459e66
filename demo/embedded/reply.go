package embedded

import (
	"bytes"
	"strconv"
	"strings"
)

// Errors that many commands share, as Redis 7.0.15 words them.
const (
	errorSyntax     = "ERR syntax error"
	errorNotInteger = "ERR value is not an integer or out of range"
	errorWrongType  = "WRONGTYPE Operation against a key holding the wrong kind of value"
	errorSameObject = "ERR source and destination objects are the same"
	errorNoSuchKey  = "ERR no such key"
	errorTooLong    = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
	errorDatabase   = "ERR DB index is out of range"
)

// reply is an answer under construction, in the protocol version that the client speaks.
type reply struct {
	data  []byte
	resp3 bool
}

func (r *reply) line(kind byte, text string) {
	r.data = append(r.data, kind)
	r.data = append(r.data, text...)
	r.data = append(r.data, '\r', '\n')
}

func (r *reply) length(kind byte, n int) {
	r.data = append(r.data, kind)
	r.data = strconv.AppendInt(r.data, int64(n), 10)
	r.data = append(r.data, '\r', '\n')
}

func (r *reply) status(text string) { r.line('+', text) }
func (r *reply) ok()                { r.status("OK") }

// failure answers with an error; text starts with its code ("ERR ...") and must be one line, so line breaks become blanks.
func (r *reply) failure(text string) {
	r.line('-', strings.NewReplacer("\r", " ", "\n", " ").Replace(text))
}

func (r *reply) integer(n int64) {
	r.data = append(r.data, ':')
	r.data = strconv.AppendInt(r.data, n, 10)
	r.data = append(r.data, '\r', '\n')
}

func (r *reply) boolean(b bool) {
	if b {
		r.integer(1)
		return
	}
	r.integer(0)
}

func (r *reply) bulk(text string) {
	r.length('$', len(text))
	r.data = append(r.data, text...)
	r.data = append(r.data, '\r', '\n')
}

func (r *reply) bulks(texts ...string) {
	r.array(len(texts))
	for _, text := range texts {
		r.bulk(text)
	}
}

func (r *reply) null() {
	if r.resp3 {
		r.line('_', "")
		return
	}
	r.line('$', "-1")
}

// nullArray is the null of commands whose answer is an array; the older protocol spells it in another way.
func (r *reply) nullArray() {
	if r.resp3 {
		r.line('_', "")
		return
	}
	r.line('*', "-1")
}

func (r *reply) array(n int) { r.length('*', n) }

// mapping starts a map of n pairs.
func (r *reply) mapping(n int) {
	if r.resp3 {
		r.length('%', n)
		return
	}
	r.array(2 * n)
}

// push starts a message that the client did not ask for.
func (r *reply) push(n int) {
	if r.resp3 {
		r.length('>', n)
		return
	}
	r.array(n)
}

// verbatim is a text for people, such as INFO.
func (r *reply) verbatim(text string) {
	if !r.resp3 {
		r.bulk(text)
		return
	}
	r.length('=', len(text)+len("txt:"))
	r.data = append(r.data, "txt:"...)
	r.data = append(r.data, text...)
	r.data = append(r.data, '\r', '\n')
}

func (r *reply) raw(answer answer) { r.data = append(r.data, answer...) }

// answer is a complete reply as the store gave it.
type answer []byte

func (a answer) failed() bool { return len(a) > 0 && a[0] == '-' }

// integer is the value of an integer reply; 0 for every other reply.
func (a answer) integer() int64 {
	if len(a) < 4 || a[0] != ':' {
		return 0
	}
	n, err := strconv.ParseInt(string(a[1:len(a)-2]), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// empty says that the reply is null, in either protocol, or an array of nothing.
func (a answer) empty() bool {
	return bytes.HasPrefix(a, []byte("$-1\r\n")) || bytes.HasPrefix(a, []byte("*-1\r\n")) ||
		bytes.HasPrefix(a, []byte("_\r\n")) || bytes.HasPrefix(a, []byte("*0\r\n"))
}

// text is the value of a bulk or status reply; "" for every other reply.
func (a answer) text() string {
	switch {
	case len(a) > 3 && a[0] == '+':
		return string(a[1 : len(a)-2])
	case len(a) > 3 && a[0] == '$' && a[1] != '-':
		return string(a[bytes.IndexByte(a, '\n')+1 : len(a)-2])
	default:
		return ""
	}
}
