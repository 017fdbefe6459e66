package demo

import (
	"context"
	"time"
)

// hanging is a lane of workers whose jobs hang now and then, under a lock that a watchdog renews.
type hanging struct {
	label string
	// renewals is how often the watchdog renews at most. Where it is unlimited, nobody looks whether the job goes on.
	renewals    int
	cure        string        // what ends it but a hand
	first, next time.Duration // until a job hangs, and until another does after all was well
}

const (
	hungLock    = "lock:reports:nightly"
	boundedLock = "lock:reports:weekly"

	// boundedRenewals are as many as the longest job needs.
	boundedRenewals = 3
	// hungLimit is longer than a lock can be held that is renewed so often, and far longer than a healthy job takes.
	hungLimit = 18 * time.Second
)

// part makes what the workers of a lane do.
func (h *hanging) part(s *stage) func(context.Context, *worker) {
	i := s.impasse(h.label, "hang in "+h.label, h.cure, hungLimit, h.next)
	var part func(context.Context, *worker)
	part = func(ctx context.Context, w *worker) {
		for w.pause(ctx, w.about(1500*time.Millisecond)) {
			l := w.tokenLock(h.label, watchedLease)
			if !w.seek(ctx, l, 12*time.Second) {
				i.gaveUp(ctx)
				continue
			}
			i.passed(w)
			if w.tooLate(ctx, l) {
				continue
			}
			v := w.ledger.enter(h.label, w.name)
			dog := w.watch(ctx, l, watchPeriod, h.renewals)
			if w.due(i.kind, h.first, h.next) {
				i.begins(ctx, w, &l.claim, "hung in it")
				h.hang(ctx, w, l, dog)
				v.die()
				dog.stop()
				w.replace(ctx, part)
				return
			}
			w.finishRenewed(ctx, v, w.about(3*time.Second), &l.claim, dog)
			dog.stop()
			w.giveBack(ctx, l)
		}
	}
	return part
}

// hang lasts until the worker is killed: in time where its watchdog knows how long a job may take, and else when a renewal is
// refused.
func (h *hanging) hang(ctx context.Context, w *worker, l *tokenLock, dog *watchdog) {
	if h.renewals == unlimited {
		w.news("%s hangs in %s; its watchdog does not know, and goes on renewing", w.name, h.label)
		<-dog.ended
	} else {
		w.news("%s hangs in %s; its watchdog does not know, but renews no longer than a job may take", w.name, h.label)
		w.workRenewed(ctx, noTimeout, &l.claim, dog)
	}
	switch {
	case ctx.Err() != nil:
	case dog.refused():
		w.news("%s's watchdog was refused: only now does it know that it lost %s, and is killed", w.name, h.label)
	default:
		w.news("%s hung in %s: its watchdog renews no more, and it was killed before its lease was over", w.name, h.label)
	}
}
