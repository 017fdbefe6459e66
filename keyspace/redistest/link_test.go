package redistest_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
)

// dial opens a connection, which ends with the test.
func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// send writes inline commands, one a line.
func send(t *testing.T, conn net.Conn, commands ...string) {
	t.Helper()
	if _, err := conn.Write([]byte(strings.Join(commands, "\r\n") + "\r\n")); err != nil {
		t.Fatal(err)
	}
}

// hears reads as many bytes as the text has, and wants them to be the text.
func hears(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	b := make([]byte, len(text))
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if n, err := io.ReadFull(conn, b); err != nil || string(b) != text {
		t.Fatalf("heard %q, %v; want %q", b[:n], err, text)
	}
}

// hearsNothing wants no byte to come for a while.
func hearsNothing(t *testing.T, conn net.Conn) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("heard %d bytes, %v", n, err)
	}
}

func TestLinkTruncates(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "k", "0123456789")
	link := redistest.NewLink(t, s)
	old := dial(t, link.Addr)
	send(t, old, "PING")
	hears(t, old, "+PONG\r\n")
	link.Truncate(12)
	for _, conn := range []net.Conn{old, dial(t, link.Addr)} {
		send(t, conn, "PING", "GET k", "GET k")
		hears(t, conn, "+PONG\r\n$10\r\n")
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%d bytes, %v after the end", n, err)
		}
	}
	link.Heal()
	conn := dial(t, link.Addr)
	send(t, conn, "GET k")
	hears(t, conn, "$10\r\n0123456789\r\n")
}

func TestLinkResets(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	link := redistest.NewLink(t, s)
	conn := dial(t, link.Addr)
	send(t, conn, "PING")
	hears(t, conn, "+PONG\r\n")
	link.Reset()
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("the connection ended with %v", err)
	}
	conn = dial(t, link.Addr)
	send(t, conn, "PING")
	hears(t, conn, "+PONG\r\n")
}

func TestLinkCutsAndHeals(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	link := redistest.NewLink(t, s)
	for _, stalled := range []bool{false, true} { // what is stalled can be cut as well
		conn := dial(t, link.Addr)
		send(t, conn, "PING")
		hears(t, conn, "+PONG\r\n")
		if stalled {
			link.Stall(redistest.BothWays)
			send(t, conn, "PING")
		}
		link.Cut()
		for _, conn := range []net.Conn{conn, dial(t, link.Addr)} {
			if _, err := conn.Read(make([]byte, 1)); err == nil {
				t.Error("the connection is open")
			}
		}
		link.Heal()
	}
	conn := dial(t, link.Addr)
	send(t, conn, "PING")
	hears(t, conn, "+PONG\r\n")
}

func TestLinkStalls(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	link := redistest.NewLink(t, s)
	for way, arrives := range map[redistest.Way]bool{redistest.ToServer: false, redistest.FromServer: true, redistest.BothWays: false} {
		old := dial(t, link.Addr)
		send(t, old, "PING")
		hears(t, old, "+PONG\r\n")
		link.Stall(way)
		conns := []net.Conn{old, dial(t, link.Addr)}
		for i, conn := range conns {
			key := fmt.Sprintf("k%d-%d", way, i)
			send(t, conn, "SET "+key+" v")
			if arrives {
				redistest.Eventually(t, 20*time.Second, func() (bool, string) {
					v := s.Do("GET", key)
					return v == "v", "the command has not arrived"
				})
			}
			hearsNothing(t, conn)
			if v := s.Do("GET", key); !arrives && v != nil {
				t.Errorf("way %d: the command has arrived: %v", way, v)
			}
		}
		link.Heal()
		for _, conn := range conns {
			hears(t, conn, "+OK\r\n")
		}
	}
}

// TestLinkRewritesPipelines proves that each answer is given together with its own command, whatever comes between.
func TestLinkRewritesPipelines(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("HSET", "hash", "field", "value")
	link := redistest.NewLink(t, s)
	link.Delay(time.Millisecond) // it cuts the streams at other places
	link.Rewrite(func(command []string, answer []byte) []byte {
		if command[0] == "ECHO" {
			if !bytes.Contains(answer, []byte(command[1])) {
				t.Errorf("%q is not the answer to %q", answer, command)
			}
			return fmt.Appendf(nil, "+changed %s\r\n", command[1])
		}
		return answer
	})
	conn := dial(t, link.Addr)
	reader := bufio.NewReader(conn)
	command := func(words ...string) []byte {
		b := fmt.Appendf(nil, "*%d\r\n", len(words))
		for _, word := range words {
			b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(word), word)
		}
		return b
	}
	say := func(b []byte) {
		t.Helper()
		if _, err := conn.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	until := func(text string) {
		t.Helper()
		for {
			line, err := reader.ReadString('\n')
			if err != nil {
				t.Fatalf("waiting for %.40s: %v", text, err)
			}
			if strings.TrimSpace(line) == text {
				return
			}
		}
	}
	say(command("HELLO", "3"))
	say(command("ECHO", "greeted"))
	until("+changed greeted")

	publisher := s.Client()
	stop := make(chan struct{})
	published := make(chan struct{})
	go func() {
		defer close(published)
		for {
			select {
			case <-stop:
				return
			default:
				publisher.Publish(t.Context(), "news", "subscribe")
			}
		}
	}()
	var pipeline []byte
	long := strings.Repeat("x", 5000)
	for i := range 200 {
		for _, words := range [][]string{
			{"SUBSCRIBE", "news", "more"},
			{"SUBSCRIBE"},
			{"ECHO", fmt.Sprint(i)},
			{"HGETALL", "hash"},
			{"NO SUCH"},
			{"EVAL", "return {1,{2,'x'},false}", "0"},
			{"UNSUBSCRIBE", "more", "else"},
			{"SUBSCRIBE", "news"},
			{"GET", "nothing"},
			{"ECHO", long + fmt.Sprint(i)},
			{"MULTI"},
			{"PING"},
			{"EXEC"},
		} {
			pipeline = append(pipeline, command(words...)...)
		}
	}
	go func() { _, _ = conn.Write(pipeline) }() // the test notices by the answers
	for i := range 200 {
		until(fmt.Sprint("+changed ", i))
		until(fmt.Sprint("+changed ", long, i))
	}
	close(stop)
	<-published
}

func TestLinkLeavesAloneWhatItCannotKnow(t *testing.T) {
	t.Parallel()
	s := redistest.StartTLS(t)
	plain := redistest.Start(t)
	var changed atomic.Int64
	count := func(_ []string, answer []byte) []byte {
		changed.Add(1)
		return answer
	}
	secure := redistest.NewLink(t, s.Server)
	secure.Rewrite(count)
	client := redis.NewClient(&redis.Options{Addr: secure.Addr, TLSConfig: &tls.Config{RootCAs: s.Roots, MinVersion: tls.VersionTLS12}})
	defer client.Close()
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Errorf("TLS through a link: %v", err)
	}

	link := redistest.NewLink(t, plain)
	link.Rewrite(count)
	conn := dial(t, link.Addr)
	send(t, conn, "*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\na") // RESP2
	hears(t, conn, "*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n")
	plain.Do("PUBLISH", "a", "b")
	hears(t, conn, "*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n")
	if n := changed.Load(); n != 0 {
		t.Errorf("%d answers were changed", n)
	}
}

func TestLinkShiftsTheClock(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("SET", "k", "v", "PX", 600000)
	s.Do("SET", "forever", "v")
	link := redistest.NewLink(t, s)
	client := redis.NewClient(&redis.Options{Addr: link.Addr, MaxRetries: -1})
	defer client.Close()
	ctx := t.Context()
	before, err := client.PExpireTime(ctx, "k").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []time.Duration{time.Hour, -1500 * time.Millisecond, 0} {
		link.ShiftClock(by)
		pipe := client.Pipeline()
		now, at, seconds := pipe.Time(ctx), pipe.PExpireTime(ctx, "k"), pipe.ExpireTime(ctx, "k")
		forever, none, left := pipe.PExpireTime(ctx, "forever"), pipe.PExpireTime(ctx, "none"), pipe.PTTL(ctx, "k")
		first := time.Now()
		if _, err := pipe.Exec(ctx); err != nil {
			t.Fatal(err)
		}
		slack := time.Since(first) + time.Second
		if now.Val().Sub(first) > by+slack || now.Val().Sub(first) < by-time.Second {
			t.Errorf("by %v: TIME is %v", by, now.Val().Sub(first))
		}
		if at.Val() != before+by || (seconds.Val()-at.Val()).Abs() > time.Second {
			t.Errorf("by %v: PEXPIRETIME %v, EXPIRETIME %v, before %v", by, at.Val(), seconds.Val(), before)
		}
		if forever.Val() != -1 || none.Val() != -2 || left.Val() > 10*time.Minute {
			t.Errorf("by %v: without expiry %v, no key %v, left %v", by, forever.Val(), none.Val(), left.Val())
		}
	}
}
