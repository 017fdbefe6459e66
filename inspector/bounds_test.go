package inspector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"locktop/keyspace"
)

// TestCellFitsItsSize has no room for one more field: Go (1.22 and later) puts 8 bytes before what has pointers and is
// longer than 512. What does not fit costs every lock 128 bytes, and the budget of 1 KiB is then overdrawn.
func TestCellFitsItsSize(t *testing.T) {
	if size := unsafe.Sizeof(cell{}) + 8; size > 896 {
		t.Errorf("a cell takes %d bytes, and there are 896", size)
	}
}

func TestHistoryIsBounded(t *testing.T) {
	c, _ := held(t)
	for n := range 200 {
		c.after(time.Second).hints("del", "new", "set", "expire").text(fmt.Sprint("w", n), c.in(lease))
	}
	l := c.must(StateHeld)
	if n := len(l.History); n != 100 || l.History[n-1].Owner != "w199" || l.History[0].Owner != "w100" {
		t.Errorf("%d holds, from %s to %s", n, l.History[0].Owner, l.History[n-1].Owner)
	}
	if total := c.store.snapshot(c.now).Totals; total.Contended != 1 || total.AcquisitionsPerSecond < 0.9 {
		t.Errorf("%+v", total)
	}
	if c.after(2 * time.Minute); c.store.snapshot(c.now).Totals.Contended != 0 {
		t.Error("nobody has asked for it for two minutes")
	}
}

func TestPastIsBounded(t *testing.T) {
	s := newStore(Options{Linger: time.Second}, &eventLog{})
	now := schemeNow
	for n := range 6_000 {
		now = now.Add(time.Microsecond)
		r := stringRecord(fmt.Sprintf("lock:%d", n), "w", time.Minute)
		r.ReadAt, r.ExpiresAt = now, now.Add(time.Minute)
		gone := keyspace.Record{Ref: r.Ref, Type: keyspace.TypeNone, ReadAt: now}
		s.take(keyspace.Update{Records: []keyspace.Record{r}})
		s.take(keyspace.Update{Records: []keyspace.Record{gone}})
	}
	if n := len(s.snapshot(now).Locks); n != 5_000 {
		t.Errorf("%d freed locks linger, want 5,000", n)
	}
	s.wake(now.Add(time.Minute))
	shot := s.snapshot(now.Add(time.Minute))
	if len(shot.Locks) != 0 || s.past.order.Len() != 2_000 || len(s.past.byKey) != 2_000 || s.pastHolds != 0 {
		t.Errorf("%d locks, the past of %d (%d) keys, %d holds", len(shot.Locks), s.past.order.Len(), len(s.past.byKey), s.pastHolds)
	}
	for n := range 60_000 {
		s.take(keyspace.Update{Hints: []keyspace.Hint{{Ref: keyspace.Ref{Key: fmt.Sprintf("lock:x%d", n)}, Event: "set", At: now}}})
	}
	p := s.node(keyspace.Ref{Node: ""})
	if len(p.trails) != 50_000 {
		t.Errorf("hints of %d keys wait, want 50,000", len(p.trails))
	}
	s.wake(now.Add(time.Hour))
	if len(p.trails) != 0 {
		t.Errorf("hints of %d keys wait for ever", len(p.trails))
	}
}

// TestPastHoldsAreBounded: a lock keeps a hundred holds, but all locks together only so many.
func TestPastHoldsAreBounded(t *testing.T) {
	s := newStore(Options{}, &eventLog{})
	now, most := schemeNow, 0
	for n := range 60_000 {
		now = now.Add(time.Millisecond)
		r := stringRecord(fmt.Sprintf("lock:%d", n/100), fmt.Sprint("w", n), time.Minute)
		r.ReadAt, r.ExpiresAt = now, now.Add(time.Minute)
		s.take(keyspace.Update{Records: []keyspace.Record{r}})
		most = max(most, s.pastHolds)
	}
	if most != 50_000 {
		t.Errorf("at most %d holds that are over were kept, want 50,000", most)
	}
	for _, l := range s.snapshot(now).Locks {
		if len(l.History) == 0 {
			t.Fatalf("%s has lost its present hold", l.Key)
		}
	}
}

func TestEvidenceIsSharedWithinBounds(t *testing.T) {
	i := make(interner)
	for n := range 5_000 {
		lines := []string{"it has a TTL", fmt.Sprint("fact ", n)}
		if shared := i.share(lines); !slices.Equal(shared, lines) {
			t.Fatalf("%q became %q", lines, shared)
		}
	}
	if len(i) != 4_096 {
		t.Errorf("%d kinds of evidence are kept, want 4,096", len(i))
	}
	first, again := i.share([]string{"it has a TTL", "fact 0"}), i.share([]string{"it has a TTL", "fact 0"})
	if &first[0] != &again[0] {
		t.Error("the same evidence twice")
	}
}

// TestHolesAreClosed: what forgotten locks leave behind goes, and what points to the others moves with them.
func TestHolesAreClosed(t *testing.T) {
	s := newStore(Options{Linger: 5 * time.Second}, &eventLog{})
	now := schemeNow
	key := func(n int) string { return fmt.Sprintf("lock:%d", n) }
	free := func(n int) {
		r := keyspace.Record{Ref: stringRecord(key(n), "", 0).Ref, Type: keyspace.TypeNone, ReadAt: now}
		s.take(keyspace.Update{Records: []keyspace.Record{r}})
	}
	after := func(d time.Duration) *Snapshot {
		now = now.Add(d)
		s.wake(now)
		return s.snapshot(now)
	}
	const all = 4_000
	for n := range all {
		r := stringRecord(key(n), "w", time.Minute)
		s.take(keyspace.Update{Records: []keyspace.Record{r}})
	}
	for n := range all - 1_000 {
		free(n)
	}
	after(4 * time.Second)
	for n := all - 1_000; n < all-900; n++ {
		free(n)
	}
	if shot := after(time.Second); len(shot.Locks) != 1_000 || len(s.slots) != 1_000 || s.empty != 0 {
		t.Fatalf("%d locks in %d slots, of which %d are empty", len(shot.Locks), len(s.slots), s.empty)
	}
	free(all - 1)
	for n := all - 1_000; n < all; n++ {
		if i, known := s.place(0).slots[key(n)]; !known || s.slots[i].lock.Key != key(n) {
			t.Fatalf("%s is in slot %d (%v)", key(n), i, known)
		}
	}
	if shot := after(5 * time.Second); len(shot.Locks) != 899 || shot.Totals.ByState[StateHeld] != 899 {
		t.Errorf("after the freed ones: %d locks, %+v", len(shot.Locks), shot.Totals)
	}
	if shot := after(time.Minute); shot.Totals.ByState[StateExpired] != 899 {
		t.Errorf("after the lease: %+v", shot.Totals)
	}
}

// TestAnyOrderOfThings feeds what may and may not happen in any order: totals, histories and events stay consistent.
func TestAnyOrderOfThings(t *testing.T) {
	events := []string{"new", "set", "expire", "del", "expired", "evicted", "hincrby", "hset", "persist", "rename_from", "rename_to", "invalidate", "?"}
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 7))
		c := newScene(t, []keyspace.Feed{keyspace.FeedPush, keyspace.FeedTracking, keyspace.FeedPoll}[dice.IntN(3)])
		c.joins(otherNode)
		for range 200 {
			switch dice.IntN(14) {
			case 0, 1, 2, 3:
				c.hints(events[dice.IntN(len(events))])
			case 4, 5:
				c.text(fmt.Sprint("w", dice.IntN(3)), c.in(time.Duration(dice.IntN(40)-5)*time.Second))
			case 6:
				c.entry("0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42", dice.IntN(5), c.in(lease))
			case 7:
				c.gone()
			case 8:
				c.text([]string{"{}", fmt.Sprint(c.in(time.Duration(dice.IntN(20)-10) * time.Second).UnixMilli()), "free", "w"}[dice.IntN(4)], time.Time{})
			case 9:
				c.read(keyspace.Record{Type: keyspace.TypeList, Size: int64(dice.IntN(3))})
			case 10:
				c.after(time.Duration(dice.IntN(20_000)) * time.Millisecond)
			case 11:
				if dice.IntN(5) == 0 {
					c.gap("a test")
				}
			case 12:
				c.on([]keyspace.Node{sceneNode, otherNode}[dice.IntN(2)])
			case 13:
				if dice.IntN(5) == 0 {
					c.leaves(otherNode).joins(otherNode)
				}
			}
			l := c.lock()
			if l == nil {
				continue
			}
			if l.StateAt(c.now) != l.State {
				t.Fatalf("seed %d: the state is %s, at that moment it is %s", seed, l.State, l.StateAt(c.now))
			}
			for n, h := range l.History {
				last := n == len(l.History)-1
				if h.Until.IsZero() && (!last || l.State == StateFreed) || !h.Until.IsZero() && h.Until.Before(h.Since) || h.Until.IsZero() != (h.Cause == "") {
					t.Fatalf("seed %d: hold %d of %d: %+v", seed, n, len(l.History), h)
				}
			}
			open := slices.ContainsFunc(l.History, func(h Hold) bool { return h.Until.IsZero() })
			if holds := l.State != StateFreed && l.State != StateWrong; open != holds {
				t.Fatalf("seed %d: state %s, an open hold: %v", seed, l.State, open)
			}
			codes(l)
		}
	}
}
