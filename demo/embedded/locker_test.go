package embedded_test

import (
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
	if len(want) < 40 {
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
	return lines
}
