package keyspace

import (
	"bytes"
	"strconv"
	"time"
)

// Heard is one command that a master ran, as MONITOR tells of it. Its bytes are good only while it is handed over.
type Heard struct {
	Node Node
	// At is when it ran, on the local clock.
	At time.Time
	DB int
	// Addr is the client's end of the connection ("10.0.0.7:50312", "unix:/path"); of what a script runs it is "lua", and the script is
	// the last command before it that has another one.
	Addr []byte
	// Args are its name and its arguments. Cut: there are more, or the rest of them, that were too long to be kept.
	Args [][]byte
	Cut  bool
}

// Scripted says that a script ran it.
func (h Heard) Scripted() bool { return string(h.Addr) == "lua" }

// maxArgs is how many arguments of a command are kept.
const maxArgs = 1024

// heardLine parses lines, into memory that is used again for the next one.
type heardLine struct {
	args [][]byte
	data []byte
}

// parse reads a line of MONITOR: 1339518083.107412 [0 127.0.0.1:60866] "SET" "a key" "\x00". It is lenient with the end of a line, which
// may have been cut: an argument that does not end is left out.
func (p *heardLine) parse(line []byte) (Heard, bool) {
	line = bytes.TrimPrefix(line, []byte("+"))
	stamp, rest, found := bytes.Cut(line, []byte(" ["))
	at, ok := parseStamp(stamp)
	if !found || !ok {
		return Heard{}, false
	}
	number, rest, found := bytes.Cut(rest, []byte(" "))
	db, err := strconv.Atoi(string(number))
	if !found || err != nil {
		return Heard{}, false
	}
	addr, rest, found := bytes.Cut(rest, []byte("] \""))
	if !found || len(addr) == 0 {
		return Heard{}, false
	}
	p.arguments(rest)
	if len(p.args) == 0 {
		return Heard{}, false
	}
	return Heard{At: at, DB: db, Addr: addr, Args: p.args}, true
}

// parseStamp reads seconds and microseconds.
func parseStamp(stamp []byte) (time.Time, bool) {
	whole, fraction, found := bytes.Cut(stamp, []byte("."))
	seconds, err := strconv.ParseInt(string(whole), 10, 64)
	if err != nil || !found || seconds < 0 || seconds > 1<<40 || len(fraction) != 6 {
		return time.Time{}, false
	}
	microseconds, err := strconv.ParseUint(string(fraction), 10, 32)
	return time.Unix(seconds, int64(microseconds)*1000), err == nil
}

// arguments reads the quoted words of a line whose first quote is behind us.
func (p *heardLine) arguments(rest []byte) {
	p.args, p.data = p.args[:0], p.data[:0]
	// The words are never longer than what they are quoted in: no word moves once it is there.
	if cap(p.data) < len(rest) {
		p.data = make([]byte, 0, len(rest))
	}
	for len(p.args) < maxArgs {
		from := len(p.data)
		used, ended := p.word(rest)
		if !ended {
			return
		}
		p.args = append(p.args, p.data[from:len(p.data):len(p.data)])
		rest = rest[used:]
		if len(rest) < 2 || rest[0] != ' ' || rest[1] != '"' {
			return
		}
		rest = rest[2:]
	}
}

// word reads one word up to its closing quote.
func (p *heardLine) word(rest []byte) (used int, ended bool) {
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '"':
			return i + 1, true
		case '\\':
			if i+1 == len(rest) {
				return i, false
			}
			i++
			if rest[i] == 'x' && i+2 < len(rest) {
				if n, err := strconv.ParseUint(string(rest[i+1:i+3]), 16, 8); err == nil {
					p.data = append(p.data, byte(n))
					i += 2
					continue
				}
			}
			p.data = append(p.data, unescaped(rest[i]))
		default:
			p.data = append(p.data, c)
		}
	}
	return len(rest), false
}

// unescaped is what stands behind a backslash.
func unescaped(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'a':
		return '\a'
	case 'b':
		return '\b'
	default:
		return c
	}
}
