package inspector_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func TestMain(m *testing.M) { redistest.Main(m) }

// start watches a server as the product does.
func start(t testing.TB, s *redistest.Server, o inspector.Options) *inspector.Inspector {
	t.Helper()
	return startBy(t, keyspace.Options{Network: "unix", Addr: s.Socket}, keyspace.ObserveOptions{}, o, keyspace.FeedPush)
}

// startBy watches in another way, and waits until the feed is that one.
func startBy(t testing.TB, at keyspace.Options, how keyspace.ObserveOptions, o inspector.Options, feed keyspace.Feed) *inspector.Inspector {
	t.Helper()
	c, err := keyspace.Connect(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	how.Patterns, how.Follow, how.Nudge, how.Companions = inspector.DefaultPatterns(), o.Rules.Follow, true, o.Rules
	observation, err := c.Observe(ctx, how)
	if err != nil {
		t.Fatal(err)
	}
	i := inspector.Start(ctx, observation, o)
	t.Cleanup(func() {
		cancel()
		redistest.Eventually(t, 5*time.Second, func() (bool, string) { return i.Latest().Done, "the inspector still runs" })
		for range observation.Updates() { // closed after the feed's last goroutine
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		latest := i.Latest()
		return latest.Complete && latest.Nodes[0].Feed == feed, fmt.Sprintf("%+v", latest)
	})
	return i
}

// lock waits until the snapshot has the lock and ok says yes.
func lock(t testing.TB, i *inspector.Inspector, key string, ok func(*inspector.Lock) bool) *inspector.Lock {
	t.Helper()
	var found *inspector.Lock
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		for _, l := range i.Latest().Locks {
			if l.Key == key {
				found = l
				return ok(l), fmt.Sprintf("%+v", l)
			}
		}
		return false, "there is no lock " + key
	})
	return found
}

// events are the kinds of what happened to a key, in order, with owner and previous owner.
func events(i *inspector.Inspector, key string) []string {
	var kinds []string
	all, _ := i.EventsSince(0)
	for _, e := range all {
		if e.Key == key {
			kinds = append(kinds, fmt.Sprintf("%s %s<%s %s", e.Kind, e.Owner, e.PreviousOwner, e.Cause))
		}
	}
	return kinds
}

func TestLifeOfALock(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:found", "early", "PX", 60000)
	i := start(t, s, inspector.Options{Linger: time.Second})
	held := func(l *inspector.Lock) bool { return l.State == inspector.StateHeld }
	if l := lock(t, i, "lock:found", held); l.HeldExact || l.Scheme != inspector.SchemeToken {
		t.Errorf("a lock that was found: %+v", l)
	}
	s.Do("SET", "lock:a", "worker-1", "NX", "PX", 60000)
	if l := lock(t, i, "lock:a", held); !l.HeldExact || l.Holders[0].Owner != "worker-1" || l.Holders[0].Count.Known {
		t.Errorf("a lock that was acquired before our eyes: %+v", l)
	}
	s.Do("PEXPIRE", "lock:a", 120000)
	lock(t, i, "lock:a", func(l *inspector.Lock) bool { return l.Renewals == 1 })
	s.Do("DEL", "lock:a")
	freed := lock(t, i, "lock:a", func(l *inspector.Lock) bool { return l.State == inspector.StateFreed })
	if freed.FreedBy != inspector.CauseFreed || len(freed.History) != 1 || freed.History[0].Cause != inspector.CauseFreed {
		t.Errorf("a released lock: %+v", freed)
	}
	s.Do("SET", "lock:a", "worker-2", "NX", "PX", 300)
	lock(t, i, "lock:a", func(l *inspector.Lock) bool {
		return l.State == inspector.StateFreed && l.FreedBy == inspector.CauseExpired
	})
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		gone := !slices.ContainsFunc(i.Latest().Locks, func(l *inspector.Lock) bool { return l.Key == "lock:a" })
		return gone, "the freed lock lingers"
	})
	s.Do("SET", "lock:a", "worker-3", "PX", 60000)
	if l := lock(t, i, "lock:a", held); len(l.History) != 3 {
		t.Errorf("the history did not outlive the key: %+v", l.History)
	}
	want := []string{
		"acquired worker-1< ", "extended worker-1< ", "released worker-1< freed", "acquired worker-2< ",
		"expired worker-2< expired", "acquired worker-3< ",
	}
	if got := events(i, "lock:a"); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestHandOvers(t *testing.T) {
	s := redistest.Start(t)
	i := start(t, s, inspector.Options{})
	owner := func(name string) func(*inspector.Lock) bool {
		return func(l *inspector.Lock) bool { return l.State == inspector.StateHeld && l.Holders[0].Owner == name }
	}
	s.Do("SET", "lock:a", "one", "PX", 60000)
	lock(t, i, "lock:a", owner("one"))
	s.Do("SET", "lock:a", "two", "PX", 60000) // taken over in place
	lock(t, i, "lock:a", owner("two"))
	c := s.Client()
	if _, err := c.TxPipelined(t.Context(), func(p redis.Pipeliner) error {
		p.Del(t.Context(), "lock:a")
		p.Set(t.Context(), "lock:a", "three", time.Minute)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	l := lock(t, i, "lock:a", owner("three"))
	var causes []inspector.Cause
	for _, h := range l.History {
		causes = append(causes, h.Cause)
	}
	if want := []inspector.Cause{inspector.CauseTakenOver, inspector.CauseFreed, ""}; !slices.Equal(causes, want) {
		t.Errorf("causes %q, want %q", causes, want)
	}
	want := []string{"acquired one< ", "lost one< taken over", "handed-over two<one taken over", "released two< freed", "acquired three<two freed"}
	if got := events(i, "lock:a"); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestEntriesOfAReentrantLock(t *testing.T) {
	s := redistest.Start(t)
	i := start(t, s, inspector.Options{})
	key, owner := "lock:orders", "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"
	enter := func(by int) {
		s.Do("EVAL", "redis.call('HINCRBY', KEYS[1], ARGV[1], ARGV[2]) redis.call('PEXPIRE', KEYS[1], 30000)", 1, key, owner, by)
	}
	enter(1)
	count := func(n int64) func(*inspector.Lock) bool {
		return func(l *inspector.Lock) bool { return l.State == inspector.StateHeld && l.Holders[0].Count.N == n }
	}
	l := lock(t, i, key, count(1))
	if l.Scheme != inspector.SchemeRedisson || l.Holders[0].Label != "client 0f4d3a52, thread 42" {
		t.Errorf("%+v", l)
	}
	enter(1)
	lock(t, i, key, count(2))
	enter(-1)
	lock(t, i, key, count(1))
	want := []string{"acquired " + owner + "< ", "reentered " + owner + "< ", "released " + owner + "< "}
	if got := events(i, key); !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestFlushIsNoRelease(t *testing.T) {
	s := redistest.Start(t)
	i := start(t, s, inspector.Options{})
	s.Do("SET", "lock:a", "one", "PX", 60000)
	lock(t, i, "lock:a", func(l *inspector.Lock) bool { return l.State == inspector.StateHeld })
	s.Do("FLUSHALL")
	l := lock(t, i, "lock:a", func(l *inspector.Lock) bool { return l.State == inspector.StateFreed })
	if l.FreedBy != inspector.CauseFlushed {
		t.Errorf("freed by %q, want flushed", l.FreedBy)
	}
}
