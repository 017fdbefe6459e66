package servers

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// parrot is a server that says its name to who connects, and then repeats what it hears.
func parrot(t *testing.T, name string) (addr string) {
	t.Helper()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := io.WriteString(conn, name); err == nil {
					_, _ = io.Copy(conn, conn) // until the other end hangs up, in whatever way
				}
			}()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-ended
	})
	return listener.Addr().String()
}

// relayTo opens a relay that closes, and must close well, when the test ends.
func relayTo(t *testing.T, addr string) *relay {
	t.Helper()
	r := must(openRelay())(t)
	t.Cleanup(func() { succeed(t, r.Close()) })
	r.point(addr)
	return r
}

func dialRelay(t *testing.T, r *relay) net.Conn {
	t.Helper()
	conn := must(net.Dial("tcp", r.addr()))(t)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// hear reads so much within a time.
func hear(conn net.Conn, n int, within time.Duration) (string, error) {
	if err := conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return "", err
	}
	heard := make([]byte, n)
	n, err := io.ReadFull(conn, heard)
	return string(heard[:n]), err
}

func expectHear(t *testing.T, conn net.Conn, want string) {
	t.Helper()
	if got, err := hear(conn, len(want), patience); got != want {
		t.Fatalf("heard %q, want %q (%v)", got, want, err)
	}
}

// expectSilence sees that nothing comes, and that the connection is nevertheless open.
func expectSilence(t *testing.T, conn net.Conn) {
	t.Helper()
	if got, err := hear(conn, 1, 50*time.Millisecond); got != "" || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("heard %q (%v), want silence", got, err)
	}
}

func expectEnd(t *testing.T, conn net.Conn) {
	t.Helper()
	if got, err := hear(conn, 1, patience); got != "" || err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("heard %q (%v), want the end of the connection", got, err)
	}
}

func tell(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(conn, text)
	succeed(t, err)
}

func TestRelayPoints(t *testing.T) {
	r := relayTo(t, parrot(t, "anna"))
	first, second := dialRelay(t, r), dialRelay(t, r)
	expectHear(t, first, "anna")
	expectHear(t, second, "anna")
	tell(t, first, "hello")
	expectHear(t, first, "hello")
	r.point(parrot(t, "bert"))
	expectEnd(t, first)
	expectEnd(t, second)
	third := dialRelay(t, r)
	expectHear(t, third, "bert")
	nobody := must(freeAddress())(t)
	r.point(nobody)
	expectEnd(t, third)
	expectEnd(t, dialRelay(t, r)) // nobody listens there
}

func TestRelayCut(t *testing.T) {
	r := relayTo(t, parrot(t, "anna"))
	old := dialRelay(t, r)
	expectHear(t, old, "anna")
	r.cut()
	tell(t, old, "hello")
	late := dialRelay(t, r)
	expectSilence(t, old)
	expectSilence(t, late)
	r.heal()
	expectHear(t, old, "hello")
	expectHear(t, late, "anna")
}

// TestRelayDropsWhatItHolds sees to it that what could not pass never does once its connection is ended.
func TestRelayDropsWhatItHolds(t *testing.T) {
	r := relayTo(t, parrot(t, "anna"))
	old := dialRelay(t, r)
	expectHear(t, old, "anna")
	r.cut()
	tell(t, old, "hello")
	late := dialRelay(t, r)
	expectSilence(t, late)
	r.drop()
	r.heal()
	expectEnd(t, old)
	expectEnd(t, late)
	expectHear(t, dialRelay(t, r), "anna")
}

func TestNothingIsLeftOfRelay(t *testing.T) {
	target := parrot(t, "anna")
	before := goleak.IgnoreCurrent()
	for _, isCut := range []bool{false, true} {
		r := relayTo(t, target)
		open := dialRelay(t, r)
		expectHear(t, open, "anna")
		if isCut {
			r.cut()
			tell(t, open, "hello")
			expectSilence(t, dialRelay(t, r))
		}
		for range 2 {
			succeed(t, r.Close())
		}
		expectEnd(t, open)
		if conn, err := net.Dial("tcp", r.addr()); err == nil {
			t.Errorf("closed, it takes a connection: %v", conn.Close())
		}
	}
	goleak.VerifyNone(t, before)
}
