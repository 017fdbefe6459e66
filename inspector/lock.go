package inspector

import (
	"time"

	"locktop/keyspace"
)

// Scheme is whose layout a lock has.
type Scheme string

// The schemes of this package; each has a file of its own.
const (
	SchemeToken                Scheme = "token"                     // string with a TTL; the value is the holder's token (S2, S6, S8)
	SchemeSetNX                Scheme = "setnx"                     // string without a TTL (S3)
	SchemeTimestamp            Scheme = "timestamp"                 // string whose value is the lease's end (S1)
	SchemeReentrant            Scheme = "reentrant"                 // hash: one field, the holder, with its entry count (S4)
	SchemeRedisson             Scheme = "redisson"                  // hash: field uuid:thread (S7)
	SchemeRedissonRW           Scheme = "redisson-rw"               // hash with a mode: readers, or a writer
	SchemeRedissonPermits      Scheme = "redisson-permits"          // number of free permits, and a sorted set of those that are held
	SchemeRedissonSemaphore    Scheme = "redisson-semaphore"        // number of free permits alone
	SchemeRedissonLatch        Scheme = "redisson-latch"            // number of count-downs
	SchemeShedLock             Scheme = "shedlock"                  // string that says when and where it was taken; may outlive its holder (ShedLock)
	SchemeRueidisLock          Scheme = "rueidislock"               // the same random value under most of several numbered keys
	SchemeSpringIntegration    Scheme = "spring-integration"        // string with the UUID of a registry
	SchemeSymfony              Scheme = "symfony"                   // sorted set: token, end of its lease; __write__ marks an exclusive one
	SchemeSymfonySemaphore     Scheme = "symfony-semaphore"         // two sorted sets: token, end of its lease; token, weight
	SchemeDistributedSemaphore Scheme = "distributedlock-semaphore" // sorted set: machine and process, end of its lease
	SchemeDistributedRW        Scheme = "distributedlock-rw"        // set of readers, string of the writer
	SchemeRedisSemaphore       Scheme = "redis-semaphore"           // sorted set: client, last refresh (npm)
	SchemeLeasedSet            Scheme = "leased-set"                // sorted set: token, end of its lease, as scripts keep it
	SchemePythonRedisLock      Scheme = "python-redis-lock"         // string, and a list on which its waiters are blocked
	SchemeRubySemaphore        Scheme = "ruby-semaphore"            // hash of held tokens, list of free ones
	SchemeUniqueJobs           Scheme = "sidekiq-unique-jobs"       // hash of the jobs that hold a digest, lists of those that wait
	SchemeRQL                  Scheme = "rql"                       // hash that names its holder, sorted sets of those who wait
	SchemeSuo                  Scheme = "suo"                       // string with a MessagePack array of its holders
	SchemeHuey                 Scheme = "huey"                      // hash of results, some fields of which are locks
	SchemeRedissonMulti        Scheme = "redisson-multi"            // hash: a group of values, each locked by itself
	SchemeRedfour              Scheme = "redfour"                   // hash with the number of the acquisition
	SchemeSessionLock          Scheme = "session-lock"              // fields of the hash of a session
	SchemeGoRedislock          Scheme = "go-redislock"              // string with a token, and its entry count or its queue beside it
	SchemeCountedRW            Scheme = "go-redislock-rw"           // hash with a mode, readers and a writer with their counts
	SchemeUnknown              Scheme = "unknown"                   // a key where a lock is expected, of a type that no lock has
)

// Mode is what holders share a lock.
type Mode string

// The modes.
const (
	ModeExclusive Mode = "exclusive"
	ModeRead      Mode = "read"
	ModeWrite     Mode = "write"
	ModeSemaphore Mode = "semaphore"
)

// State is how a lock is, in one word.
type State string

// The states. Each is said on screen by its word and a glyph, never by colour alone.
const (
	StateHeld    State = "held"    // somebody has it, and it has an end
	StateStuck   State = "stuck"   // held with no TTL and no end in its value
	StateLapsed  State = "lapsed"  // its lease is over by its value, but the key is there
	StateExpired State = "expired" // its TTL is over on our clock, but the server has not reaped it
	// StateCooldown: nobody holds it any more, and the key stays on purpose until its TTL is over (ShedLock's lockAtLeastFor).
	StateCooldown State = "cooldown"
	StateFreed    State = "freed" // the key is gone; the row lingers for some seconds
	StateWrong    State = "wrong" // a key of a type that no lock has, where a lock is expected
	// StateMinority and StateSplit are of a Redlock that nobody is known to hold: too few of the masters have it for one owner, or
	// several owners have some of them each. Holders are then those who claim it, most votes first.
	StateMinority State = "minority"
	StateSplit    State = "split"
)

// Count is a re-entry count; unknown where the scheme does not store it, which is not the same as 1.
type Count struct {
	N     int64
	Known bool
}

// Holder is a client that has a lock now.
type Holder struct {
	// Owner is what the key says of the client, byte for byte: the token, or the hash field.
	Owner string
	// Label is Owner in words where it carries any ("client 0f4d3a52, thread 42"); else Owner itself.
	Label string
	Count Count
	// ExpiresAt is when this holder's own lease ends, where the scheme keeps one a holder; else zero.
	ExpiresAt time.Time
	// Presence says whether its connection is there; nil: that is not known.
	Presence *Presence
}

// WaitersBy says how waiters were counted.
type WaitersBy string

// The ways of counting waiters.
const (
	WaitersQueue       WaitersBy = "queue"
	WaitersSubscribers WaitersBy = "subscribers"
	WaitersBlocked     WaitersBy = "blocked"
	WaitersSampled     WaitersBy = "sampled"
	WaitersShared      WaitersBy = "shared-channel" // subscribers of a channel on which all locks of a library are announced
	WaitersCounter     WaitersBy = "counter"        // by a counter of the library's, which a crash leaves too high
	WaitersNone        WaitersBy = "none"           // this scheme's waiters cannot be seen from outside
)

// Waiters are the clients that wait for a lock, as far as they can be seen.
type Waiters struct {
	Count int
	// Exact is false where Count is a bound: an upper one if AtMost, else a lower one.
	Exact bool
	By    WaitersBy
}

// AtMost says whether a count that is not exact is an upper bound: no server tells on which keys blocked clients wait, nor for
// which lock those that listen on a channel of all locks.
func (w Waiters) AtMost() bool {
	return w.By == WaitersBlocked || w.By == WaitersShared || w.By == WaitersCounter
}

// Cause is why a holder stopped being one.
type Cause string

// The causes, told from the hint and the observation together.
const (
	CauseReleased  Cause = "released"   // it was released as its library does it: more than the deletion of the key proves that
	CauseFreed     Cause = "freed"      // deleted before its lease was over: by its holder, as a rule, but nothing proves by whom
	CauseOperator  Cause = "operator"   // an action of locktop deleted it
	CauseExpired   Cause = "expired"    // its TTL ran out
	CauseTakenOver Cause = "taken over" // something else replaced it in a key that was there all the time
	CauseEvicted   Cause = "evicted"    // the server ran out of memory
	CauseFlushed   Cause = "flushed"    // it went with its whole database
	CauseFailOver  Cause = "fail-over"  // the new master never had it
	CauseUnknown   Cause = "unknown"    // nobody saw it: in a gap, between two polls, or by a hint that has no name
)

// Deleted reports whether a command deleted the key before the lease was over, and proven whether it is known whose that was.
func (c Cause) Deleted() (deleted, proven bool) {
	switch c {
	case CauseReleased, CauseOperator:
		return true, true
	case CauseFreed:
		return true, false
	case CauseExpired, CauseTakenOver, CauseEvicted, CauseFlushed, CauseFailOver, CauseUnknown:
	}
	return false, false
}

// Hold is the time for which one owner had a lock. A Hold without an end is the present one.
type Hold struct {
	Owner, Label string
	// SinceExact is true where the acquisition itself was seen; else the owner was found holding it at Since.
	Since time.Time
	// Until is zero while it lasts. UntilExact is false where no hint told when it ended: it was found ended at Until.
	Until                  time.Time
	SinceExact, UntilExact bool
	Cause                  Cause // why it ended; empty while it lasts
	Renewals               int
	// Lost is set where the hold ended while its holder was still at work ([Hold.WasLost]), or may have been (an overrun).
	Lost *Loss
}

// Severity orders findings.
type Severity string

// The severities, mildest first.
const (
	SeverityInfo     Severity = "info"
	SeverityWarning  Severity = "warning"
	SeverityCritical Severity = "critical"
)

// Code names a kind of finding; design.md section 5 lists them all.
type Code string

// The codes that this package finds.
const (
	CodeNoTTL            Code = "no-ttl"
	CodeLapsed           Code = "lapsed"
	CodeLongLease        Code = "long-lease"
	CodeAboutToLapse     Code = "about-to-lapse"
	CodeRenewedForever   Code = "renewed-forever"
	CodeLostWhileHeld    Code = "lost-while-held"
	CodeWrongType        Code = "wrong-type"
	CodeCountLeak        Code = "count-leak"
	CodeUncheckedRelease Code = "unchecked-release"
	CodeResurrects       Code = "resurrects"
	CodeStaleWaiters     Code = "stale-waiters"
	CodeCooldown         Code = "cooldown"
	CodeSplit            Code = "split"
	CodeMinority         Code = "minority"
	CodeDegradedQuorum   Code = "degraded-quorum"
	CodeDoubleMajority   Code = "double-majority"
	CodeOrphaned         Code = "orphaned"
	CodeOverrun          Code = "overrun"          // a lease ended without a release, and its holder may be at work still
	CodeLostInFailOver   Code = "lost-in-failover" // the new master never had the lock
	CodeLostWakeUp       Code = "lost-wakeup"      // the lock was deleted, and those who wait for it sleep on
)

// Finding is something wrong with a lock.
type Finding struct {
	Code     Code
	Severity Severity
	Text     string // the evidence, one sentence
	Advice   string // what to do, one sentence
}

// SparkBuckets and SparkBucket shape [Lock.Acquisitions].
const (
	SparkBuckets = 12
	SparkBucket  = 5 * time.Second
)

// Lock is a lock as it was observed. It is immutable: a later observation makes another Lock.
type Lock struct {
	keyspace.Ref
	Scheme  Scheme
	Mode    Mode
	State   State // as of Snapshot.TakenAt; [Lock.StateAt] tells it for another moment
	Holders []Holder
	// ExpiresAt is when the lock ends by TTL on the local clock: by the key's, or by the last of
	// the holders' fields if each of them has a TTL of its own, whichever is earlier. Zero: no TTL.
	ExpiresAt time.Time
	// LeaseEnds is the end of the lease that the value states, for schemes that keep it there; else zero.
	LeaseEnds time.Time
	// HeldSince is when the present holder got it (HeldExact), or was first seen with it.
	HeldSince time.Time
	HeldExact bool
	// FieldTTLs says that a holder's field in the hash has a TTL of its own: its Holder.ExpiresAt
	// is the end of that, or of the key if that is earlier.
	FieldTTLs bool
	// forgets says that holds of before the first one in History are not remembered any more, if there were any.
	forgets bool
	// SparkStart is when the last bucket of Acquisitions began, in Unix seconds (zero: there was none).
	SparkStart uint32
	// Renewals of the present hold, the estimated period between them (zero: not yet known), and when the last one was.
	Renewals      int
	RenewalPeriod time.Duration
	LastRenewal   time.Time
	Waiters       Waiters
	FencingToken  *int64
	// Sample is what the last contention probe of the lock found, kept for some minutes; nil: there was none.
	Sample *Sample
	// Quorum is set of a Redlock: what each of the independent masters says of the key. Observed is then the read of one that votes
	// for the holder, with the end of the quorum, and Node is that master.
	Quorum   *Quorum
	Findings []Finding
	// Evidence says, one fact a line, why the key is taken for a lock of this scheme.
	Evidence []string
	// History holds past and present holds, oldest first, bounded.
	History []Hold
	// Acquisitions counts acquisitions (hand-overs included) in SparkBuckets buckets of SparkBucket each, oldest first;
	// the last bucket is the running one, which began at SparkStart.
	Acquisitions [SparkBuckets]uint16
	// FreedAt and FreedBy are set in StateFreed.
	FreedAt time.Time
	FreedBy Cause
	// Observed is the read behind this lock: what a guarded action compares with. In StateFreed, the last one that held.
	Observed keyspace.Record

	mind      mind
	chronicle *chronicle // nil: it has not changed hands, as far as is known
}

// mind is what the store remembers of a lock beside what it shows.
type mind struct {
	// round is the snapshot in the making when this Lock was made: until that one is published, the store may still change
	// it; afterwards nobody may.
	round uint32
	// gaps are the last times between renewals, in milliseconds, as a ring; gapCount counts what ever went in.
	gaps     [5]uint32
	gapCount uint32
	// untold says that no event told of the beginning of the present hold: the lock was there already when we came.
	untold bool
	// cooling says that its holder has released it, and that the key stays until its TTL is over (ShedLock).
	cooling bool
	// resurrected counts how often a token that was deleted came back.
	resurrected uint8
	// doubts counts how often in the present hold nothing told whether the lock was renewed, or released and acquired again. It stops
	// at the largest number.
	doubts uint8
	// surelySince is since when the lock cannot have been released and acquired again by its holder, in Unix nanoseconds;
	// Lock.HeldSince may be earlier.
	surelySince int64
	// lease is the whole lease that the holder takes each time; leaseExact is false where only a part of it was seen.
	lease      time.Duration
	leaseExact bool
	// ladder counts how often in a row the entry count stayed higher after a release than after the one before.
	ladder        uint8
	enters, exits uint16
	trough        uint16
	// contendedUntil is when the third last hand-over is a minute ago, in Unix nanoseconds.
	contendedUntil int64
}
