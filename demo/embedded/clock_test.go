package embedded_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/demo/embedded"
	"locktop/keyspace/redistest"
)

// TestJumpForward takes a key's lease away that nobody touches, as a machine does whose clock is set forward.
func TestJumpForward(t *testing.T) {
	ctx := t.Context()
	s := start(t, embedded.Options{})
	c := client(t, s)
	heard := c.PSubscribe(ctx, "__keyspace@0__:*")
	defer heard.Close()
	for key, ttl := range map[string]time.Duration{"short": time.Minute, "long": time.Hour, "never": 0} {
		if err := c.Set(ctx, key, "v", ttl).Err(); err != nil {
			t.Fatal(err)
		}
	}
	s.Jump(2 * time.Minute)
	next(t, heard, "expired") // nobody has named it
	if n := c.Exists(ctx, "short", "long", "never").Val(); n != 2 {
		t.Errorf("%d keys are left, want 2", n)
	}
	if left := c.PTTL(ctx, "long").Val(); left > 58*time.Minute || left < 50*time.Minute {
		t.Errorf("of an hour %v is left", left)
	}
	expectClock(t, s, 2*time.Minute)

	// An instant that only this server has passed.
	if !c.ExpireAt(ctx, "never", time.Now().Add(time.Minute)).Val() || c.Exists(ctx, "never").Val() != 0 {
		t.Error("EXPIREAT did not delete a key at once, whose deadline is over")
	}
}

// TestJumpUnreaped names a key that a jump has ended before the active cycle did.
func TestJumpUnreaped(t *testing.T) {
	s := start(t, embedded.Options{ReapDelay: time.Hour})
	c := client(t, s)
	heard := c.PSubscribe(t.Context(), "__keyspace@0__:*")
	defer heard.Close()
	if err := c.Set(t.Context(), "k", "v", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	s.Jump(2 * time.Minute)
	if n := c.DBSize(t.Context()).Val(); n != 1 {
		t.Errorf("expired, not reaped: DBSIZE %d, want 1", n)
	}
	if err := c.Get(t.Context(), "k").Err(); err == nil {
		t.Error("a key whose deadline is over was read")
	}
	next(t, heard, "expired")
}

func TestJumpBack(t *testing.T) {
	ctx := t.Context()
	s := start(t, embedded.Options{ReapDelay: -1})
	c := client(t, s)
	heard := c.PSubscribe(ctx, "__keyspace@0__:*")
	defer heard.Close()
	if err := c.Set(ctx, "k", "v", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	s.Jump(-time.Hour)
	if left := c.PTTL(ctx, "k").Val(); left < 50*time.Minute || left > 61*time.Minute {
		t.Errorf("of a minute, and an hour back, %v is left", left)
	}
	expectClock(t, s, -time.Hour)
	s.Jump(time.Hour)
	expectClock(t, s, 0)
	if left := c.PTTL(ctx, "k").Val(); left <= 0 || left > time.Minute {
		t.Errorf("of a minute, after two jumps that make none, %v is left", left)
	}
	s.Jump(2 * time.Minute)
	next(t, heard, "expired")
}

// TestWaitingHasNoClock sees to it that a client waits as long as it asked for, whatever the clock does.
func TestWaitingHasNoClock(t *testing.T) {
	s := start(t, embedded.Options{})
	s.Jump(time.Hour)
	c := client(t, s)
	if err := c.Do(t.Context(), "BLPOP", "nothing", "0.05").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("its wait ended with %v", err)
	}
}

// expectClock looks at the clock of a server, in both places where it can be read.
func expectClock(t *testing.T, s *embedded.Server, ahead time.Duration) {
	t.Helper()
	c := client(t, s)
	told, err := c.Time(t.Context()).Result()
	if off := time.Until(told) - ahead; err != nil || off.Abs() > 10*time.Second {
		t.Errorf("TIME is off by %v (%v)", off, err)
	}
	inLua, err := c.Eval(t.Context(), "return tonumber(redis.call('time')[1])", nil).Int64()
	if off := time.Until(time.Unix(inLua, 0)) - ahead; err != nil || off.Abs() > 10*time.Second {
		t.Errorf("TIME inside a script is off by %v (%v)", off, err)
	}
}

// TestSameAddress puts an empty server in the place of one that ended while clients were connected.
func TestSameAddress(t *testing.T) {
	s := start(t, embedded.Options{})
	for range 5 {
		c := client(t, s)
		if err := c.Set(t.Context(), "k", "v", 0).Err(); err != nil {
			t.Fatal(err)
		}
		raw := dialRaw(t, s.Addr())
		raw.send(t, encode("BLPOP", "nothing", 0))
		redistest.Eventually(t, 10*time.Second, func() (bool, string) {
			info := c.Info(t.Context(), "clients").Val()
			return strings.Contains(info, "blocked_clients:1\r\n"), info
		})
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if err := c.Ping(t.Context()).Err(); err == nil {
			t.Fatal("a server that was closed answers")
		}
		again := start(t, embedded.Options{Network: "unix", Addr: s.Addr()})
		if again.Addr() != s.Addr() {
			t.Fatalf("it listens on %s, not on %s", again.Addr(), s.Addr())
		}
		if n, err := c.DBSize(t.Context()).Result(); err != nil || n != 0 {
			t.Fatalf("it came back with %d keys (%v)", n, err)
		}
		s = again
	}
	if _, err := embedded.Start(t.Context(), embedded.Options{Network: "unix", Addr: s.Addr()}); err == nil {
		t.Error("two servers listen on one address")
	}
}
