package keyspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// A reply says beforehand how many elements and bytes it has, and go-redis makes room for all of them before it has read one:
// "%1000000000\r\n" from a broken server, or from something that is no Redis, would end the program. What a reply may
// announce is bounded here, far above what a Redis answers to anything that is asked of it.
const (
	maxReplyText     = 512 << 20 // bytes of one text: Redis' own bound (proto-max-bulk-len)
	maxReplyElements = 4 << 20   // of all arrays of one reply together
	maxReplyPairs    = 1 << 20   // of one map
	maxReplyDepth    = 32        // of arrays inside arrays; go-redis reads them by recursion
	maxReplyLine     = 1 << 20   // bytes of a line, such as an error
)

// errReply says that what was received is no reply that a Redis gives.
var errReply = errors.New("the answer is not one of a Redis server")

// boundReplies makes every connection of a client one whose replies are bounded.
func boundReplies(o *redis.Options) {
	dial := redis.NewDialer(o)
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		bounded := &boundedConn{Conn: conn}
		if socket, is := conn.(syscall.Conn); is {
			return boundedSocket{bounded, socket}, nil
		}
		return bounded, nil
	}
}

// boundedConn is a connection that fails at a reply that announces too much, before anybody reads what it announces.
type boundedConn struct {
	net.Conn
	replies replyReader
}

// boundedSocket is one whose socket go-redis can look at; see [socketWire].
type boundedSocket struct {
	*boundedConn
	syscall.Conn
}

// Read implements [net.Conn].
func (c *boundedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if wrong := c.replies.read(b[:n]); wrong != nil {
		return 0, wrong
	}
	return n, err
}

// replyReader follows a stream of replies, cut at any place, from header to header.
type replyReader struct {
	line []byte // of a header, until its "\n"
	long int    // bytes of the line so far
	body int    // bytes of the text under way, with its "\r\n"
	// open are the elements that are still to come of each array that is not complete, the outermost first; announced are all
	// those of the reply.
	open      []int
	announced int
	err       error
}

// keptOfLine is how much of a line is kept: a type, and a number.
const keptOfLine = 24

func (r *replyReader) read(b []byte) error {
	for len(b) > 0 && r.err == nil {
		if r.body > 0 {
			n := min(r.body, len(b))
			r.body -= n
			if b = b[n:]; r.body == 0 {
				r.complete()
			}
			continue
		}
		end := bytes.IndexByte(b, '\n')
		part := b
		if end >= 0 {
			part = b[:end]
		}
		r.line = append(r.line, part[:min(len(part), keptOfLine-len(r.line))]...)
		if r.long += len(part); r.long > maxReplyLine {
			r.err = fmt.Errorf("%w: a line is longer than %d bytes", errReply, maxReplyLine)
			break
		}
		if end < 0 {
			break
		}
		b = b[end+1:]
		r.header()
		r.line, r.long = r.line[:0], 0
	}
	return r.err
}

// header takes a line: an element by itself, or the size of what follows.
func (r *replyReader) header() {
	if len(r.line) == 0 {
		return
	}
	n := announcedBy(r.line[1:])
	switch r.line[0] {
	case '$', '!', '=':
		if n > maxReplyText {
			r.err = fmt.Errorf("%w: a text of %d bytes", errReply, n)
		}
		if n < 0 {
			r.complete()
			return
		}
		r.body = n + len("\r\n")
	case '*', '~', '>':
		r.begin(n)
	case '%', '|':
		if n > maxReplyPairs {
			r.err = fmt.Errorf("%w: a map of %d pairs", errReply, n)
			return
		}
		if r.line[0] == '|' { // attributes and the reply that they describe are one element
			r.push(2)
		}
		r.begin(2 * n)
	default:
		r.complete()
	}
}

// begin opens an array.
func (r *replyReader) begin(n int) {
	if n <= 0 {
		r.complete()
		return
	}
	r.announced += min(n, maxReplyElements+1)
	if r.announced > maxReplyElements {
		r.err = fmt.Errorf("%w: more than %d elements", errReply, maxReplyElements)
	}
	r.push(n)
}

// push opens an array of so many elements.
func (r *replyReader) push(n int) {
	r.open = append(r.open, n)
	if len(r.open) > maxReplyDepth {
		r.err = fmt.Errorf("%w: arrays inside arrays, more than %d deep", errReply, maxReplyDepth)
	}
}

// complete ends an element, and with it the arrays whose last one it was.
func (r *replyReader) complete() {
	for last := len(r.open) - 1; last >= 0; last-- {
		if r.open[last]--; r.open[last] > 0 {
			return
		}
		r.open = r.open[:last]
	}
	r.announced = 0
}

// announcedBy is the number of a header; -1 for nil, and for what is no number, which go-redis refuses.
func announcedBy(digits []byte) int {
	digits = bytes.TrimSuffix(digits, []byte("\r"))
	if len(digits) == 0 {
		return -1
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
		if n > 1<<40 { // and it does not overflow
			return n
		}
	}
	return n
}
