package inspector

import (
	"time"

	"locktop/keyspace"
)

// maxPending is how many hints of a key are kept until the read that answers them. Later ones replace the last: what
// matters is how it began and how it ended.
const maxPending = 16

// happening is what a hint says of a lock's key.
type happening uint8

const (
	happeningOther     happening = iota // a change that neither makes nor ends a key (expire, persist, hincrby, ...)
	happeningNew                        // the key did not exist before
	happeningWritten                    // a value was written: a new holder, or a renewal
	happeningReleased                   // deleted by a command
	happeningExpired                    // deleted by the server: its TTL was over
	happeningEvicted                    // deleted by the server: it ran out of memory
	happeningRenamed                    // the key has another name now
	happeningAnonymous                  // CLIENT TRACKING: something happened
)

var happenings = map[string]happening{
	"new": happeningNew, "set": happeningWritten, "hset": happeningWritten, "hincrby": happeningWritten,
	"setrange": happeningWritten, "restore": happeningWritten, "copy_to": happeningWritten, "rename_to": happeningWritten,
	"del": happeningReleased, "unlink": happeningReleased, "hdel": happeningOther,
	"expired": happeningExpired, "evicted": happeningEvicted, "rename_from": happeningRenamed, "move_from": happeningRenamed,
	"invalidate": happeningAnonymous,
}

// pendingHint is a hint without the key that it belongs to.
type pendingHint struct {
	what happening
	at   time.Time
}

// pending are the hints of a key since its last read, in order.
type pending []pendingHint

func (p pending) add(h keyspace.Hint) pending {
	next := pendingHint{happenings[h.Event], h.At}
	if len(p) == maxPending {
		p[maxPending-1] = next
		return p
	}
	return append(p, next)
}

// ending is the last hint that ended a key, and whether the key was made again after it.
func (p pending) ending() (end pendingHint, ended, madeAgain bool) {
	for _, h := range p {
		switch h.what {
		case happeningReleased, happeningExpired, happeningEvicted, happeningRenamed:
			end, ended, madeAgain = h, true, false
		case happeningNew, happeningWritten:
			madeAgain = ended
		case happeningOther, happeningAnonymous:
		}
	}
	return end, ended, madeAgain
}

// written is when the value was last written; false where no hint tells.
func (p pending) written() (time.Time, bool) {
	for i := len(p) - 1; i >= 0; i-- {
		switch p[i].what {
		case happeningNew, happeningWritten, happeningAnonymous:
			return p[i].at, true
		case happeningOther, happeningReleased, happeningExpired, happeningEvicted, happeningRenamed:
		}
	}
	return time.Time{}, false
}

// last is when the last hint came, or the fallback.
func (p pending) last(fallback time.Time) time.Time {
	if len(p) == 0 {
		return fallback
	}
	return p[len(p)-1].at
}

// made counts how often the key was made anew.
func (p pending) made() int {
	n := 0
	for _, h := range p {
		if h.what == happeningNew {
			n++
		}
	}
	return n
}

// cause says in our words why a key ended.
func (h pendingHint) cause(leaseEnd time.Time) Cause {
	switch h.what {
	case happeningReleased:
		// A replica, and some servers' lazy expiry, say del where the lease was over.
		if !leaseEnd.IsZero() && h.at.After(leaseEnd.Add(clockSlack)) {
			return CauseExpired
		}
		return CauseReleased
	case happeningExpired:
		return CauseExpired
	case happeningEvicted:
		return CauseEvicted
	case happeningOther, happeningNew, happeningWritten, happeningRenamed, happeningAnonymous:
	}
	return CauseUnknown
}
