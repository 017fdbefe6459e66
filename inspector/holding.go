package inspector

import (
	"slices"
	"strings"
	"time"
)

// again: there was a lock, and there is one.
func (v *sight) again() {
	old := v.slots[v.slot].lock
	if old.Scheme == SchemeUnknown || !v.found.held() {
		v.changedKind(old)
		return
	}
	same := v.sameHolder(old)
	t := &v.trail
	if several(old.Scheme, old.Mode, old.Holders) || several(v.found.scheme, v.found.mode, v.found.holders) {
		if !t.ended() {
			v.shared()
			return
		}
		same = false // the key was gone in between, and all its holders with it
	}
	same = same && !v.fieldRanOut(old)
	switch {
	case t.dead() && v.starts(old) == 0 && same && !t.waited && v.record.ReadAt.Sub(t.last.at) < settled:
		v.rest = *t // this read was on its way when the lock ended; the next one tells
		v.rest.waited = true
		return
	case t.dead() && v.starts(old) > 0: // read between a beginning and an end
		v.rest = t.lastEnd()
		v.handOver(t.shortAt)
	case t.ended() && same && !old.HeldExact && v.seenBefore(t.startAt):
		v.goesOn() // news of a hand-over whose result was read before
	case t.ended(), v.over != nil, !same:
		at, _ := v.changedAt()
		v.handOver(at)
	case v.unchanged(old):
		v.stands(old)
	default:
		v.goesOn()
	}
}

// sameHolder says whether what was found is the same hold by its value alone.
func (v *sight) sameHolder(old *Lock) bool {
	if old.Scheme != v.found.scheme {
		// The very same value with another kind of end: a token lock that lost its TTL is a setnx lock now.
		return old.holder().Owner == v.found.holder().Owner && len(old.Holders) > 0
	}
	before, now := old.holder().Owner, v.found.holder().Owner
	if before == now || v.edited() {
		return true
	}
	for _, h := range v.found.holders[1:] {
		if h.Owner == before {
			return true
		}
	}
	if v.found.scheme != SchemeTimestamp {
		return sameDescription(before, now)
	}
	// The value is the end of the lease, and a renewal changes it: an id in it decides. Without one, only a value that was
	// written into the key while it was there may be a renewal, or else it is the next lock's; then the rule decides that
	// nobody may take the lock over before its lease is past.
	if id := leaseID(before); id != "" || leaseID(now) != "" {
		return id == leaseID(now)
	}
	at, _ := v.changedAt()
	inPlace := v.overwritten() || v.trail.dead() && v.trail.starts == 0 // or it was read before it ended
	return inPlace && at.Before(old.LeaseEnds)
}

// edited says whether the value that was there before was changed in place, and nothing else happened to it.
func (v *sight) edited() bool {
	t := &v.trail
	return t.edits > 0 && t.writes == 0 && t.touches == 0 && !t.ended()
}

// unchanged says whether a read tells nothing new, so that the lock need not be copied.
func (v *sight) unchanged(old *Lock) bool {
	if q := v.found.quorum; q != nil && !q.same(old.Quorum) {
		return false
	}
	if v.moved || v.trail != (trail{}) || !slices.EqualFunc(old.Holders, v.found.holders, sameHolding) || old.Scheme != v.found.scheme || old.HeldExact && v.mayHaveReturned(old.holder().Owner) {
		return false
	}
	if by := v.found.waiters; by.By != "" && by != old.Waiters || !sameNumber(old.FencingToken, v.found.fencing) {
		return false
	}
	end := v.ttlEnd()
	return old.LeaseEnds.Equal(v.found.leaseEnds) && old.FieldTTLs == v.found.fieldTTLs &&
		old.Observed.FieldTTLsUnread == v.record.FieldTTLsUnread &&
		old.ExpiresAt.IsZero() == end.IsZero() &&
		end.Sub(old.ExpiresAt).Abs() <= unannouncedJitter+v.clocks(old) &&
		v.sameShares(old)
}

// stands: a read tells nothing new. After a gap a lock without an end may be another hold all the same.
func (v *sight) stands(old *Lock) {
	v.slots[v.slot].readAt = v.record.ReadAt.UnixNano()
	if v.missed && old.Observed.ExpiresAt.IsZero() && !old.FieldTTLs {
		v.weigh(v.edit(v.slot))
		v.changed = true
	}
}

// changedKind: a lock became something that is none, or the other way round.
func (v *sight) changedKind(old *Lock) {
	if old.Scheme == SchemeUnknown && !v.found.held() {
		if old.Observed.Type == v.record.Type && old.Observed.Size == v.record.Size && !v.moved {
			v.slots[v.slot].readAt = v.record.ReadAt.UnixNano()
			return
		}
	}
	at, exact := v.changedAt()
	l := v.edit(v.slot)
	if l.Scheme != SchemeUnknown {
		ended, endExact, cause := v.why(l)
		v.end(l, ended, endExact, cause)
	}
	l.show(*v.record, v.found)
	l.Evidence = v.evidence.share(v.found.evidence)
	v.acquire(l, at, exact)
	if v.found.held() {
		v.countAcquisitions(l, at, 1)
		v.say(l, EventAcquired, at, Event{})
	}
	v.done()
}

// handOver ends one hold and begins the next, both in one read.
func (v *sight) handOver(at time.Time) {
	l := v.edit(v.slot)
	v.learnBeginning(l)
	starts := v.starts(l)
	_, told := v.changedAt()
	if at.IsZero() {
		at = v.record.ReadAt
	}
	previous, lease := l.holder(), l.leaseEnd()
	early := lease.IsZero() || at.Before(lease.Add(-unannouncedJitter-v.clocks(l)))
	overwritten, ranOut := v.overwritten(), v.ranOut(lease, 0)
	var ended time.Time
	var endExact bool
	var cause Cause
	event := Event{PreviousOwner: previous.Owner}
	kind := EventHandedOver
	if missed, _ := v.missedBy(l); missed || v.trail.ended() || v.over != nil {
		ended, endExact, cause = v.why(l)
		v.end(l, ended, endExact, cause)
		kind = EventAcquired
	} else {
		ended, endExact, cause = v.gaveWay(l, at, told)
		event.Held = v.close(l, ended, endExact, cause)
		event.HeldExact = endExact && l.HeldExact
	}
	event.Cause = cause
	hold := Hold{Owner: previous.Owner, Label: previous.Label, Renewals: l.Renewals, Cause: cause, Since: l.HeldSince}
	// Who renewed its lease until it ran out was still at work; of one that never did, nobody knows.
	atWork := l.Renewals >= regular && (cause == CauseExpired || overwritten)
	wasLost := previous.Owner != v.found.holder().Owner && (atWork || overwritten && early)
	l.show(*v.record, v.found)
	l.Evidence = v.evidence.share(v.found.evidence)
	v.acquire(l, at, told)
	v.countAcquisitions(l, at, max(1, starts))
	switch {
	case wasLost:
		v.lost(l, hold, ended)
	case ranOut && cause == CauseTakenOver && previous.Owner != v.found.holder().Owner:
		v.overran(l, l.holdBefore(), lease, at)
	default:
		v.followed(l, hold, at)
	}
	v.say(l, kind, at, event)
	v.done()
}

// starts counts the beginnings that the trail tells of, but for that of the hold that is known already: news of it may come after
// its value was read.
func (v *sight) starts(known *Lock) int {
	if known.HeldExact && !v.learnt {
		return v.trail.starts
	}
	return v.trail.starts - v.trail.early
}

// learnBeginning takes over when the present hold began, where news of that came only with its end.
func (v *sight) learnBeginning(l *Lock) {
	t := &v.trail
	if l.HeldExact || t.early != 1 || !t.ended() || t.first != t.last || t.shortAt.IsZero() {
		return
	}
	v.learnt = true
	l.HeldSince, l.HeldExact = t.shortAt, true
	if h := l.hold(); h != nil {
		h.Since, h.SinceExact = t.shortAt, true
	}
}

// gaveWay says when and why a hold ended of which no hint told, and another one is there in the same read.
func (v *sight) gaveWay(l *Lock, at time.Time, told bool) (ended time.Time, exact bool, cause Cause) {
	ranOut := v.ranOut(l.leaseEnd(), -unannouncedJitter-v.clocks(l))
	switch {
	case ranOut && l.Scheme != SchemeTimestamp:
		return earlier(l.leaseEnd(), at), true, CauseExpired
	case ranOut, v.overwritten(): // the key of a timestamp lock outlives its lease, and the next client takes it over by GETSET
		return at, told, CauseTakenOver
	}
	if announced := v.trail.announcedAt; sameRelease(announced, v.record.ReadAt) {
		v.proved = true
		return earlier(announced, at), true, CauseReleased // its library's message woke the next holder
	}
	return at, told, CauseUnknown
}

// goesOn: the same holder still has it; it may have entered again, left once, or renewed its lease.
func (v *sight) goesOn() {
	l := v.edit(v.slot)
	t := &v.trail
	before, wasEnd, clocks := l.holder(), l.leaseEnd(), v.clocks(l)
	wasTime, wasLease := l.Observed.ExpireTime, l.LeaseEnds
	rivals := l.Scheme == SchemeTimestamp && leaseID(before.Owner) == "" &&
		v.found.leaseEnds.Sub(l.LeaseEnds).Abs() < rivalsRace && before.Owner != v.found.holder().Owner
	if l.Scheme != v.found.scheme || l.ExpiresAt.IsZero() != v.ttlEnd().IsZero() {
		l.Evidence = v.evidence.share(v.found.evidence)
	}
	v.weigh(l)
	l.show(*v.record, v.found)
	if v.mayHaveReturned(before.Owner) {
		l.HeldExact = false
		// A hint without a name that comes with another end is a renewal; a release and the next acquisition are two hints.
		renewed := t.touches == 1 && l.leaseEnd().Sub(wasEnd).Abs() > jitter+clocks
		if v.unheard || !renewed {
			l.mind.surelySince = v.record.ReadAt.UnixNano()
		}
	}
	if !t.startAt.IsZero() && !l.HeldSince.IsZero() && (!l.HeldExact || t.startAt.Before(l.HeldSince)) {
		l.HeldSince, l.HeldExact = t.startAt, true // news of an acquisition whose result was read before
		l.mind.surelySince = t.startAt.UnixNano()
	}
	if h := l.hold(); h != nil {
		h.Owner, h.Label = l.holder().Owner, l.holder().Label
		h.Since, h.SinceExact = l.HeldSince, l.HeldExact
	}
	if l.mind.untold && !t.startAt.IsZero() {
		l.mind.untold = false // the first pass was quicker to read it than the news to come
		v.countAcquisitions(l, t.startAt, max(1, t.starts))
		v.say(l, EventAcquired, t.startAt, Event{})
	}
	switch now := l.holder(); {
	case rivals:
	case before.Owner != now.Owner && v.edited():
		v.tellEdited(l, before.Owner)
	case before.Count.Known && now.Count.N > before.Count.N:
		at := v.updatedAt()
		l.entered(before.Count.N, now.Count.N, at)
		v.say(l, EventReentered, at, Event{})
	case before.Count.Known && now.Count.N < before.Count.N:
		at := v.updatedAt()
		l.left(before.Count.N, now.Count.N, at)
		v.say(l, EventReleased, at, Event{})
	case wasTime != 0 && wasTime == l.Observed.ExpireTime && wasLease.Equal(l.LeaseEnds):
		// The server's clock was set: the key ends at the same time by it, which is another time now.
	default:
		v.lease(l, wasEnd, clocks)
	}
	v.done()
}

// editedFact begins the evidence of a lock that was edited during the present hold.
const editedFact = "a part of its value was changed in place"

// tellEdited logs the first edit of a hold. A key that is counted up would fill the log otherwise.
func (v *sight) tellEdited(l *Lock, before string) {
	if slices.ContainsFunc(l.Evidence, func(fact string) bool { return strings.HasPrefix(fact, editedFact) }) {
		return
	}
	fact := editedFact + " (" + v.trail.edit + "): it may be a counter, and no lock"
	l.Evidence = v.evidence.share(append(slices.Clone(l.Evidence), fact))
	v.say(l, EventEdited, v.updatedAt(), Event{PreviousOwner: before, Text: fact})
}

// updatedAt is when the last hint came, else when the read was.
func (v *sight) updatedAt() time.Time {
	if at := v.trail.updatedAt; !at.IsZero() && at.Before(v.record.ReadAt) {
		return at
	}
	return v.record.ReadAt
}

// lease compares the ends of the lease: later ones, by more than the clocks may differ, are renewals.
func (v *sight) lease(l *Lock, was time.Time, clocks time.Duration) {
	t, end := &v.trail, l.leaseEnd()
	at, times, announced := v.record.ReadAt, 1, true
	switch {
	case t.renewed() > 0:
		at, times = t.renewedAt, t.renewed()
	case t.writes > 0:
		at = t.wroteAt
		if len(l.Observed.Value.Fields) == 0 {
			times = t.writes
		}
	case !t.touchedAt.IsZero():
		at = t.touchedAt
	default:
		announced = false
	}
	if at.After(v.record.ReadAt) {
		at = v.record.ReadAt
	}
	slack := unannouncedJitter + clocks
	if announced {
		slack = jitter + clocks
	}
	switch {
	case end.IsZero(), !was.IsZero() && end.Sub(was).Abs() <= slack:
		return
	case l.Quorum != nil && t.renewed() == 0 && !was.IsZero():
		return // one more master follows a renewal that the quorum has had before, or another vote is the one that counts
	case was.IsZero():
		l.mind.lease, l.mind.leaseExact = end.Sub(at), announced
		if at.Sub(l.HeldSince) >= twoCommands {
			v.say(l, EventRenewed, at, Event{Repaired: true, Text: "it had no TTL and was given one"})
		}
		return
	case end.Before(was):
		l.mind.lease = end.Sub(at)
		l.mind.cooling = l.Scheme.traits().coolsDown
		return
	case len(l.Observed.Value.Fields) > 0 && t.renewed() == 0 && t.writes > 0:
		return // entries that came and went between two reads set the lease anew
	}
	l.mind.cooling = false
	before, exact := l.mind.lease, l.mind.leaseExact
	l.mind.lease, l.mind.leaseExact = end.Sub(at), announced
	kind := EventRenewed
	if longer := scale(before, 1.25); exact && l.mind.lease > longer+jitter*20 {
		kind = EventExtended
	}
	if !announced && l.mind.lease < before {
		l.mind.lease = before // a poll comes late, and sees less than all of it
	}
	gaps := l.mind.gapCount
	l.renew(at, times)
	if l.mind.gapCount != gaps {
		v.chronicleRenewed(l)
	}
	v.say(l, kind, at, Event{})
}

// entered and left note entries of a re-entrant lock; both set its lease anew.
func (l *Lock) entered(from, to int64, at time.Time) {
	l.mind.enters += uint16(min(to-from, maxEntries))
	l.retake(at)
}

func (l *Lock) left(from, to int64, at time.Time) {
	l.mind.exits += uint16(min(from-to, maxEntries))
	l.retake(at)
	switch trough := uint16(min(to, maxEntries)); {
	case trough > l.mind.trough && l.mind.trough > 0:
		l.mind.ladder++
		l.mind.trough = trough
	case trough < l.mind.trough || l.mind.trough == 0:
		l.mind.ladder = 0
		l.mind.trough = trough
	}
}

// retake notes a lease that began with another entry.
func (l *Lock) retake(at time.Time) {
	if end := l.leaseEnd(); !end.IsZero() {
		l.mind.lease = max(l.mind.lease, end.Sub(at))
	}
}

// leaseID is the part of a timestamp lock's value that names its holder; empty where it names none.
func leaseID(value string) string {
	id, _, _ := leaseEnd(value)
	return id
}

// held says whether the record shows a holder; a key of the wrong type shows none.
func (r recognition) held() bool { return len(r.holders) > 0 }

func (r recognition) holder() Holder {
	if len(r.holders) == 0 {
		return Holder{}
	}
	return r.holders[0]
}

func sameNumber(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }
