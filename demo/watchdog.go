package demo

import (
	"context"
	"fmt"
	"time"
)

// watchdog renews a lease in the background.
type watchdog struct {
	cancel context.CancelFunc
	ended  chan struct{}
	lost   chan struct{} // closed when a renewal was refused
}

// unlimited is for a watchdog that renews as long as its process lives.
const unlimited = -1

// watch starts a watchdog that renews every so often, at most so many times.
func (w *worker) watch(ctx context.Context, l lock, every time.Duration, times int) *watchdog {
	ctx, cancel := context.WithCancel(ctx)
	d := &watchdog{cancel: cancel, ended: make(chan struct{}), lost: make(chan struct{})}
	go func() {
		defer close(d.ended)
		for n := 0; n != times && w.pause(ctx, every); n++ {
			renewed, err := l.extend(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				w.ledger.failed(fmt.Errorf("%s: %w", w.name, err)) // the next renewal may still come in time
			case !renewed:
				close(d.lost)
				return
			}
		}
	}()
	return d
}

// refused says whether a renewal was refused: the lock is the worker's no longer.
func (d *watchdog) refused() bool {
	select {
	case <-d.lost:
		return true
	default:
		return false
	}
}

// stop ends the watchdog and waits for it.
func (d *watchdog) stop() {
	d.cancel()
	<-d.ended
}

// workRenewed is work under a lease that a watchdog renews: it goes on for as long as the renewals come in time.
func (w *worker) workRenewed(ctx context.Context, job time.Duration, c *claim, dog *watchdog) bool {
	done := w.clock.now().add(job)
	for w.clock.sleepUntil(ctx, min(done, c.safe()), dog.lost) && !dog.refused() {
		switch now := w.clock.now(); {
		case now >= c.safe():
			return false
		case now >= done:
			return true
		}
	}
	return false
}

// finishRenewed is finish under a lease that a watchdog renews. It says whether the job was done, and tells why where it was not.
func (w *worker) finishRenewed(ctx context.Context, v *visit, job time.Duration, c *claim, dog *watchdog) (done bool) {
	if w.workRenewed(ctx, job, c, dog) {
		v.leave()
		return true
	}
	v.die()
	w.tellStopped(ctx, c.label, dog)
	return false
}

// tellStopped tells why a careful worker did not end its job.
func (w *worker) tellStopped(ctx context.Context, label string, dog *watchdog) {
	switch {
	case ctx.Err() != nil:
	case dog.refused():
		w.news("%s's watchdog was refused: %s was taken from it, and it stops at once", w.name, label)
	default:
		w.news("%s's renewal of %s was late: it stops while the lease lasts, and leaves the job to the next one", w.name, label)
		w.ledger.fact("a worker whose renewal was late stopped in time")
	}
}
