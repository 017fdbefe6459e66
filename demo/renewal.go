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
			Shows: "Watchdogs renew leases for jobs that take too long. " + healthyLock + " is renewed until a slow job ends, " + boundedLock +
				" until no job may take longer, " + lapsingLock + " four times and no more, " + hungLock + " for ever.",
			LookFor: hungLock + ", renewed for a job that hangs until you break it (select its row and press r), and " + lapsingLock +
				", which lapses under its holder, so that two are inside; a hung job in " + boundedLock + " ends in time.",
			Fault: "a job takes too long",
		},
		lanes: []lane{
			renewalLane(Variant{Name: "healthy", Shows: "renewed until the job ends: " + healthyLock},
				func(*stage) func(context.Context, *worker) { return importer }),
			renewalLane(Variant{Name: "bounded", Shows: "renewed for as long as a job may take: " + boundedLock},
				(&hanging{
					label: boundedLock, renewals: boundedRenewals, first: 4 * time.Second, next: 20 * time.Second,
					cure: "its watchdog stopped, and its lease ended",
				}).part),
			renewalLane(Variant{Name: "four-times", Shows: "renewed four times and no more: " + lapsingLock, Flawed: true},
				func(*stage) func(context.Context, *worker) { return digester }),
			renewalLane(Variant{Name: "hung", Shows: "renewed for a job that hangs: " + hungLock, Flawed: true},
				(&hanging{
					label: hungLock, renewals: unlimited, first: 2 * time.Second, next: time.Minute,
					cure: "its renewal was late, and its lease ended",
				}).part),
		},
		// A slow import takes eleven seconds, and a job that hangs in the bounded lock holds it for thirteen at most.
		thresholds: inspector.Thresholds{RenewedForever: 16 * time.Second, AboutToLapse: 0.25, LostFor: 10 * time.Second},
	}
}

// renewalLane has three workers, whose part is made once for the lane.
func renewalLane(v Variant, part func(*stage) func(context.Context, *worker)) lane {
	return lane{Variant: v, play: func(ctx context.Context, s *stage) {
		part := part(s)
		for range 3 {
			s.hire(ctx, part)
		}
	}}
}

const (
	healthyLock = "lock:import:customers"
	lapsingLock = "lock:mail:digest"

	watchedLease = 7 * time.Second
	watchPeriod  = 2 * time.Second
	slowJob      = "slow job in " + healthyLock
	slowImport   = 11 * time.Second
	// The Java lock of the texts renews four times and no more.
	fewRenewals  = 4
	digestLease  = 5 * time.Second
	digestPeriod = 1500 * time.Millisecond
)

// importer does jobs under a Redisson lock, of which some take longer than its lease.
func importer(ctx context.Context, w *worker) {
	owner := w.redissonOwner()
	for w.pause(ctx, w.about(1500*time.Millisecond)) {
		l := w.redissonLock(healthyLock, owner, watchedLease)
		if !w.seek(ctx, l, 40*time.Second) || w.tooLate(ctx, l) {
			continue
		}
		slow := w.due(slowJob, time.Second, 15*time.Second)
		job := w.about(4 * time.Second)
		if slow {
			job = slowImport
		}
		v := w.ledger.enter(l.label, w.name)
		dog := w.watch(ctx, l, watchPeriod, unlimited)
		w.say("%s (thread %d) began an import; its watchdog renews the lease every %s until it ends", w.name, w.number,
			w.told(watchPeriod))
		done := w.finishRenewed(ctx, v, job, &l.claim, dog)
		dog.stop()
		w.giveBack(ctx, l)
		switch {
		case slow && done:
			w.news("%s needed %s for %s, longer than its lease of %s: its watchdog saved it, and nobody came in", w.name,
				w.told(slowImport), l.label, w.told(l.lease))
			w.ledger.fact("a job took longer than its lease, and its watchdog saved it")
			w.ledger.play()
		case slow:
			w.postpone(slowJob, time.Second) // this one was not to the point
		}
	}
}

// digester has a watchdog that renews a few times only; every other job takes longer than that.
func digester(ctx context.Context, w *worker) {
	for w.pause(ctx, w.about(1200*time.Millisecond)) {
		l := w.tokenLock(lapsingLock, digestLease)
		if !w.seek(ctx, l, 30*time.Second) {
			continue
		}
		long := w.due("long job in "+lapsingLock, 0, 25*time.Second)
		if other := w.ledger.holder(l.label); other != "" {
			w.news("%s got %s while %s still works in it: the lock had ended, and both are inside", w.name, l.label, other)
		}
		v := w.ledger.enter(l.label, w.name)
		dog := w.watch(ctx, l, digestPeriod, fewRenewals)
		outlasted := false
		if long {
			outlasted = w.longDigest(ctx, l, dog)
		} else {
			w.pause(ctx, w.about(3*time.Second))
		}
		dog.stop()
		v.leave()
		w.giveBack(ctx, l)
		if outlasted {
			w.ledger.play()
		}
	}
}

// longDigest outlasts its watchdog, and goes on for long enough for others to come in; false: it did not come to that.
func (w *worker) longDigest(ctx context.Context, l *tokenLock, dog *watchdog) bool {
	w.say("%s began a long job in %s; its watchdog renews %d times, and no more", w.name, l.label, fewRenewals)
	<-dog.ended
	if ctx.Err() != nil || dog.refused() {
		return false
	}
	w.news("%s still works in %s, but its watchdog has stopped: the lease is about to lapse", w.name, l.label)
	return w.clock.sleepUntil(ctx, l.ends(), nil) && w.pause(ctx, 5*time.Second)
}
