//go:build unix

package actions

import (
	"bytes"
	"context"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// TestLostAnswer stops the server after it was connected to: the command is sent, and nobody knows what became of it.
func TestLostAnswer(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client(func(o *redis.Options) {
		o.ReadTimeout, o.PoolSize, o.DialTimeout = 50*time.Millisecond, 1, time.Second
	})
	o := NewOperator(OneServer(client), Options{})
	r := seeded(t, client, inspector.SchemeReentrant, Request{Verb: VerbRelease, Entries: 1})
	// The server knows the script by now, so that the command that is lost is the one that acts.
	if out := o.Do(t.Context(), r); out.Result != ResultEntryReleased {
		t.Fatalf("%+v", out)
	}
	r = seeded(t, client, inspector.SchemeReentrant, Request{Verb: VerbRelease, Entries: 1})
	server.Signal(syscall.SIGSTOP)
	out := o.Do(t.Context(), r)
	server.Signal(syscall.SIGCONT)
	if out.Result != ResultUnknown || out.Result.Refused() || out.Result.Done() || !strings.Contains(out.Sentence(r), "look again") {
		t.Fatalf("%+v", out)
	}
	admin := server.Client()
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		count := admin.HGet(t.Context(), "lock", "A").Val()
		return count == "1", "the count is " + count
	})
	if out := o.Do(t.Context(), r); out.Result != ResultChanged || out.Count != 1 {
		t.Fatalf("looking again: %+v", out)
	}
}

// TestCutConnection kills the server after the command that acts was written to it: the connection ends without an
// answer.
func TestCutConnection(t *testing.T) {
	for _, watch := range []bool{false, true} {
		server := redistest.Start(t)
		acts := []byte("EVALSHA")
		if watch {
			acts = []byte("EXEC")
		}
		written := make(chan struct{})
		client := server.Client(func(o *redis.Options) {
			o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, addr)
				return &tappedConn{Conn: conn, server: server, acts: acts, written: written}, err
			}
		})
		o := NewOperator(OneServer(client), Options{})
		o.scriptsDenied.Store(watch)
		r := seeded(t, server.Client(), inspector.SchemeToken, Request{Verb: VerbRelease})
		outcome := make(chan Outcome)
		go func() { outcome <- o.Do(t.Context(), r) }()
		<-written
		server.Kill()
		if out := <-outcome; out.Result != ResultUnknown {
			t.Errorf("watch %v: %+v", watch, out)
		}
	}
}

// tappedConn stops the server right before the bytes with the command that acts go out, and tells when they have.
type tappedConn struct {
	net.Conn
	server  *redistest.Server
	acts    []byte
	written chan struct{}
}

func (c *tappedConn) Write(b []byte) (int, error) {
	if !bytes.Contains(b, c.acts) {
		return c.Conn.Write(b)
	}
	c.server.Signal(syscall.SIGSTOP)
	defer close(c.written)
	return c.Conn.Write(b)
}
