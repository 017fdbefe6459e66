package embedded_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/demo/embedded"
	"locktop/keyspace/redistest"
)

// TestLifecycle relies on TestMain, which fails if a goroutine is left.
func TestLifecycle(t *testing.T) {
	for _, o := range []embedded.Options{{Network: "unix", Addr: socketPath(t)}, {Network: "tcp", Password: "open sesame"}} {
		t.Run(o.Network, func(t *testing.T) { checkLifecycle(t, o) })
	}
}

func checkLifecycle(t *testing.T, o embedded.Options) {
	s, err := embedded.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if networkOf(s.Addr()) != o.Network {
		t.Errorf("it listens on %s", s.Addr())
	}
	c := dialRaw(t, s.Addr())
	c.do(t, "AUTH", "default", o.Password)
	c.do(t, "SET", "k", "v", "PX", 100000)
	c.send(t, encode("BLPOP", "nothing", 0)) // a waiting client must not hold Close up
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if answer, err := readAnswer(c.reader); err == nil {
		t.Errorf("after Close the server answered %q", answer)
	}
	if conn, err := net.DialTimeout(o.Network, s.Addr(), time.Second); err == nil {
		_ = conn.Close()
		t.Error("after Close the address is still open")
	}
	if _, err := os.Stat(s.Addr()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Close the socket is still there: %v", err)
	}
}

func TestEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := embedded.Start(ctx, embedded.Options{Password: "open sesame"})
	if err != nil {
		t.Fatal(err)
	}
	c := dialRaw(t, s.Addr())
	c.do(t, "PING")
	cancel()
	if answer, err := readAnswer(c.reader); err == nil {
		t.Errorf("after the context's end the server answered %q", answer)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := embedded.Start(ctx, embedded.Options{Password: "open sesame"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a start with a context that is over: %v", err)
	}
}

func TestPassword(t *testing.T) {
	s := start(t, embedded.Options{Password: "open sesame"})
	raw := dialRaw(t, s.Addr())
	for _, refused := range [][]any{{"GET", "k"}, {"AUTH", "wrong"}, {"AUTH", "somebody", "open sesame"}, {"HELLO", 3}, {"MULTI"}} {
		if got := raw.do(t, refused...); !strings.HasPrefix(got, "-NOAUTH") && !strings.HasPrefix(got, "-WRONGPASS") {
			t.Errorf("%v without a password: %q", refused, got)
		}
	}
	if got := raw.do(t, "AUTH", "open sesame") + raw.do(t, "GET", "k"); got != "+OK\r\n$-1\r\n" {
		t.Errorf("with the password: %q", got)
	}
	c := client(t, s, func(o *redis.Options) { o.Password = "open sesame" })
	if err := c.Set(t.Context(), "k", "v", 0).Err(); err != nil {
		t.Error(err)
	}
}

// TestWire sends what a person, a pipeline, and a broken client send.
func TestWire(t *testing.T) {
	s := start(t, embedded.Options{})
	for _, tc := range []struct {
		name, send, want string
		closes           bool
	}{
		{"inline", "set k \"a\\x01 \\n\"\r\nGET k\r\n", "+OK\r\n$4\r\na\x01 \n\r\n", false},
		{"inline with single quotes", "ECHO 'it\\'s'\n", "$4\r\nit's\r\n", false},
		{"empty requests", "\r\n*0\r\n*-1\r\nPING\r\n", "+PONG\r\n", false},
		{"pipeline", encode("SET", "n", "1") + encode("INCR", "n") + encode("GET", "n"), "+OK\r\n:2\r\n$1\r\n2\r\n", false},
		{"binary key", encode("SET", "\x00\xff\r\n", "v") + encode("GET", "\x00\xff\r\n"), "+OK\r\n$1\r\nv\r\n", false},
		{"big value", encode("SET", "big", strings.Repeat("x", 1<<20)) + encode("STRLEN", "big"), "+OK\r\n:1048576\r\n", false},
		{"quit", encode("QUIT"), "+OK\r\n", true},
		{"unbalanced quotes", "GET \"k\r\n", "-ERR Protocol error: unbalanced quotes in request\r\n", true},
		{"no bulk string", "*1\r\n:1\r\n", "-ERR Protocol error: expected '$', got ':'\r\n", true},
		{"negative length", "*1\r\n$-5\r\n", "-ERR Protocol error: invalid bulk length\r\n", true},
		{"huge length", "*99999999\r\n", "-ERR Protocol error: invalid multibulk length\r\n", true},
		{
			"subscriber", encode("SUBSCRIBE", "c") + encode("GET", "k") + encode("PING") + encode("RESET"),
			"*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / " +
				"QUIT / RESET are allowed in this context\r\n*2\r\n$4\r\npong\r\n$0\r\n\r\n+RESET\r\n", false,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := dialRaw(t, s.Addr())
			c.send(t, tc.send)
			got := ""
			for len(got) < len(tc.want) {
				got += c.receive(t)
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
			if tc.closes {
				if answer, err := readAnswer(c.reader); err == nil {
					t.Errorf("the connection is still open: %q", answer)
				}
			} else if got := c.do(t, "PING"); got != "+PONG\r\n" {
				t.Errorf("afterwards: %q", got)
			}
		})
	}
}

// TestGarbage sends random bytes over many connections, and some requests that break off: the server must outlive it all.
func TestGarbage(t *testing.T) {
	s := start(t, embedded.Options{})
	random := rand.New(rand.NewPCG(5, 6))
	const letters = "*$+-:12389\r\n\"'\\x SETGEVAL{}%\x00\xff"
	for range 200 {
		conn, err := net.Dial("unix", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		garbage := make([]byte, random.IntN(300))
		for i := range garbage {
			garbage[i] = letters[random.IntN(len(letters))]
		}
		_, _ = conn.Write(garbage) // the server may have hung up already
		_, _ = io.WriteString(conn, encode("SET", "k", strings.Repeat("x", 100))[:60])
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if got := dialRaw(t, s.Addr()).do(t, "PING"); got != "+PONG\r\n" {
		t.Errorf("afterwards: %q", got)
	}
}

func TestWaiting(t *testing.T) {
	s := start(t, embedded.Options{})
	pusher, first, second, gone := dialRaw(t, s.Addr()), dialRaw(t, s.Addr()), dialRaw(t, s.Addr()), dialRaw(t, s.Addr())
	blocked := func(n string) {
		t.Helper()
		redistest.Eventually(t, 5*time.Second, func() (bool, string) {
			info := pusher.do(t, "INFO", "clients")
			return strings.Contains(info, "blocked_clients:"+n+"\r\n"), info
		})
	}
	gone.send(t, encode("BLPOP", "queue", 0))
	blocked("1")
	first.send(t, encode("BLPOP", "other", "queue", 0))
	blocked("2")
	second.send(t, encode("BLMOVE", "queue", "done", "LEFT", "RIGHT", 0))
	blocked("3")
	if err := gone.conn.Close(); err != nil {
		t.Fatal(err)
	}
	blocked("2") // who hangs up waits no longer, and gets nothing

	pusher.do(t, "RPUSH", "queue", "1", "2", "3")
	if got, want := first.receive(t), "*2\r\n$5\r\nqueue\r\n$1\r\n1\r\n"; got != want {
		t.Errorf("the first waiter got %q, want %q", got, want)
	}
	if got, want := second.receive(t), "$1\r\n2\r\n"; got != want {
		t.Errorf("the second waiter got %q, want %q", got, want)
	}
	if got, want := pusher.do(t, "LRANGE", "done", 0, -1), "*1\r\n$1\r\n2\r\n"; got != want {
		t.Errorf("moved: %q, want %q", got, want)
	}

	first.send(t, encode("BRPOP", "none", "0.05")+encode("PING")) // a pipeline goes on after the wait
	if got := first.receive(t) + first.receive(t); got != "*-1\r\n+PONG\r\n" {
		t.Errorf("after the time is over: %q", got)
	}
	first.do(t, "CLIENT", "SETNAME", "waiter")
	id := strings.TrimSpace(first.do(t, "CLIENT", "ID")[1:])
	first.send(t, encode("BLPOP", "none", 0))
	blocked("1")
	if got := pusher.do(t, "CLIENT", "UNBLOCK", id, "ERROR"); got != ":1\r\n" {
		t.Errorf("unblock: %q", got)
	}
	if got := first.receive(t); !strings.HasPrefix(got, "-UNBLOCKED") {
		t.Errorf("unblocked: %q", got)
	}
}
