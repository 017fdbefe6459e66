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

// Presence is what the lists of clients say of a holder. It is immutable, and holders that are joined to the same connections share it.
type Presence struct {
	Connection Connection
	// Name is what the connections are called; empty: they have no name.
	Name string
	// Clients are the holder's connections as they were when they were joined ([Snapshot.Client] has them as they are by now);
	// where they are not there any more, as they were seen last, if they ever were.
	Clients []keyspace.Client
	// By says, in words, how the holder was told by them ("the connection's name is a part of the owner").
	By string
	// Seen is when a list showed one of them last, where the connections are not there any more; else zero.
	Seen time.Time
	// Since is from when on the connection is gone, as far as was seen; else zero.
	Since time.Time
}

// Connection says whether the holder's connection is there.
func (h *Holder) Connection() Connection {
	if h.Presence == nil {
		return ConnectionUnknown
	}
	return h.Presence.Connection
}

// AtLeast is "at least " where there may be more connections than Clients has, of which it takes so many and no more; else empty.
func (p *Presence) AtLeast() string {
	if len(p.Clients) < maxSeats {
		return ""
	}
	return "at least "
}

// sameHolding says whether two holders are the same, whatever is known of their connections.
func sameHolding(a, b Holder) bool {
	a.Presence, b.Presence = nil, nil
	if a.ExpiresAt.Sub(b.ExpiresAt).Abs() <= jitter { // the TTL of a field moves with the clock's offset
		a.ExpiresAt = b.ExpiresAt
	}
	return a == b
}
