package inspector

import (
	"strings"
	"time"
)

// UnknownHolder is the label of a holder that the key does not name: its value is only a time (the
// end of the lease, or when it was acquired), or the same for every client. If the value says since
// when the lock is held, that follows after a comma.
const UnknownHolder = "unknown"

// Unknown reports whether the key does not name the holder. A guarded action still compares Owner.
func (h *Holder) Unknown() bool {
	return (h.Label == UnknownHolder || strings.HasPrefix(h.Label, UnknownHolder+", since ")) && h.Owner != UnknownHolder
}

// PreviousName is PreviousOwner for display.
func (e *Event) PreviousName() string {
	if OnlyTime(e.PreviousOwner, e.At) || isConstant(e.PreviousOwner) {
		return UnknownHolder
	}
	return e.PreviousOwner
}

// OnlyTime reports whether a value is only a time not far from now, in seconds to nanoseconds since
// 1970 or in ISO 8601. Such a value names no client.
func OnlyTime(value string, now time.Time) bool {
	id, at, ok := leaseEnd(value)
	if !ok {
		id, at, ok = "", time.Time{}, false
		for _, layout := range [...]string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05"} {
			if parsed, err := time.Parse(layout, value); err == nil {
				at, ok = parsed, true
				break
			}
		}
	}
	return ok && id == "" && at.After(now.Add(-oldestLease)) && at.Before(now.Add(latestLease))
}

// HolderNamed returns the owner of the holder that an operator names. The name is what the key says
// about the holder. If a renewal changes that, because it writes another end of the lease, the name
// can also be the part that stays: the id beside the end, or [UnknownHolder] if there is none.
func (l *Lock) HolderNamed(name string) (owner string, found bool) {
	for i := range l.Holders {
		if l.Holders[i].Owner == name {
			return name, true
		}
	}
	if len(l.Holders) != 1 {
		return "", false
	}
	h := &l.Holders[0]
	if h.Unknown() {
		return h.Owner, name == UnknownHolder
	}
	id := leaseID(h.Owner)
	return h.Owner, l.Scheme == SchemeTimestamp && id != "" && (name == id || leaseID(name) == id)
}

// CountUnknown reports whether the holder may have entered several times while Redis does not store
// the count: its client keeps it.
func (l *Lock) CountUnknown(h *Holder) bool { return !h.Count.Known && l.Scheme.traits().ownCount }
