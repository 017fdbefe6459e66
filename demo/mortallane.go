package demo

import (
	"context"
	"time"
)

// mortals is a lane of workers who contend for one lock, and of whom now and then one dies as soon as it has it.
type mortals struct {
	label string
	first time.Duration // until somebody dies
	next  time.Duration // until somebody dies again, after all was well
	limit time.Duration // for which a death may keep others out at most
	cure  string        // what ends it where it is harmless
	deed  string        // how they die: "died right after SETNX"
	// moral is what a death means for the others.
	moral string
	// patience is for how long a worker waits for the lock.
	patience time.Duration
	take     func(*worker, *impasse) attempt
}

// attempt is a lock as a mortal wants it.
type attempt struct {
	lock
	claim *claim // its lease is 0 where it never gets one
	// begin gives the lock the lease that it was not acquired with; nil: it has one, or never gets one.
	begin func(context.Context) (bool, error)
}

func (a attempt) late() bool { return a.claim.lease > 0 && a.claim.late() }

const (
	mortalJob    = 1200 * time.Millisecond
	mortalBreak  = 1200 * time.Millisecond
	mortalsCount = 4
)

func (m *mortals) play(ctx context.Context, s *stage) {
	i := s.impasse(m.label, "death in "+m.label, m.cure, m.limit, m.next)
	for range mortalsCount {
		s.hire(ctx, m.part(i))
	}
}

// part is the life of one of them.
func (m *mortals) part(i *impasse) func(context.Context, *worker) {
	return func(ctx context.Context, w *worker) {
		for w.pause(ctx, w.about(mortalBreak)) {
			a := m.take(w, i)
			if !w.seek(ctx, a, m.patience) {
				i.gaveUp(ctx)
				if ctx.Err() == nil {
					w.say("%s gave up on %s: its acquire timeout of %s is over, and it does something else", w.name, m.label,
						w.told(m.patience))
				}
				continue
			}
			i.passed(w)
			if w.due(i.kind, m.first, m.next) {
				i.begins(ctx, w, a.claim, m.deed)
				w.news("%s %s: %s", w.name, m.deed, m.moral)
				w.replace(ctx, m.part(i))
				return
			}
			m.serve(ctx, w, a)
		}
	}
}

// serve is what a worker does who has the lock, and lives.
func (m *mortals) serve(ctx context.Context, w *worker, a attempt) {
	if a.begin != nil && !w.try(ctx, a.begin) {
		if ctx.Err() == nil {
			w.say("%s got %s, but was too slow to give it a lease: it is its own no longer", w.name, m.label)
		}
		return
	}
	if w.tooLate(ctx, a) {
		return
	}
	v := w.ledger.enter(m.label, w.name)
	w.tellHandOver(m.label)
	if job := w.about(mortalJob); a.claim.lease > 0 {
		w.finish(ctx, v, job, a.claim)
	} else {
		w.pause(ctx, job)
		v.leave()
	}
	w.giveBack(ctx, a)
}
