package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// Ended returns when and how the last hold of a lock in [StateFreed] ended, and how long it lasted.
// exact is false if its beginning or its end was not seen, so that it may have lasted longer.
func (l *Lock) Ended() (at time.Time, cause Cause, held time.Duration, exact bool) {
	at, cause = l.FreedAt, l.FreedBy
	if n := len(l.History); n > 0 && !l.History[n-1].Until.IsZero() {
		last := &l.History[n-1]
		return last.Until, cause, last.Until.Sub(last.Since), last.SinceExact && last.UntilExact
	}
	if !l.HeldSince.IsZero() {
		held = max(0, at.Sub(l.HeldSince))
	}
	return at, cause, held, false
}

// explain replaces the cause of a hold that is over, because the proof came later than the end.
func (s *store) explain(i int32, hold int, cause Cause) {
	l := s.edit(i)
	h := &l.History[hold]
	if l.FreedBy == h.Cause && hold == len(l.History)-1 {
		l.FreedBy = cause
	}
	h.Cause = cause
}

// announced takes a message that says that a lock was released. It may come before or after the end
// of the hold is known. In a cluster every node delivers it, and only that of the node with the key
// counts.
func (s *store) announced(h keyspace.Hint) {
	p, n := s.places[h.DB], s.node(h.Ref)
	if p == nil || n.before(h.At) {
		return
	}
	i, known := p.slots[h.Key]
	if known = known && s.slots[i].lock.Node == h.Node; known {
		pending := ending{}
		if t := n.trails[h.Key]; t != nil {
			pending = t.freedNear(h.At)
		}
		hold := s.slots[i].lock.freedNear(h.At)
		if hold >= 0 && (pending.at.IsZero() || nearer(h.At, s.slots[i].lock.History[hold].Until, pending.at)) {
			s.explain(i, hold, CauseReleased)
			s.settle(i, h.At)
			return
		}
	}
	t := n.trails[h.Key]
	if known {
		t = n.trail(h.Key)
	}
	if t != nil {
		t.announced(h.At)
	}
}

// freedNear returns the index of the hold that ended by a deletion nearest to a message at that time;
// -1: none ended so near.
func (l *Lock) freedNear(at time.Time) (nearest int) {
	nearest = -1
	for i := range slices.Backward(l.History) {
		until := l.History[i].Until
		if l.History[i].Cause == CauseFreed && sameRelease(at, until) && (nearest < 0 || nearer(at, until, l.History[nearest].Until)) {
			nearest = i
		}
	}
	return nearest
}
