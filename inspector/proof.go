package inspector

import (
	"time"

	"locktop/keyspace"
)

// This file says what may be concluded from what was heard between two reads of a key.
//
//   - Events with names (push) tell a release from an expiry, and a value that was written into a key that was there all the
//     time from one that was written into a new key: a takeover, and the renewal of a lock whose value is its lease's end.
//   - Hints without names (CLIENT TRACKING) tell that something happened and when, and by their absence that nothing did: a
//     lease that ran out without any of them was not renewed. A write may have been a renewal, a takeover, or a release and
//     the next acquisition.
//   - Where hints may have been missed (in a gap, or between two polls) only the two reads remain, and the end of the lease
//     that the former one showed proves nothing: it may have been renewed, and the lock released, unseen.
//
// What cannot be told apart is said to be unknown; nobody is said to have lost a lock because of it.

// hearing is how much was heard of what happened to a key since the read before.
type hearing struct {
	// unheard: something may have happened of which no hint told. gap: because of a gap, which was a flush where flushed is set.
	unheard, gap, flushed bool
	// missed: unheard, though hints come by now. What is polled is unheard each time.
	missed bool
	// known says that what was not there before is new, for a pass has ended.
	known bool
}

// hears says what was heard of a key on a node since the read before, which was at that time in Unix nanoseconds; negative: there
// was none. A key that is on another node now has a gap behind it.
func (n *node) hears(before int64, moved bool) hearing {
	known := before >= 0
	gap := moved || known && before <= n.lastGap
	missed := gap || known && before <= n.deafUntil
	return hearing{
		unheard: n.polls() || missed, gap: gap, flushed: gap && n.flushed && !moved, missed: missed && !n.polls(), known: n.passes.known,
	}
}

// changedAt is when the value that is there now was written, or the latest moment at which it can have been; told says
// whether a hint told of it.
func (v *sight) changedAt() (at time.Time, told bool) {
	at, told = v.trail.changedAt(v.record.ReadAt)
	return at, told && (!v.unheard || !v.trail.startAt.IsZero())
}

// overwritten says whether a value was written into the key while it was there, since the read before.
func (v *sight) overwritten() bool {
	return v.trail.writes > 0 && v.trail.startAt.IsZero() && !v.unheard && !v.seenBefore(v.trail.wroteAt)
}

// seenBefore says whether the read before showed the outcome of what a hint tells of: the answer to a read may come before
// the hints of what it shows.
func (v *sight) seenBefore(at time.Time) bool {
	return v.slot >= 0 && !at.IsZero() && at.UnixNano() <= v.slots[v.slot].readAt
}

// ranOut says whether the lease that the read before showed was over by so much when the next thing happened to the key.
// Whatever happened earlier may have been a renewal.
func (v *sight) ranOut(end time.Time, by time.Duration) bool {
	if end.IsZero() || v.unheard {
		return false
	}
	next := v.record.ReadAt
	if first := v.trail.firstAt; !first.IsZero() && first.Before(next) {
		next = first
	}
	return !next.Before(end.Add(by))
}

// clocks is what the end of a TTL may differ from one read to the next although nobody touched it. A key that moves takes with it
// what is left of its TTL, and that is counted anew when it arrives.
func (v *sight) clocks(old *Lock) time.Duration {
	most := old.Observed.ExpiryError.Duration() + v.record.ExpiryError.Duration()
	if v.moved {
		most += transit
	}
	return most
}

// mayHaveReturned says whether the holder, who is the same by name, may have released the lock and acquired it again since
// the read before.
func (v *sight) mayHaveReturned(before string) bool {
	if !v.unheard && v.trail.touches == 0 {
		return false
	}
	switch now := v.found.holder().Owner; v.found.scheme {
	case SchemeTimestamp:
		return now != before // each acquisition writes its own end
	case SchemeToken, SchemeSetNX:
		return !drawnAnew(now)
	default:
		return true
	}
}

// drawnAnew says whether a value looks like one that is drawn for each acquisition, and not like its client's name.
func drawnAnew(value string) bool {
	switch shapeOf(value) {
	case shapeUUID, shapeHex, shapeBase64, shapeAlnum, shapeBinary:
		return true
	case shapeOther, shapeEmpty, shapeInteger, shapeUUIDTag, shapeHost, shapeForeign:
	}
	return false
}

// polls says whether no hints come at present.
func (n *node) polls() bool { return n.status != nil && n.status.Feed == keyspace.FeedPoll }
