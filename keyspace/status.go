package keyspace

import "time"

// Feed is the way by which a node's changes reach us.
type Feed string

// The feeds, best first.
const (
	FeedPush     Feed = "push"     // keyspace notifications
	FeedTracking Feed = "tracking" // CLIENT TRACKING BCAST: live, but events carry no names
	FeedPoll     Feed = "poll"     // every followed key is read every [ObserveOptions.Poll]
)

// Status is how a node's feed sees, told honestly. A Status is immutable.
type Status struct {
	Node    Node
	DB      int
	Version string
	// Software is "redis", "valkey", or what INFO server says.
	Software string
	Feed     Feed
	// FeedReason says in words why it is this feed and no better one. It is empty for push, unless the flags cannot be read
	// and only the events themselves tell that they are on, or clients send too many messages.
	FeedReason string
	// Flags is the server's notify-keyspace-events as last read; FlagsKnown is false where CONFIG GET is not to be had.
	Flags      string
	FlagsKnown bool
	// Patterns are the globs that name the keys, as they are shown to the user.
	Patterns []string

	// Connected is false while the node does not answer; StaleSince then says from when on the picture may be old.
	Connected  bool
	StaleSince time.Time
	// TimedOut says, while not Connected, that no answer came in time: the server may hang, and be there. Else nothing is there.
	TimedOut bool
	// Err is the last error in words while not Connected, or a lasting limitation ("NOPERM: ..."); else empty.
	Err string
	// Trouble is that error in its parts while not Connected; else zero.
	Trouble Trouble
	// WritesRefused is the server's own word on why nobody can write there for now ("MISCONF ..."); empty: nothing tells of it.
	WritesRefused string
	// Role is "master" or "replica".
	Role string
	// Topology is what the node is a part of.
	Topology Topology
	// Slots is the number of hash slots that the node serves, in a cluster.
	Slots int
	// Replication is how its copies are; nothing where it has none.
	Replication Replication

	// Lag is the last measured time from the server to us and back on the watching connection.
	Lag time.Duration
	// ClockOffset is the server's clock minus ours.
	ClockOffset time.Duration
	// LastPass is the last complete pass (zero Generation: none yet); Scanning is the one under way, else nil.
	LastPass Pass
	Scanning *Pass
	// Gaps counts the times at which hints may have been missed, an outage as one; LastGap and LastGapWhy say when and why the
	// last one began.
	Gaps       uint64
	LastGap    time.Time
	LastGapWhy string
	// Hints counts events received; HintsDropped those that were counted but not delivered because the consumer was
	// slower (their keys were marked dirty all the same).
	Hints, HintsDropped uint64
	// Commands counts what we sent to this node; CommandsPerSecond is the rate over the last seconds.
	Commands          uint64
	CommandsPerSecond float64
	// Fetched and Sent are the bytes that we read from this node and wrote to it; FetchedPerSecond is the rate over the last
	// seconds.
	Fetched, Sent    uint64
	FetchedPerSecond float64
	// Databases are those of the server that have keys, as of the beginning of the last pass; nil where that is not known, and
	// in a cluster.
	Databases []Database
	// Followed is the number of keys that are watched; Seen the number that matched a pattern at all.
	Followed, Seen int
	// Denied is how many of the keys that matched this user may not read: whether they are locks is not known.
	Denied int
}

// Trouble is why a server does not answer us.
type Trouble struct {
	Kind string // in a few words: "wrong user or password"; empty where it answers, and serves nobody
	Why  string // the cause in words, or the server's own
	Mend string // what the user can do; may be empty
}

// Database is one of a server's databases.
type Database struct {
	DB   int
	Keys int64
}
