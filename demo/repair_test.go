package demo

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// newTestStage is a stage on a server of the test's own, without a scenario.
func newTestStage(t *testing.T) *stage {
	t.Helper()
	server := redistest.Start(t)
	conn, err := keyspace.Connect(t.Context(), keyspace.Options{Network: "unix", Addr: server.Socket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return newShow(t.Context(), Options{Seed: 1, Speed: 1}, nil, []*keyspace.Connection{conn}, "", []lane{{}}).stages[0]
}

// newTestWorker is a worker whom the test leads by the hand.
func newTestWorker(t *testing.T, s *stage) *worker {
	t.Helper()
	w := s.newWorker()
	t.Cleanup(w.close)
	return w
}

func TestRepairByWaiters(t *testing.T) {
	s := newTestStage(t)
	dead, waiter := newTestWorker(t, s), newTestWorker(t, s)
	i := s.impasse("lock:a", "death", "", time.Minute, time.Minute)
	claim := func(w *worker, rivals *impasse) *naiveLock {
		return &naiveLock{tokenLock: w.tokenLock("lock:a", time.Minute), rivals: rivals}
	}
	ctx := t.Context()
	if !must(claim(dead, i).acquire(ctx))(t) {
		t.Fatal("a free lock was not acquired")
	}
	left := func() time.Duration { return waiter.client.PTTL(ctx, "lock:a").Val() }
	if must(claim(waiter, nil).acquire(ctx))(t) || left() != -1 {
		t.Fatalf("a waiter that does not repair: TTL %v", left())
	}
	if must(claim(waiter, i).acquire(ctx))(t) || left() < 50*time.Second {
		t.Fatalf("a waiter that repairs: TTL %v", left())
	}
	if i.given < moment(time.Minute) || i.given > s.clock.now().add(time.Minute) {
		t.Fatalf("the lease that it gave is told to last until %v", i.given)
	}
	if err := waiter.client.PExpire(ctx, "lock:a", 30*time.Second).Err(); err != nil {
		t.Fatal(err)
	}
	if must(claim(waiter, i).acquire(ctx))(t) || left() > 30*time.Second {
		t.Fatalf("a lease that is there was prolonged: TTL %v", left())
	}
}

// EXPIRE does not say whose lock it finds.
func TestNaiveLockIsTooSlow(t *testing.T) {
	s := newTestStage(t)
	slow, next := newTestWorker(t, s), newTestWorker(t, s)
	ctx := t.Context()
	l := &naiveLock{tokenLock: slow.tokenLock("lock:a", 20*time.Millisecond)}
	if !must(l.acquire(ctx))(t) {
		t.Fatal("a free lock was not acquired")
	}
	rival := &naiveLock{tokenLock: next.tokenLock("lock:a", 20*time.Millisecond), rivals: s.impasse("lock:a", "", "", time.Minute, 0)}
	redistest.Eventually(t, patience, func() (bool, string) { return must(rival.acquire(ctx))(t), "the rival gives a lease, and gets it then" })
	if must(l.begin(ctx))(t) {
		t.Fatal("the first one takes the lock of the second for its own")
	}
	if other := (&naiveLock{tokenLock: next.tokenLock("lock:b", time.Minute)}); !must(other.acquire(ctx))(t) || !must(other.begin(ctx))(t) {
		t.Fatal("who is fast enough has it")
	}
}

// meddler does something once just before an EXEC.
type meddler struct{ meddle func() }

func (m *meddler) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (m *meddler) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (m *meddler) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		if meddle := m.meddle; meddle != nil && commands[len(commands)-1].Name() == "exec" {
			m.meddle = nil
			meddle()
		}
		return next(ctx, commands)
	}
}

func TestReleaseByWatchIsTriedAgain(t *testing.T) {
	s := newTestStage(t)
	w, rival := newTestWorker(t, s), newTestWorker(t, s)
	ctx := t.Context()
	for name, c := range map[string]struct {
		meddle   func() error
		released bool
		left     string
	}{
		"a rival's EXPIRE": {func() error { return rival.client.PExpire(ctx, "lock:a", time.Hour).Err() }, true, ""},
		"a rival's lock":   {func() error { return rival.client.Set(ctx, "lock:a", "rival", time.Hour).Err() }, false, "rival"},
	} {
		l := &naiveLock{tokenLock: w.tokenLock("lock:a", time.Minute)}
		if !must(l.acquire(ctx))(t) {
			t.Fatal("a free lock was not acquired")
		}
		w.client.AddHook(&meddler{meddle: func() {
			if err := c.meddle(); err != nil {
				t.Error(err)
			}
		}})
		if released := must(l.release(ctx))(t); released != c.released {
			t.Fatalf("%s: released %v", name, released)
		}
		if now := value(ctx, t, rival.client, "lock:a"); now != c.left {
			t.Fatalf("%s: %q is left", name, now)
		}
		if err := rival.client.Del(ctx, "lock:a").Err(); err != nil {
			t.Fatal(err)
		}
	}
	if v := s.ledger.verdict(Variant{}); !v.told(`^a release by WATCH was aborted.* \(2 times\)$`) {
		t.Fatalf("%+v", v)
	}
}
