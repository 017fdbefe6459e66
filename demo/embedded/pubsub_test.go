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

// TestStalledSubscriber publishes far more than a subscriber that does not read can hold. The server must go on serving
// others at its usual speed, must drop that subscriber, and must say so.
func TestStalledSubscriber(t *testing.T) {
	s := start(t, embedded.Options{})
	stalled := dialRaw(t, s.Addr())
	stalled.do(t, "PSUBSCRIBE", "*") // and never reads again
	c := client(t, s)
	reading := c.Subscribe(t.Context(), "alive")
	defer reading.Close()
	if _, err := reading.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	noise := strings.Repeat("x", 64<<10)
	slowest := time.Duration(0)
	for i := 0; ; i++ {
		begin := time.Now()
		receivers, err := c.Publish(t.Context(), "noise", noise).Result()
		if err != nil {
			t.Fatalf("publish %d: %v", i, err)
		}
		slowest = max(slowest, time.Since(begin))
		if receivers == 0 {
			break
		}
		if i > 2000 {
			t.Fatal("125 MiB later the stalled subscriber is still there")
		}
	}
	if slowest > 5*time.Second {
		t.Errorf("a publish took %v", slowest)
	}
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		info := c.Info(t.Context(), "stats", "clients").Val()
		return strings.Contains(info, "client_output_buffer_limit_disconnections:1\r\n"), info
	})
	if n := c.Publish(t.Context(), "alive", "still").Val(); n != 1 {
		t.Errorf("the other subscriber is gone: %d", n)
	}
	if m, err := reading.ReceiveMessage(t.Context()); err != nil || m.Payload != "still" {
		t.Errorf("the other subscriber hears %v %v", m, err)
	}
}

// TestStalledReader asks for more than it reads: the server must stop reading from it, and go on for others.
func TestStalledReader(t *testing.T) {
	s := start(t, embedded.Options{})
	c := client(t, s)
	if err := c.Set(t.Context(), "big", strings.Repeat("x", 1<<20), 0).Err(); err != nil {
		t.Fatal(err)
	}
	stalled := dialRaw(t, s.Addr())
	const asked = 64
	stalled.send(t, strings.Repeat(encode("GET", "big"), asked))
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		list := c.ClientList(t.Context()).Val()
		return strings.Contains(list, "omem=1") || strings.Contains(list, "omem=2"), list
	})
	if pong, err := c.Ping(t.Context()).Result(); err != nil || pong != "PONG" {
		t.Errorf("another client: %v %v", pong, err)
	}
	for i := range asked {
		if got := stalled.receive(t); len(got) != 1<<20+len("$1048576\r\n\r\n") {
			t.Fatalf("answer %d has %d bytes", i, len(got))
		}
	}
}

// TestOrderInScripts has a script publish between its writes: the message must keep its place.
func TestOrderInScripts(t *testing.T) {
	c := client(t, start(t, embedded.Options{}))
	heard := c.PSubscribe(t.Context(), "*")
	defer heard.Close()
	if _, err := heard.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	const script = `redis.call('set', KEYS[1], 'a') redis.call('publish', 'middle', 'm') redis.call('del', KEYS[1])
		return redis.call('publish', 'end', 'e')`
	if n, err := c.Eval(t.Context(), script, []string{"k"}).Int(); err != nil || n != 1 {
		t.Fatalf("%d receivers, %v", n, err)
	}
	var got []string
	for range 5 {
		m, err := heard.ReceiveMessage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, m.Payload)
	}
	if fmt.Sprint(got) != "[new set m del e]" {
		t.Error(got)
	}
}

// TestGoRedis uses the client that locktop uses, in RESP3, in the ways in which locktop uses it.
func TestGoRedis(t *testing.T) {
	ctx := t.Context()
	s := start(t, embedded.Options{})
	c := client(t, s, func(o *redis.Options) { o.Protocol = 3; o.ClientName = "worker" })
	heard := c.PSubscribe(ctx, "__keyspace@0__:lock:*")
	defer heard.Close()
	if _, err := heard.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	expect := func(events ...string) {
		t.Helper()
		for _, want := range events {
			m, err := heard.ReceiveMessage(ctx)
			if err != nil || m.Payload != want || m.Pattern != "__keyspace@0__:lock:*" {
				t.Fatalf("heard %v %v, want %s", m, err, want)
			}
		}
	}
	if err := heard.Ping(ctx, "alive"); err != nil {
		t.Fatal(err)
	}
	if pong, err := heard.Receive(ctx); err != nil || pong.(*redis.Pong).Payload != "alive" {
		t.Fatalf("ping: %v %v", pong, err)
	}

	pipe := c.Pipeline()
	won := pipe.SetNX(ctx, "lock:a", "t1", time.Minute)
	lost := pipe.SetNX(ctx, "lock:a", "t2", time.Minute)
	left := pipe.PTTL(ctx, "lock:a")
	if _, err := pipe.Exec(ctx); err != nil || !won.Val() || lost.Val() || left.Val() < 50*time.Second {
		t.Fatalf("pipeline: %v %v %v %v", err, won, lost, left)
	}
	expect("new", "set", "expire")

	if cmds, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HIncrBy(ctx, "lock:h", "w", 1)
		p.PExpire(ctx, "lock:h", time.Minute)
		p.HGetAll(ctx, "lock:h")
		return nil
	}); err != nil || fmt.Sprint(cmds[2].(*redis.MapStringStringCmd).Val()) != "map[w:1]" {
		t.Fatalf("transaction: %v %v", cmds, err)
	}
	expect("new", "hincrby", "expire")

	release := func(interfere bool) error {
		return c.Watch(ctx, func(tx *redis.Tx) error {
			if _, err := tx.Get(ctx, "lock:a").Result(); err != nil {
				return err
			}
			if interfere {
				if err := c.Set(ctx, "lock:a", "rival", redis.KeepTTL).Err(); err != nil {
					return err
				}
			}
			_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { p.Del(ctx, "lock:a"); return nil })
			return err
		}, "lock:a")
	}
	if err := release(true); err != redis.TxFailedErr { //nolint:errorlint // it is never wrapped
		t.Fatalf("a watched key was changed: %v", err)
	}
	expect("set")
	if err := release(false); err != nil {
		t.Fatal(err)
	}
	expect("del")

	script := redis.NewScript(enter)
	for want := range 2 { // NOSCRIPT and EVAL, then EVALSHA
		if n, err := script.Run(ctx, c, []string{"lock:r"}, "w", 30).Int(); err != nil || n != 1 {
			t.Fatalf("script: %d %v", n, err)
		}
		if want == 0 {
			expect("new")
		}
		expect("hincrby", "expire")
	}
	if err := c.EvalRO(ctx, "return redis.call('set', KEYS[1], 'x')", []string{"lock:r"}).Err(); err == nil {
		t.Error("a read-only script has written")
	}
	if now, err := c.Time(ctx).Result(); err != nil || time.Since(now).Abs() > time.Minute {
		t.Errorf("time: %v %v", now, err)
	}
	inLua, err := c.Eval(ctx, "return tonumber(redis.call('time')[1])", nil).Int64()
	if err != nil || time.Since(time.Unix(inLua, 0)).Abs() > time.Minute {
		t.Errorf("time inside a script: %v %v", inLua, err)
	}
	if err := c.Do(ctx, "CLIENT", "TRACKING", "ON", "BCAST").Err(); err == nil || !strings.HasPrefix(err.Error(), "ERR unknown subcommand") {
		t.Errorf("tracking: %v", err)
	}
}
