package keyspace

import (
	"math"
	"time"
)

// Node is the address at which a server was dialled: "127.0.0.1:6379", or "unix:/run/redis.sock".
type Node string

// Ref is the place of a key. Key is binary-safe: it holds the bytes of the key, which need not be UTF-8.
type Ref struct {
	Node Node
	DB   int
	Key  string
}

// Type is what the TYPE command answers.
type Type string

// The types of Redis 7.0. A server may answer others (a module's); they are passed on as they come.
const (
	TypeNone   Type = "none"   // the key is not there
	TypeDenied Type = "denied" // it may be there, and is not read: this user may not, or its name is too long
	TypeString Type = "string"
	TypeHash   Type = "hash"
	TypeList   Type = "list"
	TypeSet    Type = "set"
	TypeZSet   Type = "zset"
	TypeStream Type = "stream"
)

// The types of companions that are no keys.
const (
	TypeChannel Type = "channel" // a channel of pub/sub: Key is its name, Size the number of its subscribers
	TypeClients Type = "clients" // clients that a command blocks: Key is its name ("blpop"), Size their number, on whatever keys
)

// Field is one element of a collection; both strings are binary-safe. Of a hash it is a field and its value, of a sorted set
// a member and its score as a decimal number, of a set a member, and of a list an element (in Name).
type Field struct {
	Name, Value string
	// ExpireTime is HPEXPIRETIME of a hash's field as the server answered it: Unix milliseconds by
	// the server's clock. It is zero if the field has no TTL of its own, if the end was computed
	// from HPTTL, and if nothing was read of it ([Record.FieldTTLsUnread]).
	ExpireTime int64
	// EndsAt is the instant at which the server removes the field, in Unix microseconds on the
	// local clock. It is zero if the field has no TTL of its own, or if none was read. Its error is
	// [Record.ExpiryError].
	EndsAt int64
}

// ExpiresAt is EndsAt as a time; zero if the field has no TTL of its own.
func (f Field) ExpiresAt() time.Time {
	if f.EndsAt == 0 {
		return time.Time{}
	}
	return time.UnixMicro(f.EndsAt)
}

// Value is what was read of a key's value, which may be less than all of it (see [Record.Truncated]).
type Value struct {
	// Text is the value of a string, its first [MaxText] bytes at most.
	Text string
	// Fields are the elements of a collection: of a hash and a set sorted by name, of a sorted set by score, of a list from
	// its head. Of a list or a sorted set that has more than [MaxFields] elements these are the first ones; of a hash or a set
	// none are read then, nor of anything of which so many take more than [MaxHashBytes] of the server's memory.
	Fields []Field
}

// What one read may pull from the server and keep in memory.
const (
	MaxText      = 512
	MaxFields    = 256
	MaxHashBytes = 64 << 10
)

// Micros is a span of microseconds, of 71 minutes at most, in half the memory of a [time.Duration].
type Micros uint32

// InMicros rounds a span up to a whole microsecond.
func InMicros(d time.Duration) Micros {
	return Micros(min(max(d+time.Microsecond-1, 0)/time.Microsecond, math.MaxUint32))
}

// Duration is the span.
func (m Micros) Duration() time.Duration { return time.Duration(m) * time.Microsecond }

// Record is what one read found at a key. A Record is immutable once it was delivered.
type Record struct {
	Ref
	// Type is TypeNone where the key is not there, and TypeDenied where it is not read: Value.Text says why; all but ReadAt and
	// [Record.Denied] is then zero.
	Type Type
	// ExpiresAt is the instant on the local clock at which the key expires, and zero where it has no TTL. It is
	// PEXPIRETIME corrected by the node's clock offset, or, on servers before 7.0 and where the clock is not known, PTTL
	// added to the moment of its measurement.
	ExpiresAt time.Time
	// ExpireTime is PEXPIRETIME as the server answered it: Unix milliseconds by the server's clock. It is zero without a TTL, and
	// where the end was counted from PTTL.
	ExpireTime int64
	// Size is the length of a string in bytes, or the number of a collection's elements.
	Size int64
	// Value is read of strings and hashes only. Of TypeDenied it is the server's error.
	Value Value
	// Truncated says that Value is not all of what the key holds.
	Truncated bool
	// FieldTTLsUnread: it is a hash on a server on which fields may have TTLs of their own, and
	// those of its fields are unknown, because the user may not ask for them or because the fields
	// were not read.
	FieldTTLsUnread bool
	// open is that of its [Company].
	open bool
	// ExpiryError is by how much ExpiresAt may differ between two reads although nobody touched the TTL: half of the round
	// trip where it was counted from PTTL, which tells what is left and not when that was so; zero with PEXPIRETIME, which
	// names an instant.
	ExpiryError Micros
	// ReadAt is the local time at which the answer arrived.
	ReadAt time.Time
	// Companions are what belongs to the key, as it was right after: those of [Company] that are there, in that order, and
	// the channels and commands that could be asked about. They have no companions of their own. A key that is gone has the channels
	// on which clients go on listening for it; one of no name and size says that none is left.
	Companions []Record
}

// Exists says whether the key was there when it was read.
func (r Record) Exists() bool {
	return r.Type != TypeNone && r.Type != TypeDenied && r.Type != typeElsewhere
}

// End is when the key ends by itself on the local clock: by its TTL, or, if each field of a hash
// has a TTL of its own, with the last field. It is zero if it does not.
func (r Record) End() time.Time {
	if r.Type != TypeHash || r.Truncated || len(r.Value.Fields) == 0 {
		return r.ExpiresAt
	}
	last := int64(0)
	for _, f := range r.Value.Fields {
		if f.EndsAt == 0 {
			return r.ExpiresAt
		}
		last = max(last, f.EndsAt)
	}
	if end := time.UnixMicro(last); r.ExpiresAt.IsZero() || end.Before(r.ExpiresAt) {
		return end
	}
	return r.ExpiresAt
}

// Denied is the server's error where this user may not read the key (NOPERM); else it is empty.
func (r Record) Denied() string {
	if r.Type == TypeDenied {
		return r.Value.Text
	}
	return ""
}

// Hint is an event that a server announced for a key. It is lossy, and says nothing of the key's state now.
type Hint struct {
	Ref
	// Event is the name in the notification ("set", "expired", "del", ...), and "invalidate" where
	// it came through CLIENT TRACKING, which names no events. It is [EventAnnounced] if clients
	// sent a message about the key.
	Event string
	// At is the local time at which the hint arrived.
	At time.Time
}

// EventAnnounced is the event of a [Hint] that comes from a message on one of
// [Companions.Announcements]. A channel belongs to no database, so that the message may be about a
// key of the same name in another one.
const EventAnnounced = "announced"

// Pass is one walk over all keys of a node with SCAN.
type Pass struct {
	// Generation numbers the passes of a node from 1.
	Generation uint64
	Started    time.Time
	// Ended is zero while the pass runs.
	Ended time.Time
	// At is when the figures were taken, of a pass that runs.
	At time.Time
	// Scanned counts the keys that the server returned; Matched those that a pattern named.
	Scanned, Matched int64
	// KeysInDB is what DBSIZE said when the pass began: the base for a progress bar.
	KeysInDB int64
}

// Update is one delivery of a node's feed. What it carries happened in this order: hints, then records, then the
// roll, then the end of a pass, then the status.
type Update struct {
	Node  Node
	Hints []Hint
	// Records are reads, newest state first come first served; a key occurs at most once.
	Records []Record
	// Roll is the list of the node's clients, where one was taken since the last update ([ObserveOptions.Clients]).
	Roll *Roll
	// PassEnded is set in the update that follows the end of a complete pass: every key that the pass missed has been
	// read again, and all Records that came of it have been delivered.
	PassEnded *Pass
	// Status is set when it changed, and at least every second.
	Status *Status
	// Left says that the node is looked at no more (its master's part went to another node); nothing else is set then.
	Left bool
}
