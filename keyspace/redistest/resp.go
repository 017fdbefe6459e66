package redistest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// frames cuts a stream into messages of RESP: commands, answers and pushes. A stream that turns out to be something else is
// passed on as it is.
type frames struct {
	reader  *bufio.Reader
	opaque  func() bool // nobody wants the messages any more; what replicas get is not RESP
	raw     bool        // it is not RESP
	message []byte      // the one under way
}

// errNotRESP says that a stream is something else.
var errNotRESP = errors.New("not RESP")

// chunk waits for bytes and gives all that have arrived, up to the end of a message, each message changed as the function
// has it. What comes with an error is the beginning of a message whose rest did not come.
func (f *frames) chunk(change func(message []byte) []byte) ([]byte, error) {
	var all []byte
	for len(all) == 0 || f.reader.Buffered() > 0 {
		if f.raw || f.opaque() {
			rest, err := f.arrived()
			return append(all, rest...), err
		}
		f.message = nil
		err := f.read()
		switch {
		case errors.Is(err, errNotRESP):
			f.raw = true
			all = append(all, f.message...)
		case err != nil:
			return append(all, f.message...), err
		default:
			all = append(all, change(f.message)...)
		}
	}
	return all, nil
}

// arrived waits for bytes, and takes what there is.
func (f *frames) arrived() ([]byte, error) {
	if _, err := f.reader.Peek(1); err != nil {
		return nil, err
	}
	b := make([]byte, f.reader.Buffered())
	n, err := f.reader.Read(b)
	return b[:n], err
}

// read reads one message.
func (f *frames) read() error {
	first, err := f.reader.Peek(1)
	if err != nil {
		return err
	}
	if !bytes.ContainsAny(first, "+-:_#,($!=*~>%|") {
		return errNotRESP
	}
	line, err := f.reader.ReadBytes('\n')
	f.message = append(f.message, line...)
	if err != nil {
		return err
	}
	kind, text := line[0], string(bytes.TrimRight(line[1:], "\r\n"))
	parts := 1 // of an aggregate, for each that the header counts
	switch kind {
	case '+', '-', ':', '_', '#', ',', '(':
		return nil
	case '%', '|':
		parts = 2
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return errNotRESP
	}
	if kind == '$' || kind == '!' || kind == '=' {
		return f.body(n)
	}
	for range n * parts {
		if err := f.read(); err != nil {
			return err
		}
	}
	if kind == '|' { // attributes belong to the answer behind them
		return f.read()
	}
	return nil
}

// body reads so many bytes and the end of the line; of nothing (-1) there is none.
func (f *frames) body(n int) error {
	if n < 0 {
		return nil
	}
	text := make([]byte, n+len("\r\n"))
	n, err := io.ReadFull(f.reader, text)
	f.message = append(f.message, text[:n]...)
	return err
}

// parts are the strings of an array of strings; nil if the message is something else.
func parts(message []byte) []string {
	lines := bytes.SplitAfterN(message, []byte("\r\n"), 2)
	if len(lines) < 2 || (message[0] != '*' && message[0] != '>') {
		return nil
	}
	var found []string
	for rest := lines[1]; len(rest) > 0; {
		header, body, _ := bytes.Cut(rest, []byte("\r\n"))
		if len(header) == 0 || header[0] != '$' {
			return found
		}
		n, err := strconv.Atoi(string(header[1:]))
		if err != nil || n < 0 || n+len("\r\n") > len(body) {
			return found
		}
		found = append(found, string(body[:n]))
		rest = body[n+len("\r\n"):]
	}
	return found
}
