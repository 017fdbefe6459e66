package demo

import (
	"context"
	"sync"
	"time"
)

// moment is a time by the clock of a demo, counted from its beginning. At speed 1 it goes as ours does.
type moment time.Duration

func (m moment) add(d time.Duration) moment { return m + moment(d) }

// until is the time from m to a later moment; negative: it is past.
func (m moment) until(later moment) time.Duration { return time.Duration(later - m) }

const (
	// heldRate is how fast time goes while a demo is held: people talk for minutes, and nothing happens in them.
	heldRate = 0.01
	// The user's factor is doubled and halved within these limits.
	slowest = 1.0 / 16
	fastest = 16
	// maxRate is as fast as leases of some seconds can become and still be longer than a command takes.
	maxRate = 100
)

// clock is the time of a demo: workers sleep by it, and leases are scaled by it, so that a change of the tempo changes both.
// It is safe for concurrent use.
type clock struct {
	mu      sync.Mutex
	rate    float64 // moments a second of ours
	passed  time.Duration
	since   time.Time     // when the rate was set
	changed chan struct{} // closed when the rate changes
}

func newClock(rate float64) *clock {
	return &clock{rate: rate, since: time.Now(), changed: make(chan struct{})}
}

func (c *clock) now() moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read()
}

func (c *clock) read() moment {
	return moment(c.passed + time.Duration(float64(time.Since(c.since))*c.rate))
}

// set changes how fast time goes from now on.
func (c *clock) set(rate float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed = time.Duration(c.read())
	c.since, c.rate = time.Now(), rate
	close(c.changed)
	c.changed = make(chan struct{})
}

// steady begins to watch the rate; what it returns says whether the rate has not been set since.
func (c *clock) steady() (still func() bool) {
	changes := func() <-chan struct{} {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.changed
	}
	began := changes()
	return func() bool { return changes() == began }
}

// scaled is how long a duration of the script takes in our time, as fast as it goes now; Redis counts in milliseconds, so
// it is never less than one.
func (c *clock) scaled(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ours(d)
}

// scripted is how long a duration of ours is in the script, as fast as it goes now.
func (c *clock) scripted(d time.Duration) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Duration(float64(d) * c.rate)
}

func (c *clock) ours(d time.Duration) time.Duration {
	return max(time.Duration(float64(d)/c.rate), time.Millisecond)
}

// wait waits in our time, for what has nothing to do with the script; false: the context ended first.
func wait(ctx context.Context, d time.Duration) bool { return newClock(1).sleep(ctx, d) }

// sleep waits for a duration of the script; false: the context ended first. Also true, and at once, where there is
// nothing to wait for.
func (c *clock) sleep(ctx context.Context, d time.Duration) bool {
	return c.sleepUntil(ctx, c.now().add(d), nil)
}

// sleepUntil waits for a moment, or until woken is closed; false: the context ended first.
func (c *clock) sleepUntil(ctx context.Context, end moment, woken <-chan struct{}) bool {
	for ctx.Err() == nil {
		c.mu.Lock()
		left, changed := c.read().until(end), c.changed
		wait := c.ours(left)
		c.mu.Unlock()
		if left <= 0 {
			return true
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-changed:
		case <-woken:
			timer.Stop()
			return ctx.Err() == nil
		case <-ctx.Done():
		}
		timer.Stop()
	}
	return false
}
