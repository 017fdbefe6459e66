package keyspace

import (
	"slices"
	"time"
)

// Topology is how the servers that are looked at belong together.
type Topology string

// The topologies.
const (
	Standalone Topology = "standalone" // one server
	Sentinel   Topology = "sentinel"   // one master at a time, which sentinels name
	Cluster    Topology = "cluster"    // several masters, each of which has some of the hash slots
	Redlock    Topology = "redlock"    // several independent masters, each of which has a vote
)

// Replica is what a master says of one of its replicas (INFO replication).
type Replica struct {
	Addr   string
	Online bool // false while it still receives its first copy
	// Behind is how many bytes of the replication stream it had not acknowledged.
	Behind int64
	// SinceAck is how long ago the last acknowledgement came, in whole seconds.
	SinceAck time.Duration
}

// Replication is what was found out last of a server's replication.
type Replication struct {
	// Replicas are those of a master, in the order of their addresses.
	Replicas []Replica
	// AcknowledgedUntil tells of each number of replicas, from one, until when every write is known to have reached so many of
	// them, on the local clock; a zero time where none is known to have. It is what WAIT would have confirmed.
	AcknowledgedUntil []time.Time
	// Stream is the id of a master's stream of writes, and Offset how far it had come between the times at which that was Asked and
	// Answered, on the local clock. Empty: that is not known.
	Stream          string
	Offset          int64
	Asked, Answered time.Time
	// Before is the id of the stream that this master copied until it took over, and Copied how far it had come there: what was written
	// to that stream later it never had. Empty: it did not take over.
	Before string
	Copied int64
	// MasterAddr is a replica's master, MasterDown for how long the link to it has been down; zero while it is up.
	MasterAddr string
	MasterDown time.Duration
}

// Acknowledged is how many replicas are known to have what was written at that time.
func (r Replication) Acknowledged(written time.Time) int {
	n := slices.IndexFunc(r.AcknowledgedUntil, func(until time.Time) bool { return until.Before(written) })
	if n < 0 {
		return len(r.AcknowledgedUntil)
	}
	return n
}
