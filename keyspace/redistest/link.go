package redistest

import (
	"bufio"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// Way is one of the two ways, or both, that bytes go through a Link.
type Way int

// The ways.
const (
	ToServer Way = 1 << iota
	FromServer
	BothWays = ToServer | FromServer
)

// Link is a way to a server that can fail as networks do: what is dialled at its address is passed on. What its methods
// say of connections goes for those that are open and for those that are dialled from then on, unless they say otherwise;
// Heal takes it back.
type Link struct {
	// Addr is where it listens: "127.0.0.1:port".
	Addr string

	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond // wakes what is stalled
	open    map[*connection]struct{}
	cut     bool
	stalled Way
	quota   int // see Truncate; negative where there is none
	delay   time.Duration
	shift   time.Duration
	rewrite func(command []string, answer []byte) []byte

	rewriting sync.Mutex // one call of rewrite at a time
}

// connection is one that passes through a link, from its near end, where it was dialled, to the server at its far end.
type connection struct {
	near, far net.Conn
	talk      conversation

	// Under the lock of the link:
	left   int // how many bytes may still come from the server; negative where that is not bounded
	closed bool
}

// NewLink makes a link to the server; it ends with the test.
func NewLink(tb testing.TB, s *Server) *Link {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	l := &Link{
		Addr: listener.Addr().String(), target: s.Addr, listener: listener, open: make(map[*connection]struct{}), quota: -1,
	}
	l.changed = sync.NewCond(&l.mu)
	l.running.Go(l.accept)
	tb.Cleanup(func() {
		_ = listener.Close() // nothing is lost with it
		l.Cut()
		l.running.Wait()
	})
	return l
}

// Cut ends all connections.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for c := range l.open {
		l.closeLocked(c)
	}
}

// Reset ends the connections that are open as a machine does that knows nothing of them: with an error, and what was under
// way is lost. New ones can be dialled.
func (l *Link) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		for _, end := range []net.Conn{c.near, c.far} {
			if tcp, ok := end.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // it fails where the connection is closed already
			}
		}
		l.closeLocked(c)
	}
}

// Truncate lets each connection have so many more bytes from the server, and ends it when there are more: in the middle of
// an answer.
func (l *Link) Truncate(after int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quota = after
	for c := range l.open {
		c.left = after
	}
}

// Stall passes nothing on any more, one way or both. All connections stay open, and new ones can be dialled; what is sent
// meanwhile arrives after Heal.
func (l *Link) Stall(way Way) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stalled |= way
}

// Heal ends what Cut, Truncate and Stall have begun.
func (l *Link) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.stalled, l.quota = false, 0, -1
	for c := range l.open {
		c.left = -1
	}
	l.changed.Broadcast()
}

// Delay holds back everything that is sent from now on, each way, by a random time of at most so much; zero ends that.
func (l *Link) Delay(most time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = most
}

// Rewrite has every answer of the server changed by a function, which is told the command that it answers and gives what
// shall be passed on, both as they are on the wire. It is called for one answer at a time; nil ends it. Messages that
// answer nothing (RESP3's pushes) are not among them. A connection whose answers cannot be told from messages (subscriptions
// in RESP2, MONITOR, CLIENT REPLY), or which does not speak RESP (TLS), is left alone.
func (l *Link) Rewrite(change func(command []string, answer []byte) []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rewrite = change
}

// ShiftClock makes the clock by which the server answers (TIME, EXPIRETIME, PEXPIRETIME) seem to be ahead by so much from
// now on; to the client, that is as if its own clock had been set back. What is left of a key by PTTL stays as it is, and
// so does what scripts read of the clock.
func (l *Link) ShiftClock(by time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shift = by
}

func (l *Link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.target)
		if err != nil {
			_ = near.Close() // as the server would have it
			continue
		}
		c := &connection{near: near, far: far}
		if l.add(c) {
			l.running.Go(func() { l.pass(c, near, far, ToServer) })
			l.running.Go(func() { l.pass(c, far, near, FromServer) })
		}
	}
}

// add notes a connection; false where the link is cut.
func (l *Link) add(c *connection) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.left = l.quota
	l.open[c] = struct{}{}
	if l.cut {
		l.closeLocked(c)
	}
	return !l.cut
}

func (l *Link) closeLocked(c *connection) {
	if c.closed {
		return
	}
	c.closed = true
	_, _ = c.near.Close(), c.far.Close() // the copying ends with it
	delete(l.open, c)
	l.changed.Broadcast()
}

// pass copies one way until either end is closed, and then closes both.
func (l *Link) pass(c *connection, from, to net.Conn, way Way) {
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.closeLocked(c)
	}()
	messages := frames{reader: bufio.NewReaderSize(from, 64<<10), opaque: c.talk.isOpaque}
	for {
		chunk, err := messages.chunk(func(message []byte) []byte {
			if way == ToServer {
				c.talk.asks(message)
				return message
			}
			return l.answer(&c.talk, message)
		})
		if !l.deliver(c, to, chunk, way) || err != nil {
			return
		}
	}
}

// deliver sends a chunk on when it may go; false where it is the last one.
func (l *Link) deliver(c *connection, to net.Conn, chunk []byte, way Way) bool {
	l.mu.Lock()
	delay := l.delay
	l.mu.Unlock()
	if delay > 0 {
		time.Sleep(rand.N(delay))
	}
	l.mu.Lock()
	for l.stalled&way != 0 && !c.closed {
		l.changed.Wait()
	}
	last := c.closed
	if way == FromServer && c.left >= 0 {
		if len(chunk) > c.left {
			chunk, last = chunk[:c.left], true
		}
		c.left -= len(chunk)
	}
	l.mu.Unlock()
	_, err := to.Write(chunk)
	return err == nil && !last
}

// answer is what is passed on of an answer or of a message of the server.
func (l *Link) answer(talk *conversation, message []byte) []byte {
	command := talk.answered(message)
	l.mu.Lock()
	shift, rewrite := l.shift, l.rewrite
	l.mu.Unlock()
	if command == nil {
		return message
	}
	if shift != 0 {
		message = shiftClock(command, message, shift)
	}
	if rewrite != nil {
		l.rewriting.Lock()
		defer l.rewriting.Unlock()
		message = rewrite(command, message)
	}
	return message
}
