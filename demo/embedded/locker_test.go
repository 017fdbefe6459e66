package embedded_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/actions"
	"locktop/demo/embedded"
	"locktop/keyspace/redistest"
)

// TestLockerParity runs the scripts with which the demo's workers acquire, renew and release: every outcome and every event
// must be that of a real server.
func TestLockerParity(t *testing.T) {
	want := runLocker(t, redistest.Start(t).Client())
	got := runLocker(t, client(t, start(t, embedded.Options{})))
	if !slices.Equal(got, want) {
		t.Errorf("the servers differ\nreal:\n%s\nembedded:\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
	if len(want) < 100 {
		t.Errorf("only %d outcomes and events were compared", len(want))
	}
}

func runLocker(t *testing.T, c *redis.Client) (lines []string) {
	t.Helper()
	ctx := t.Context()
	s := &side{name: "locker", heard: c.PSubscribe(ctx, "*")}
	defer s.heard.Close()
	if _, err := s.heard.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	l := actions.NewLocker(c)
	note := func(what string, outcome ...any) {
		t.Helper()
		lines = append(append(lines, what+": "+fmt.Sprint(outcome...)), s.hear(ctx, t)...)
	}
	yes := func(what string) func(bool, error) {
		return func(ok bool, err error) { t.Helper(); note(what, ok, " ", err) }
	}
	count := func(what string) func(int64, error) {
		return func(n int64, err error) { t.Helper(); note(what, n, " ", err) }
	}

	yes("acquire token")(l.AcquireToken(ctx, "lock:a", "t1", time.Minute))
	yes("acquire it again")(l.AcquireToken(ctx, "lock:a", "t2", time.Minute))
	yes("extend another's")(l.ExtendToken(ctx, "lock:a", "t2", time.Minute))
	yes("extend")(l.ExtendToken(ctx, "lock:a", "t1", time.Minute))
	yes("release another's")(l.ReleaseToken(ctx, "lock:a", "t2"))
	yes("release")(l.ReleaseToken(ctx, "lock:a", "t1"))
	yes("release again")(l.ReleaseToken(ctx, "lock:a", "t1"))

	value, ok, err := l.AcquireTimestamp(ctx, "a_lock", time.Minute)
	note("acquire timestamp", ok, err)
	_, ok, err = l.AcquireTimestamp(ctx, "a_lock", time.Minute)
	note("acquire it again", ok, err)
	value, ok, err = l.ExtendTimestamp(ctx, "a_lock", value, time.Minute)
	note("extend", ok, err)
	yes("release")(l.ReleaseTimestamp(ctx, "a_lock", value))

	count("enter")(l.AcquireReentrant(ctx, "lock:r", "o1", time.Minute))
	count("enter again")(l.AcquireReentrant(ctx, "lock:r", "o1", time.Minute))
	count("enter another's")(l.AcquireReentrant(ctx, "lock:r", "o2", time.Minute))
	yes("extend another's")(l.ExtendReentrant(ctx, "lock:r", "o2", time.Minute))
	yes("extend")(l.ExtendReentrant(ctx, "lock:r", "o1", time.Minute))
	count("leave another's")(l.ReleaseReentrant(ctx, "lock:r", "o2", time.Minute))
	count("leave once")(l.ReleaseReentrant(ctx, "lock:r", "o1", time.Minute))
	count("leave")(l.ReleaseReentrant(ctx, "lock:r", "o1", time.Minute))

	for _, owner := range []string{"o1", "o2"} {
		n, left, err := l.AcquireRedisson(ctx, "orders", owner, time.Minute)
		note("acquire redisson", n, left > 0, err)
	}
	yes("extend")(l.ExtendRedisson(ctx, "orders", "o1", time.Minute))
	count("release another's")(l.ReleaseRedisson(ctx, "orders", "o2", time.Minute))
	count("release and publish")(l.ReleaseRedisson(ctx, "orders", "o1", time.Minute))

	// queue is who waits for the fair lock, with the time between one's deadline and that of the one before.
	queue := func(what string) {
		t.Helper()
		var steps []time.Duration
		deadlines := c.ZRangeWithScores(ctx, "redisson_lock_timeout:{fair}", 0, -1).Val()
		for i, z := range deadlines[min(1, len(deadlines)):] {
			steps = append(steps, time.Duration(z.Score-deadlines[i].Score)*time.Millisecond)
		}
		note(what, c.LRange(ctx, "redisson_lock_queue:{fair}", 0, -1).Val(), steps)
	}
	ask := func(owner string, wait time.Duration) {
		t.Helper()
		n, left, err := l.AcquireRedissonFair(ctx, "fair", owner, time.Minute, wait)
		note(owner+" asks", n, left.Round(time.Minute), err)
		queue("queue")
	}
	leave := func(owner string) {
		t.Helper()
		count(owner + " leaves")(l.ReleaseRedissonFair(ctx, "fair", owner, time.Minute))
		queue("queue")
	}
	for n, owner := range []string{"o1", "o1", "o2", "o3", "o4", "o5", "o3"} {
		ask(owner, time.Duration(n+1)*time.Hour)
	}
	for _, owner := range []string{"o2", "o1", "o1"} {
		leave(owner)
	}
	ask("o3", time.Hour)
	ask("o2", 3*time.Hour)
	note("o4 gives up", l.LeaveRedissonQueue(ctx, "fair", "o4"))
	queue("queue")
	note("o3 is dead", c.ZAdd(ctx, "redisson_lock_timeout:{fair}", redis.Z{Member: "o3", Score: 1}).Err())
	leave("o2")
	ask("o5", time.Hour)
	leave("o5")
	leave("o5")

	watched := func(what string) {
		t.Helper()
		released, aborted, err := l.ReleaseTokenByWatch(ctx, "lock:w", "t1")
		note(what, released, aborted, err)
	}
	watched("release what is not there by WATCH")
	yes("acquire token")(l.AcquireToken(ctx, "lock:w", "t1", time.Minute))
	c.AddHook(&beforeExec{do: func() { yes("renewed in between")(l.ExtendToken(ctx, "lock:w", "t1", time.Hour)) }})
	watched("release by WATCH")
	watched("release by WATCH again")
	return lines
}

// beforeExec does something once, right before a transaction is sent.
type beforeExec struct{ do func() }

func (h *beforeExec) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h *beforeExec) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (h *beforeExec) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		if do := h.do; do != nil && commands[len(commands)-1].Name() == "exec" {
			h.do = nil
			do()
		}
		return next(ctx, commands)
	}
}
