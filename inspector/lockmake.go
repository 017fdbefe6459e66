package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// cell is a Lock in one piece of memory with what nearly every lock has one of: a holder, and the present hold. It just
// fits into the allocator's 896 bytes; the next size is 1024, and there is a cell for every lock.
type cell struct {
	Lock
	holders [1]Holder
	holds   [1]Hold
}

// newLock makes a lock of a record that was recognised; its hold has not begun yet.
func newLock(r keyspace.Record, found recognition) *Lock {
	c := new(cell)
	c.Ref = r.Ref
	c.Holders = c.holders[:0]
	c.History = c.holds[:0]
	c.show(r, found)
	return &c.Lock
}

// clone makes a copy that shares nothing that the store changes.
func (l *Lock) clone() *Lock {
	c := new(cell)
	c.Lock = *l
	c.Holders = append(c.holders[:0], l.Holders...)
	if len(l.History) <= len(c.holds) {
		c.History = append(c.holds[:0], l.History...)
	} else {
		c.History = slices.Clone(l.History)
	}
	return &c.Lock
}

// forever is a TTL that is none: php-lock sets a thousand years where it is given no timeout.
const forever = 100 * 365 * 24 * time.Hour

// EndOfTTL is when the key of a record expires; zero if it has no TTL, or one of more than a hundred years.
func EndOfTTL(r keyspace.Record) time.Time {
	if !r.ReadAt.IsZero() && r.ExpiresAt.Sub(r.ReadAt) > forever {
		return time.Time{}
	}
	return r.ExpiresAt
}

// show takes over what a record says: holders, ends, and the record itself.
func (l *Lock) show(r keyspace.Record, found recognition) {
	l.Node = r.Node
	l.Scheme = found.scheme
	l.ExpiresAt, l.FieldTTLs = earlier(EndOfTTL(r), found.fieldsEnd), found.fieldTTLs
	l.LeaseEnds = found.leaseEnds
	l.Observed = withoutStrangers(r, found.scheme)
	l.FreedAt, l.FreedBy = time.Time{}, ""
	l.Mode = found.mode
	l.Holders = append(l.Holders[:0], found.holders...)
	l.Waiters, l.FencingToken, l.Quorum = found.waiters, found.fencing, found.quorum
	if l.Waiters.By == "" {
		l.Waiters.By = WaitersNone
	}
}

// holder is the first holder, or a zero one.
func (l *Lock) holder() Holder {
	if len(l.Holders) == 0 {
		return Holder{}
	}
	return l.Holders[0]
}

// leaseEnd is when the holder's right ends: by the value where it says so, or by the key's TTL, whichever is the earlier;
// zero: never.
func (l *Lock) leaseEnd() time.Time { return earlier(l.ExpiresAt, l.LeaseEnds) }

// begin starts a hold by the present holder. exact: the acquisition was seen at that time.
func (l *Lock) begin(at time.Time, exact bool) {
	l.HeldSince, l.HeldExact = at, exact
	l.Renewals, l.RenewalPeriod, l.LastRenewal = 0, 0, time.Time{}
	count := l.holder().Count.N
	l.mind = mind{
		round: l.mind.round, contendedUntil: l.mind.contendedUntil, surelySince: at.UnixNano(),
		enters: uint16(min(max(count, 1), maxEntries)), leaseExact: exact,
	}
	if end := l.leaseEnd(); !end.IsZero() {
		if exact {
			l.mind.lease = end.Sub(at)
		} else {
			l.mind.lease = end.Sub(l.Observed.ReadAt)
		}
	}
	for _, h := range l.Holders {
		l.History = append(l.History, Hold{Owner: h.Owner, Label: h.Label, Since: at, SinceExact: exact})
	}
}

// hold is the present hold, or nil.
func (l *Lock) hold() *Hold {
	if n := len(l.History); n > 0 && l.History[n-1].Until.IsZero() {
		return &l.History[n-1]
	}
	return nil
}

// renew counts renewals of the present hold, of which the last was at that time.
func (l *Lock) renew(at time.Time, times int) {
	since := l.LastRenewal
	if since.IsZero() && l.HeldExact {
		since = l.HeldSince
	}
	if !since.IsZero() && at.After(since) {
		gap := at.Sub(since) / time.Duration(times)
		l.mind.gaps[l.mind.gapCount%uint32(len(l.mind.gaps))] = milliseconds(gap)
		l.mind.gapCount++
		l.RenewalPeriod = l.mind.period()
	}
	l.Renewals += times
	l.LastRenewal = at
	if h := l.hold(); h != nil {
		h.Renewals = l.Renewals
	}
}

// milliseconds is a time between two renewals as it is remembered.
func milliseconds(gap time.Duration) uint32 { return uint32(min(max(gap.Milliseconds(), 0), 1<<31)) }

// period is the median of the last gaps.
func (m *mind) period() time.Duration {
	gaps := m.gaps
	known := gaps[:min(int(m.gapCount), len(gaps))]
	slices.Sort(known)
	return time.Duration(known[len(known)/2]) * time.Millisecond
}

// acquired counts acquisitions in the buckets of the last minute.
func (l *Lock) acquired(at time.Time, times int) {
	l.Acquisitions = l.AcquisitionsAt(at)
	l.SparkStart = uint32(at.Truncate(SparkBucket).Unix())
	last := &l.Acquisitions[SparkBuckets-1]
	*last = uint16(min(int(*last)+times, 1<<16-1))
}
