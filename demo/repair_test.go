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

func TestGetSetRace(t *testing.T) {
	for range 3 {
		takers := raceOnce(t, (*classic).takeByGetSet)
		if won := takers[0].won + takers[1].won; won != 1 {
			t.Fatalf("%d takers own it", won)
		}
	}
}

func TestDeleteRace(t *testing.T) {
	takers := raceOnce(t, (*classic).takeByDelete)
	if won := takers[0].won + takers[1].won; won != 2 {
		t.Fatalf("%d takers own it; the second was to delete the first one's lock", won)
	}
}

type taker struct{ won int }

// raceOnce lets two takers see the same lapsed lock, the second acting a little later.
func raceOnce(t *testing.T, take takeover) [2]taker {
	t.Helper()
	s := newTestStage(t)
	first, second := newTestWorker(t, s), newTestWorker(t, s)
	if err := first.client.Set(t.Context(), "a_lock", time.Now().UnixMilli()-1000, 0).Err(); err != nil {
		t.Fatal(err)
	}
	var takers [2]taker
	done := make(chan error, 2)
	meet := newMeeting(2, patience)
	for i, w := range []*worker{first, second} {
		c := &classic{
			worker: w, label: "a_lock", lease: time.Minute, meet: meet, stall: time.Duration(i) * 100 * time.Millisecond,
		}
		go func() {
			won, err := take(c, t.Context())
			if won {
				takers[i].won = 1
			}
			done <- err
		}()
	}
	for range takers {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	return takers
}
