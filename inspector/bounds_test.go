package inspector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"locktop/keyspace"
)

func TestHistoryIsBounded(t *testing.T) {
	c, _ := held(t)
	for n := range 2 * maxHolds {
		c.after(time.Second).hints("del", "new", "set", "expire").text(fmt.Sprint("w", n), c.in(lease))
	}
	l := c.must(StateHeld)
	if len(l.History) != maxHolds || l.History[maxHolds-1].Owner != "w199" || l.History[0].Owner != "w100" {
		t.Errorf("%d holds, from %s to %s", len(l.History), l.History[0].Owner, l.History[maxHolds-1].Owner)
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
	for n := range 3 * maxFreed {
		now = now.Add(time.Microsecond)
		r := stringRecord(fmt.Sprintf("lock:%d", n), "w", time.Minute)
		r.ReadAt, r.ExpiresAt = now, now.Add(time.Minute)
		gone := keyspace.Record{Ref: r.Ref, Type: keyspace.TypeNone, ReadAt: now}
		s.take(keyspace.Update{Records: []keyspace.Record{r}})
		s.take(keyspace.Update{Records: []keyspace.Record{gone}})
	}
	if n := len(s.snapshot(now).Locks); n != maxFreed {
		t.Errorf("%d freed locks linger, want %d", n, maxFreed)
	}
	s.wake(now.Add(time.Minute))
	shot := s.snapshot(now.Add(time.Minute))
	if len(shot.Locks) != 0 || s.past.order.Len() != maxPastKeys || len(s.past.byRef) != maxPastKeys || s.pastHolds != 0 {
		t.Errorf("%d locks, the past of %d (%d) keys, %d holds", len(shot.Locks), s.past.order.Len(), len(s.past.byRef), s.pastHolds)
	}
	for n := range 2 * maxTrails {
		s.take(keyspace.Update{Hints: []keyspace.Hint{{Ref: keyspace.Ref{Key: fmt.Sprintf("lock:x%d", n)}, Event: "set", At: now}}})
	}
	p := s.place(keyspace.Ref{Node: ""})
	if len(p.trails) != maxTrails {
		t.Errorf("hints of %d keys wait, want %d", len(p.trails), maxTrails)
	}
	s.wake(now.Add(time.Hour))
	if len(p.trails) != 0 {
		t.Errorf("hints of %d keys wait for ever", len(p.trails))
	}
}

// TestAnyOrderOfThings feeds what may and may not happen in any order: totals, histories and events stay consistent.
func TestAnyOrderOfThings(t *testing.T) {
	events := []string{"new", "set", "expire", "del", "expired", "evicted", "hincrby", "hset", "persist", "rename_from", "rename_to", "invalidate", "?"}
	for seed := range uint64(300) {
		dice := rand.New(rand.NewPCG(seed, 7))
		c := newScene(t, []keyspace.Feed{keyspace.FeedPush, keyspace.FeedTracking, keyspace.FeedPoll}[dice.IntN(3)])
		for range 200 {
			switch dice.IntN(12) {
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
