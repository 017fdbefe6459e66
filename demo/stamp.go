package demo

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// stamp is a timestamp lock as one worker wants it. The end of the lease that is written into it is in our time, and there is
// no TTL that a change of the tempo could stretch. So the lease is scaled once, when it is written, and who holds it goes by
// the end that it wrote: at a slower tempo a careful worker gets less of its job done, and leaves in time. At a faster one it
// is done early; only after a crash others wait for longer than the script has it.
type stamp struct {
	worker     *worker
	way        stampWay
	label, key string
	lease      time.Duration // in our time
	ahead      time.Duration // by how much the worker's clock is wrong
	signed     bool          // the worker's name stands before the end, as some clients write it
	lapsed     func()        // called when ask has seen that its time is over

	seen     string    // what was in it when its time was seen to be over
	replaced string    // what GETSET replaced although it had not been seen
	wrote    string    // what the worker wrote last
	ends     time.Time // when that lease ends, by the right clock
}

func (c *stamp) name() string { return c.label }

// acquire is one of everyday's attempts.
func (c *stamp) acquire(ctx context.Context) (bool, error) {
	c.lease = c.worker.scaled(stampLease)
	return c.way.ask(c, ctx)
}

// looks and takes are the steps of a takeover.
func (c *stamp) looks(ctx context.Context) (bool, error) { return c.way.look(c, ctx) }
func (c *stamp) takes(ctx context.Context) (bool, error) { return c.way.take(c, ctx) }

// clock is the time by the worker's clock.
func (c *stamp) clock() time.Time { return time.Now().Add(c.ahead) }

// stop is when a careful worker leaves.
func (c *stamp) stop() time.Time { return c.ends.Add(-time.Duration(margin * float64(c.lease))) }

// enter goes in, unless the worker was held up for so long that it is too late for that: then it gives the lock back.
func (c *stamp) enter(ctx context.Context) (v *visit, in bool) {
	if !time.Now().Before(c.stop()) {
		c.giveBack(ctx)
		return nil, false
	}
	return c.worker.ledger.enter(c.label, c.worker.name), true
}

// work does a job as a careful worker does, and says false where it had to stop before it was done.
func (c *stamp) work(ctx context.Context, job time.Duration) bool {
	inTime, cancel := context.WithDeadline(ctx, c.stop())
	defer cancel()
	return c.worker.pause(inTime, job)
}

// stay does a job inside, leaves and gives the lock back.
func (c *stamp) stay(ctx context.Context, v *visit, job time.Duration) {
	if c.work(ctx, job) {
		v.leave()
	} else {
		v.die() // what is not done in time is left to the next one
	}
	c.giveBack(ctx)
}

// giveBack releases the lock, and tells if it was not the worker's any more.
func (c *stamp) giveBack(ctx context.Context) {
	released, err := c.way.release(c, ctx)
	switch {
	case err != nil:
		c.worker.trouble(ctx, err)
	case !released:
		c.worker.say("%s does not find its own end in %s any more, and leaves the lock alone", c.worker.name, c.label)
	}
}

// takeByScript acquires the lock in one script, which also takes it over where it has lapsed: nobody comes in between.
func (c *stamp) takeByScript(ctx context.Context) (bool, error) {
	ends := time.Now().Add(c.lease)
	value, won, err := c.worker.locker.AcquireTimestamp(ctx, c.key, c.lease)
	if won {
		c.wrote, c.ends = value, ends
	}
	return won, err
}

// tellRefused tells of a takeover by script that came second.
func (c *stamp) tellRefused(winner *stamp) {
	c.worker.ledger.fact("the second of two takers was refused by the script")
	c.worker.news("%s got %s, and %s was refused: the script looks and writes in one step", winner.worker.name, c.label, c.worker.name)
}

// releaseOwn deletes the lock if what the worker wrote is still in it.
func (c *stamp) releaseOwn(ctx context.Context) (bool, error) {
	return c.worker.locker.ReleaseTimestamp(ctx, c.key, c.wrote)
}

// endOf reads the end of a lease, also behind a name; what is no number is the zero time.
func endOf(value string) time.Time {
	ms, err := strconv.ParseInt(value[strings.LastIndexByte(value, ':')+1:], 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}
