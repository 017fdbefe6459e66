package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// This file is about holders whose field of a hash has a TTL of its own (HPEXPIRE: Redis 7.4,
// Valkey 9.0). The lease of such a holder ends with the field or with the key, whichever is
// earlier. The server hides the field at that moment and removes it soon after; the key goes with
// its last field.

// evidenceFieldTTL is said of a hash without a TTL whose fields all have one.
const evidenceFieldTTL = "its fields have a TTL each"

// newCandidate returns a record as the schemes judge it: a hash whose fields all have TTLs ends
// with the last of them.
func newCandidate(r keyspace.Record, now time.Time) candidate {
	c := candidate{Record: r, now: now}
	if c.ExpiresAt = r.End(); r.ExpiresAt.IsZero() && !c.ExpiresAt.IsZero() {
		c.byFields = true
	}
	return c
}

// withFieldTTLs adds the ends of holders whose fields have TTLs of their own. A TTL of more than a
// hundred years is none, as with a key's.
func (c *candidate) withFieldTTLs(found recognition) recognition {
	if c.Type != keyspace.TypeHash {
		return found
	}
	last, all := time.Time{}, len(found.holders) > 0
	for i := range found.holders {
		h := &found.holders[i]
		f := HolderField(&c.Record, h.Owner)
		if f == nil || f.EndsAt == 0 || f.ExpiresAt().Sub(c.ReadAt) > forever {
			all = false
			continue
		}
		found.fieldTTLs = true
		last = later(last, f.ExpiresAt())
		h.ExpiresAt = earlier(earlier(h.ExpiresAt, f.ExpiresAt()), EndOfTTL(c.Record))
	}
	if all {
		found.fieldsEnd = last
	}
	return found
}

// HolderField returns the field of a hash that a holder stands or falls with: the one that is named
// like the owner, or has the owner as its value, or is the only one. It is nil if none was read.
func HolderField(r *keyspace.Record, owner string) *keyspace.Field {
	if r.Type != keyspace.TypeHash {
		return nil
	}
	fields := r.Value.Fields
	i := slices.IndexFunc(fields, func(f keyspace.Field) bool { return f.Name == owner })
	if i < 0 {
		i = slices.IndexFunc(fields, func(f keyspace.Field) bool { return f.Value == owner })
	}
	if i < 0 && len(fields) == 1 {
		i = 0
	}
	if i < 0 {
		return nil
	}
	return &fields[i]
}

// EndsByField reports whether the lease ends with TTLs of fields, and not with the key's.
func (l *Lock) EndsByField() bool {
	key := EndOfTTL(l.Observed)
	return l.FieldTTLs && !l.ExpiresAt.IsZero() && (key.IsZero() || l.ExpiresAt.Before(key))
}

// KeyLeft is what the key's own TTL has left; false if it has none.
func (l *Lock) KeyLeft(now time.Time) (time.Duration, bool) {
	end := EndOfTTL(l.Observed)
	return end.Sub(now), !end.IsZero()
}

// EndUnknown reports whether it is unknown when the lease ends, and whether it does: the key has no
// TTL, and the TTLs of its fields could not be read.
func (l *Lock) EndUnknown() bool {
	return l.Observed.FieldTTLsUnread && l.leaseEnd().IsZero() && l.Observed.ExpiresAt.IsZero() && l.FreedAt.IsZero() && len(l.Holders) > 0
}

// EndAtMost reports whether the lease may end sooner than it says: with a field whose TTL could not be read.
func (l *Lock) EndAtMost() bool {
	return l.Observed.FieldTTLsUnread && !l.Observed.ExpiresAt.IsZero() && l.FreedAt.IsZero() && len(l.Holders) > 0
}

// ExpireTime is the end of the lease as the server stated it: Unix milliseconds by its clock. It is
// zero if there is none, and if the end was computed from a time that was left.
func (l *Lock) ExpireTime() int64 {
	if !l.EndsByField() {
		return l.Observed.ExpireTime
	}
	last := int64(0)
	for i := range l.Holders {
		if f := HolderField(&l.Observed, l.Holders[i].Owner); f != nil {
			last = max(last, f.ExpireTime)
		}
	}
	return last
}

// ttlEnd is when the lock ends by the TTLs that a read shows.
func (v *sight) ttlEnd() time.Time { return earlier(v.record.ExpiresAt, v.found.fieldsEnd) }

// sameFieldEnd compares the ends of an owner's field in two reads; known is false if neither has
// one.
func sameFieldEnd(a, b *keyspace.Record, owner string) (same, known bool) {
	was, is := HolderField(a, owner), HolderField(b, owner)
	switch {
	case was == nil || is == nil, was.EndsAt == 0 && is.EndsAt == 0:
		return false, false
	case was.EndsAt == 0 || is.EndsAt == 0:
		return false, true
	case was.ExpireTime != 0 && is.ExpireTime != 0:
		return was.ExpireTime == is.ExpireTime, true
	}
	slack := unannouncedJitter + a.ExpiryError.Duration() + b.ExpiryError.Duration()
	return was.ExpiresAt().Sub(is.ExpiresAt()).Abs() <= slack, true
}

// fieldRanOut reports whether a field was heard to expire when the lease of a lock was over: what
// is in the key afterwards is another hold, also under the same name. Without that event nothing is
// proven: Redis lets HPEXPIRE and HSET revive a field that is over and not yet removed.
func (v *sight) fieldRanOut(old *Lock) bool {
	return old.FieldTTLs && v.fieldExpired(old.leaseEnd(), v.clocks(old))
}

// fieldEnded is fieldRanOut for one of several holders.
func (v *sight) fieldEnded(h Holder) bool {
	return v.fieldExpired(h.ExpiresAt, v.record.ExpiryError.Duration())
}

// fieldExpired reports whether a field was heard to expire at a time, or later.
func (v *sight) fieldExpired(end time.Time, clocks time.Duration) bool {
	heard := v.trail.fieldExpiredAt
	return !end.IsZero() && !heard.IsZero() && !v.seenBefore(heard) && !heard.Before(end.Add(-unannouncedJitter-clocks))
}
