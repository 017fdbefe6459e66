package demo

import (
	"context"
	"time"

	"locktop/inspector"
)

// reentrant is the hash lock with a count.
func reentrant() script {
	return script{
		Scenario: Scenario{
			Name: "reentrant",
			Shows: "Workers enter hash locks several times and leave as often, a watchdog renews the lease meanwhile, and strangers " +
				"who try to release are refused.",
			LookFor: "The count N going up and down under one holder, and now and then a holder who leaves once too little: its " +
				"lock stays until the lease is over.",
		},
		lanes: []lane{{
			Variant: Variant{Name: "leaks", Shows: "one entry is forgotten", Flawed: true},
			play: func(ctx context.Context, s *stage) {
				for _, label := range []string{"lock:account:4711", "lock:account:4712", "lock:ledger:2026-11"} {
					for range 3 {
						s.hire(ctx, nester(label))
					}
				}
			},
		}},
		thresholds: inspector.Thresholds{RenewedForever: time.Minute},
	}
}

const (
	nestLease   = 10 * time.Second
	nestRenewal = 3 * time.Second

	// A holder forgets to leave once every so often.
	firstLeak = 6 * time.Second
	nextLeak  = 25 * time.Second

	// A stranger tries to release every so often.
	firstStranger = 3 * time.Second
	nextStranger  = 12 * time.Second
)

// nester enters the lock, does something that enters it again, and so on, and comes back the same way.
func nester(label string) func(context.Context, *worker) {
	return func(ctx context.Context, w *worker) {
		for w.pause(ctx, w.about(2*time.Second)) {
			l := w.hashLock(label, nestLease)
			if w.due("stranger", firstStranger, nextStranger) {
				w.intrude(ctx, l)
			}
			if w.seek(ctx, l, 20*time.Second) {
				w.nest(ctx, l)
			}
		}
	}
}

// nest is the holder's stay: down and up again.
func (w *worker) nest(ctx context.Context, l *hashLock) {
	v := w.ledger.enter(l.label, w.name)
	defer v.leave()
	dog := w.watch(ctx, l, nestRenewal, unlimited)
	defer dog.stop()
	depth := 2 + w.dice.Int64N(3)
	for l.count < depth && w.pause(ctx, w.about(900*time.Millisecond)) {
		if !w.try(ctx, l.acquire) {
			return // broken by somebody: it is no longer ours
		}
		w.say("%s entered %s for the %s time: the count says how often it must leave", w.name, l.label, ordinal(l.count))
	}
	leaks := w.due("leak", firstLeak, nextLeak)
	forgotten := int64(0) // entries
	if leaks {
		forgotten = 1
	}
	for l.count > forgotten && w.pause(ctx, w.about(700*time.Millisecond)) {
		if l.count == forgotten+1 {
			dog.stop() // before the last release, which no renewal must follow
			v.leave()
		}
		if !w.try(ctx, l.release) {
			if ctx.Err() == nil {
				w.news("%s wanted to leave %s, but its field is not in it any more: somebody broke the lock", w.name, l.label)
			}
			return
		}
	}
	if leaks && ctx.Err() == nil {
		w.news("%s left %s once too little: nobody gets in before its lease of %s is over", w.name, l.label, span(w.scaled(l.lease)))
	}
}

// intrude tries to release a lock that another worker holds.
func (w *worker) intrude(ctx context.Context, l *hashLock) {
	holder := w.ledger.holder(l.label)
	if !w.try(ctx, l.release) && holder != "" {
		w.news("%s tried to release %s, but %s holds it: refused, a stranger has no field in it", w.name, l.label, holder)
	}
}

// ordinal is a small number in words.
func ordinal(n int64) string {
	return []string{"first", "second", "third", "fourth", "fifth"}[min(max(n, 1), 5)-1]
}
