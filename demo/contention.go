package demo

import (
	"context"
	"math/rand/v2"
	"time"

	"locktop/inspector"
)

// contention is everyday life: token locks, of which a few are wanted by everybody.
func contention() script {
	return script{
		Scenario: Scenario{
			Name: "contention",
			Shows: "Twelve workers contend for eight token locks, some far more wanted than others, and one worker dies now and then. " +
				"Two more use a lock whose lease is shorter than their job.",
			LookFor: "lock:orders:checkout changing hands all the time, a dead worker's lock that waits for the end of its lease, " +
				"the five-minute lease of lock:reports:nightly, and " + shortLock + ", in which two are inside again and again.",
			Fault: "a holder dies",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "long-enough", Shows: "leases that outlast the work: " + contended[0] + " and others"},
				play: func(ctx context.Context, s *stage) {
					s.hire(ctx, reporter)
					for range 11 {
						s.hire(ctx, clerk)
					}
				},
			},
			{
				Variant: Variant{Name: "too-short", Shows: "a lease that is shorter than some jobs: " + shortLock, Flawed: true},
				play: func(ctx context.Context, s *stage) {
					for range 2 {
						s.hire(ctx, hasty)
					}
				},
			},
		},
		thresholds: inspector.Thresholds{LongLease: time.Minute},
	}
}

// The locks, the most wanted first. The last one is the reporter's, and the others seldom ask for it.
var contended = []string{
	"lock:orders:checkout", "lock:cart:991", "lock:invoice:7731", "lock:stock:sku-4711", "lock:mail:newsletter",
	"lock:search:reindex", "lock:cache:warm-up", nightlyReports,
}

const (
	nightlyReports = "lock:reports:nightly"

	clerkLease    = 8 * time.Second
	reporterLease = 5 * time.Minute

	// Of twelve workers about five want the first lock, two the second.
	zipfExponent = 1.3

	// A clerk dies every so often.
	firstDeath = 4 * time.Second
	nextDeath  = 25 * time.Second
)

// clerk does small jobs, each under a lock.
func clerk(ctx context.Context, w *worker) {
	popularity := rand.NewZipf(w.dice, zipfExponent, 1, uint64(len(contended)-1))
	for w.pause(ctx, w.between(300*time.Millisecond, 2500*time.Millisecond)) {
		l := w.tokenLock(contended[popularity.Uint64()], clerkLease)
		if !w.seek(ctx, l, 12*time.Second) || w.tooLate(ctx, l) {
			continue
		}
		if other := w.ledger.holder(l.label); other != "" { // who leaves in time: an operator broke the lock
			w.news("%s got %s while %s is inside, whose lock was taken away: nothing keeps them apart", w.name, l.label, other)
		}
		v := w.ledger.enter(l.label, w.name)
		w.tellHandOver(l.label)
		if l.label != nightlyReports && w.due("death of a clerk", firstDeath, nextDeath) {
			w.pause(ctx, 500*time.Millisecond)
			v.die()
			w.ledger.play()
			w.news("%s died at work: %s stays locked until its lease of %s is over, and then goes on", w.name, l.label, w.told(l.lease))
			w.replace(ctx, clerk)
			return
		}
		w.finish(ctx, v, w.workFor(l.label), &l.claim)
		w.giveBack(ctx, l)
	}
}

const (
	shortLock  = "lock:thumbnails"
	shortLease = 2 * time.Second

	// Every so often a job takes longer than the lease.
	firstLong = 3 * time.Second
	nextLong  = 15 * time.Second
)

// hasty works under a lease that fits most of its jobs, and does not look at the clock.
func hasty(ctx context.Context, w *worker) {
	for w.pause(ctx, w.about(600*time.Millisecond)) {
		l := w.tokenLock(shortLock, shortLease)
		if !w.seek(ctx, l, 20*time.Second) {
			continue
		}
		if other := w.ledger.holder(l.label); other != "" {
			w.news("%s got %s while %s is still at work in it: the lock, with its lease of %s, ended before the job", w.name, l.label, other,
				w.told(l.lease))
		}
		v := w.ledger.enter(l.label, w.name)
		long := w.due("long job in "+shortLock, firstLong, nextLong)
		if long {
			w.pause(ctx, 2*shortLease)
		} else {
			w.pause(ctx, w.about(700*time.Millisecond))
		}
		v.leave()
		w.giveBack(ctx, l)
		if long {
			w.ledger.play()
		}
	}
}

// workFor is how long a job takes: the most wanted locks are held shortly, or nobody would get anywhere.
func (w *worker) workFor(label string) time.Duration {
	if label == contended[0] || label == contended[1] {
		return w.between(300*time.Millisecond, 1200*time.Millisecond)
	}
	return w.between(time.Second, 4*time.Second)
}

// reporter does one long job after the other, under a lease that is far longer than the job: if it died, nobody could
// write a report for minutes.
func reporter(ctx context.Context, w *worker) {
	for {
		l := w.tokenLock(nightlyReports, reporterLease)
		if w.seek(ctx, l, time.Minute) && !w.tooLate(ctx, l) {
			v := w.ledger.enter(l.label, w.name)
			w.say("%s took %s for %s: if it dies now, nobody else can go on before that", w.name, l.label, w.told(l.lease))
			w.finish(ctx, v, w.about(20*time.Second), &l.claim)
			w.giveBack(ctx, l)
		}
		if !w.pause(ctx, w.about(4*time.Second)) {
			return
		}
	}
}
