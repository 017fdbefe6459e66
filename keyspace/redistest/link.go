package redistest

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// Link is a way to a server that can be cut and slowed down: what is dialled at its address is passed on.
type Link struct {
	// Addr is where it listens: "127.0.0.1:port".
	Addr string

	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu    sync.Mutex
	open  map[net.Conn]struct{}
	cut   bool
	delay time.Duration
}

// NewLink makes a link to the server; it ends with the test.
func NewLink(tb testing.TB, s *Server) *Link {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	l := &Link{Addr: listener.Addr().String(), target: s.Addr, listener: listener, open: make(map[net.Conn]struct{})}
	l.running.Go(l.accept)
	tb.Cleanup(func() {
		_ = listener.Close() // nothing is lost with it
		l.Cut()
		l.running.Wait()
	})
	return l
}

// Cut ends all connections, and those that are dialled from now on.
func (l *Link) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	for conn := range l.open {
		_ = conn.Close() // the copying ends with it
	}
}

// Heal lets new connections through again.
func (l *Link) Heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = false
}

// Delay holds back everything that is sent from now on, each way, by a random time of at most so much.
func (l *Link) Delay(most time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = most
}

func (l *Link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.target)
		if err != nil {
			_ = near.Close()
			continue
		}
		if !l.add(near, far) {
			continue
		}
		l.running.Go(func() { l.pass(near, far) })
		l.running.Go(func() { l.pass(far, near) })
	}
}

// add notes both ends of a connection; false where the link is cut.
func (l *Link) add(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range conns {
		if l.cut {
			_ = conn.Close()
		} else {
			l.open[conn] = struct{}{}
		}
	}
	return !l.cut
}

// pass copies one way until either end is closed, and then closes both.
func (l *Link) pass(from, to net.Conn) {
	defer func() {
		_, _ = from.Close(), to.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, from)
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		l.mu.Lock()
		delay := l.delay
		l.mu.Unlock()
		if delay > 0 {
			time.Sleep(rand.N(delay))
		}
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}
