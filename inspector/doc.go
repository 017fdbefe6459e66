// Package inspector says what keys mean: which are locks, whose, since when, how they changed hands, and what is wrong with
// them. It reads what package keyspace delivers; it sends nothing, and it knows no screens.
//
// [Start] consumes a stream of updates in one goroutine, which owns everything that changes. What it publishes is immutable:
// a [Snapshot] at most every 100 ms, where the latest wins and older ones are skipped, and a log of events, of which a slow
// reader is told how many it missed. A lock that did not change is the same *[Lock] in the next snapshot.
//
// A lock is a key of a database, on whatever node it is: in a cluster, and where sentinels name the master, a key moves, and goes
// on as the same lock. [Lock.Node] is where it was last read. Two nodes are heard apart: what may have happened on the way from one
// to the other is as unknown as what a gap hides.
//
// What it says of the past is bound by what it saw. An acquisition that was not seen is "at least"; a cause that no hint
// tells is inferred from the lease where every renewal would have been heard, or else is unknown (proof.go). Memory is
// bounded: so many holds a lock, so many in all, so many events.
package inspector
