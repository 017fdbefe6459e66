// Package keyspace finds keys on Redis servers and tells how they change. It knows nothing of locks, and it never
// writes: every connection but those of [Connection.NewClient] refuses to send what is not on the list of [ReadCommands].
// Only [Servers.Probe], which is asked for, has a list of its own: it sends MONITOR.
//
// [Connect] dials, and finds out what the server can do. [Connection.Observe] then starts one feed a node, which merges
// four sources into one stream of [Update] values:
//
//   - SCAN passes are the truth about which keys exist. They mark and sweep: a followed key that a complete pass did not
//     return is read once more, and only that read says that it is gone.
//   - Keyspace notifications, or CLIENT TRACKING invalidations, are hints. They mark a key dirty; they carry no state.
//   - Messages that clients send on channels ([Companions].Announcements) are hints that say why a key changed.
//   - Deadlines: when a followed key's expiry passes on the local clock, one EXISTS makes the server say so.
//
// Where fields of a hash can have TTLs of their own (Redis 7.4, Valkey 9.0), a Record has those too. The
// server hides such a field at its end and removes it soon after; "hexpired" then comes as a hint. Both
// servers publish "hexpire" and "hpersist" as well, all of the class h. A field that gets an end in the
// past is "hdel" in Redis and "hexpired" in Valkey.
//
// Dirty keys are de-duplicated and read in pipelined batches; a read is the state. Whatever could have been missed (a
// killed subscription, a restart, a flush, a swapped database, an overflowing buffer) is counted as a gap, and makes the
// feed read everything again.
//
// Where notifications are not to be had, or turn out to be silent (keys change, and no event says so), the feed goes by
// CLIENT TRACKING, and where that is denied too, it polls; [Status] says which, why, and what would mend it.
//
// Who is connected is found out only where it is asked for ([ObserveOptions].Clients, [Servers.Rolls]): CLIENT LIST, of each node at
// most every five seconds and for one part in a hundred of its time, so that whoever asks more often has the same [Roll] again.
//
// [Servers.Probe] blocks until the probe is over, which its options bound. Its connections and goroutines are its own, and have gone
// when it returns. It calls Take for one command at a time; while Take is slow nobody reads, and the server keeps what comes, up to
// MaxUnread. Begun is called before anything is read, and Progress meanwhile, from another goroutine.
//
// Each feed owns its goroutines and the connection on which it listens, and reads through the few
// connections of its Connection; all of it ends when the context of Observe ends, and the channel
// of updates is closed after the last goroutine has gone. Hints may be lost, and are counted when
// they are; lost messages of clients are not counted. A Record reports one state of its key, which
// the key had within the round trip that ended at the Record's ReadAt.
package keyspace
