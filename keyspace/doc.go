// Package keyspace finds keys on Redis servers and tells how they change. It knows nothing of locks, and it never
// writes: every command that it sends is on the allow-list of [ReadCommands], which a test enforces with a client hook.
//
// [Connect] dials, and finds out what the server can do. [Connection.Observe] then starts one feed a node, which merges
// three sources into one stream of [Update] values:
//
//   - SCAN passes are the truth about which keys exist. They mark and sweep: a followed key that a complete pass did not
//     return is read once more, and only that read says that it is gone.
//   - Keyspace notifications, or CLIENT TRACKING invalidations, are hints. They mark a key dirty; they carry no state.
//   - Deadlines: when a followed key's expiry passes on the local clock, one EXISTS makes the server say so.
//
// Dirty keys are de-duplicated and read in pipelined batches; a read is the state. Whatever could have been missed (a
// killed subscription, a restart, a flush, a swapped database, an overflowing buffer) is counted as a gap, and makes the
// feed read everything again.
//
// Each feed owns its goroutines and its two connections (one to watch, one to read); all of them end when the context of
// Observe ends, and the channel of updates is closed after the last of them has gone. Hints may be lost, and are counted
// when they are; the state that a Record reports is never older than the Record's ReadAt.
package keyspace
