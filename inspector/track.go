package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// periodSamples is how many of the last renewals the period is estimated from.
const periodSamples = 5

// track is what the store remembers of one lock, besides what is in its published Lock.
type track struct {
	ref     keyspace.Ref
	index   int // in store.order
	touched bool
	gone    bool
	wakeAt  time.Time

	isLock      bool
	recognition recognition
	record      keyspace.Record // the last that held a lock

	// The present hold, or where isLock is false the last one.
	since       time.Time
	sinceExact  bool
	renewals    int
	lastRenewal time.Time
	gaps        [periodSamples]time.Duration // between renewals, a ring
	lease       time.Duration                // the full lease as last set; zero: never seen set
	leaseSetAt  time.Time
	partial     partialRelease

	freedAt time.Time
	freedBy Cause
	history []Hold // of the holds that are over; replaced, never changed: snapshots share it

	acquisitions [SparkBuckets]uint16
	sparkStart   time.Time
}

// partialRelease is the last time when some but not all entries of a re-entrant lock were released.
type partialRelease struct {
	at       time.Time
	from, to int64
}

// owner is the holder of an exclusive lock.
func (t *track) owner() Holder {
	if len(t.recognition.holders) == 0 {
		return Holder{}
	}
	return t.recognition.holders[0]
}

// leaseEnd is when the lease is over, by TTL or by value; zero: never.
func (t *track) leaseEnd() time.Time { return endOfLease(t.record, t.recognition) }

func endOfLease(r keyspace.Record, found recognition) time.Time {
	if !found.leaseEnds.IsZero() {
		return found.leaseEnds
	}
	return r.ExpiresAt
}

// period is the median of the last times between renewals; zero: too few.
func (t *track) period() time.Duration {
	n := min(t.renewals-1, periodSamples)
	if n < 1 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t.gaps[:n]))
	return sorted[n/2]
}

func (t *track) renewed(at time.Time) {
	if t.renewals > 0 {
		t.gaps[(t.renewals-1)%periodSamples] = at.Sub(t.lastRenewal)
	}
	t.renewals++
	t.lastRenewal = at
}

// begin starts a hold.
func (t *track) begin(since time.Time, exact bool) {
	t.since, t.sinceExact = since, exact
	t.renewals, t.lastRenewal = 0, time.Time{}
	t.gaps = [periodSamples]time.Duration{}
	t.partial = partialRelease{}
	t.lease, t.leaseSetAt = 0, time.Time{}
	t.freedAt, t.freedBy = time.Time{}, ""
}

// end closes the present hold and remembers it.
func (t *track) end(at time.Time, exact bool, cause Cause) {
	owner := t.owner()
	hold := Hold{
		Owner: owner.Owner, Label: owner.Label, Since: t.since, SinceExact: t.sinceExact,
		Until: at, UntilExact: exact, Cause: cause, Renewals: t.renewals,
	}
	kept := t.history[max(0, len(t.history)-maxHolds+2):]
	t.history = append(slices.Clone(kept), hold)
}

// held is for how long the present hold has lasted.
func (t *track) held(at time.Time) time.Duration { return max(0, at.Sub(t.since)) }

// setLease remembers how long the lease was when it was set.
func (t *track) setLease(at time.Time) {
	if end := t.leaseEnd(); !end.IsZero() {
		t.lease, t.leaseSetAt = end.Sub(at), at
	}
}

// acquired counts n acquisitions for the sparkline.
func (t *track) acquired(n int, at time.Time) {
	t.advance(at)
	last := &t.acquisitions[SparkBuckets-1]
	*last = uint16(min(int(*last)+n, 1<<16-1))
}

func (t *track) advance(now time.Time) {
	if t.sparkStart.IsZero() {
		t.sparkStart = now.Truncate(SparkBucket)
	}
	steps := int(min(now.Sub(t.sparkStart)/SparkBucket, SparkBuckets))
	if steps <= 0 {
		return
	}
	copy(t.acquisitions[:], t.acquisitions[steps:])
	clear(t.acquisitions[SparkBuckets-steps:])
	t.sparkStart = now.Truncate(SparkBucket)
}

// build makes the lock that snapshots show, and says when it will change by time alone (zero: never).
func (s *store) build(t *track, now time.Time) (*Lock, time.Time) {
	t.advance(now)
	l := &Lock{
		Ref: t.ref, Scheme: t.recognition.scheme, Mode: t.recognition.mode, Holders: t.recognition.holders,
		ExpiresAt: t.record.ExpiresAt, LeaseEnds: t.recognition.leaseEnds,
		HeldSince: t.since, HeldExact: t.sinceExact,
		Renewals: t.renewals, RenewalPeriod: t.period(), LastRenewal: t.lastRenewal,
		Waiters:  Waiters{By: WaitersNone},
		Evidence: t.recognition.evidence, Observed: t.record,
		Acquisitions: t.acquisitions, SparkStart: t.sparkStart,
		FreedAt: t.freedAt, FreedBy: t.freedBy,
	}
	if !t.isLock {
		l.State, l.History = StateFreed, t.history
		l.Findings = s.lost(t, now, nil)
		return l, t.freedAt.Add(s.options.Linger)
	}
	owner := t.owner()
	l.History = append(slices.Clip(t.history), Hold{
		Owner: owner.Owner, Label: owner.Label, Since: t.since, SinceExact: t.sinceExact,
	})
	if l.Scheme == SchemeUnknown {
		l.State = StateWrong
	}
	l.State = l.StateAt(now)
	findings, wake := s.findings(t, l, now)
	l.Findings = findings
	if end := endOfLease(t.record, t.recognition); end.After(now) {
		wake = earlier(wake, end.Add(time.Millisecond))
	}
	return l, wake
}

// earlier is the earlier of two moments, where zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
