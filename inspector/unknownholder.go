package inspector

import (
	"strings"
	"time"
)

// UnknownHolder is the label of a holder that the key does not name: its value is nothing but a time (the end of the lease, or
// when it was taken), or the same for every client. Where it says since when the lock is held, that follows behind a comma.
const UnknownHolder = "unknown"

// Unknown reports whether the key does not say who the holder is. Owner is what a guarded action compares all the same.
func (h *Holder) Unknown() bool {
	return (h.Label == UnknownHolder || strings.HasPrefix(h.Label, UnknownHolder+", since ")) && h.Owner != UnknownHolder
}

// PreviousName is PreviousOwner for people.
func (e *Event) PreviousName() string {
	if OnlyTime(e.PreviousOwner, e.At) {
		return UnknownHolder
	}
	return e.PreviousOwner
}

// OnlyTime reports whether a value is nothing but a time that is not far from now: in seconds or milliseconds since 1970, or
// as ISO 8601 has it. It names no client then.
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

// HolderNamed is the owner of the holder whom an operator names: by what the key says of it, or, where a renewal writes
// another end of the lease there, by what stays the same: the id beside the end, or [UnknownHolder] where there is none.
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

// CountUnknown reports whether the holder may have entered several times, and Redis does not have the count: its client
// keeps it.
func (l *Lock) CountUnknown(h *Holder) bool { return !h.Count.Known && l.Scheme.traits().ownCount }
