package inspector

import (
	"slices"
	"time"
)

// This file follows locks of several holders, who come and go one by one: readers, and those who have a permit of a semaphore.
// Each of them has a hold of its own.

// several says whether a lock has, or may have, more than one holder. In huey's hash each of them is of a lock of its own.
func several(scheme Scheme, mode Mode, holders []Holder) bool {
	return scheme.traits().apart || mode == ModeRead || mode == ModeSemaphore || len(holders) > 1
}

// openHold is the present hold of an owner, or nil.
func (l *Lock) openHold(owner string) *Hold {
	for i := range slices.Backward(l.History) {
		if h := &l.History[i]; h.Until.IsZero() && h.Owner == owner {
			return h
		}
	}
	return nil
}

// sameShare says whether neither who holds it nor for how long differs by more than the clocks may.
func sameShare(a, b []Holder) bool {
	return slices.EqualFunc(a, b, func(x, y Holder) bool {
		return x.Owner == y.Owner && x.Count == y.Count && x.ExpiresAt.IsZero() == y.ExpiresAt.IsZero() &&
			x.ExpiresAt.Sub(y.ExpiresAt).Abs() <= unannouncedJitter
	})
}

// shared: a lock of several holders is there again; some may have come, and some gone.
func (v *sight) shared() {
	old := v.slots[v.slot].lock
	if v.trail == (trail{}) && sameShare(old.Holders, v.found.holders) && v.unchanged(old) {
		v.stands(old)
		return
	}
	l := v.edit(v.slot)
	before, wasEnd, clocks := slices.Clone(l.Holders), l.leaseEnd(), v.clocks(l)
	at, _ := v.changedAt()
	if updated := v.updatedAt(); updated.After(at) {
		at = updated
	}
	v.weigh(l)
	l.show(*v.record, v.found)
	l.Evidence = v.evidence.share(v.found.evidence)
	for _, h := range before {
		if !slices.ContainsFunc(l.Holders, func(now Holder) bool { return now.Owner == h.Owner }) {
			v.leaves(l, h, at)
		}
	}
	for _, h := range l.Holders {
		i := slices.IndexFunc(before, func(was Holder) bool { return was.Owner == h.Owner })
		switch {
		case i < 0:
			v.joins(l, h, at)
		case v.fieldEnded(before[i]):
			v.leaves(l, before[i], at)
			v.joins(l, h, at)
		default:
			v.stays(l, before[i], h, at)
		}
	}
	l.resettle()
	if len(before) == len(l.Holders) && sameOwners(before, l.Holders) && !holdersEnd(l.Holders) {
		v.lease(l, wasEnd, clocks)
	}
	v.done()
}

func sameOwners(a, b []Holder) bool {
	return slices.EqualFunc(a, b, func(x, y Holder) bool { return x.Owner == y.Owner && x.Count == y.Count })
}

// holdersEnd says whether the holders have leases of their own.
func holdersEnd(holders []Holder) bool {
	return slices.ContainsFunc(holders, func(h Holder) bool { return !h.ExpiresAt.IsZero() })
}

// joins: a holder has come.
func (v *sight) joins(l *Lock, h Holder, at time.Time) {
	exact := !v.unheard && v.trail.updatedAt != (time.Time{})
	l.noticed(h, at)
	l.History = append(l.History, Hold{Owner: h.Owner, Label: h.Label, Since: at, SinceExact: exact})
	v.countAcquisitions(l, at, 1)
	v.sayOf(l, h, EventAcquired, at, Event{})
}

// leaves: a holder has gone. Its own lease may have run out; else, where a change would have been heard, it has released.
func (v *sight) leaves(l *Lock, h Holder, at time.Time) {
	kind, cause, exact := EventReleased, CauseReleased, !v.unheard
	switch {
	case !h.ExpiresAt.IsZero() && !v.record.ReadAt.Before(h.ExpiresAt), v.fieldEnded(h):
		kind, cause, at, exact = EventExpired, CauseExpired, h.ExpiresAt, true
	case !exact:
		kind, cause = EventDeleted, CauseUnknown
	}
	if cause = v.byOperator(l, h.Owner, cause); cause == CauseOperator {
		kind = EventReleased
	}
	e := Event{Cause: cause}
	if hold := l.openHold(h.Owner); hold != nil {
		if at.Before(hold.Since) {
			at = hold.Since
		}
		hold.Until, hold.UntilExact, hold.Cause = at, exact, cause
		v.chronicleHeld(l, hold)
		e.Held, e.HeldExact = at.Sub(hold.Since), exact && hold.SinceExact
	}
	h.Count.N = 0
	v.sayOf(l, h, kind, at, e)
}

// stays: a holder is still there; it may have entered again, left once, or renewed its own lease.
func (v *sight) stays(l *Lock, was, now Holder, at time.Time) {
	switch {
	case was.Count.Known && now.Count.N > was.Count.N:
		v.sayOf(l, now, EventReentered, at, Event{})
	case was.Count.Known && now.Count.N < was.Count.N:
		v.sayOf(l, now, EventReleased, at, Event{})
	case !was.ExpiresAt.IsZero() && now.ExpiresAt.Sub(was.ExpiresAt) > unannouncedJitter:
		if hold := l.openHold(now.Owner); hold != nil {
			hold.Renewals++
		}
		v.sayOf(l, now, EventRenewed, at, Event{})
	}
}

// resettle brings the lock's own words in line with the holds of its holders: it is held since the first of them came.
func (l *Lock) resettle() {
	l.HeldSince = time.Time{}
	for _, h := range l.Holders {
		if hold := l.openHold(h.Owner); hold != nil && (l.HeldSince.IsZero() || hold.Since.Before(l.HeldSince)) {
			l.HeldSince, l.HeldExact = hold.Since, hold.SinceExact
		}
	}
	if !l.HeldSince.IsZero() {
		l.mind.surelySince = l.HeldSince.UnixNano()
	}
}
