// Package inspector says what keys mean: which are locks, whose, since when, how they changed hands, and what is wrong with
// them. It reads what package keyspace delivers; it sends nothing (but see Prober), and it knows no screens.
//
// [Start] consumes a stream of updates in one goroutine, which owns everything that changes. What it publishes is immutable:
// a [Snapshot] at most every 100 ms, where the latest wins and older ones are skipped, and a log of events, of which a slow
// reader is told how many it missed. A lock that did not change is the same *[Lock] in the next snapshot.
//
// A lock is a key of a database, on whatever node it is: in a cluster, and where sentinels name the master, a key moves, and goes
// on as the same lock. [Lock.Node] is where it was last read. Two nodes are heard apart: what may have happened on the way from one
// to the other is as unknown as what a gap hides.
//
// Of several independent masters ([Options.Masters]) each has a vote on every key (Redlock), and the votes on a key are one lock:
//
//   - Whoever has the votes of more than half of the masters, those that do not answer counted among them, holds it. It is acquired
//     with the vote that makes the quorum, and lost with the one that takes it away; what one master tells of its own vote, the
//     release of it above all, is told of the lock only then. It is renewed, and entered again, once a quorum of the votes was.
//   - Its end is that of the vote whose loss takes the quorum away: of the votes, sorted by their ends, so many as make a quorum
//     outlast it. A vote without a TTL never ends.
//   - Below a quorum nobody holds it. Attempts and releases pass through that in no time; what stays for a second without a vote
//     changing is a row of its own, [StateMinority] or [StateSplit], whose holders are those who claim it, and which adds no hold
//     to the history.
//   - A master that does not answer, may not be read, or was not read yet, or not since it was away, has no vote: what it had is
//     not known. A holder that is left with too few for that reason alone is a minority as well, for nobody can tell that it
//     still holds the lock, and nobody saw it lose it either: its hold goes on in the history, its findings say that it may still be
//     held, and the lock ends, for an unknown cause, when enough masters are back and say that it is gone. As long as masters are
//     still to be read that may complete a quorum, nothing new is shown.
//
// The same goroutine joins holders to connections, by the lists of clients that come with the updates: each lock when it changes, and
// all of them when the lists have changed, for one part in a hundred of its time. A [Presence] is immutable. Nobody is said to be gone
// by a list that is older than his last sign of life, or while any node has not listed all of its clients.
//
// A [Prober] samples a lock in the goroutine that calls it, which it blocks until the probe is over; it is the one part of the package
// that asks servers by itself. It shares nothing with the store but the [Sample], which is immutable and handed over by [Inspector.Keep].
//
// What it says of the past is bound by what it saw. An acquisition that was not seen is "at least"; a cause that no hint
// tells is inferred from the lease where every renewal would have been heard, or else is unknown (proof.go). Memory is
// bounded: so many holds a lock, so many in all, so many events.
package inspector
