package demo

import (
	"context"
	"sync/atomic"
	"time"
)

// reentrant is the hash lock with a count, which must be left as often as it was entered.
func reentrant() script {
	return script{
		Scenario: Scenario{
			Name: "reentrant",
			Shows: "Workers enter hash locks three times and leave as often, and strangers who try to release are refused. " +
				"Now and then a job fails inside: in " + leakyLock + " its early return skips a release.",
			LookFor: "The count N going from 1 to 3 and back under one holder in " + balancedLocks[0] + ", and in " + leakyLock +
				" a count of 1 that stays: its holder is gone from it, and nobody gets in until the lease is over.",
			Fault: "a job fails inside",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "balanced", Shows: "left as often as entered, whatever happens: " + balancedLocks[0] + " and another"},
				play: func(ctx context.Context, s *stage) {
					for _, label := range balancedLocks {
						nesting{label: label}.play(ctx, s)
					}
				},
			},
			{
				Variant: Variant{Name: "leak", Shows: "one release too few when a job fails: " + leakyLock, Flawed: true},
				play: func(ctx context.Context, s *stage) {
					nesting{label: leakyLock, forgets: true}.play(ctx, s)
				},
			},
		},
	}
}

var balancedLocks = []string{"lock:account:4711", "lock:account:4712"}

const (
	leakyLock = "lock:ledger:2026-11"

	nestLease = 10 * time.Second
	nestDepth = 3

	// A job fails every so often.
	firstFailure = 3 * time.Second
	nextFailure  = 22 * time.Second

	// A stranger tries to release every so often.
	firstStranger = 2 * time.Second
	nextStranger  = 12 * time.Second
)

// nesting is a lock that is entered three times over.
type nesting struct {
	label string
	// forgets: a job that fails skips one release, by an early return. That is what is wrong.
	forgets bool
	leaks   *atomic.Pointer[leak] // the last one, until somebody else gets in
}

// leak is an entry that was left behind.
type leak struct {
	by string
	at time.Time
}

func (n nesting) play(ctx context.Context, s *stage) {
	n.leaks = &atomic.Pointer[leak]{}
	for range 3 {
		s.hire(ctx, n.work)
	}
}

// work enters the lock, does something that enters it again, and so on, and comes back the same way.
func (n nesting) work(ctx context.Context, w *worker) {
	for w.pause(ctx, w.about(1500*time.Millisecond)) {
		l := w.hashLock(n.label, nestLease)
		if !n.forgets && w.ledger.holder(n.label) != "" && w.due("stranger in "+n.label, firstStranger, nextStranger) {
			w.intrude(ctx, l)
		}
		asked := time.Now()
		if !w.seek(ctx, l, 2*nestLease) || w.tooLate(ctx, l) {
			continue
		}
		n.tellLeak(w, asked)
		if n.nest(ctx, w, l); l.count > 0 {
			w.pause(ctx, nestLease) // what went wrong is not tried again soon
		}
	}
}

// tellLeak judges an entry that was left behind, when the next worker gets in.
func (n nesting) tellLeak(w *worker, asked time.Time) {
	l := n.leaks.Swap(nil)
	if l == nil {
		return
	}
	since := l.at
	if asked.After(since) {
		since = asked
	}
	closed := time.Since(since)
	w.ledger.fault("a lock was held by nobody at work", closed,
		"%s left %s once too little: %s waited %s for a lock in which nobody was", l.by, n.label, w.name, span(closed))
	w.news("%s got %s at last: for %s nobody was in it, and the count that %s left behind kept all out", w.name, n.label, span(closed), l.by)
	w.ledger.play()
}

// nest is a holder's stay: down and up again.
func (n nesting) nest(ctx context.Context, w *worker, l *hashLock) {
	v := w.ledger.enter(n.label, w.name)
	defer v.die() // where it was not left before
	for entries := l.count; entries < nestDepth; entries = l.count {
		if !w.work(ctx, w.about(700*time.Millisecond), &l.claim) {
			break
		}
		if !w.try(ctx, l.acquire) {
			if ctx.Err() == nil {
				w.news("%s could not enter %s again: the lock is not its own any more, and it stops its job", w.name, n.label)
			}
			return
		}
		if l.count != entries+1 {
			v.die()
			w.news("%s entered %s again, and the count is %d and not %d: somebody broke the lock in between", w.name, n.label, l.count, entries+1)
			break
		}
		w.say("%s entered %s for the %s time: it must leave as often before anybody else gets in", w.name, n.label, ordinal(l.count))
	}
	fails := l.count == nestDepth && w.due("failure in "+n.label, firstFailure, nextFailure)
	if fails && n.forgets {
		w.news("%s's job failed at the third entry of %s: its early return skips one of three releases", w.name, n.label)
	}
	n.leave(ctx, w, l, v, fails)
}

// leave comes back as often as the lock was entered; a job that fails may skip one release, and writes nothing.
func (n nesting) leave(ctx context.Context, w *worker, l *hashLock, v *visit, fails bool) {
	forgotten := int64(0)
	if fails && n.forgets {
		forgotten = 1
	}
	for l.count > forgotten {
		done := w.work(ctx, w.about(500*time.Millisecond), &l.claim)
		switch {
		case l.count > forgotten+1:
		case done && !fails:
			v.leave() // before the last release
		default:
			v.die()
		}
		if l.count == forgotten+1 && forgotten > 0 {
			n.leaks.Store(&leak{by: w.name, at: time.Now()}) // before others can get in
		}
		if !w.try(ctx, l.release) {
			n.leaks.Store(nil)
			if ctx.Err() == nil {
				w.news("%s wanted to leave %s, but its field is not in it any more: the lock is not its own", w.name, n.label)
			}
			return
		}
	}
	switch {
	case forgotten > 0:
		w.news("%s is gone from %s, and the count says %d: nobody gets in before its lease of %s is over", w.name, n.label, l.count,
			w.told(l.lease))
	case fails:
		w.ledger.fact("a job went wrong inside, and left as often as it had entered")
		w.say("%s's job failed at the third entry of %s, and it left three times all the same: the lock is free", w.name, n.label)
		w.ledger.play()
	}
}

// intrude tries to release a lock that another worker holds.
func (w *worker) intrude(ctx context.Context, l *hashLock) {
	holder := w.ledger.holder(l.label)
	refused := w.try(ctx, func(ctx context.Context) (bool, error) {
		released, err := l.release(ctx)
		return !released, err
	})
	if refused && holder != "" && w.ledger.holder(l.label) == holder {
		w.ledger.fact("a stranger's release was refused")
		w.news("%s tried to release %s, which %s holds, and was refused: a stranger has no field in the hash", w.name, l.label, holder)
	}
}

// ordinal is a small number in words.
func ordinal(n int64) string {
	return []string{"first", "second", "third", "fourth", "fifth"}[min(max(n, 1), 5)-1]
}
