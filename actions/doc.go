// Package actions does what may be done to locks. It is the only package that writes to Redis.
//
// Two kinds of clients use it. An [Operator] acts on other people's locks: it extends, releases and force-expires, and
// only if the lock is still what the operator saw. A [Locker] has locks of its own: it acquires, renews and releases as
// the clients of the schemes do.
//
// # How an action is done
//
// A scheme's [Recipe] says which verbs it has, what they do to the holder and to those who wait, and makes the plan of each:
// facts that must still hold, and the commands that are run if they do. One script, lua/act.lua, carries plans out; the dry
// run, the command line for redis-cli and the rights that a user needs are read off the same plan. A new scheme is one file
// with its recipe.
//
// A plan may rest on companions of the lock, as the queue of a fair one. Where these are not as they were seen, they are
// read anew and the action is planned again: the operator did not decide by them.
//
// # Guarantees
//
//   - An action compares and acts in one atomic step: type, owner (the whole value of a string, or the field of a hash),
//     the number of fields, the entry count where it is known, and whether there was a lease. If one of them differs,
//     nothing is changed, and the [Outcome] says what is there now. Companions from which the commands were made are
//     compared in the same step.
//   - A value too long to be kept (keyspace.MaxText) is compared by its length and its beginning, and the outcome says so.
//   - An action whose answer was lost is ResultUnknown. It is never sent twice; a cluster's redirection is an answer that says that
//     nothing was done.
//   - A lease is never shortened by an extension, and never lengthened by a force-expiry.
//   - An action that is refused for want of a right has changed nothing, whichever of its commands was denied.
//   - A read-only Operator sends nothing, nor does one whose time for writing has lapsed.
//   - Fencing counters are never touched.
//
// # Where scripts are denied
//
// The scripts run by EVALSHA, and by EVAL where the server does not know them (yet, or any more). Where the user may run
// neither, or the server has no scripting, the same guards are kept by WATCH, MULTI and EXEC. So they are where an action
// takes several commands and the server cannot be asked for rights beforehand (before Redis 7.0), because a transaction is
// refused as a whole, and a script in the middle.
//
// Where transactions are not to be had either, a lock that is a string is acted on by DELEX, DELIFEQ or SET IFEQ, if the server
// turns out to have them. They compare the value alone in the same moment: the other facts are asked right before, and the
// outcome says so.
//
// # Several servers
//
// An Operator asks its [Servers] for the server that has the lock, for each action. In a cluster it follows MOVED and ASK, with either of
// which nothing was done. While a slot is moved its keys may be on two nodes: an action on several of them waits for a second, and is
// refused then. So it is where the keys of a plan are in several slots. A master that was demoted, or is gone, is left for the present one
// once. What the audit names is the node that was acted on at last.
//
// In a cluster that knows sharded channels Redisson's clients listen on these, and older ones on the others: both are told. How many are
// woken is known of one node only.
//
// A Redlock is acted on at each master that has it for the owner, by a plan of its own, at the same time, and each has its own time to
// answer. A lock that is left on some is ResultPartly: [Outcome].Nodes says where, and why. A vote beside another holder's quorum can be
// released, and not extended. Masters that were not seen to have the lock for the owner are sent nothing.
//
// # Libraries
//
// What a library does besides its scheme is said before an action. What it does not survive takes
// [Request].Force, and so does an extension that keeps the holder from releasing. Where a holder's
// renewal would make a deleted key again, a release leaves a tombstone until that renewal has met
// it, unless [Request].NoTombstone declines it; a force-expiry does not. A lock that may come back
// without one is looked at afterwards by those who asked for the action: [LookFor] says for how
// long, and [CameBack] whether it is.
//
// A lock without any end is not extended: that would give it one.
//
// # The audit
//
// An [Audit] is a file of JSON lines, readable by its owner only. It holds no password and no secret of the connection.
// It does hold the owners of locks, and the token that proves ownership of a token lock is the owner: it is kept, because
// it is the evidence of whose lock it was. Whoever can read the file can release a lock that still has such a token.
//
// That writing has lapsed, or was armed again ([Options].WriteFor), are lines of their own. A timer writes the first of them, which is all
// that an Operator does by itself; [Operator.Close] ends it.
package actions
