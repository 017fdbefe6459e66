package inspector

import (
	"time"

	"locktop/keyspace"
)

// This file joins the holders of locks to the clients that are connected: each lock when it changes, and all of them when the lists of
// clients have changed.

// joinShare: joining all locks takes one part in so many of the store's time at most.
const joinShare = 100

// identify joins the holders of a lock; changed says whether that says anything new.
func (a *attendance) identify(l *Lock) (changed bool) {
	if a.formerly(l, false) {
		return true
	}
	for i := range l.Holders {
		h := &l.Holders[i]
		if h.Presence == nil && !a.first && !a.concerns(h.Owner) {
			continue // most are joined to nobody, and stay so
		}
		if a.of(l, h.Owner) != h.Presence {
			return true
		}
	}
	return false
}

// fillIn fills in what is known of the holders.
func (a *attendance) fillIn(l *Lock) {
	for i := range l.Holders {
		l.Holders[i].Presence = a.of(l, l.Holders[i].Owner)
	}
	a.formerly(l, true)
}

// joinAll joins every lock anew, where the lists of clients have changed and it is time for that.
func (s *store) joinAll(now time.Time) {
	a := s.attendance
	if !a.stale || now.Before(a.due) || !a.asked() {
		return
	}
	began := time.Now()
	a.stale, a.pending = false, false
	a.round++
	if a.tryRules(s.slots) {
		a.first = true // every lock is joined anew
	}
	for i := range s.slots {
		l := s.slots[i].lock
		if l == nil || l.State == StateFreed || !a.identify(l) {
			continue
		}
		a.fillIn(s.edit(int32(i)))
		s.settle(int32(i), now)
	}
	a.forget()
	a.first = false
	clear(a.changed)
	clear(a.lengths[:])
	s.changed = true
	a.due = now.Add(joinShare * time.Since(began))
}

// Identify joins the holders of a lock that was looked at once ([Rules.Inspect]) to the clients of all nodes, and judges it anew.
func Identify(l *Lock, rolls []*keyspace.Roll, rules []OwnerName, t Thresholds, now time.Time) *Roll {
	a := newAttendance(rules)
	for _, r := range rolls {
		a.status(&keyspace.Status{Node: r.Node, Connected: true})
	}
	for _, r := range rolls {
		a.take(r)
	}
	a.trustRules()
	if a.asked() {
		a.fillIn(l)
		l.State = l.StateAt(now)
		t.Judge(l, now)
	}
	return a.roll
}
