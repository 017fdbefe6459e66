package demo

import "time"

// repair is the lock of "Redis in Action": an acquire timeout, a lock timeout, and rivals who mend what a crash has left.
func repair() script {
	return script{
		Scenario: Scenario{
			Name: "repair",
			Shows: "Holders die just after SETNX, before EXPIRE. The waiters for " + repairedLock + " look at its TTL, and give it one " +
				"where it has none; " + bareLock + " never has a TTL, and nobody mends that.",
			LookFor: repairedLock + " stuck for a moment, then with a TTL that a waiter gave it, and waiters who give up in time; " +
				bareLock + ", for which everybody waits until you break it (select its row and press x).",
			Fault: "a holder dies",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "repaired", Shows: "waiters give it the lease that it lacks: " + repairedLock},
				play: (&mortals{
					label: repairedLock, first: 2500 * time.Millisecond, next: 15 * time.Second, limit: 3 * mortalLease,
					patience: acquireTimeout,
					deed:     "died between SETNX and EXPIRE", moral: repairedLock + " has no TTL, but those who want it will see that",
					cure: "a waiter gave the lock a lease",
					take: func(w *worker, i *impasse) attempt {
						l := &naiveLock{tokenLock: w.tokenLock(repairedLock, mortalLease), rivals: i}
						return attempt{lock: l, claim: &l.claim, begin: l.begin}
					},
				}).play,
			},
			{
				Variant: Variant{Name: "bare-setnx", Shows: "no timeout at all: " + bareLock, Flawed: true},
				play: (&mortals{
					label: bareLock, first: 6 * time.Second, next: 20 * time.Second, limit: 3 * mortalLease, patience: noTimeout,
					deed: "died right after SETNX", moral: bareLock + " has no lease and waiters have no timeout: they wait for ever",
					take: func(w *worker, _ *impasse) attempt {
						// What is wrong is that nothing follows: no EXPIRE, and no look at the TTL.
						l := &naiveLock{tokenLock: w.tokenLock(bareLock, 0)}
						return attempt{lock: l, claim: &l.claim}
					},
				}).play,
			},
		},
	}
}

const (
	repairedLock = "lock:stock:recount"
	bareLock     = "lock:payroll:november"

	// A lease is longer, so that some give up where a holder has died.
	acquireTimeout = 3 * time.Second
)
