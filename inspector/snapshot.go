package inspector

import (
	"time"

	"locktop/keyspace"
)

// Totals counts locks by state, and what happens to them.
type Totals struct {
	Locks   int // all but the freed ones
	ByState map[State]int
	// Suspects is the number of locks with a finding of at least SeverityWarning.
	Suspects int
	// Contended is the number of locks with waiters, or with three or more hand-overs in the last minute.
	Contended int
	// AcquisitionsPerSecond is taken over the last ten seconds; Rates are its values second by second, oldest first.
	AcquisitionsPerSecond float64
	Rates                 [30]float64
}

// Snapshot is everything that is known at one moment. It is immutable, and so is all that it points to.
type Snapshot struct {
	// Seq grows with every snapshot.
	Seq     uint64
	TakenAt time.Time
	// Complete says that every node has ended at least one pass since it was last connected.
	Complete bool
	Nodes    []keyspace.Status
	// Roll is who is connected to the nodes; nil: that was not asked, or not answered yet.
	Roll *Roll
	// OwnerNames tells how well the rules of [Options.OwnerNames] fit.
	OwnerNames []OwnerNameUse
	// Locks are in no particular order, but a lock keeps its place relative to the others as long as it lives.
	Locks  []*Lock
	Totals Totals
	// Events are the last events, oldest first, bounded; the Seq of the last tells whether any were missed.
	Events []Event
	// Unseen is when changes may have been missed, by node, oldest first, bounded.
	Unseen []Unseen
	// Done is set once the source has ended (ObserveOptions.Once, or its context is over); no snapshot follows.
	Done bool
	// Err is why it ended, where that was not asked for.
	Err error
}
