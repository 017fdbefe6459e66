package inspector_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// TestALossIsKeptOnARealServer: a lease that was renewed runs out, another client gets the lock, and later the first one comes back.
func TestALossIsKeptOnARealServer(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	i := start(t, server, inspector.Options{Interval: time.Millisecond})
	const key, short = "lock:stock", 2000 // so long that each renewal is seen in time on a loaded machine
	server.Do("SET", key, "worker-1", "NX", "PX", short)
	for n := 1; n <= 3; n++ {
		lock(t, i, key, func(l *inspector.Lock) bool { return l.Renewals == n-1 })
		server.Do("PEXPIRE", key, short+n) // a millisecond more each time, so that none of them looks like a jitter of the clocks
	}
	lock(t, i, key, func(l *inspector.Lock) bool { return l.Renewals == 3 })
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		answer := server.Do("SET", key, "worker-2", "NX", "PX", 60_000)
		return answer != nil, fmt.Sprint(answer)
	})
	l := lock(t, i, key, func(l *inspector.Lock) bool { return len(l.History) == 2 })
	if lost := l.History[0].Lost; lost == nil || !lost.At.Equal(l.History[0].Until) || !lost.Until.IsZero() {
		t.Fatalf("%+v", l.History)
	}
	server.Do("DEL", key)
	server.Do("SET", key, "worker-1", "NX", "PX", 60_000)
	l = lock(t, i, key, func(l *inspector.Lock) bool { return len(l.History) == 3 && l.History[2].Owner == "worker-1" })
	if lost := l.History[0].Lost; !lost.Until.Equal(l.History[2].Since) {
		t.Errorf("it is back since %v, and knows since %v", l.History[2].Since, lost.Until)
	}
	if times := l.HoldTimes(); times.Count != 2 || l.AcquisitionsPerMinute(time.Now()).Last(inspector.ChronicleMinutes) != 3 {
		t.Errorf("%+v, %v", times, l.AcquisitionsPerMinute(time.Now()))
	}
}

// TestAnOutageIsATimeInWhichNothingWasSeen.
func TestAnOutageIsATimeInWhichNothingWasSeen(t *testing.T) {
	t.Parallel()
	began := time.Now()
	c := newScene(t, nil, nil)
	unseen := func() []inspector.Unseen { return c.i.Latest().Unseen }
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		u := unseen()
		return len(u) == 1 && u[0].From.IsZero() && !u[0].To.IsZero(), fmt.Sprintf("at first: %+v", u)
	})
	c.link.Cut()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		u := unseen()
		return len(u) == 2 && u[1].To.IsZero(), fmt.Sprintf("%+v", u)
	})
	c.link.Heal()
	healed := time.Now()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		u := unseen()
		return len(u) >= 2 && !u[1].To.IsZero(), fmt.Sprintf("%+v", u)
	})
	if u := unseen()[1]; u.From.Before(began) || u.From.After(healed) || u.To.Before(healed) || u.Why == "" {
		t.Errorf("began at %v, healed at %v: %+v", began, healed, u)
	}
	if err := c.beside.Ping(context.Background()).Err(); err != nil {
		t.Error(err)
	}
	c.leaves()
}
