package demo

import (
	"testing"
	"time"

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
	claim := func(w *worker, repairs bool) naiveLock {
		return naiveLock{tokenLock: w.tokenLock("lock:a", time.Minute), repairs: repairs}
	}
	ctx := t.Context()
	if !must(claim(dead, true).acquire(ctx))(t) {
		t.Fatal("a free lock was not acquired")
	}
	left := func() time.Duration { return waiter.client.PTTL(ctx, "lock:a").Val() }
	if must(claim(waiter, false).acquire(ctx))(t) || left() != -1 {
		t.Fatalf("a waiter that does not repair: TTL %v", left())
	}
	if must(claim(waiter, true).acquire(ctx))(t) || left() < 50*time.Second {
		t.Fatalf("a waiter that repairs: TTL %v", left())
	}
	if err := waiter.client.PExpire(ctx, "lock:a", 30*time.Second).Err(); err != nil {
		t.Fatal(err)
	}
	if must(claim(waiter, true).acquire(ctx))(t) || left() > 30*time.Second {
		t.Fatalf("a lease that is there was prolonged: TTL %v", left())
	}
}
