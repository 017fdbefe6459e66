package inspector

import (
	"time"

	"locktop/keyspace"
)

// StateAt is the state of the lock at another moment than the snapshot's, its lease counted down on the local clock.
func (l *Lock) StateAt(now time.Time) State {
	switch {
	case l.State == StateFreed, l.State == StateWrong:
		return l.State
	case !l.FreedAt.IsZero():
		return StateFreed
	case l.Scheme == SchemeUnknown:
		return StateWrong
	case l.Quorum.below():
		return l.claimedAt(now)
	case !l.ExpiresAt.IsZero() && !now.Before(l.ExpiresAt):
		return StateExpired
	case !l.LeaseEnds.IsZero() && !now.Before(l.LeaseEnds):
		return StateLapsed
	case l.ExpiresAt.IsZero() && l.LeaseEnds.IsZero() && !l.Scheme.traits().endless && !l.EndlessByChoice() && !l.EndUnknown():
		return StateStuck
	case l.mind.cooling:
		return StateCooldown
	}
	return StateHeld
}

// EndlessByChoice reports whether the key has a TTL of more than a hundred years. A library sets one where it is given no timeout, so
// that such a lock is as it should be: [Lock.ExpiresAt] is zero as for a key without a TTL.
func (l *Lock) EndlessByChoice() bool { return l.ExpiresAt.IsZero() && !l.Observed.ExpiresAt.IsZero() }

// TTLAt is what the lease has left at a moment, by the key's TTL, by those of the holders' fields,
// or by the end that the value states, whichever is the earliest. It is negative once that has
// passed. False: it never ends, or [Lock.EndUnknown].
func (l *Lock) TTLAt(now time.Time) (time.Duration, bool) {
	end := l.leaseEnd()
	if end.IsZero() {
		return 0, false
	}
	return end.Sub(now), true
}

// Lease is the whole lease that the holder takes each time, as far as it was seen; zero: unknown, or no end.
func (l *Lock) Lease() time.Duration { return max(0, l.mind.lease) }

// Severity is that of the worst finding; empty: none.
func (l *Lock) Severity() Severity {
	worst := Severity("")
	for _, f := range l.Findings {
		if f.Severity.rank() > worst.rank() {
			worst = f.Severity
		}
	}
	return worst
}

// rank orders severities; the empty one is the least.
func (s Severity) rank() int {
	switch s {
	case SeverityInfo:
		return 1
	case SeverityWarning:
		return 2
	case SeverityCritical:
		return 3
	}
	return 0
}

// AcquisitionsAt are the acquisitions of the last minute before a moment: [Lock.Acquisitions], moved on by the time since
// [Lock.SparkStart].
func (l *Lock) AcquisitionsAt(now time.Time) [SparkBuckets]uint16 {
	if l.SparkStart == 0 {
		return [SparkBuckets]uint16{}
	}
	steps := int(now.Truncate(SparkBucket).Sub(time.Unix(int64(l.SparkStart), 0)) / SparkBucket)
	if steps <= 0 {
		return l.Acquisitions
	}
	var moved [SparkBuckets]uint16
	if steps < SparkBuckets {
		copy(moved[:], l.Acquisitions[steps:])
	}
	return moved
}

// CompanionKeys are the keys that belong to the lock, and were there when it was read.
func (l *Lock) CompanionKeys() []string {
	var keys []string
	for _, c := range l.Observed.Companions {
		if c.Exists() && c.Type != keyspace.TypeChannel && c.Type != keyspace.TypeClients {
			keys = append(keys, c.Key)
		}
	}
	return keys
}
