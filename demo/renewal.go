package demo

import (
	"context"
	"time"

	"locktop/inspector"
)

// renewal is the watchdog, and the two ways in which it fails: it goes on too long, or not long enough.
func renewal() script {
	return script{
		Scenario: Scenario{
			Name: "renewal",
			Shows: "Watchdogs renew leases: one for a slow and healthy job, one for a job that hangs, for ever, and one that stops " +
				"after four renewals while its job goes on.",
			LookFor: hungLock + ", renewed for ever until you break it, and " + lapsingLock +
				", which lapses under its holder so that two are inside at once.",
		},
		lanes: []lane{
			renewalLane("healthy", "renewed until the job ends: "+healthyLock, false, importer),
			renewalLane("four-times", "renewed four times and no more: "+lapsingLock, true, digester),
			renewalLane("hung", "renewed for a job that hangs: "+hungLock, true, hanger),
		},
		// A healthy import lasts nine seconds.
		thresholds: inspector.Thresholds{RenewedForever: 14 * time.Second, AboutToLapse: 0.25, LostFor: 10 * time.Second},
	}
}

func renewalLane(name, shows string, flawed bool, part func(context.Context, *worker)) lane {
	return lane{
		Variant: Variant{Name: name, Shows: shows, Flawed: flawed},
		play: func(ctx context.Context, s *stage) {
			for range 3 {
				s.hire(ctx, part)
			}
		},
	}
}

const (
	hungLock    = "lock:reports:nightly"
	healthyLock = "lock:import:customers"
	lapsingLock = "lock:mail:digest"

	watchedLease = 6 * time.Second
	watchPeriod  = 2 * time.Second
	// The Java lock of the texts renews four times and no more.
	fewRenewals  = 4
	digestLease  = 5 * time.Second
	digestPeriod = 1500 * time.Millisecond

	// After a hung job was broken, nobody hangs for this long.
	nextHang = 60 * time.Second
)

// hanger works under a lease that a watchdog renews; now and then its work hangs, and the watchdog does not know.
func hanger(ctx context.Context, w *worker) {
	for w.pause(ctx, w.about(1500*time.Millisecond)) {
		l := w.tokenLock(hungLock, watchedLease)
		if !w.seek(ctx, l, 15*time.Second) {
			continue
		}
		v := w.ledger.enter(l.label, w.name)
		dog := w.watch(ctx, l, watchPeriod, unlimited)
		if w.due("hang", time.Second, nextHang) {
			w.hang(ctx, l, dog)
		} else {
			w.pause(ctx, w.about(4*time.Second))
		}
		dog.stop()
		v.leave()
		w.giveBack(ctx, l)
	}
}

// hang lasts until the lock is taken away, which the watchdog finds out at the next renewal.
func (w *worker) hang(ctx context.Context, l *tokenLock, dog *watchdog) {
	w.news("%s hangs in %s, but its watchdog goes on renewing: nobody else will ever get in", w.name, l.label)
	since := time.Now()
	remind := time.NewTicker(w.scaled(12 * time.Second))
	defer remind.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-remind.C:
			w.say("%s hangs in %s for %s now; %s", w.name, l.label, span(time.Since(since)), moreWait(w.ledger.waiters(l.label)))
		case <-dog.lost:
			w.news("%s's watchdog was refused: %s was taken from it after %s, and the job is ended", w.name, l.label,
				span(time.Since(since)))
			w.postpone("hang", nextHang)
			return
		}
	}
}

// importer does slow and healthy jobs under a Redisson lock.
func importer(ctx context.Context, w *worker) {
	owner := w.redissonOwner()
	for w.pause(ctx, w.about(1500*time.Millisecond)) {
		l := w.redissonLock(healthyLock, owner, watchedLease)
		if !w.seek(ctx, l, 40*time.Second) {
			continue
		}
		v := w.ledger.enter(l.label, w.name)
		dog := w.watch(ctx, l, watchPeriod, unlimited)
		w.say("%s (thread %d) began a slow import; its watchdog renews the lease every %s until it ends",
			w.name, w.number, span(w.scaled(watchPeriod)))
		w.pause(ctx, w.about(7*time.Second))
		dog.stop()
		v.leave()
		w.giveBack(ctx, l)
	}
}

// digester has a watchdog that renews a few times only; every other job takes longer than that.
func digester(ctx context.Context, w *worker) {
	for w.pause(ctx, w.about(1200*time.Millisecond)) {
		l := w.tokenLock(lapsingLock, digestLease)
		if !w.seek(ctx, l, 30*time.Second) {
			continue
		}
		long := w.due("long digest", 0, 25*time.Second)
		if other := w.ledger.holder(l.label); other != "" {
			w.news("%s got %s while %s still works in it: the lease had lapsed, and both are inside", w.name, l.label, other)
		}
		v := w.ledger.enter(l.label, w.name)
		dog := w.watch(ctx, l, digestPeriod, fewRenewals)
		if long {
			w.longDigest(ctx, l)
		} else {
			w.pause(ctx, w.about(4*time.Second))
		}
		dog.stop()
		v.leave()
		w.giveBack(ctx, l)
	}
}

// longDigest outlasts its watchdog: the lease lapses 11 s after the start, and the work takes 15 s.
func (w *worker) longDigest(ctx context.Context, l *tokenLock) {
	w.say("%s began a long job in %s; its watchdog renews %d times, and no more", w.name, l.label, fewRenewals)
	if w.pause(ctx, digestPeriod*fewRenewals+digestLease/2) {
		w.news("%s still works in %s, but its watchdog has stopped: the lease is about to lapse", w.name, l.label)
		w.pause(ctx, digestLease/2+4*time.Second)
	}
}
