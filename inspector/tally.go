package inspector

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"locktop/keyspace"
)

// This file counts the votes of several masters on one key.

// voice is what one master has to say of a key.
type voice struct {
	ref keyspace.Ref
	// lock is there by the last read, or was; nil: none.
	lock *Lock
	// other is what is there and no lock; of no type where that is nothing.
	other keyspace.Record
	// silent says why the master's last word does not count; empty: it does. Detail says it in words.
	silent Ballot
	detail string
	// readAt is when the key was last read there, and heardSince since when no news of it can have
	// been missed, both in Unix nanoseconds. A master that is polled tells nothing between two
	// reads.
	readAt, heardSince int64
	polled             bool
}

// claimed says whether somebody has the lock there, by the last word.
func (v *voice) claimed() bool {
	return v.lock != nil && v.lock.FreedAt.IsZero() && len(v.lock.Holders) > 0
}

// claim is the holder with this owner there, by the last word.
func (v *voice) claim(owner string) (Holder, bool) {
	if !v.claimed() {
		return Holder{}, false
	}
	i := slices.IndexFunc(v.lock.Holders, func(h Holder) bool { return h.Owner == owner })
	if i < 0 {
		return Holder{}, false
	}
	return v.lock.Holders[i], true
}

// standing is how one owner stands in the vote: the masters that vote for it, and those that did so when they spoke last.
type standing struct {
	owner         string
	votes, silent int
}

// tally is the count of a vote.
type tally struct {
	voices []voice // in the order of the masters' addresses
	needed int
	owners []standing // most votes first
	unread int        // masters that answer, and have not been read yet
}

func newTally(voices []voice, needed int) *tally {
	t := &tally{voices: voices, needed: needed}
	for i := range voices {
		v := &voices[i]
		if v.silent == BallotUnread {
			t.unread++
		}
		if !v.claimed() {
			continue
		}
		for _, h := range v.lock.Holders {
			k := slices.IndexFunc(t.owners, func(s standing) bool { return s.owner == h.Owner })
			if k < 0 {
				k = len(t.owners)
				t.owners = append(t.owners, standing{owner: h.Owner})
			}
			if v.silent == "" {
				t.owners[k].votes++
			} else {
				t.owners[k].silent++
			}
		}
	}
	slices.SortStableFunc(t.owners, func(a, b standing) int {
		return cmp.Or(cmp.Compare(b.votes, a.votes), cmp.Compare(b.silent, a.silent))
	})
	return t
}

// wrong says whether a key of a type that no lock has is there.
func (t *tally) wrong() bool {
	return slices.ContainsFunc(t.voices, func(v voice) bool { return v.wrong() })
}

func (v *voice) wrong() bool {
	return v.lock != nil && v.lock.Scheme == SchemeUnknown && v.lock.FreedAt.IsZero()
}

// elected are the owners that have the quorum: one, or several who share the lock.
func (t *tally) elected() []standing {
	n := slices.IndexFunc(t.owners, func(s standing) bool { return s.votes < t.needed })
	if n < 0 {
		n = len(t.owners)
	}
	return t.owners[:n]
}

// claimants are the owners that somebody votes for; where nobody is known to, those that had votes.
func (t *tally) claimants() []standing {
	n := slices.IndexFunc(t.owners, func(s standing) bool { return s.votes == 0 })
	if n <= 0 {
		n = len(t.owners)
	}
	return t.owners[:n]
}

// possible is how many votes an owner may have for all that is known.
func (t *tally) possible(owner string) int {
	for _, s := range t.owners {
		if s.owner == owner {
			return s.votes + s.silent
		}
	}
	return 0
}

// votesFor are the voices that count for an owner; where none counts, those that did.
func (t *tally) votesFor(owner string) []*voice {
	var now, before []*voice
	for i := range t.voices {
		v := &t.voices[i]
		if _, is := v.claim(owner); !is {
			continue
		}
		if v.silent == "" {
			now = append(now, v)
		} else {
			before = append(before, v)
		}
	}
	if len(now) == 0 {
		return before
	}
	return now
}

// byEnd orders ends, of which the zero one is never.
func byEnd(a, b time.Time) int {
	switch {
	case a.IsZero() && b.IsZero():
		return 0
	case a.IsZero():
		return 1
	case b.IsZero():
		return -1
	}
	return a.Compare(b)
}

// nthLatest is the n-th latest of some ends, from 1: what so many of them outlast.
func nthLatest(ends []time.Time, n int) time.Time {
	slices.SortFunc(ends, func(a, b time.Time) int { return byEnd(b, a) })
	return ends[min(n, len(ends))-1]
}

// fuse makes one read of the votes for some owners, of whom the first decides when it ends: with the vote whose loss leaves him
// fewer than so many. The read is that of the master at which the lock was seen before, if that votes for him.
func (t *tally) fuse(owners []standing, outlast int, at time.Time, seen keyspace.Node) (keyspace.Record, recognition) {
	votes := t.votesFor(owners[0].owner)
	base, last := votes[0], slices.SortedStableFunc(slices.Values(votes), func(a, b *voice) int {
		return byEnd(b.lock.leaseEnd(), a.lock.leaseEnd())
	})[min(outlast, len(votes))-1]
	found := recognition{
		scheme: last.lock.Scheme, mode: last.lock.Mode, leaseEnds: last.lock.LeaseEnds, evidence: last.lock.Evidence,
	}
	r := base.lock.Observed
	for _, v := range votes {
		if v.ref.Node == seen {
			base, r = v, v.lock.Observed
		}
		if w := v.lock.Waiters; found.waiters.By == "" || w.Count > found.waiters.Count {
			found.waiters = w
		}
	}
	found.fencing = base.lock.FencingToken
	r.ExpiresAt, r.ReadAt = last.lock.ExpiresAt, at
	r.ExpiryError, r.ExpireTime = last.lock.Observed.ExpiryError, last.lock.Observed.ExpireTime
	for _, s := range owners {
		found.holders = append(found.holders, t.holder(s.owner, outlast))
	}
	return r, found
}

// holder is what so many masters say of an owner: its entries, and the end of its own lease.
func (t *tally) holder(owner string, outlast int) Holder {
	var h Holder
	var counts []int64
	var ends []time.Time
	for _, v := range t.votesFor(owner) {
		h, _ = v.claim(owner)
		ends = append(ends, h.ExpiresAt)
		if h.Count.Known {
			counts = append(counts, h.Count.N)
		}
	}
	h.ExpiresAt = nthLatest(ends, outlast)
	if len(counts) > 0 {
		slices.SortFunc(counts, func(a, b int64) int { return cmp.Compare(b, a) })
		h.Count = Count{N: counts[min(outlast, len(counts))-1], Known: true}
	}
	return h
}

// quorum shows the vote as it stands for an owner. old is what was shown before.
func (t *tally) quorum(owner string, at time.Time, old *Quorum) *Quorum {
	q := &Quorum{Needed: t.needed, Votes: make([]Vote, 0, len(t.voices))}
	var ends []time.Time
	var lease time.Duration
	for i := range t.voices {
		vote := t.voices[i].vote(owner)
		q.Votes = append(q.Votes, vote)
		if vote.Ballot != BallotFor {
			continue
		}
		q.For++
		l := t.voices[i].lock
		ends = append(ends, l.leaseEnd())
		lease = max(lease, l.Lease(), l.leaseEnd().Sub(l.Observed.ReadAt))
	}
	q.skewAllowed = Drift(lease) + oneByOne
	if len(ends) > 0 {
		if end := nthLatest(ends, t.needed); !end.IsZero() && q.For >= t.needed {
			q.ValidUntil = end.Add(-Drift(lease))
		}
		ends = slices.DeleteFunc(ends, time.Time.IsZero)
		if len(ends) > 0 {
			q.Skew = ends[0].Sub(ends[len(ends)-1])
		}
	}
	q.since(old, at)
	return q
}

// oneByOne is what the ends of votes may differ beside the drift, because a client asks one master after the other.
const oneByOne = 100 * time.Millisecond

// vote is how a master votes, where an owner is the one whose votes are counted.
func (v *voice) vote(owner string) Vote {
	vote := Vote{Node: v.ref.Node, Ballot: v.silent, Detail: v.detail, Observed: keyspace.Record{Ref: v.ref, Type: keyspace.TypeNone}}
	vote.lost, vote.heardSince = v.lastHold(owner), v.heardSince
	there := v.lock != nil && v.lock.FreedAt.IsZero()
	switch {
	case v.other.Type != "":
		vote.Observed = v.other
	case there:
		vote.Observed = v.lock.Observed
	}
	h, is := v.claim(owner)
	if v.silent != "" {
		vote.hadIt = is
		return vote
	}
	switch {
	case is:
		vote.Ballot = BallotFor
	case v.claimed():
		vote.Ballot, h = BallotOther, v.lock.holder()
	case there || v.other.Type != "":
		vote.Ballot, vote.Detail = BallotWrong, "a "+strings.ToLower(string(vote.Observed.Type))+" that is no lock"
		return vote
	default:
		vote.Ballot = BallotAbsent
		return vote
	}
	vote.Owner, vote.Label, vote.ExpiresAt = h.Owner, h.Label, v.lock.ExpiresAt
	vote.doubts = v.lock.mind.doubts
	if hold := v.lock.openHold(h.Owner); hold != nil {
		vote.since = hold.Since
	}
	return vote
}
