package inspector

import (
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
	// Owner has the lock there, whether it has the quorum or not; empty where nobody has.
	Owner, Label string
	// ExpiresAt is when the key's TTL ends there on the local clock; zero: no TTL, or no key.
	ExpiresAt time.Time
	// Detail is the error in words where the master gave none of its own accord.
	Detail string
	// Observed is the read behind the vote; of type "none" and without a ReadAt where there was none.
	Observed keyspace.Record
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
}

// Margin is how many masters the holder may lose without losing the lock; negative where it has no quorum.
func (q *Quorum) Margin() int { return q.For - q.Needed }
