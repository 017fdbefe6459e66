package inspector

import (
	"time"

	"locktop/keyspace"
)

// observe compares what a read found with what was known, explains the difference by the hints in between, and takes the
// new state over. Hints say how and when; the read says what.
func (s *store) observe(t *track, r keyspace.Record, found recognition, isLock bool, hints pending) {
	if n := hints.made(); n > 0 {
		s.totals.acquired(n, hints.last(r.ReadAt))
		t.acquired(n, hints.last(r.ReadAt))
	}
	switch {
	case !t.isLock && !isLock:
		return // freed already, and free still
	case !t.isLock:
		s.acquire(t, r, found, hints)
	case !isLock:
		s.free(t, r, hints)
	case sameHolder(t, r, found, hints):
		s.keep(t, r, found, hints)
	default:
		s.handOver(t, r, found, hints)
	}
}

// sameHolder says whether the lock is still in the same hold.
func sameHolder(t *track, r keyspace.Record, found recognition, hints pending) bool {
	if _, ended, madeAgain := hints.ending(); ended && madeAgain {
		return false // deleted and made again, be it by the same owner
	}
	if t.recognition.scheme != found.scheme {
		return false
	}
	before, now := t.owner(), Holder{}
	if len(found.holders) > 0 {
		now = found.holders[0]
	}
	if found.scheme != SchemeTimestamp || before.Owner == now.Owner {
		return before.Owner == now.Owner
	}
	// The value of a timestamp lock is the end of its lease, so that a renewal changes it: an identity in it decides, and
	// without one the rule that nobody may take the lock over before its lease is past.
	if before.Label != before.Owner || now.Label != now.Owner {
		return before.Label == now.Label
	}
	changed, told := hints.written()
	if !told {
		changed = r.ReadAt
	}
	return changed.Before(t.leaseEnd())
}

// acquire begins a hold of a lock that was free, or that is seen for the first time.
func (s *store) acquire(t *track, r keyspace.Record, found recognition, hints pending) {
	at, told := hints.written()
	if !told {
		at = r.ReadAt
	}
	known := !t.freedAt.IsZero() || s.passed[r.Node] // it was not there before
	t.isLock, t.recognition, t.record = true, found, r
	t.begin(at, told)
	if !known && !told {
		return // found by the first look: nobody knows since when
	}
	if told {
		t.setLease(at)
	}
	if hints.made() == 0 { // observe has counted the others
		s.totals.acquired(1, at)
		t.acquired(1, at)
	}
	s.say(t, EventAcquired, at, Event{})
}

// free ends a hold without another.
func (s *store) free(t *track, r keyspace.Record, hints pending) {
	at, exact, cause := s.explainEnd(t, r, hints)
	kind := EventReleased
	switch cause {
	case CauseExpired:
		kind = EventExpired
		if t.renewals > 0 {
			kind = EventLost
		}
	case CauseEvicted, CauseFlushed, CauseUnknown, CauseTakenOver:
		kind = EventDeleted
	case CauseReleased:
	}
	s.say(t, kind, at, Event{Held: t.held(at), HeldExact: t.sinceExact && exact, Cause: cause})
	t.end(at, exact, cause)
	t.isLock = false
	t.freedAt, t.freedBy = at, cause
	if floor := r.ReadAt.Add(-s.options.Linger / 2); t.freedAt.Before(floor) {
		t.freedAt = floor // news that comes late must still be seen
	}
}

// explainEnd says when and why the present hold ended: from the hint, else from the gap or the lease.
func (s *store) explainEnd(t *track, r keyspace.Record, hints pending) (at time.Time, exact bool, cause Cause) {
	end := t.leaseEnd()
	if hint, ended, _ := hints.ending(); ended {
		at, cause = hint.at, hint.cause(end)
		if cause == CauseExpired && !end.IsZero() && end.Before(at) {
			at = end // the server notices an expiry late
		}
		return at, true, cause
	}
	over := !end.IsZero() && end.Before(r.ReadAt.Add(clockSlack))
	switch {
	case over:
		return end, false, CauseExpired
	case s.gapAt[r.Node].After(t.record.ReadAt):
		return r.ReadAt, false, CauseFlushed
	default:
		return hints.last(r.ReadAt), len(hints) > 0, CauseReleased
	}
}

// handOver ends one hold and begins the next, which a single read has found.
func (s *store) handOver(t *track, r keyspace.Record, found recognition, hints pending) {
	at, told := hints.written()
	if !told {
		at = r.ReadAt
	}
	ended, exact, cause := at, told, CauseTakenOver
	_, deleted, _ := hints.ending()
	end := t.leaseEnd()
	switch {
	case deleted:
		ended, exact, cause = s.explainEnd(t, r, hints)
	case !end.IsZero() && !end.After(at.Add(clockSlack)) && !s.inPlace(t, found):
		ended, exact, cause = end, false, CauseExpired
	case !told:
		exact, cause = false, CauseUnknown
	}
	previous := t.owner()
	held, heldExact := t.held(ended), t.sinceExact && exact
	lost := t.renewals > 0 && (cause == CauseExpired || cause == CauseTakenOver)
	event := Event{Held: held, HeldExact: heldExact, Cause: cause}
	kind := EventHandedOver
	switch {
	case lost:
		s.say(t, EventLost, ended, event)
	case deleted && cause == CauseReleased:
		s.say(t, EventReleased, ended, event)
		kind = EventAcquired
	case deleted && cause == CauseExpired:
		s.say(t, EventExpired, ended, event)
		kind = EventAcquired
	}
	t.end(ended, exact, cause)
	t.recognition, t.record = found, r
	t.begin(at, told)
	t.setLease(at)
	if hints.made() == 0 {
		s.totals.acquired(1, at)
		t.acquired(1, at)
	}
	event.PreviousOwner = previous.Owner
	s.say(t, kind, at, event)
}

// inPlace says whether a scheme's holders replace each other in a key that stays: then a lease that is over by its value
// was taken over, and did not expire.
func (s *store) inPlace(t *track, found recognition) bool {
	return t.recognition.scheme == SchemeTimestamp && found.scheme == SchemeTimestamp
}

// keep takes over what changed within a hold: entries, and the lease.
func (s *store) keep(t *track, r keyspace.Record, found recognition, hints pending) {
	at := hints.last(r.ReadAt)
	before, beforeEnd := t.owner(), t.leaseEnd()
	t.recognition, t.record = found, r
	now := t.owner()
	entered := before.Count.Known && now.Count.Known && now.Count.N > before.Count.N
	left := before.Count.Known && now.Count.Known && now.Count.N < before.Count.N
	switch {
	case entered:
		t.partial = partialRelease{}
		t.setLease(at)
		s.say(t, EventReentered, at, Event{})
		return
	case left:
		t.partial = partialRelease{at: at, from: before.Count.N, to: now.Count.N}
		s.say(t, EventReleased, at, Event{})
		return
	}
	end := t.leaseEnd()
	if end.IsZero() || !beforeEnd.IsZero() && !end.After(beforeEnd.Add(clockSlack)) {
		return
	}
	kind := EventRenewed
	if lease := end.Sub(at); beforeEnd.IsZero() || t.lease > 0 && lease > t.lease+t.lease/20+clockSlack {
		kind = EventExtended
	}
	if beforeEnd.IsZero() && t.renewals == 0 && at.Sub(t.since) < setNXWindow {
		t.setLease(at) // SETNX, then EXPIRE: this is how such a lock is acquired
		return
	}
	t.setLease(at)
	t.renewed(at)
	s.say(t, kind, at, Event{})
}

// setNXWindow is the time within which the EXPIRE that follows a SETNX belongs to the acquisition.
const setNXWindow = time.Second

// say logs an event of the present holder.
func (s *store) say(t *track, kind EventKind, at time.Time, e Event) {
	owner := t.owner()
	e.At, e.Ref, e.Kind, e.Scheme = at, t.ref, kind, t.recognition.scheme
	e.Owner, e.Label, e.Count = owner.Owner, owner.Label, owner.Count
	if end := t.leaseEnd(); !end.IsZero() && kind != EventExpired && kind != EventLost {
		e.TTL, e.TTLKnown = max(0, end.Sub(at)), true
	} else if end.IsZero() {
		e.TTL, e.TTLKnown = -1, true
	}
	s.log.add(e)
}
