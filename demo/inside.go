package demo

import (
	"context"
	"fmt"
	"time"
)

// This file has what a careful worker does from the moment that it has a lock until it has given it back.

// margin is what a careful worker leaves of its lease: what a goroutine may be late by on a busy machine.
const margin = 0.15

// work does a job under a lease as a careful worker does: it stops in time if the job takes longer than the lease, and then
// says false.
func (w *worker) work(ctx context.Context, job time.Duration, c *claim) bool {
	left := w.clock.now().until(c.safe())
	return w.pause(ctx, min(job, left)) && job <= left
}

// careful is a lock whose worker looks at the clock.
type careful interface {
	lock
	late() bool
}

// tooLate says that a worker was held up for so long since it got the lock that it should not even go inside. Then it gives the
// lock back at once.
func (w *worker) tooLate(ctx context.Context, l careful) bool {
	if !l.late() {
		return false
	}
	w.handBack(ctx, l)
	return true
}

// finish does a job inside, and leaves. What is not done in time is left to the next one.
func (w *worker) finish(ctx context.Context, v *visit, job time.Duration, c *claim) {
	if w.work(ctx, job, c) {
		v.leave()
	} else {
		v.die()
	}
}

// tellHandOver tells who got a lock from whom, where somebody waits for it.
func (w *worker) tellHandOver(label string) {
	before, waiting := w.ledger.lastDeparture(label), w.ledger.waiters(label)
	if before.worker == "" || waiting == 0 {
		return
	}
	w.say("%s got %s %s after %s had left it; %s for it", w.name, label, brief(time.Since(before.at)), before.worker, moreWait(waiting))
}

// moreWait is "1 more waits", "3 more wait".
func moreWait(n int) string {
	if n == 1 {
		return "1 more waits"
	}
	return fmt.Sprintf("%d more wait", n)
}

// giveBack releases a lock, and it is news if it was not the worker's any more.
func (w *worker) giveBack(ctx context.Context, l lock) { w.release(ctx, l, w.news) }

// handBack is giveBack where that is no news: what was done under the lock is.
func (w *worker) handBack(ctx context.Context, l lock) { w.release(ctx, l, w.say) }

func (w *worker) release(ctx context.Context, l lock, tell func(format string, args ...any)) {
	released, err := l.release(ctx)
	switch {
	case err != nil:
		w.trouble(ctx, err)
	case !released:
		w.ledger.fact("a late release was refused")
		tell("%s wanted to release %s, which is no longer its own: its release does nothing", w.name, l.name())
	}
}
