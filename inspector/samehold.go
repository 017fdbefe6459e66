package inspector

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"locktop/keyspace"
)

// This file decides whether two observations of a lock show the same hold. Values repeat: a lock
// that was released and acquired again may have the same owner in it, byte for byte. The evidence
// is the end of the lease and the history: a hold that has ended there is another one. An end that
// moved is a renewal if named events showed a renewal and nothing else, without a gap; else it may
// be a renewal or a new acquisition.

// SameHold reports whether now still shows the hold of owner that seen showed: by the history it
// was not released and acquired again in between. If it was, or if that is unknown, why says so; it
// is safe for a terminal. A re-entrant lock with another count is not the same either. now is nil
// if the lock is gone.
//
// Both observations have to come from one Inspector. A polled lock without a TTL and with a
// repeated value counts as the same.
func SameHold(seen, now *Lock, owner string) (same bool, why string) {
	if why := goneWords(now); why != "" {
		return false, why
	}
	was, is := seen.holderOf(owner), now.holderOf(owner)
	switch {
	case was == nil:
		return false, "it was not held by that owner"
	case is == nil:
		return false, heldNow(*was, now)
	case seen == now:
		return true, ""
	}
	if why := now.endedSince(seen, owner); why != "" {
		return false, why
	}
	switch {
	case was.Count != is.Count:
		return false, fmt.Sprintf("the entry count was %d and is %d now", was.Count.N, is.Count.N)
	case seen.Observed.Type != now.Observed.Type:
		return false, "the key has another type now"
	case seen.Observed.ExpiresAt.IsZero() != now.Observed.ExpiresAt.IsZero():
		return false, "its TTL was set or removed"
	case now.Quorum != nil && seen.Quorum != nil:
		return sameVotes(seen.Quorum, now.Quorum, owner)
	case !sameHoldOf(seen, now, owner) || seen.mind.doubts != now.mind.doubts || now.mind.doubts == math.MaxUint8:
		if !seen.Tells(owner) || !sameLease(seen, now, owner) {
			return false, doubtWords(now.Observed.ReadAt)
		}
	}
	return true, ""
}

// SameHolds is [SameHold] for all holders of a lock, and no holder has come or gone.
func SameHolds(seen, now *Lock) (same bool, why string) {
	if why := goneWords(now); why != "" {
		return false, why
	}
	for i := range seen.Holders {
		if same, why := SameHold(seen, now, seen.Holders[i].Owner); !same {
			return false, why
		}
	}
	if len(now.Holders) != len(seen.Holders) {
		return false, "by now it has other holders"
	}
	return true, ""
}

// SameLease reports whether two observations show the same end of owner's lease.
func SameLease(a, b *Lock, owner string) bool {
	if a.Quorum == nil || b.Quorum == nil {
		return sameLease(a, b, owner)
	}
	return slices.EqualFunc(a.Quorum.Votes, b.Quorum.Votes, func(x, y Vote) bool {
		return x.Node == y.Node && x.Ballot == y.Ballot && sameEnd(&x.Observed, &y.Observed)
	})
}

// goneWords says that a lock is gone. It is empty if a client holds it, or may hold it.
func goneWords(now *Lock) string {
	switch {
	case now == nil:
		return "it is free by now"
	case now.State == StateFreed:
		return endWords(now.FreedBy, now.FreedAt, true)
	}
	return ""
}

// endWords says how and when a hold ended.
func endWords(cause Cause, at time.Time, exact bool) string {
	words := "it ended"
	switch cause {
	case CauseReleased:
		words = "it was released"
	case CauseFreed:
		words = "it was freed"
	case CauseOperator:
		words = "it was freed by an action of locktop"
	case CauseFailOver:
		words = "it was lost in a fail-over"
	case CauseExpired:
		words = "it expired"
	case CauseTakenOver:
		words = "it was taken over"
	case CauseEvicted:
		words = "it was evicted"
	case CauseFlushed:
		words = "its database was flushed"
	case CauseUnknown:
	}
	if !exact {
		return words + " by " + clockOf(at)
	}
	return words + " at " + clockOf(at)
}

// doubtWords says that a lock was either renewed or acquired again, and that it is unknown which.
func doubtWords(at time.Time) string {
	return "it was renewed, or released and acquired again, by " + clockOf(at) + "; it is unknown which"
}

func clockOf(at time.Time) string { return at.Local().Format(time.TimeOnly) }

// heldNow says who holds a lock that the observed holder does not hold any more.
func heldNow(was Holder, now *Lock) string {
	switch is := now.holder(); {
	case len(now.Holders) == 0:
		return "by now it has no holder"
	case is.Label == was.Label: // another token of the same client
		return "by now " + keyspace.Visible(is.Label) + " has acquired it again"
	case len(now.Holders) > 1:
		return "by now it has other holders"
	default:
		return "by now it is held by " + keyspace.Visible(is.Label)
	}
}

// holderOf returns the holder with this owner, or nil.
func (l *Lock) holderOf(owner string) *Holder {
	i := slices.IndexFunc(l.Holders, func(h Holder) bool { return h.Owner == owner })
	if i < 0 {
		return nil
	}
	return &l.Holders[i]
}

// endedSince says how the observed hold of an owner has ended, by the history. It is empty if the
// history does not show an end.
func (l *Lock) endedSince(seen *Lock, owner string) string {
	was := seen.openHold(owner)
	if was == nil {
		return ""
	}
	for i := range l.History {
		if h := &l.History[i]; h.Owner == owner && h.Since.Equal(was.Since) && !h.Until.IsZero() {
			return endWords(h.Cause, h.Until, h.UntilExact) + ", and was acquired again"
		}
	}
	return ""
}

// sameHoldOf reports whether the open hold of an owner is the observed one. Late notifications may
// move its beginning to an earlier time.
func sameHoldOf(seen, now *Lock, owner string) bool {
	was, is := seen.openHold(owner), now.openHold(owner)
	return was != nil && is != nil && !is.Since.After(was.Since)
}

// Tells reports whether anything in the key distinguishes one hold of an owner from the next.
func (l *Lock) Tells(owner string) bool {
	_, own := shareOf(l.Scheme, l.Mode, &l.Observed, owner)
	f := HolderField(&l.Observed, owner)
	return own || !l.Observed.ExpiresAt.IsZero() || f != nil && f.EndsAt != 0
}

// sameVotes reports whether all votes for an owner that were seen and still exist belong to the
// same hold at their masters.
func sameVotes(seen, now *Quorum, owner string) (same bool, why string) {
	for i := range now.Votes {
		is := &now.Votes[i]
		at := slices.IndexFunc(seen.Votes, func(v Vote) bool { return v.Node == is.Node })
		if at < 0 || is.Owner != owner || seen.Votes[at].Owner != owner {
			continue
		}
		was := &seen.Votes[at]
		known := is.since.Equal(was.since) && is.doubts == was.doubts && is.doubts < math.MaxUint8
		if !known && (was.Observed.ExpiresAt.IsZero() || !sameEnd(&was.Observed, &is.Observed)) {
			return false, doubtWords(is.Observed.ReadAt)
		}
	}
	return true, ""
}

// sameLease reports whether the mark that distinguishes one hold of an owner from the next is
// unchanged: the end of its lease, or another mark in the key.
func sameLease(a, b *Lock, owner string) bool {
	return sameShareOf(a.Scheme, a.Mode, &a.Observed, &b.Observed, owner)
}

func sameShareOf(scheme Scheme, mode Mode, a, b *keyspace.Record, owner string) bool {
	if same, known := sameFieldEnd(a, b, owner); known {
		return same
	}
	before, own := shareOf(scheme, mode, a, owner)
	after, still := shareOf(scheme, mode, b, owner)
	if own && still {
		return before == after
	}
	return own == still && sameEnd(a, b)
}

// shareOf is what the key stores about one hold of an owner and not about the next: the end of its
// own lease, or when it was acquired. It is false if the key has no such thing, or if it was not
// read.
func shareOf(scheme Scheme, mode Mode, r *keyspace.Record, owner string) (share string, own bool) {
	switch {
	case scheme == SchemeRubySemaphore, scheme == SchemeUniqueJobs, r.Type == keyspace.TypeZSet:
		return fieldOf(r, owner)
	case scheme == SchemeRQL:
		return fieldOf(r, "ts")
	case scheme == SchemeRedissonMulti:
		thread, _ := fieldOf(r, owner)
		return fieldOf(r, owner+":"+thread+multiEnd)
	case scheme == SchemeSuo:
		entry := SuoEntry(r.Value.Text, owner)
		return entry, entry != ""
	case scheme == SchemeRedissonPermits:
		for i := range r.Companions {
			if end, is := fieldOf(&r.Companions[i], owner); is {
				return end, true
			}
		}
	case scheme == SchemeRedissonRW && mode == ModeRead:
		for _, c := range r.Companions {
			if c.ExpireTime != 0 && strings.HasPrefix(c.Key, RedissonSuffix(r.Key, owner)+RedissonReaderLease) {
				share, own = share+fmt.Sprintf("%s %d ", c.Key, c.ExpireTime), true
			}
		}
	}
	return share, own
}

// fieldOf returns what a collection has under a name.
func fieldOf(r *keyspace.Record, name string) (string, bool) {
	i := slices.IndexFunc(r.Value.Fields, func(f keyspace.Field) bool { return f.Name == name })
	if i < 0 {
		return "", false
	}
	return r.Value.Fields[i].Value, true
}

// sameEnd reports whether two reads show the same end of a key. Ends computed from PTTL may differ
// a little.
func sameEnd(a, b *keyspace.Record) bool {
	if a.ExpireTime != 0 && b.ExpireTime != 0 {
		return a.ExpireTime == b.ExpireTime
	}
	return a.ExpiresAt.IsZero() == b.ExpiresAt.IsZero() &&
		a.ExpiresAt.Sub(b.ExpiresAt).Abs() <= unannouncedJitter+a.ExpiryError.Duration()+b.ExpiryError.Duration()
}

// sameShares reports whether a read shows the same ends as the previous one: of the key, and of the
// holders' own leases.
func (v *sight) sameShares(old *Lock) bool {
	if !sameEnd(&old.Observed, v.record) {
		return false
	}
	for i := range v.found.holders {
		if !sameShareOf(v.found.scheme, v.found.mode, &old.Observed, v.record, v.found.holders[i].Owner) {
			return false
		}
	}
	return true
}

// weigh records a doubt if the holders may have released the lock since the previous read and
// acquired it again as before.
func (v *sight) weigh(l *Lock) {
	t := &v.trail
	named := !v.unheard && !v.moved && t.touches == 0
	doubtful := false
	switch still := v.sameShares(l); {
	case v.moved, !still && !named:
		doubtful = true
	case !still:
		doubtful = t.left || t.renewed()+t.writes+t.added == 0 ||
			l.FieldTTLs && t.writes > 0 && v.ranOut(l.leaseEnd(), -unannouncedJitter-v.clocks(l)) // perhaps after its end
	default: // without an end, an event without a name and a gap are all that there is to go by
		doubtful = l.Observed.ExpiresAt.IsZero() && !l.FieldTTLs && (t.touches > 0 || v.missed) && !l.Scheme.traits().apart
	}
	if doubtful && l.mind.doubts < math.MaxUint8 {
		l.mind.doubts++
	}
}
