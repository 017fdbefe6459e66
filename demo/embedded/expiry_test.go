package embedded_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/demo/embedded"
	"locktop/keyspace/redistest"
)

// next waits for one event of a key.
func next(t *testing.T, heard *redis.PubSub, event string) time.Time {
	t.Helper()
	for {
		message, err := heard.ReceiveTimeout(t.Context(), 10*time.Second)
		if err != nil {
			t.Fatalf("waiting for %q: %v", event, err)
		}
		if m, ok := message.(*redis.Message); ok && m.Payload == event {
			return time.Now()
		}
	}
}

// TestReapDelay sees a key expired and not yet reaped, as on a real server.
func TestReapDelay(t *testing.T) {
	for _, tc := range []struct{ option, shortest time.Duration }{
		{0, 100 * time.Millisecond}, // at random, from that on
		{300 * time.Millisecond, 300 * time.Millisecond},
	} {
		t.Run(tc.option.String(), func(t *testing.T) { testReapDelay(t, tc.option, tc.shortest) })
	}
}

func testReapDelay(t *testing.T, option, shortest time.Duration) {
	t.Helper()
	c := client(t, start(t, embedded.Options{ReapDelay: option}))
	heard := c.PSubscribe(t.Context(), "__keyspace@0__:*")
	defer heard.Close()
	set := func(key string) (deadline time.Time) {
		t.Helper()
		if err := c.Set(t.Context(), key, "v", 50*time.Millisecond).Err(); err != nil {
			t.Fatal(err)
		}
		at, err := c.PExpireTime(t.Context(), key).Result()
		if err != nil {
			t.Fatal(err)
		}
		return time.UnixMilli(at.Milliseconds())
	}

	deadline := set("untouched")
	reaped := next(t, heard, "expired")
	if late := reaped.Sub(deadline); late < shortest || late > shortest+5*time.Second {
		t.Errorf("an untouched key was announced %v after its deadline, want at least %v", late, shortest)
	}

	deadline = set("touched")
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		return time.Since(deadline) > 5*time.Millisecond, "the clock stands still"
	})
	if n := c.DBSize(t.Context()).Val(); n != 1 {
		t.Errorf("expired, not reaped: DBSIZE %d, want 1", n)
	}
	if n := c.Exists(t.Context(), "touched").Val(); n != 0 {
		t.Errorf("expired, not reaped: EXISTS %d, want 0", n)
	}
	if late := next(t, heard, "expired").Sub(deadline); late > shortest {
		t.Errorf("a touched key was announced %v after its deadline", late)
	}
}

// TestDeadlines changes deadlines in every direction; each key must be announced once, in the order of the deadlines.
func TestDeadlines(t *testing.T) {
	c := client(t, start(t, embedded.Options{ReapDelay: -1}))
	heard := c.PSubscribe(t.Context(), "__keyspace@0__:*")
	defer heard.Close()
	set := func(key string, ttl time.Duration) {
		if err := c.Set(t.Context(), key, "v", ttl).Err(); err != nil {
			t.Fatal(err)
		}
	}
	set("never", time.Hour)
	set("third", 40*time.Millisecond)
	set("second", time.Hour)
	set("first", time.Hour)
	set("kept", 50*time.Millisecond)
	for key, ttl := range map[string]time.Duration{"third": 200, "second": 150, "first": 100} {
		if !c.PExpire(t.Context(), key, ttl*time.Millisecond).Val() {
			t.Errorf("pexpire %s failed", key)
		}
	}
	if !c.Persist(t.Context(), "kept").Val() {
		t.Error("persist failed")
	}
	var order []string
	for len(order) < 3 {
		message, err := heard.ReceiveTimeout(t.Context(), 10*time.Second)
		if err != nil {
			t.Fatalf("after %v: %v", order, err)
		}
		if m, ok := message.(*redis.Message); ok && m.Payload == "expired" {
			order = append(order, strings.TrimPrefix(m.Channel, "__keyspace@0__:"))
		}
	}
	if got := strings.Join(order, " "); got != "first second third" {
		t.Errorf("expired in the order %s", got)
	}
	if left := c.Keys(t.Context(), "*").Val(); len(left) != 2 {
		t.Errorf("left: %v", left)
	}
	if info := c.Info(t.Context(), "keyspace").Val(); !strings.Contains(info, "db0:keys=2,expires=1,") {
		t.Error(info)
	}
}

// TestScan walks the keys while others come and go: those that stay must come exactly once.
func TestScan(t *testing.T) {
	c := client(t, start(t, embedded.Options{}))
	const keys = 500
	pipe := c.Pipeline()
	for i := range keys {
		pipe.Set(t.Context(), fmt.Sprintf("stay:%d", i), "v", 0)
		pipe.Set(t.Context(), fmt.Sprintf("go:%d", i), "v", 0)
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, count := range []int64{1, 7, 100, 5000} {
		seen, pages, cursor := map[string]int{}, 0, uint64(0)
		for {
			page, next, err := c.Scan(t.Context(), cursor, "*", count).Result()
			if err != nil {
				t.Fatal(err)
			}
			if int64(len(page)) > count {
				t.Fatalf("COUNT %d gave %d keys", count, len(page))
			}
			for _, key := range page {
				seen[key]++
			}
			pages++
			if cursor = next; cursor == 0 {
				break
			}
			c.Del(t.Context(), fmt.Sprintf("go:%d", pages%keys))
			c.Set(t.Context(), fmt.Sprintf("come:%d:%d", count, pages), "v", 0)
		}
		for i := range keys {
			if n := seen[fmt.Sprintf("stay:%d", i)]; n != 1 {
				t.Fatalf("COUNT %d: stay:%d came %d times", count, i, n)
			}
		}
	}
	matched, _, err := c.ScanType(t.Context(), 0, "stay:1?", 100000, "string").Result()
	if err != nil || len(matched) != 10 {
		t.Errorf("MATCH and TYPE: %v %v", matched, err)
	}
}
