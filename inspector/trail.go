package inspector

import (
	"time"

	"locktop/keyspace"
)

// trail is what the hints since the last read of a key tell: how often it ended and began, and when. It is what a read cannot
// tell, and all that is kept of hints: a busy lock costs no more memory than a quiet one.
type trail struct {
	// first and last are the first and the last end in the trail.
	first, last ending
	// startAt is when the key began since the last end; zero: no beginning was seen since then. shortAt is the beginning of
	// the last hold that ended within this trail.
	startAt, shortAt time.Time
	// starts counts all beginnings, and early those of them that came before any end.
	starts, early int
	// writes and renewals count what happened in place since the last end or beginning: values written, TTLs set alone.
	writes, renewals   int
	wroteAt, renewedAt time.Time
	// edits count the commands that changed a part of a string; the name of the last is edit.
	edits int
	edit  string
	// fieldRenewals counts the TTLs of fields, as renewals does those of the key: one renewal may
	// set both. expires says that the last hint set a TTL, and that it belongs to what was written.
	fieldRenewals      int
	expires            bool
	added              int  // members that came to a set or a sorted set in place, or whose score changed
	left               bool // a part of a collection was taken away: a holder may have gone
	touches            int  // hints without a name, the last of them at touchedAt
	touchedAt          time.Time
	firstAt, updatedAt time.Time // of the first and the last hint of all
	after              happening
	// loweredAt is when an entry was taken out, if that was the last hint of all: the deletion that follows at once is a release.
	loweredAt time.Time
	// fieldExpiredAt is when a field of the hash last expired.
	fieldExpiredAt time.Time
	// announcedAt is when a message last said that the lock was released. It is zero if that
	// message has proved a release: the next one needs a message of its own.
	announcedAt time.Time
	waited      bool // a read that may have been on its way was left out
}

// ending is one end of a key; At is zero where there was none.
type ending struct {
	at    time.Time
	cause Cause
	// byField: the key went because its last field expired, or was deleted right after a field had.
	byField bool
}

// happening is what a hint says of a key.
type happening uint8

const (
	happeningOther        happening = iota
	happeningNew                    // the key did not exist before
	happeningWritten                // a value was written
	happeningAdded                  // a member came to a set or a sorted set, or its score changed
	happeningLeft                   // a field or a member went
	happeningEdited                 // a string was counted up, or changed in part
	happeningExpiry                 // a TTL was set
	happeningFieldExpiry            // a TTL of a field of a hash was set
	happeningReleased               // deleted by a command
	happeningExpired                // deleted by the server: its TTL was over
	happeningEvicted                // deleted by the server: it ran out of memory
	happeningMoved                  // the key is elsewhere now
	happeningFieldExpired           // a field of a hash was deleted by the server: its TTL was over
	happeningNameless               // something happened; CLIENT TRACKING says no more
)

// happenings are the events of Redis that matter to a lock (redis.io: keyspace notifications).
var happenings = map[string]happening{
	"new": happeningNew, "set": happeningWritten, "hset": happeningWritten, "hincrby": happeningWritten,
	"hincrbyfloat": happeningWritten, "setrange": happeningEdited, "append": happeningEdited, "incrby": happeningEdited,
	"incrbyfloat": happeningEdited, "zadd": happeningAdded, "zincr": happeningAdded, "sadd": happeningAdded, "restore": happeningWritten, "copy_to": happeningWritten, "rename_to": happeningWritten, "move_to": happeningWritten,
	"hdel": happeningLeft, "srem": happeningLeft, "spop": happeningLeft, "zrem": happeningLeft, "zrembyscore": happeningLeft, "zrembyrank": happeningLeft,
	"hexpire": happeningFieldExpiry, "hexpired": happeningFieldExpired,
	"expire": happeningExpiry, "del": happeningReleased, "expired": happeningExpired, "evicted": happeningEvicted,
	"rename_from": happeningMoved, "move_from": happeningMoved, "invalidate": happeningNameless,
}

// lowering are the events that tell of a count that came down, or of a holder that was taken out of a collection. HINCRBY counts up
// as well, but then an EXPIRE or nothing follows it, and no deletion.
var lowering = map[string]bool{"hincrby": true, "hdel": true, "zrem": true, "srem": true}

// oneScript is within which time two hints are of the same script.
const oneScript = 50 * time.Millisecond

// oneRelease is within which time a deletion and a message are of the same release: some libraries
// send two commands.
const oneRelease = 100 * time.Millisecond

// sameRelease says whether a message and the end of a lock are of one release.
func sameRelease(announced, ended time.Time) bool {
	return !announced.IsZero() && announced.Sub(ended).Abs() <= oneRelease
}

// announced notes a message that says that the lock was released. It proves one release: that the
// deletion which is nearest in time was one.
func (t *trail) announced(at time.Time) {
	end := t.freedNear(at)
	if end.at.IsZero() {
		t.announcedAt = at
		return
	}
	for _, e := range [...]*ending{&t.first, &t.last} { // they may be the same end
		if *e == end {
			e.cause = CauseReleased
		}
	}
}

// freedNear returns the end that a message at that time may explain; zero: there is none.
func (t *trail) freedNear(at time.Time) (nearest ending) {
	for _, end := range [...]ending{t.first, t.last} {
		if end.cause == CauseFreed && sameRelease(at, end.at) && (nearest.at.IsZero() || nearer(at, end.at, nearest.at)) {
			nearest = end
		}
	}
	return nearest
}

// nearer reports whether a is nearer to that time than b.
func nearer(at, a, b time.Time) bool { return at.Sub(a).Abs() < at.Sub(b).Abs() }

// add takes one hint.
func (t *trail) add(h keyspace.Hint) {
	what := happenings[h.Event]
	lowers := lowering[h.Event] && t.after != happeningNew && !t.dead()
	if t.firstAt.IsZero() {
		t.firstAt = h.At
	}
	switch what {
	case happeningReleased:
		cause := CauseFreed
		if sameRelease(t.announcedAt, h.At) {
			cause, t.announcedAt = CauseReleased, time.Time{}
		}
		if !t.loweredAt.IsZero() && h.At.Sub(t.loweredAt) < oneScript {
			cause = CauseReleased
		}
		byField := t.after == happeningFieldExpired && h.At.Sub(t.fieldExpiredAt) < oneScript
		if byField {
			cause = CauseExpired
		}
		t.end(ending{h.At, cause, byField})
	case happeningExpired:
		t.end(ending{at: h.At, cause: CauseExpired})
	case happeningEvicted:
		t.end(ending{at: h.At, cause: CauseEvicted})
	case happeningMoved:
		t.end(ending{at: h.At, cause: CauseUnknown})
	case happeningNew:
		t.start(h.At)
	case happeningWritten:
		switch {
		case t.after == happeningNew: // the same beginning
		case t.ended() && t.startAt.IsZero():
			t.start(h.At) // the server does not announce new keys
		default:
			t.writes++
			t.wroteAt = h.At
		}
	case happeningAdded:
		switch {
		case t.after == happeningNew:
			what = happeningNew // the same beginning
		case t.dead(): // the server does not announce new keys
			t.start(h.At)
			what = happeningNew
		default:
			t.added++
		}
	case happeningLeft:
		t.left = true
	case happeningFieldExpired:
		t.left, t.fieldExpiredAt = true, h.At
	case happeningExpiry, happeningFieldExpiry:
		t.expiry(what, h.At)
	case happeningNameless:
		t.touches++
		t.touchedAt = h.At
	case happeningEdited:
		t.edits++
		t.edit = h.Event
	case happeningOther:
	}
	t.after, t.updatedAt, t.loweredAt = what, h.At, time.Time{}
	if lowers {
		t.loweredAt = h.At
	}
}

// expiry takes a TTL that was set: of what was written just before, or else a renewal.
func (t *trail) expiry(what happening, at time.Time) {
	other := happeningExpiry
	if what == happeningExpiry {
		other = happeningFieldExpiry
	}
	t.expires = t.after == happeningWritten || t.after == happeningNew || t.after == other && t.expires
	switch {
	case t.expires:
		return
	case what == happeningExpiry:
		t.renewals++
	default:
		t.fieldRenewals++
	}
	t.renewedAt = at
}

// renewed counts renewals: what set the TTL of the key, of the field, or of both.
func (t *trail) renewed() int { return max(t.renewals, t.fieldRenewals) }

func (t *trail) end(e ending) {
	t.last = e
	if t.first.at.IsZero() {
		t.first = t.last
	}
	if !t.startAt.IsZero() {
		t.shortAt = t.startAt
	}
	t.startAt = time.Time{}
	t.writes, t.renewals, t.fieldRenewals, t.edits = 0, 0, 0, 0
}

func (t *trail) start(at time.Time) {
	t.startAt = at
	t.starts++
	if !t.ended() {
		t.early++
	}
	t.writes, t.renewals, t.fieldRenewals, t.edits = 0, 0, 0, 0
}

// lastAt is when the last hint or message came.
func (t *trail) lastAt() time.Time { return later(t.updatedAt, t.announcedAt) }

// ended says whether the key ended at least once.
func (t *trail) ended() bool { return !t.first.at.IsZero() }

// dead says whether, by the hints, the key is not there now.
func (t *trail) dead() bool { return t.ended() && t.startAt.IsZero() }

// changedAt is when the value that is there now was written; the fallback where no hint tells. told says which.
func (t *trail) changedAt(fallback time.Time) (at time.Time, told bool) {
	switch {
	case !t.startAt.IsZero():
		at = t.startAt
	case t.writes > 0:
		at = t.wroteAt
	case !t.touchedAt.IsZero():
		at = t.touchedAt
	default:
		return fallback, false
	}
	if at.After(fallback) {
		at = fallback // the hint came later than the answer to the read
	}
	return at, true
}

// lastEnd is the trail that is left when a read fell between the last beginning and the last end.
func (t *trail) lastEnd() trail {
	return trail{first: t.last, last: t.last, after: t.after, firstAt: t.last.at, updatedAt: t.updatedAt}
}

// lastStart is the trail that is left when a read fell between the last end and the last beginning.
func (t *trail) lastStart() trail {
	rest := *t
	rest.first, rest.last, rest.shortAt, rest.starts, rest.early = ending{}, ending{}, time.Time{}, 1, 0
	return rest
}
