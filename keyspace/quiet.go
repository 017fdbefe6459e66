package keyspace

import "bytes"

// A server that does not know AUTH or HELLO quotes what came with it: "-ERR unknown command 'AUTH', with args beginning with:
// 'the password'". Nobody is to see that, so that it never gets further than the connection.

// quotes begins what a server quotes of an unknown command.
var quotes = []byte(", with args beginning with:")

// greeting is how many bytes of a connection may be answers to its first commands, among which AUTH and HELLO are.
const greeting = 4096

// quiet takes the quotations out of what comes first on a connection.
type quiet struct {
	passed  int
	cutting bool // the line that is cut goes on in the next bytes
}

// keep moves together what may be seen, and returns how much that is.
func (q *quiet) keep(b []byte) int {
	if q.passed > greeting {
		return len(b)
	}
	q.passed += len(b)
	n := 0
	for len(b) > n {
		rest := b[n:]
		if !q.cutting {
			at := bytes.Index(rest, quotes)
			if at < 0 {
				return len(b)
			}
			line := bytes.LastIndexByte(rest[:at], '\n') + 1
			n += at
			if rest[line] != '-' {
				n += len(quotes) // it is no error
				continue
			}
			q.cutting, rest = true, rest[at:]
		}
		end := bytes.IndexByte(rest, '\r')
		if end < 0 {
			return n
		}
		b = append(b[:n], rest[end:]...)
		q.cutting = false
	}
	return n
}
