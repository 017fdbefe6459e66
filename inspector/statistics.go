package inspector

import (
	"math"
	"slices"
	"time"
)

// HoldTimes is for how long a lock was held, by the holds that were seen from begin to end.
type HoldTimes struct {
	Count int
	// P50, P90 and P99 are exact where Approximate is not set. Else they are within 9 %: there were more holds than Lock.History has.
	P50, P90, P99, Max time.Duration
	Approximate        bool
	// Bars are how many holds took how long: each of them from its From until the From of the next, by a quarter of an octave or
	// more. The first and the last have some.
	Bars []HoldBar
}

// HoldBar is how many holds took From or longer, and less than the next one's.
type HoldBar struct {
	From  time.Duration
	Count int
}

// HoldTimes is for how long the lock was held by its past holders.
func (l *Lock) HoldTimes() HoldTimes {
	var list []time.Duration
	buckets := [holdBuckets]uint16{}
	for i := range l.History {
		if h := &l.History[i]; h.whole() {
			held := h.Until.Sub(h.Since)
			list = append(list, held)
			buckets[holdBucket(held)]++
		}
	}
	slices.Sort(list)
	out := HoldTimes{Count: len(list)}
	if c := l.chronicle; c != nil && int(c.counted) > len(list) {
		out.Count, out.Max, out.Approximate = int(c.counted), c.longest, true
		buckets = c.holds
		out.P50, out.P90, out.P99 = c.quantile(0.5), c.quantile(0.9), c.quantile(0.99)
	} else if len(list) > 0 {
		out.Max = list[len(list)-1]
		out.P50, out.P90, out.P99 = quantile(list, 0.5), quantile(list, 0.9), quantile(list, 0.99)
	}
	out.Bars = bars(buckets)
	return out
}

// quantile is the least of some sorted durations that so great a part of them does not exceed.
func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[rank(len(sorted), q)]
}

// rank is the place of a quantile among so many, from 0.
func rank(n int, q float64) int { return min(max(int(math.Ceil(q*float64(n)))-1, 0), n-1) }

// quantile is the same by the buckets.
func (c *chronicle) quantile(q float64) time.Duration {
	total := 0
	for _, n := range c.holds {
		total += int(n)
	}
	at := rank(total, q)
	for i, n := range c.holds {
		if at -= int(n); at < 0 {
			return min(bucketMiddle(i), c.longest)
		}
	}
	return c.longest
}

// bars are the buckets between the first and the last that have something.
func bars(buckets [holdBuckets]uint16) []HoldBar {
	first, last := holdBuckets, -1
	for i, n := range buckets {
		if n > 0 {
			first, last = min(first, i), i
		}
	}
	var out []HoldBar
	for i := first; i <= last; i++ {
		from := time.Duration(0)
		if i > 0 {
			from = scale(time.Millisecond, math.Exp2(float64(i)/bucketsAnOctave))
		}
		out = append(out, HoldBar{From: from, Count: int(buckets[i])})
	}
	return out
}

// Minutes are counts of the last minutes, oldest first; the last one is the running minute.
type Minutes [ChronicleMinutes]int

// Last is the sum of the last n minutes, the running one included.
func (m Minutes) Last(n int) (sum int) {
	for _, count := range m[max(len(m)-n, 0):] {
		sum += count
	}
	return sum
}

// AcquisitionsPerMinute are the acquisitions of the last hour before a moment, by the minutes of the clock.
func (l *Lock) AcquisitionsPerMinute(now time.Time) Minutes {
	c := l.chronicle
	if c == nil { // it did not change hands: its only holds are in the history
		c = l.recall()
		if h := l.hold(); h != nil && h.SinceExact {
			c.acquired(h.Since, 1)
		}
	}
	return c.minutes(c.acquisitions, now, 0)
}

// WaitersPerMinute are the most waiters that were seen in each of the last minutes, since the lock changed hands for the first time.
// False: none were, or they cannot be seen.
func (l *Lock) WaitersPerMinute(now time.Time) (Minutes, bool) {
	if l.chronicle == nil {
		return Minutes{}, false
	}
	most := l.chronicle.minutes(l.chronicle.waiters, now, l.chronicle.waiting)
	return most, slices.Max(most[:]) > 0
}

// minutes moves a row on to a moment, with what went on meanwhile.
func (c *chronicle) minutes(row [ChronicleMinutes]uint16, now time.Time, went uint16) (out Minutes) {
	if c.minute == 0 {
		return out
	}
	row = moved(row, now.Unix()/60-c.minute, went)
	for i, n := range row {
		out[i] = int(n)
	}
	return out
}

// Rhythm is how regularly the present holder renews its lease.
type Rhythm struct {
	// Period is the median of the last times between two renewals, and Jitter half of what the middle half of them differ by: what
	// "10.0 s ± 0.2 s" says. Period is zero while it is not known.
	Period, Jitter time.Duration
	// Gaps are those times, oldest first, and Last is when the last renewal was.
	Gaps []time.Duration
	Last time.Time
}

// Due is when the next renewal may be expected; zero: that is not known.
func (r Rhythm) Due() time.Time {
	if r.Period == 0 || r.Last.IsZero() {
		return time.Time{}
	}
	return r.Last.Add(r.Period)
}

// Rhythm is how regularly the present hold is renewed. A renewal that was only found at a poll is as late as the poll.
func (l *Lock) Rhythm() Rhythm {
	out := Rhythm{Last: l.LastRenewal, Gaps: l.gaps()}
	if len(out.Gaps) == 0 {
		return out
	}
	sorted := slices.Sorted(slices.Values(out.Gaps))
	n := len(sorted)
	out.Period = sorted[n/2]
	out.Jitter = (sorted[n-1-n/4] - sorted[n/4]) / 2
	return out
}

// gaps are the last times between two renewals of the present hold, oldest first.
func (l *Lock) gaps() []time.Duration {
	ring, count := l.mind.gaps[:], l.mind.gapCount
	if c := l.chronicle; c != nil && c.gapCount >= min(count, uint32(len(ring))) {
		ring, count = c.gaps[:], c.gapCount
	}
	size := uint32(len(ring))
	var out []time.Duration
	for n := count - min(count, size); n != count; n++ {
		out = append(out, time.Duration(ring[n%size])*time.Millisecond)
	}
	return out
}

// FailuresPerMinute are attempts to acquire the lock that failed. No event tells of them and no key keeps them: only what looks at the
// commands themselves can see them, for as long as it looks. False: nothing did.
func (l *Lock) FailuresPerMinute() (perMinute float64, sampled bool) { return 0, false }

// RememberedSince is from when on the holds in History are all that there were; zero: as long as the lock was looked at.
func (l *Lock) RememberedSince() time.Time {
	if !l.forgets {
		return time.Time{}
	}
	var first time.Time
	for i := range l.History {
		h := &l.History[i]
		if !h.Until.IsZero() {
			return h.Since // the older ones that are there go on
		}
		first = h.Since
	}
	return first
}
