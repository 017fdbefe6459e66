package inspector

import (
	"time"

	"locktop/keyspace"
)

// Connection says whether a holder's connection is there.
type Connection string

// The answers. Nothing is guessed: where neither the token nor a connection's name tells whose it is, it is unknown.
const (
	ConnectionUnknown Connection = "unknown"
	ConnectionAlive   Connection = "alive"
	ConnectionGone    Connection = "gone"
)

// Presence is what the lists of clients say of a holder. It is immutable.
type Presence struct {
	Connection Connection
	// Clients are the holder's connections; where they are gone, as they were seen last, if they ever were.
	Clients []keyspace.Client
	// By says, in words, how the holder was told by them ("the connection's name begins the token").
	By string
	// Since is from when on the connection is gone, as far as was seen; else zero.
	Since time.Time
}
