package inspector

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"locktop/keyspace"
)

// TestReadersOnSeveralMasters: those who share a Redlock come and go one by one, each with a quorum of its own.
func TestReadersOnSeveralMasters(t *testing.T) {
	const one, two = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42", "1f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:43"
	c := newRedlock(t, 3, keyspace.FeedPush)
	readers := func(event string, masters []int, owners ...string) {
		for _, n := range masters {
			fields := []string{"mode", "read"}
			for _, owner := range owners {
				fields = append(fields, owner, "1")
			}
			r := hashRecord(sceneKey, 0, fields...)
			r.ExpiresAt = c.in(lease)
			c.on(master(n)).hints(event).read(r)
		}
	}
	readers("hset", []int{1}, one)
	c.expect()
	readers("hset", []int{2, 3}, one)
	c.expect("acquired " + one)
	readers("hset", []int{1}, one, two)
	c.expect()
	readers("hset", []int{2, 3}, one, two)
	c.expect("acquired " + two)
	if l := c.must(StateHeld); len(l.Holders) != 2 || l.Mode != ModeRead || len(l.History) != 2 {
		t.Errorf("%+v", l)
	}
	readers("hdel", []int{1}, two)
	c.expect()
	readers("hdel", []int{2, 3}, two)
	c.expect("released " + one + " released")
	if l := c.must(StateHeld); len(l.Holders) != 1 || l.Holders[0].Owner != two || l.Quorum.For != 3 {
		t.Errorf("%+v", l)
	}
	c.dels(1).expect().dels(2).expect("released " + two + " freed").dels(3).expect()
}

// TestWrongTypeAfterTheLock: where the lock was, a key of another type is left.
func TestWrongTypeAfterTheLock(t *testing.T) {
	c := newRedlock(t, 3, keyspace.FeedPush)
	c.sets("a", c.in(lease), 1, 2, 3)
	for n := range 3 {
		c.on(master(n+1)).hints("del", "lpush").read(keyspace.Record{Type: keyspace.TypeList, Size: 1})
	}
	c.expect("acquired a", "released a freed")
	c.after(2 * time.Second).row("wrong 0/3 wrong-type(warning)")
	for n := range 3 {
		c.on(master(n + 1)).hints("del").gone()
	}
	c.row("no row")
}

// TestVotesTakeBoundedMemory: a vote costs no more than a lock on one server, and the lock that they make as much again; what
// is gone costs nothing.
func TestVotesTakeBoundedMemory(t *testing.T) {
	const locks, masters, budget = 2_000, 5, 2 << 10
	s := newStore(Options{Masters: masters, Linger: time.Second}, &eventLog{})
	now := schemeNow
	votes := make([][]keyspace.Record, masters)
	for n := range votes {
		for k := range locks {
			r := stringRecord(fmt.Sprintf("lock:%d", k), aToken, time.Hour)
			r.Node = master(n + 1)
			votes[n] = append(votes[n], r)
		}
	}
	before := heap()
	for n := range votes {
		s.take(keyspace.Update{Node: master(n + 1), Status: &keyspace.Status{Node: master(n + 1), Connected: true}, Records: votes[n], PassEnded: &keyspace.Pass{}})
	}
	s.wake(now)
	if n := len(s.snapshot(now).Locks); n != locks {
		t.Fatalf("%d locks, want %d", n, locks)
	}
	if each := int(heap()-before) / locks / masters; each > budget {
		t.Errorf("a vote takes %d bytes, want at most %d", each, budget)
	} else {
		t.Logf("a vote takes %d bytes", each)
	}
	for round := range 3 {
		now = now.Add(time.Second)
		for n := range votes {
			for k := range votes[n] {
				votes[n][k].ReadAt = now
				if round == 2 {
					votes[n][k] = keyspace.Record{Ref: votes[n][k].Ref, Type: keyspace.TypeNone, ReadAt: now}
				}
			}
			s.take(keyspace.Update{Node: master(n + 1), Records: votes[n]})
		}
	}
	s.wake(now.Add(time.Minute))
	s.snapshot(now.Add(time.Minute))
	if len(s.urns) != 0 || len(s.unsettled) != 0 || len(s.slots) != 0 {
		t.Errorf("%d urns, %d of them unsettled, %d slots are left", len(s.urns), len(s.unsettled), len(s.slots))
	}
	for _, st := range s.stations {
		if len(st.slots)-st.empty != 0 || len(st.others) != 0 || len(st.touched) != 0 {
			t.Errorf("%s keeps %d slots, %d others, %d touched", st.name, len(st.slots), len(st.others), len(st.touched))
		}
	}
}

// heap is what is in use after a collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
