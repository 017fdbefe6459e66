package demo

import (
	"context"
	"fmt"
	"time"
)

// naiveLock is taken by SETNX alone; its lease comes later, and that is the mistake. Only the release is guarded, by WATCH.
type naiveLock struct {
	*tokenLock
	// rivals are told where a lease was given by one of them; nil: this one gives none, and so a lock without one is stuck.
	rivals *impasse
	asked  moment // when SETNX was sent
}

func (l *naiveLock) acquire(ctx context.Context) (bool, error) {
	l.asked = l.worker.clock.now()
	won, err := l.worker.client.SetNX(ctx, l.key, l.owner, 0).Result()
	if err != nil {
		return false, fmt.Errorf("SETNX %s: %w", l.key, err)
	}
	if !won && l.rivals != nil {
		return false, l.repair(ctx)
	}
	return won, nil
}

// repair gives the lock a lease if it has none, as "Redis in Action" has it. Its holder may be just about to do the same, and
// another may have got it meanwhile: a lease that begins anew does no harm.
func (l *naiveLock) repair(ctx context.Context) error {
	left, err := l.worker.client.PTTL(ctx, l.key).Result()
	if err != nil {
		return fmt.Errorf("PTTL %s: %w", l.key, err)
	}
	if left != -1 { // a TTL, or no key
		return nil
	}
	given, err := l.expire(ctx)
	if err != nil || !given {
		return err
	}
	l.rivals.gave(l.ends())
	l.worker.news("%s found %s without a TTL and gave it one: if its holder is dead, it ends in %s by itself", l.worker.name,
		l.label, l.worker.told(l.lease))
	return nil
}

// expire gives the lock a lease, whoever has it.
func (l *naiveLock) expire(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) {
		set, err := l.worker.client.PExpire(ctx, l.key, ours).Result()
		if err != nil {
			return false, fmt.Errorf("PEXPIRE %s: %w", l.key, err)
		}
		return set, nil
	})
}

// begin is the EXPIRE that comes after SETNX. It does not say whose lock it finds, and a rival may have given ours a lease that
// has ended: so it counts only where not even that can have happened yet.
func (l *naiveLock) begin(ctx context.Context) (bool, error) {
	given, err := l.expire(ctx)
	return given && l.worker.clock.now() < l.asked.add(l.lease), err
}

func (l *naiveLock) release(ctx context.Context) (bool, error) { return l.releaseByWatch(ctx) }
