package inspector

import (
	"time"

	"locktop/keyspace"
)

// What may differ without meaning anything.
const (
	// jitter is what the same expiry may differ from one read to the next, beside what the reads themselves say of their
	// error; where no hint tells of a new TTL, more is put down to the clocks.
	jitter, unannouncedJitter = 5 * time.Millisecond, 20 * time.Millisecond
	// settled is after which time a read cannot have been on its way when a hint came.
	settled = 500 * time.Millisecond
	// twoCommands is the time within which a TTL that follows an acquisition belongs to it (SETNX, then EXPIRE).
	twoCommands = time.Second
	// rivalsRace is how much rivals that lose a race may move the end of a timestamp lock: each GETSET writes its own time.
	rivalsRace = time.Second
	// transit is how long a key may be on its way from one node to another.
	transit = time.Second
)

// sight is one read of a key beside what was known of it before.
type sight struct {
	*store
	hearing
	place  *place
	slot   int32 // -1: none
	moved  bool  // the read before came from another node
	record *keyspace.Record
	found  recognition
	trail  trail
	rest   trail // what of the trail this read does not answer
	over   *Hold // of a Redlock: how the hold before ended, where it did
	// tookOver: another master has taken over since the read before, and does not have the lock.
	tookOver bool
	// proved: the message of the trail has proved a release. learnt: the trail told when the present hold began.
	proved, learnt bool
}

// record takes one read.
func (s *store) record(r *keyspace.Record) {
	if r.Type == keyspace.TypeDenied {
		return // we may not look any more: the last picture stays
	}
	p, n := s.place(r.DB), s.node(r.Ref)
	s.lastRead = max(s.lastRead, r.ReadAt.UnixNano())
	n.lastRead = max(n.lastRead, r.ReadAt.UnixNano())
	now := sight{store: s, place: p, slot: -1, record: r}
	before := int64(-1)
	i, known := p.slots[r.Key]
	if known {
		now.slot, now.moved, before = i, s.slots[i].lock.Node != r.Node, s.slots[i].readAt
		if now.moved && r.ReadAt.UnixNano() < before {
			return // what was so before the key moved
		}
	}
	now.hearing = n.hears(before, now.moved)
	waiting := n.trails[r.Key]
	if waiting != nil && !now.moved {
		now.trail = *waiting
	}
	found, is := s.options.Rules.recognise(*r, r.ReadAt)
	held := known && s.slots[i].lock.FreedAt.IsZero()
	if !is && held {
		found, is = now.same(s.slots[i].lock)
	}
	now.found = found
	switch {
	case held && is:
		now.again()
	case held:
		now.vanished()
	case is:
		now.appeared()
	case known:
		now.passedBy()
	case !r.Exists() && !now.trail.dead():
		now.rest = now.trail // made after this read: another one follows
	}
	if waiting == nil {
		return
	}
	if at := waiting.announcedAt; sameRelease(at, r.ReadAt) && !now.proved { // the deletion may follow
		now.rest.announcedAt = at
	}
	if now.rest == (trail{}) {
		delete(n.trails, r.Key)
	} else {
		*waiting = now.rest
	}
}

// same recognises a lock that was recognised before, as long as its holder has it: a lock of which the TTL grew, or went, may be nothing
// that would be taken for one today.
func (v *sight) same(before *Lock) (recognition, bool) {
	found, can := v.options.Rules.keeps(*v.record, v.record.ReadAt)
	if !can || v.trail.ended() || !found.held() || len(before.Holders) == 0 {
		return recognition{}, false
	}
	v.found = found
	return found, v.sameHolder(before)
}

// appeared: there is a lock where none was.
func (v *sight) appeared() {
	at, told := v.changedAt()
	exact := told && (!v.trail.startAt.IsZero() || v.slot >= 0 || v.known)
	switch {
	case v.trail.dead() && v.trail.starts > 0: // it was read between its beginning and its end
		at, exact = v.trail.shortAt, true
		v.rest = v.trail.lastEnd()
	case v.trail.dead(): // the end of what was gone already, and no news of this beginning
		at, exact = v.record.ReadAt, false
	}
	isNew := v.slot < 0 && !exact && !v.known
	previous := Hold{}
	var l *Lock
	if v.slot < 0 {
		l = newLock(*v.record, v.found)
		v.slot = v.insert(v.place, l)
	} else {
		l = v.edit(v.slot)
		delete(v.lingers, keyRef{l.DB, l.Key})
		if n := len(l.History); n > 0 {
			previous = l.History[n-1]
		}
		l.show(*v.record, v.found)
	}
	l.Evidence = v.evidence.share(v.found.evidence)
	v.acquire(l, at, exact)
	l.mind.untold = isNew
	if !isNew && v.found.held() {
		v.countAcquisitions(l, at, max(1, v.trail.starts))
		switch {
		case previous.Until.IsZero():
		case previous.Cause == CauseExpired && previous.Renewals >= regular && previous.Owner != l.holder().Owner:
			v.lost(l, previous, previous.Until)
		default:
			v.followed(l, previous, at)
		}
		for _, h := range l.Holders {
			v.sayOf(l, h, EventAcquired, at, Event{})
		}
	}
	v.done()
}

// acquire begins a hold.
func (v *sight) acquire(l *Lock, at time.Time, exact bool) {
	resurrected := l.resurrectedBy(at)
	for _, h := range l.Holders {
		l.noticed(h, at)
	}
	l.begin(at, exact)
	v.chronicleBegun(l)
	l.mind.resurrected = resurrected
	l.State = ""
}

// countAcquisitions adds to the sparkline and the totals, and notes how contended the lock is.
func (v *sight) countAcquisitions(l *Lock, at time.Time, times int) {
	l.acquired(at, times)
	v.chronicleAcquired(l, at, times)
	v.totals.rates.add(at, times)
	handOvers := 0
	for i := len(l.History) - 1; i > 0 && at.Sub(l.History[i].Since) < time.Minute; i-- {
		if l.History[i].Owner == l.History[i-1].Owner {
			continue
		}
		if handOvers++; handOvers == contendedHandOvers {
			l.mind.contendedUntil = l.History[i].Since.Add(time.Minute).UnixNano()
			return
		}
	}
}

// contendedHandOvers in a minute make a lock contended.
const contendedHandOvers = 3

// done ends the sight of a lock that is there.
func (v *sight) done() {
	v.slots[v.slot].readAt = v.record.ReadAt.UnixNano()
	if l := v.slots[v.slot].lock; l.chronicle != nil {
		v.chronicleWaited(l, v.record.ReadAt, l.Waiters.Count)
	}
	v.settle(v.slot, v.record.ReadAt)
}

// vanished: the lock is gone, or its key holds something else.
func (v *sight) vanished() {
	l := v.edit(v.slot)
	if l.Scheme == SchemeUnknown { // nobody held it
		v.forget(v.slot)
		return
	}
	v.learnBeginning(l)
	at, exact, cause := v.why(l)
	v.slots[v.slot].readAt = v.record.ReadAt.UnixNano()
	v.end(l, at, exact, cause)
	switch {
	case v.trail.ended() && !v.trail.startAt.IsZero() && !v.record.Exists():
		v.rest = v.trail.lastStart()
	case v.trail.ended() && v.starts(l) > 0:
		v.short(l)
		at, cause = v.trail.last.at, v.trail.last.cause
	}
	v.free(l, at, cause)
}

// free makes a freed lock, which lingers. News of an end that come late are shown all the same.
func (v *sight) free(l *Lock, at time.Time, cause Cause) {
	if late := v.record.ReadAt.Add(-v.options.Linger / 2); at.Before(late) {
		at = late
	}
	v.chronicleWaited(l, v.record.ReadAt, 0)
	end := l.leaseEnd()
	l.FreedAt, l.FreedBy = at, cause
	l.Quorum, l.Waiters = v.found.quorum, Waiters{By: WaitersNone}
	l.ExpiresAt, l.LeaseEnds = time.Time{}, time.Time{}
	l.mind.contendedUntil = 0
	if cause == CauseFailOver {
		v.lingerUntil(l, earlier(end, at.Add(v.options.Thresholds.LostFor)))
	}
	v.settle(v.slot, v.record.ReadAt)
	v.linger(v.slot)
}

// why says when and why the present hold ended.
func (v *sight) why(l *Lock) (at time.Time, exact bool, cause Cause) {
	at, exact, cause = v.whyByItself(l)
	return at, exact, v.byOperator(l, l.holder().Owner, cause)
}

// whyByItself goes by the hint, else by the lease, else by what else is known.
func (v *sight) whyByItself(l *Lock) (at time.Time, exact bool, cause Cause) {
	if v.over != nil {
		return v.over.Until, v.over.UntilExact, v.over.Cause
	}
	missed, took := v.missedBy(l)
	if v.tookOver = took; missed {
		return v.record.ReadAt, false, CauseFailOver
	}
	slack := unannouncedJitter + v.clocks(l)
	if v.trail.ended() {
		at, cause = v.trail.first.at, v.trail.first.cause
		if at.After(v.record.ReadAt) {
			at = v.record.ReadAt
		}
		if v.trail.first.byField && !l.leaseEnd().IsZero() && !v.ranOut(l.leaseEnd(), -slack) {
			cause = CauseFreed // another field expired, and somebody deleted the key right after
		}
		if deleted, _ := cause.Deleted(); deleted && v.ranOut(l.ExpiresAt, slack) {
			cause = CauseExpired // some servers say del when a lease that is over is noticed late
		}
		if end := l.leaseEnd(); cause == CauseExpired && v.ranOut(end, 0) {
			at = end // the server notices an expiry late
		}
		return at, true, cause
	}
	at, told := v.changedAt()
	switch {
	case v.record.Exists() && v.overwritten():
		return at, told, CauseTakenOver
	case v.ranOut(l.ExpiresAt, -slack):
		return earlier(l.ExpiresAt, v.record.ReadAt), true, CauseExpired
	case v.record.Exists():
		return at, told, CauseUnknown
	case v.flushed:
		return at, false, CauseFlushed
	case v.gap, v.unheard && !l.ExpiresAt.IsZero() && !v.record.ReadAt.Before(l.ExpiresAt.Add(-slack)):
		return at, false, CauseUnknown
	}
	// It went before its lease was over, and no gap explains it: somebody deleted it. Where hints have names, this one's is
	// still on its way.
	if announced := v.trail.announcedAt; sameRelease(announced, v.record.ReadAt) {
		v.proved = true
		return earlier(announced, v.record.ReadAt), true, CauseReleased
	}
	return at, told, CauseFreed
}

// end closes the present hold, and says so.
func (v *sight) end(l *Lock, at time.Time, exact bool, cause Cause) {
	kind := EventDeleted
	switch cause {
	case CauseReleased, CauseFreed, CauseOperator:
		kind = EventReleased
	case CauseExpired:
		kind = EventExpired
	case CauseFailOver:
		kind = EventLost
	case CauseTakenOver, CauseEvicted, CauseFlushed, CauseUnknown:
	}
	text := ""
	if cause == CauseUnknown && v.tookOver {
		text = "gone in a fail-over: the new master does not have it, and " + v.leaseLeft(l) + "; it was either lost or released meanwhile"
	}
	if cause == CauseFailOver {
		text = v.failOverText(l)
	}
	if lease := l.leaseEnd(); cause == CauseUnknown && !exact && !lease.IsZero() && !at.Before(lease) {
		text = "gone; its lease had run out by then, or it was released"
	}
	if text == "" && kind == EventDeleted && v.record.Exists() && v.found.scheme == "" && v.over == nil {
		text = "its key is still there, and is no lock any more"
	}
	if v.over != nil && v.over.Lost != nil {
		kind, text = EventLost, v.over.Lost.Text
	}
	held := v.close(l, at, exact, cause)
	if len(l.Holders) < 2 {
		v.say(l, kind, at, Event{Held: held, HeldExact: exact && l.HeldExact, Cause: cause, Text: text})
		return
	}
	for _, h := range l.Holders {
		h.Count.N = 0
		v.sayOf(l, h, kind, at, Event{Cause: cause, Text: text})
	}
}

// close closes the present holds in the history, and returns how long the first of them was.
func (v *sight) close(l *Lock, at time.Time, exact bool, cause Cause) time.Duration {
	if at.Before(l.HeldSince) {
		at = l.HeldSince
	}
	for i := range l.History {
		if h := &l.History[i]; h.Until.IsZero() {
			h.Until, h.UntilExact, h.Cause = at, exact, cause
			if v.over != nil {
				h.Lost = v.over.Lost
			}
			if at.Before(h.Since) {
				h.Until = h.Since
			}
			h.lapsedFirst(l, at)
			if cause == CauseFailOver {
				h.Lost = &Loss{Code: CodeLostInFailOver, At: h.Until, Text: v.failOverText(l)}
			}
			v.chronicleHeld(l, h)
		}
	}
	return at.Sub(l.HeldSince)
}

// passedBy: the lock was free at the last read, and is free again. What hints tell of holds in between, nobody saw whose.
func (v *sight) passedBy() {
	v.slots[v.slot].readAt = v.record.ReadAt.UnixNano()
	if v.moved {
		v.edit(v.slot).Node = v.record.Node
	}
	switch {
	case v.trail.starts == 0:
		v.asleep()
		return
	case !v.trail.dead():
		v.rest = v.trail
		return
	}
	l := v.edit(v.slot)
	l.Holders = l.Holders[:0]
	v.short(l)
	v.free(l, v.trail.last.at, v.trail.last.cause)
}

// short notes holds that began and ended between two reads: all that is known of them is when.
func (v *sight) short(l *Lock) {
	began := v.trail.shortAt
	if began.IsZero() {
		return
	}
	text := "too short to be read: nobody saw the holder"
	l.Holders = l.Holders[:0]
	v.acquire(l, began, true)
	l.History = append(l.History, Hold{Since: began, SinceExact: true})
	v.countAcquisitions(l, began, v.trail.starts)
	v.say(l, EventAcquired, began, Event{Text: text})
	v.end(l, v.trail.last.at, true, v.trail.last.cause)
}

// say logs an event of the present holder, the first where there are several.
func (v *sight) say(l *Lock, kind EventKind, at time.Time, e Event) {
	v.sayOf(l, l.holder(), kind, at, e)
}

// sayOf logs an event of one holder.
func (v *sight) sayOf(l *Lock, h Holder, kind EventKind, at time.Time, e Event) {
	e.At, e.Ref, e.Kind, e.Scheme = at, l.Ref, kind, l.Scheme
	e.Owner, e.Label, e.Count = h.Owner, h.Label, h.Count
	if l.hold() == nil && e.Count.Known {
		e.Count.N = 0 // the hold is over: nothing of it is left
	}
	switch kind {
	case EventAcquired, EventReentered, EventRenewed, EventExtended, EventHandedOver:
		e.TTL, e.TTLKnown = -1, len(l.Holders) > 0 && !l.EndUnknown()
		if end := l.leaseEnd(); !end.IsZero() {
			e.TTL = max(0, end.Sub(at))
		}
	case EventReleased, EventExpired, EventDeleted, EventLost, EventEdited, EventGap, EventOperator:
	}
	v.log.add(e)
}
