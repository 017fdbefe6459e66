package keyspace

import (
	"context"
	"sync"
	"time"
)

// clock is what we know of a server's clock. The offset of the measurement with the shortest round trip of the last few
// is the best one: half of a round trip bounds its error.
type clock struct {
	mu      sync.Mutex
	samples []clockSample
}

type clockSample struct {
	offset, roundTrip time.Duration
}

// clockMemory is how many measurements the clock chooses from; a clock that jumps is followed after as many.
const clockMemory = 4

// clockJump is how far a measurement may lie from the rest before the rest is forgotten: the clock was set.
const clockJump = 500 * time.Millisecond

func newClock() *clock { return &clock{} }

func (c *clock) add(sent, received, server time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	roundTrip := received.Sub(sent)
	s := clockSample{offset: server.Sub(sent.Add(roundTrip / 2)), roundTrip: roundTrip}
	if n := len(c.samples); n > 0 && (c.samples[n-1].offset-s.offset).Abs() > clockJump+roundTrip {
		c.samples = c.samples[:0]
	}
	if len(c.samples) == clockMemory {
		c.samples = append(c.samples[:0], c.samples[1:]...)
	}
	c.samples = append(c.samples, s)
}

// forget drops what was measured: one of the two clocks is another one now.
func (c *clock) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.samples = c.samples[:0]
}

// known says whether the server has told us its time.
func (c *clock) known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.samples) > 0
}

// offset is the server's clock minus ours; zero where it is not known.
func (c *clock) offset() time.Duration { return c.best().offset }

func (c *clock) best() clockSample {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.samples) == 0 {
		return clockSample{}
	}
	best := c.samples[0]
	for _, s := range c.samples[1:] {
		if s.roundTrip <= best.roundTrip {
			best = s
		}
	}
	return best
}

// clockMoved is how far the clock may move before all that was reckoned by it counts as wrong: less is noise, and what two
// machines drift apart.
const clockMoved = 100 * time.Millisecond

// ownClock finds out that our own clock was set: it then goes by another time than the one by which the process runs.
type ownClock struct {
	wall    time.Time
	running time.Duration
}

// wasSet is told what the clock shows, and for how long the process has been running.
func (o *ownClock) wasSet(wall time.Time, running time.Duration) bool {
	before := *o
	*o = ownClock{wall.Round(0), running}
	return !before.wall.IsZero() && (o.wall.Sub(before.wall)-(running-before.running)).Abs() > clockMoved
}

// checkOwnClock has the server's clock measured at once where ours was set.
func (f *feed) checkOwnClock(now time.Time) {
	if f.own.wasSet(now, now.Sub(f.began)) {
		f.connection.clock.forget()
		f.nextClock = time.Time{}
	}
}

// checkClock measures the server's clock, and has everything read again when it was set (or ours was): what is known of each
// key's expiry was reckoned by the clock as it was.
func (f *feed) checkClock(ctx context.Context) error {
	c := f.connection
	if err := c.measureClock(ctx); err != nil {
		return err
	}
	now := c.clock.best()
	f.status.ClockOffset = now.offset
	if (now.offset - f.reckonedBy).Abs() > clockMoved+now.roundTrip {
		f.reckonedBy = now.offset
		f.startOver("the clock was set")
	}
	return nil
}

// measureClock asks the server for its time. Where the user may not (NOPERM on TIME), PTTL tells what is left of each key
// without any clock; only where that is denied as well must we assume that the clocks agree.
func (c *Connection) measureClock(ctx context.Context) error {
	sent := time.Now()
	server, err := c.reader.Time(ctx).Result()
	if isAnswer(err) {
		return nil
	}
	if err != nil {
		return err
	}
	c.clock.add(sent, time.Now(), server)
	return nil
}
