package demo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/demo/servers"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func TestFailoverScenario(t *testing.T) {
	t.Parallel()
	redistest.Require(t, "redis-server")
	d := begin(t, Options{Scenario: "failover", Seed: 7, Speed: testSpeed})
	i := inspect(t, d)
	said := func(lane int, what string) bool {
		return slices.ContainsFunc(d.Verdict().Lanes[lane].Said, func(s string) bool { return strings.HasPrefix(s, what) })
	}
	behind := false
	eventually(t, "both halves of the sound lane, and the fault of the other", func(context.Context) bool {
		for _, n := range i.Latest().Nodes {
			for _, replica := range n.Replication.Replicas {
				behind = behind || replica.Behind > 0
			}
		}
		return said(0, "a lock that no replica had was given back") && said(0, "a lock that a replica had survived its master") &&
			playedOut(d.Verdict()) && d.Verdict().Lanes[0].Played >= 2
	})
	v := d.Verdict()
	if wait, asynchronous := v.Lanes[0], v.Lanes[1]; wait.Faults != 0 || wait.Failures != 0 ||
		asynchronous.Violations == 0 || asynchronous.LostUpdates == 0 || asynchronous.Failures != 0 {
		t.Error(v.Text)
	}
	if !said(1, "a command went unanswered while the master was being replaced") {
		t.Errorf("nobody noticed a fail-over: %s", v.Text)
	}
	if !behind {
		t.Error("the dashboard does not see how far the replica is behind")
	}
	now := time.Now()
	eventually(t, "the dashboard sees locks after the fail-overs", func(context.Context) bool {
		return slices.ContainsFunc(i.Latest().Locks, func(l *inspector.Lock) bool { return l.HeldSince.After(now) })
	})
}

// TestFailoverIsFound: a lock of which the replica had not heard is lost, and it is said so; one that WAIT confirmed is not.
func TestFailoverIsFound(t *testing.T) {
	t.Parallel()
	redistest.Require(t, "redis-server")
	found := func(i *inspector.Inspector) (all []string) {
		for _, l := range i.Latest().Locks {
			for _, f := range l.Findings {
				if f.Code == inspector.CodeLostInFailOver {
					all = append(all, l.Key+": "+f.Text)
				}
			}
		}
		return all
	}
	t.Run("asynchronous", func(t *testing.T) {
		t.Parallel()
		// At this pace a master is asked how far it is between the failure of the network and the acquisition.
		i := inspect(t, begin(t, Options{Scenario: "failover", Variant: "asynchronous", Seed: 7, Speed: 2}))
		redistest.Eventually(t, 3*patience, func() (bool, string) {
			lost := slices.ContainsFunc(found(i), func(f string) bool { return strings.HasPrefix(f, asyncLock) && strings.Contains(f, "has it now") })
			return lost, "nothing is lost"
		})
	})
	t.Run("wait", func(t *testing.T) {
		t.Parallel()
		d := begin(t, Options{Scenario: "failover", Variant: "wait", Seed: 7, Speed: testSpeed})
		i := inspect(t, d)
		redistest.Eventually(t, 3*patience, func() (bool, string) {
			for _, f := range found(i) {
				if strings.HasPrefix(f, syncedLock) {
					t.Fatal(f)
				}
			}
			return d.Verdict().Lanes[0].Played >= 2, "both of its fail-overs were not played"
		})
	})
}

// newPairStage is a stage on a master and a replica, without a scenario.
func newPairStage(t *testing.T) (*stage, *servers.Pair) {
	t.Helper()
	p := couple(t)
	conn, err := keyspace.Connect(t.Context(), endpoint(p))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return newShow(t.Context(), Options{Seed: 1, Speed: 1}, p, []*keyspace.Connection{conn}, "", []lane{{}}).stages[0], p
}

// failOverAt lets the master die, and its replica take its place, which has the leases as they were at a rate of time.
func failOverAt(t *testing.T, s *stage, p *servers.Pair, rate float64) {
	t.Helper()
	s.outage.begin()
	succeed(t, p.KillMaster())
	succeed(t, s.takeOver(t.Context(), rate, p.Promote))
}

// What WAIT has confirmed survives the master, and what it has not is not acquired.
func TestSyncedLock(t *testing.T) {
	s, p := newPairStage(t)
	ctx := t.Context()
	first, second := newTestWorker(t, s), newTestWorker(t, s)
	kept, refused := first.replicatedLock("lock:a", time.Minute, true), second.replicatedLock("lock:b", time.Minute, true)
	if !must(kept.acquire(ctx))(t) {
		t.Fatal("the replica does not confirm")
	}
	other := second.client.Conn() // another connection, which has written nothing since
	succeed(t, errors.Join(other.Ping(ctx).Err(), second.client.Ping(ctx).Err(), other.Close()))
	expectReplica(t, p)
	p.CutReplication()
	token := refused.owner
	if must(refused.acquire(ctx))(t) || refused.givenBack != 1 || has(t, p, "lock:b") || refused.owner == token {
		t.Fatalf("acquired without a replica: %+v", refused)
	}
	failOverAt(t, s, p, 1)
	if !must(kept.isOwn(ctx))(t) || must(second.replicatedLock("lock:a", time.Minute, true).acquire(ctx))(t) {
		t.Fatal("it did not survive its master")
	}
	if must(refused.acquire(ctx))(t) {
		t.Fatal("acquired where there is no replica at all")
	}
	succeed(t, p.Rejoin(ctx))
	if !must(refused.acquire(ctx))(t) || !must(kept.release(ctx))(t) {
		t.Fatal("not as before with a replica again")
	}
}

// Without WAIT, the lock of which the replica has not heard is free after the fail-over.
func TestUnsyncedLockIsLost(t *testing.T) {
	s, p := newPairStage(t)
	ctx := t.Context()
	first, second := newTestWorker(t, s), newTestWorker(t, s)
	lost, next := first.replicatedLock("lock:a", time.Minute, false), second.replicatedLock("lock:a", time.Minute, false)
	succeed(t, p.WaitSynced(ctx))
	p.CutReplication()
	if !must(lost.acquire(ctx))(t) || must(next.acquire(ctx))(t) {
		t.Fatal("before the fail-over it is a lock")
	}
	failOverAt(t, s, p, 1)
	if !must(next.acquire(ctx))(t) {
		t.Fatal("it is still there")
	}
	if must(lost.release(ctx))(t) || !must(next.isOwn(ctx))(t) {
		t.Fatal("the former holder released the next one's lock")
	}
}

// That nobody is answered while the master is replaced is no failure, and what was to be done is done afterwards.
func TestOutageIsRiddenOut(t *testing.T) {
	s, p := newPairStage(t)
	ctx := t.Context()
	w := newTestWorker(t, s)
	held := w.replicatedLock("lock:a", time.Minute, true)
	if !must(held.acquire(ctx))(t) {
		t.Fatal("not acquired")
	}
	s.outage.begin()
	succeed(t, p.KillMaster())
	if must(w.replicatedLock("lock:b", time.Minute, false).acquire(ctx))(t) {
		t.Fatal("a dead master gave a lock")
	}
	released := make(chan error, 1)
	go func() {
		done, err := held.release(ctx)
		if err == nil && !done {
			err = errors.New("it was not its own")
		}
		released <- err
	}()
	eventually(t, "the release was not answered", func(context.Context) bool {
		s.ledger.mu.Lock()
		defer s.ledger.mu.Unlock()
		return len(s.ledger.facts) == 1 && s.ledger.facts[0].times == 2
	})
	succeed(t, s.takeOver(ctx, 1, p.Promote))
	succeed(t, <-released)
	if v := s.ledger.verdict(Variant{}); v.Failures != 0 {
		t.Fatalf("%v", v.Said)
	}
	succeed(t, p.KillMaster()) // which nobody has announced
	if _, err := held.acquire(ctx); err == nil {
		t.Fatal("a failure without an outage is none")
	}
}

// A change of the tempo reaches the leases also where the server that was told of it dies.
func TestTempoOutlivesTheMaster(t *testing.T) {
	s, p := newPairStage(t)
	ctx := t.Context()
	w := newTestWorker(t, s)
	if !must(w.replicatedLock("lock:a", time.Minute, true).acquire(ctx))(t) {
		t.Fatal("not acquired")
	}
	slower := func(tempo *Tempo) { tempo.Rate /= 2 }
	p.CutReplication()
	succeed(t, s.change(ctx, slower)) // the replica does not hear of it
	s.outage.begin()
	succeed(t, p.KillMaster())
	succeed(t, s.change(ctx, slower)) // and nobody of this
	succeed(t, s.takeOver(ctx, 1, p.Promote))
	left := time.Duration(ask(t, endpoint(p), "PTTL", "lock:a").(int64)) * time.Millisecond
	if left < 3*time.Minute || left > 4*time.Minute {
		t.Fatalf("%v are left of a minute at a quarter of the tempo", left)
	}
}

// Who gets a lock and is delayed by more than its lease stays outside.
func TestDelayedWorkerStaysOutside(t *testing.T) {
	s := newTestStage(t)
	w := newTestWorker(t, s)
	in := turn{stage: s}
	if !in.seek(t.Context(), w, w.replicatedLock("lock:a", time.Minute, false), time.Minute) {
		t.Fatal("nothing had delayed it")
	}
	s.clock.set(1e9) // every command takes longer than any lease
	if in.seek(t.Context(), w, w.replicatedLock("lock:b", time.Second, false), time.Minute) {
		t.Fatal("it goes in when its lease is over")
	}
}
