package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// Ballot is what one of several independent masters says of a Redlock.
type Ballot string

// The ballots. All but BallotFor say why a master does not count for the holder.
const (
	BallotFor     Ballot = "for"
	BallotOther   Ballot = "other holder"
	BallotAbsent  Ballot = "absent"     // the key is not there
	BallotWrong   Ballot = "wrong type" // the key holds no lock
	BallotDenied  Ballot = "denied"     // this user may not read it there
	BallotTimeout Ballot = "timeout"    // the master does not answer in time
	BallotDown    Ballot = "down"       // nothing answers there
	BallotUnread  Ballot = "not read yet"
)

// Vote is the vote of one master.
type Vote struct {
	Node   keyspace.Node
	Ballot Ballot
	// Owner has the lock there, whether it has the quorum or not; empty where nobody has, or nobody knows.
	Owner, Label string
	// ExpiresAt is when the key's TTL ends there on the local clock; zero: no TTL, or no key.
	ExpiresAt time.Time
	// Detail is the error in words where the master gave none of its own accord.
	Detail string
	// since is when the hold there began, and doubts is as in mind: whether two votes are of the same hold.
	since  time.Time
	doubts uint8
	// Observed is the last read behind the vote, also where it does not count; of type "none" and without a ReadAt where there was
	// none, or the key is not there.
	Observed keyspace.Record

	// lost is the last time for which the holder had this vote and lost it, nil if that was not
	// seen; heardSince is since when no news of the vote can have been missed, in Unix nanoseconds.
	lost       *Hold
	heardSince int64
	// hadIt is set where the master voted for the holder when it was read last, and does not answer
	// now.
	hadIt bool
}

// missing is what is known of a vote that the holder does not have.
type missing int

const (
	missingUnknown missing = iota // it may have had it
	missingNever                  // the master did not vote for it when it acquired the lock, or since
	missingLost                   // it had it, and lost it
)

// missing tells why the holder does not have this vote, which it does not.
func (v *Vote) missing(l *Lock) missing {
	switch {
	case v.Ballot == BallotFor || v.hadIt || v.lost != nil && !v.lost.Until.Before(l.HeldSince):
		return missingLost
	case l.HeldExact && !v.Ballot.unknown() && v.heardSince < l.HeldSince.UnixNano():
		return missingNever
	}
	return missingUnknown
}

// Quorum is how several independent masters vote on a Redlock.
type Quorum struct {
	// Votes are those of every master, in the order of their addresses.
	Votes []Vote
	// For is the number of votes for the lock's first holder, Needed the number that makes a quorum (N/2+1).
	For, Needed int
	// ValidUntil is until when the lock is safe: when so many of its votes have run out that the quorum is gone, less the drift
	// that the algorithm allows for clocks. Zero where there is no quorum, or where it has no end.
	ValidUntil time.Time
	// Skew is the time between the first and the last end of a vote for the holder.
	Skew time.Duration

	// steadySince is since when every master votes as it does, skewedSince since when the ends differ by more than skewAllowed;
	// zero: they do not. What only passes through is not worth a finding.
	steadySince, skewedSince time.Time
	skewAllowed              time.Duration
}

// Margin is how many masters the holder may lose without losing the lock; negative where it has no quorum.
func (q *Quorum) Margin() int { return q.For - q.Needed }

// Drift is what Redlock allows for clocks that run at different speeds: a hundredth of the lease, and two milliseconds.
func Drift(lease time.Duration) time.Duration { return lease/100 + 2*time.Millisecond }

// below says whether there is a quorum to be had, and nobody has it.
func (q *Quorum) below() bool { return q != nil && q.For < q.Needed }

// unanswered is how many masters nobody knows the votes of.
func (q *Quorum) unanswered() int {
	n := 0
	for i := range q.Votes {
		if q.Votes[i].Ballot.unknown() {
			n++
		}
	}
	return n
}

// unknown says whether the master may vote for anybody, for all that is known.
func (b Ballot) unknown() bool {
	switch b {
	case BallotDenied, BallotTimeout, BallotDown, BallotUnread:
		return true
	case BallotFor, BallotOther, BallotAbsent, BallotWrong:
	}
	return false
}

// claimedAt is the state of a lock that nobody is known to have. Claims end like leases; of a lock that had the quorum, and of
// which too few masters are seen since, the end is not known.
func (l *Lock) claimedAt(now time.Time) State {
	if !l.ExpiresAt.IsZero() && !now.Before(l.ExpiresAt) && l.hold() == nil {
		return StateExpired
	}
	first := ""
	for i := range l.Quorum.Votes {
		switch owner := l.Quorum.Votes[i].Owner; {
		case owner == "" || owner == first:
		case first == "":
			first = owner
		default:
			return StateSplit
		}
	}
	return StateMinority
}

// same says whether nothing but the reads differs.
func (q *Quorum) same(old *Quorum) bool {
	return old != nil && q.For == old.For && q.Needed == old.Needed && q.ValidUntil.Equal(old.ValidUntil) && q.Skew == old.Skew &&
		slices.EqualFunc(q.Votes, old.Votes, func(a, b Vote) bool {
			return a.Node == b.Node && a.Ballot == b.Ballot && a.Owner == b.Owner && a.Detail == b.Detail && a.ExpiresAt.Equal(b.ExpiresAt)
		})
}

// since carries on what is known of the time before: a quorum is steady while no vote changes.
func (q *Quorum) since(old *Quorum, at time.Time) {
	q.steadySince = at
	if old != nil && slices.EqualFunc(q.Votes, old.Votes, func(a, b Vote) bool {
		return a.Node == b.Node && a.Ballot == b.Ballot && a.Owner == b.Owner
	}) {
		q.steadySince = old.steadySince
	}
	if q.Skew <= q.skewAllowed {
		return
	}
	if q.skewedSince = at; old != nil && !old.skewedSince.IsZero() {
		q.skewedSince = old.skewedSince
	}
}
