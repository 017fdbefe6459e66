package demo

import "time"

// crash is the classic stuck lock: SETNX and EXPIRE are two commands, and a client can die between them.
func crash() script {
	return script{
		Scenario: Scenario{
			Name: "crash",
			Shows: "Holders die as soon as they have their lock: " + onceLock + ", taken by SET NX PX, in one command, ends by itself; " +
				stuckLock + ", taken by SETNX and then EXPIRE, has no TTL when its holder dies in between.",
			LookFor: stuckLock + " in state stuck, with everybody waiting until you break it (select its row and press x), and " +
				onceLock + ", which goes on after one lease at most.",
			Fault: "a holder dies",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "set-nx-px", Shows: "lock and lease in one command: " + onceLock},
				play: (&mortals{
					label: onceLock, first: 5 * time.Second, next: 15 * time.Second, limit: 2 * mortalLease, patience: 8 * time.Second,
					deed: "died right after SET NX PX", moral: onceLock + " has a lease, and nobody waits for longer than that",
					cure: "its lease ended by itself",
					take: func(w *worker, _ *impasse) attempt {
						l := w.tokenLock(onceLock, mortalLease)
						return attempt{lock: l, claim: &l.claim}
					},
				}).play,
			},
			{
				Variant: Variant{Name: "setnx-then-expire", Shows: "lock and lease in two commands: " + stuckLock, Flawed: true},
				play: (&mortals{
					label: stuckLock, first: 2500 * time.Millisecond, next: 20 * time.Second, limit: 2 * mortalLease, patience: 8 * time.Second,
					deed: "died between SETNX and EXPIRE", moral: stuckLock + " has no TTL, and nobody is left to release it",
					take: func(w *worker, _ *impasse) attempt {
						l := &naiveLock{tokenLock: w.tokenLock(stuckLock, mortalLease)}
						return attempt{lock: l, claim: &l.claim, begin: l.begin}
					},
				}).play,
			},
		},
	}
}

const (
	onceLock  = "lock:orders:export"
	stuckLock = "lock:invoice:7731"

	mortalLease = 5 * time.Second
)
