package demo

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// crash is the classic stuck lock: SETNX and EXPIRE are two commands, and a client can die between them.
func crash() script {
	return script{
		Scenario: Scenario{
			Name:  "crash",
			Shows: "Locks are taken by SETNX and then EXPIRE, and a worker dies between the two: its lock has no TTL and never ends.",
			LookFor: stuckLock + " in state stuck, with everybody waiting until you break it, and " + repairedLock +
				", whose waiters mend the same crash themselves.",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "never-mended", Shows: "SETNX, then EXPIRE: " + stuckLock, Flawed: true},
				play:    (&naiveLane{label: stuckLock, crashes: true, first: 3 * time.Second, next: 60 * time.Second}).play,
			},
			{
				Variant: Variant{Name: "repaired", Shows: "rivals give it a lease: " + repairedLock},
				play: (&naiveLane{
					label: repairedLock, crashes: true, first: 7 * time.Second, next: 20 * time.Second, repairs: true,
				}).play,
			},
		},
	}
}

const (
	stuckLock    = "lock:invoice:7731"
	repairedLock = "lock:stock:recount"

	naiveLease    = 5 * time.Second
	naivePatience = 8 * time.Second
)

// naiveLock is taken by SETNX alone; its lease comes later, and that is the mistake. Only the release is guarded.
type naiveLock struct {
	*tokenLock
	// repairs: a client that does not get the lock gives it a lease where it has none, as "Redis in Action" has it.
	repairs bool
}

func (l naiveLock) acquire(ctx context.Context) (bool, error) {
	won, err := l.worker.client.SetNX(ctx, l.key, l.owner, 0).Result()
	if err != nil {
		return false, fmt.Errorf("SETNX %s: %w", l.key, err)
	}
	if !won && l.repairs {
		return false, l.repair(ctx)
	}
	return won, nil
}

// repair gives the lock a lease if it has none. Its holder may be just about to do the same, which does no harm.
func (l naiveLock) repair(ctx context.Context) error {
	left, err := l.worker.client.PTTL(ctx, l.key).Result()
	if err != nil {
		return fmt.Errorf("PTTL %s: %w", l.key, err)
	}
	if left != -1 { // a TTL, or no key
		return nil
	}
	if _, err := l.begin(ctx); err != nil {
		return err
	}
	l.worker.news("%s found %s without a TTL and gave it one: waiters that repair make the crash harmless", l.worker.name, l.label)
	return nil
}

// begin is the EXPIRE that comes after SETNX.
func (l naiveLock) begin(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) {
		set, err := l.worker.client.PExpire(ctx, l.key, ours).Result()
		if err != nil {
			return false, fmt.Errorf("PEXPIRE %s: %w", l.key, err)
		}
		return set, nil
	})
}

// naiveLane is one such lock and how it fares.
type naiveLane struct {
	label            string
	crashes, repairs bool
	first, next      time.Duration // of the crashes: after the start, and after everything was well again

	mu    sync.Mutex
	stuck time.Time // since when the lock has no lease; zero: it is well
}

func (n *naiveLane) play(ctx context.Context, s *stage) {
	for range 4 {
		s.hire(ctx, n.work)
	}
}

// work is the life of a worker that uses the lock.
func (n *naiveLane) work(ctx context.Context, w *worker) {
	for w.pause(ctx, w.about(1500*time.Millisecond)) {
		l := naiveLock{tokenLock: w.tokenLock(n.label, naiveLease), repairs: n.repairs}
		if !w.seek(ctx, l, naivePatience) {
			n.tellPatience(ctx, w)
			continue
		}
		n.tellEnd(w)
		if n.crashes && w.due("crash of "+n.label, n.first, n.next) {
			n.crash(ctx, w)
			return
		}
		if !w.try(ctx, l.begin) && ctx.Err() == nil {
			continue // somebody deleted it in between
		}
		v := w.ledger.enter(n.label, w.name)
		w.pause(ctx, w.about(1200*time.Millisecond))
		v.leave()
		w.giveBack(ctx, l)
	}
}

// crash lets the worker die without a lease.
func (n *naiveLane) crash(ctx context.Context, w *worker) {
	n.mu.Lock()
	n.stuck = time.Now()
	n.mu.Unlock()
	w.news("%s died between SETNX and EXPIRE: %s has no TTL, and nobody is left to release it", w.name, n.label)
	w.replace(ctx, 4*time.Second, n.work)
}

// tellPatience tells that a worker gave up on a stuck lock.
func (n *naiveLane) tellPatience(ctx context.Context, w *worker) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.stuck.IsZero() && ctx.Err() == nil {
		w.say("%s gave up on %s, which is stuck for %s; it will try again", w.name, n.label, span(time.Since(n.stuck)))
	}
}

// tellEnd tells that a stuck lock was got at last, and lets all be well for a while.
func (n *naiveLane) tellEnd(w *worker) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stuck.IsZero() {
		return
	}
	w.news("%s got %s, which had been stuck for %s: the queue moves again", w.name, n.label, span(time.Since(n.stuck)))
	n.stuck = time.Time{}
	w.postpone("crash of "+n.label, n.next)
}
