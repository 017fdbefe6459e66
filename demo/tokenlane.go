package demo

import (
	"context"
	"sync/atomic"
	"time"
)

// tokenLane is a token lock that three workers use in turn. Now and then one is done, and stalls before it releases the lock,
// until another one is inside. A third one always asks for the lock meanwhile.
type tokenLane struct {
	label   string
	first   time.Duration              // when a release comes late for the first time
	release func(*worker) tokenRelease // the way in which a worker releases the lock
	flawed  bool                       // a late release deletes the next holder's lock
	outcome string                     // what a late release did, with the name of the next holder
}

// lateness is a release that comes late, and what becomes of the one who has the lock then.
type lateness struct {
	inside chan struct{} // closed when the next holder is inside
	left   chan struct{} // closed when it has left, and released what it could
	next   string        // its name, once it is inside
}

func (l tokenLane) play(ctx context.Context, s *stage) {
	var expected atomic.Pointer[lateness] // that the next one who gets in is to take up
	for range 3 {
		s.hire(ctx, func(ctx context.Context, w *worker) { l.work(ctx, w, &expected) })
	}
}

// work is the life of a worker that uses the lock.
func (l tokenLane) work(ctx context.Context, w *worker, expected *atomic.Pointer[lateness]) {
	release := l.release(w)
	for w.pause(ctx, w.about(shortPause)) {
		c := w.tokenLock(l.label, tokenLease)
		if !w.seek(ctx, c, time.Minute) {
			continue
		}
		v, in := l.enter(w, c)
		if !in {
			l.giveBack(ctx, w, c, release)
			continue
		}
		late := expected.Swap(nil)
		if late == nil && w.due("late release in "+l.label, l.first, nextLate) {
			l.stall(ctx, w, c, v, release, expected)
			continue
		}
		job := w.about(shortJob)
		if late != nil {
			job, late.next = longJob, w.name
			close(late.inside)
		}
		w.finish(ctx, v, job, &c.claim)
		l.giveBack(ctx, w, c, release)
		if late != nil {
			close(late.left)
		}
	}
}

// enter goes in, unless the worker was held up for so long that it is too late for that.
func (l tokenLane) enter(w *worker, c *tokenLock) (v *visit, in bool) {
	if c.late() {
		return nil, false
	}
	w.tellHandOver(l.label)
	if other := w.ledger.holder(l.label); other != "" {
		w.news("%s got %s while %s is inside, whose lock was deleted: nothing keeps them apart", w.name, l.label, other)
	}
	return w.ledger.enter(l.label, w.name), true
}

// giveBack releases the lock at once.
func (l tokenLane) giveBack(ctx context.Context, w *worker, c *tokenLock, release tokenRelease) {
	released, err := release(ctx, c, func(context.Context) error { return nil })
	switch {
	case err != nil:
		w.trouble(ctx, err)
	case !released:
		w.say("%s found nothing of its own to release in %s", w.name, l.label)
	}
}

// stall does a short job, leaves, and is late with the release: that comes when the next holder is at work inside.
func (l tokenLane) stall(ctx context.Context, w *worker, c *tokenLock, v *visit, release tokenRelease, expected *atomic.Pointer[lateness]) {
	w.finish(ctx, v, time.Second, &c.claim)
	done := time.Now()
	late := &lateness{inside: make(chan struct{}), left: make(chan struct{})}
	expected.Store(late)
	w.news("%s is done in %s, but stalls before its release: the lock stays until its lease of %s is over", w.name, l.label,
		w.told(c.lease))
	released, err := release(ctx, c, func(ctx context.Context) error {
		if l.await(ctx, w, late.inside) && w.pause(ctx, time.Second) {
			return nil
		}
		return ctx.Err()
	})
	took := time.Since(done)
	if err != nil {
		w.trouble(ctx, err)
	}
	if expected.CompareAndSwap(late, nil) || !l.await(ctx, w, late.inside) {
		return // nobody was harmed, or could be
	}
	switch {
	case err != nil || released != l.flawed: // somebody else came in between
		return
	case released:
		w.ledger.fact("a late release deleted the lock of the next holder")
	default:
		w.ledger.fact("a late release was refused")
	}
	w.news("%s released %s %s late: "+l.outcome, w.name, l.label, span(took), late.next)
	if l.await(ctx, w, late.left) {
		w.ledger.play()
	}
}

// await waits for a signal, but not much longer than leases last; false: the context ended first.
func (l tokenLane) await(ctx context.Context, w *worker, signal <-chan struct{}) bool {
	return w.clock.sleepUntil(ctx, w.clock.now().add(4*tokenLease), signal)
}
