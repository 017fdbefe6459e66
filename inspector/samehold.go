package inspector

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"locktop/keyspace"
)

// This file says whether two observations of a lock are of the same hold. Values repeat: a lock that was released and acquired again may
// have the same owner in it, byte for byte. What tells is the end of the lease, and the history: a hold in it that has ended is another
// one. An end that moved is a renewal where events with names told of that, and of nothing else, without a gap; else it may be both.

// SameHold reports whether now still shows the hold of owner that seen showed: by the history it was not released and acquired again in
// between. Where it was, or where nothing tells, why says so; it is safe for a terminal. A re-entrant lock whose count is another is not
// the same either. now is nil where there is no such lock any more.
//
// Both observations have to be of one Inspector. A lock without a TTL that is polled, and whose value repeats, is taken for the same.
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
		if !seen.tells(owner) || !sameLease(seen, now, owner) {
			return false, doubtWords(now.Observed.ReadAt)
		}
	}
	return true, ""
}

// SameHolds is [SameHold] for all holders of a lock: nobody has come or gone either.
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

// SameLease reports whether two observations show the same end of the lease of owner.
func SameLease(a, b *Lock, owner string) bool {
	if a.Quorum == nil || b.Quorum == nil {
		return sameLease(a, b, owner)
	}
	return slices.EqualFunc(a.Quorum.Votes, b.Quorum.Votes, func(x, y Vote) bool {
		return x.Node == y.Node && x.Ballot == y.Ballot && sameEnd(&x.Observed, &y.Observed)
	})
}

// goneWords says that nobody has a lock; empty: somebody has it, or may.
func goneWords(now *Lock) string {
	switch {
	case now == nil:
		return "it is free by now"
	case now.State == StateFreed:
		return endWords(now.FreedBy, now.FreedAt, true)
	}
	return ""
}

// endWords say how and when a hold ended.
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

// doubtWords say that a lock was renewed or acquired again, and that nothing tells which.
func doubtWords(at time.Time) string {
	return "it was renewed, or released and acquired again, by " + clockOf(at) + "; it is unknown which"
}

func clockOf(at time.Time) string { return at.Local().Format(time.TimeOnly) }

// heldNow says who has a lock that the one who was seen does not have any more.
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

// holderOf is the holder with this owner, or nil.
func (l *Lock) holderOf(owner string) *Holder {
	i := slices.IndexFunc(l.Holders, func(h Holder) bool { return h.Owner == owner })
	if i < 0 {
		return nil
	}
	return &l.Holders[i]
}

// endedSince says how the hold of an owner that was seen has ended, by the history; empty: it has not, as far as that goes.
func (l *Lock) endedSince(seen *Lock, owner string) string {
	was := seen.openHold(owner)
	if was == nil {
		return ""
	}
	for i := range l.History {
		if h := &l.History[i]; h.Owner == owner && h.Since.Equal(was.Since) && !h.Until.IsZero() {
			return endWords(h.Cause, h.Until, h.UntilExact) + " and acquired again"
		}
	}
	return ""
}

// sameHoldOf says whether the open hold of an owner began before the one that was seen ended: late news may tell of an earlier beginning.
func sameHoldOf(seen, now *Lock, owner string) bool {
	was, is := seen.openHold(owner), now.openHold(owner)
	return was != nil && is != nil && !is.Since.After(was.Since)
}

// tells says whether anything in the key tells one hold of an owner from the next.
func (l *Lock) tells(owner string) bool {
	_, own := shareOf(l.Scheme, l.Mode, &l.Observed, owner)
	return own || !l.Observed.ExpiresAt.IsZero()
}

// sameVotes says whether all votes for an owner that were seen, and are there, are of the same hold at their masters.
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

// sameLease says whether what tells one hold of an owner from the next is as it was: the end of its lease, or what else the key has of it.
func sameLease(a, b *Lock, owner string) bool {
	return sameShareOf(a.Scheme, a.Mode, &a.Observed, &b.Observed, owner)
}

func sameShareOf(scheme Scheme, mode Mode, a, b *keyspace.Record, owner string) bool {
	before, own := shareOf(scheme, mode, a, owner)
	after, still := shareOf(scheme, mode, b, owner)
	if own && still {
		return before == after
	}
	return own == still && sameEnd(a, b)
}

// shareOf is what the key has of one hold of an owner and not of the next: the end of its own lease, or when it was acquired. False: there
// is nothing of the kind, or it was not read.
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

// fieldOf is what a collection has under a name.
func fieldOf(r *keyspace.Record, name string) (string, bool) {
	i := slices.IndexFunc(r.Value.Fields, func(f keyspace.Field) bool { return f.Name == name })
	if i < 0 {
		return "", false
	}
	return r.Value.Fields[i].Value, true
}

// sameEnd says whether two reads show the same end of a key. Ends that were counted from PTTL may differ a little.
func sameEnd(a, b *keyspace.Record) bool {
	if a.ExpireTime != 0 && b.ExpireTime != 0 {
		return a.ExpireTime == b.ExpireTime
	}
	return a.ExpiresAt.IsZero() == b.ExpiresAt.IsZero() &&
		a.ExpiresAt.Sub(b.ExpiresAt).Abs() <= unannouncedJitter+a.ExpiryError.Duration()+b.ExpiryError.Duration()
}

// sameShares says whether a read shows the same ends as the one before: that of the key, and those of the holders' own leases.
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

// weigh notes a doubt where the holders may have released the lock since the read before, and acquired it again as they had it.
func (v *sight) weigh(l *Lock) {
	t := &v.trail
	named := !v.unheard && !v.moved && t.touches == 0
	doubtful := false
	switch still := v.sameShares(l); {
	case v.moved, !still && !named:
		doubtful = true
	case !still:
		doubtful = t.left || t.renewals+t.writes+t.added == 0
	default: // without an end, an event without a name and a gap are all that there is to go by
		doubtful = l.Observed.ExpiresAt.IsZero() && (t.touches > 0 || v.missed) && !l.Scheme.traits().apart
	}
	if doubtful && l.mind.doubts < math.MaxUint8 {
		l.mind.doubts++
	}
}
