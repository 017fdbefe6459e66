package inspector

import (
	"math"
	"time"
)

// What a chronicle remembers, and how many locks have one.
const (
	// ChronicleMinutes are the minutes that [Lock.AcquisitionsPerMinute] goes back.
	ChronicleMinutes = 60
	// maxChronicles bounds the locks with a chronicle. Each takes less than a kilobyte, so that they are a few megabytes together,
	// whatever the number of locks.
	maxChronicles = 10_000
	// A bucket of hold times reaches from one of its quarters of an octave to the next: a quantile that is told by its middle is
	// wrong by 9 % at most. They go from a millisecond up to three days.
	holdBuckets, bucketsAnOctave = 112, 4
	// renewalGaps are the last times between renewals that are kept.
	renewalGaps = 24
)

// chronicle is what is remembered of a lock over minutes. Most locks have none: it is made when a lock changes hands for the first
// time, or was renewed for longer than [mind] remembers, and begins with what the lock's history tells.
type chronicle struct {
	round uint32 // as in mind
	// longest of the holds that are in the buckets.
	longest time.Duration
	// minute is the last one of acquisitions and waiters, in minutes of Unix time.
	minute       int64
	acquisitions [ChronicleMinutes]uint16
	waiters      [ChronicleMinutes]uint16 // the most that waited
	waiting      uint16                   // who wait since, and go on to until somebody says otherwise
	holds        [holdBuckets]uint16
	counted      uint32 // holds that were counted ever
	gaps         [renewalGaps]uint32
	gapCount     uint32
	// kept is set of a lock that was read from a recording, and told of in the place of what nobody knows of it any more.
	kept *Kept
}

// chronicleOf is the lock's chronicle for a change; nil: it has none, and there are too many already. The lock is being edited.
func (s *store) chronicleOf(l *Lock) *chronicle {
	switch c := l.chronicle; {
	case s.part:
		return nil // nobody looks at a single vote
	case c == nil && s.chronicles >= maxChronicles:
		return nil
	case c == nil:
		s.chronicles++
		l.chronicle = l.recall()
		l.chronicle.round = s.round
	case c.round != s.round:
		copied := *c
		copied.round = s.round
		l.chronicle = &copied
	}
	return l.chronicle
}

// recall makes a chronicle of what is known of the lock without one.
func (l *Lock) recall() *chronicle {
	c := &chronicle{}
	for i := range l.History {
		h := &l.History[i]
		if !h.Until.IsZero() && (i > 0 || h.SinceExact) { // the first one may have been found; the present one is counted by whoever asks
			c.acquired(h.Since, 1)
		}
		c.held(h)
	}
	known := min(l.mind.gapCount, uint32(len(l.mind.gaps)))
	for n := l.mind.gapCount - known; n != l.mind.gapCount; n++ {
		c.renewed(l.mind.gaps[n%uint32(len(l.mind.gaps))])
	}
	return c
}

// turn moves on to the minute of a moment, and says at which index that is; false: it is too long ago.
func (c *chronicle) turn(at time.Time) (int, bool) {
	minute := at.Unix() / 60
	switch steps := minute - c.minute; {
	case c.minute == 0 || steps >= ChronicleMinutes:
		c.acquisitions, c.waiters, c.minute = [ChronicleMinutes]uint16{}, moved(c.waiters, ChronicleMinutes, c.waiting), minute
	case steps > 0:
		c.acquisitions, c.waiters = moved(c.acquisitions, steps, 0), moved(c.waiters, steps, c.waiting)
		c.minute = minute
	}
	i := ChronicleMinutes - 1 - int(c.minute-minute)
	return i, i >= 0
}

// moved is a row of minutes, moved on by some, which get what went on meanwhile.
func moved(row [ChronicleMinutes]uint16, steps int64, went uint16) (out [ChronicleMinutes]uint16) {
	kept := 0
	if steps < ChronicleMinutes {
		kept = copy(out[:], row[max(steps, 0):])
	}
	for i := range out[kept:] {
		out[kept+i] = went
	}
	return out
}

func (c *chronicle) acquired(at time.Time, times int) {
	if i, is := c.turn(at); is {
		c.acquisitions[i] = uint16(min(int(c.acquisitions[i])+times, math.MaxUint16))
	}
}

// waited notes how many wait from a moment on.
func (c *chronicle) waited(at time.Time, count uint16) {
	if i, is := c.turn(at); is {
		c.waiters[i] = max(c.waiters[i], count)
	}
	c.waiting = count
}

// held counts a hold that is over, if it was seen from begin to end.
func (c *chronicle) held(h *Hold) {
	if !h.whole() {
		return
	}
	held := h.Until.Sub(h.Since)
	c.longest = max(c.longest, held)
	c.counted++
	i := holdBucket(held)
	if c.holds[i] == math.MaxUint16 { // what counts is the proportion
		for n := range c.holds {
			c.holds[n] /= 2
		}
	}
	c.holds[i]++
}

// whole says whether a hold is over, and was seen from begin to end.
func (h *Hold) whole() bool { return h.SinceExact && h.UntilExact && !h.Until.IsZero() }

// holdBucket is where a hold is counted: below a millisecond in the first bucket, and what is too long in the last.
func holdBucket(held time.Duration) int {
	if held <= time.Millisecond {
		return 0
	}
	octaves := math.Log2(float64(held) / float64(time.Millisecond))
	return min(int(octaves*bucketsAnOctave), holdBuckets-1)
}

// bucketMiddle is the geometric middle of a bucket.
func bucketMiddle(i int) time.Duration {
	return scale(time.Millisecond, math.Exp2((float64(i)+0.5)/bucketsAnOctave))
}

// renewed notes a time between two renewals, in milliseconds.
func (c *chronicle) renewed(gap uint32) {
	c.gaps[c.gapCount%renewalGaps] = gap
	c.gapCount++
}

// chronicleAcquired notes acquisitions of a lock that changed hands.
func (s *store) chronicleAcquired(l *Lock, at time.Time, times int) {
	if l.chronicle == nil && len(l.History) < 2 {
		return
	}
	if c := s.chronicleOf(l); c != nil {
		c.acquired(at, times)
	}
}

// chronicleHeld notes a hold that has just ended.
func (s *store) chronicleHeld(l *Lock, h *Hold) {
	if l.chronicle == nil {
		return // the history has it, should there be a chronicle one day
	}
	if c := s.chronicleOf(l); c != nil {
		c.held(h)
	}
}

// chronicleRenewed notes the last time between two renewals.
func (s *store) chronicleRenewed(l *Lock) {
	n := l.mind.gapCount
	if n == 0 || l.chronicle == nil && n <= uint32(len(l.mind.gaps)) {
		return
	}
	known := l.chronicle != nil
	c := s.chronicleOf(l)
	switch h := l.hold(); {
	case c == nil:
	case known:
		c.renewed(l.mind.gaps[(n-1)%uint32(len(l.mind.gaps))])
	case h != nil && h.SinceExact:
		c.acquired(h.Since, 1)
	}
}

// chronicleBegun forgets the renewals of the hold before.
func (s *store) chronicleBegun(l *Lock) {
	if l.chronicle == nil || l.chronicle.gapCount == 0 {
		return
	}
	if c := s.chronicleOf(l); c != nil {
		c.gapCount = 0
	}
}

// chronicleWaited notes how many wait for a lock that changed hands, where that is new.
func (s *store) chronicleWaited(l *Lock, at time.Time, count int) {
	if l.Waiters.By == WaitersNone {
		count = 0
	}
	waiting := uint16(min(max(count, 0), math.MaxUint16))
	if l.chronicle == nil || l.chronicle.waiting == waiting {
		return
	}
	if c := s.chronicleOf(l); c != nil {
		c.waited(at, waiting)
	}
}
