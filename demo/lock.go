package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/actions"
)

// wanted is a lock that a worker can ask for.
type wanted interface {
	// name is what people call it: the key without the prefix of a run.
	name() string
	acquire(context.Context) (bool, error)
}

// lock is a lock as one worker wants it, with the worker's own token.
type lock interface {
	wanted
	// extend and release say false where the lock is not the worker's own any more.
	extend(context.Context) (bool, error)
	release(context.Context) (bool, error)
}

// claim is what all schemes need.
type claim struct {
	worker     *worker
	locker     *actions.Locker
	label, key string
	owner      string
	lease      time.Duration // of the script
	// until is when the lease ends by the worker's own reckoning, which begins before the command is sent. Where a watchdog
	// sets it, too, it is read by ends.
	until moment
	guard sync.Mutex
}

func (c *claim) name() string { return c.label }

// claim names a lock and its new owner; the lease is of the script.
func (w *worker) claim(label string, lease time.Duration) claim {
	return claim{worker: w, locker: w.locker, label: label, key: w.key(label), owner: w.token(), lease: lease}
}

// set runs a command that sets the lease, and notes until when it lasts.
func (c *claim) set(do func(ours time.Duration) (bool, error)) (bool, error) {
	done, until, err := c.worker.leased(c.lease, do)
	if done {
		c.guard.Lock()
		defer c.guard.Unlock()
		c.until = until
	}
	return done, err
}

// ends is when the lease surely lasts until.
func (c *claim) ends() moment {
	c.guard.Lock()
	defer c.guard.Unlock()
	return c.until
}

// safe is until when a careful worker goes on.
func (c *claim) safe() moment { return c.ends().add(-time.Duration(margin * float64(c.lease))) }

// late says whether a careful worker, which was delayed since it got the lock, should not even go inside.
func (c *claim) late() bool { return c.worker.clock.now() >= c.safe() }

// tokenLock is SET NX PX with a token.
type tokenLock struct{ claim }

func (w *worker) tokenLock(label string, lease time.Duration) *tokenLock {
	return &tokenLock{w.claim(label, lease)}
}

func (l *tokenLock) acquire(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) { return l.locker.AcquireToken(ctx, l.key, l.owner, ours) })
}

func (l *tokenLock) extend(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) { return l.locker.ExtendToken(ctx, l.key, l.owner, ours) })
}

func (l *tokenLock) release(ctx context.Context) (bool, error) {
	return l.locker.ReleaseToken(ctx, l.key, l.owner)
}

// isOwn looks whether the lock is the worker's own, which it may not be any more when the answer arrives.
func (l *tokenLock) isOwn(ctx context.Context) (bool, error) {
	value, err := l.worker.client.Get(ctx, l.key).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return false, fmt.Errorf("GET %s: %w", l.key, err)
	}
	return err == nil && value == l.owner, nil
}

// releaseByWatch is release in a transaction. It is tried again where the lock has changed since it was looked at: it may still be
// the worker's own.
func (l *tokenLock) releaseByWatch(ctx context.Context) (bool, error) {
	for {
		released, aborted, err := l.locker.ReleaseTokenByWatch(ctx, l.key, l.owner)
		if err != nil || !aborted {
			return released, err
		}
		l.worker.ledger.fact("a release by WATCH was aborted, because the lock had changed, and tried again")
	}
}

// remove deletes the lock, whoever has it: that is what is wrong with it.
func (l *tokenLock) remove(ctx context.Context) (bool, error) {
	n, err := l.worker.client.Del(ctx, l.key).Result()
	if err != nil {
		return false, fmt.Errorf("DEL %s: %w", l.key, err)
	}
	return n == 1, nil
}

// hashLock is a re-entrant lock in a hash. What acquire and release leave behind is the count.
type hashLock struct {
	claim
	count int64
}

func (w *worker) hashLock(label string, lease time.Duration) *hashLock {
	return &hashLock{claim: w.claim(label, lease)}
}

func (l *hashLock) acquire(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) {
		count, err := l.locker.AcquireReentrant(ctx, l.key, l.owner, ours)
		if err != nil || count == 0 {
			return false, err
		}
		l.count = count
		return true, nil
	})
}

func (l *hashLock) extend(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) { return l.locker.ExtendReentrant(ctx, l.key, l.owner, ours) })
}

func (l *hashLock) release(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) {
		left, err := l.locker.ReleaseReentrant(ctx, l.key, l.owner, ours)
		if err != nil || left < 0 {
			return false, err
		}
		l.count = left
		return true, nil
	})
}

// redissonLock is the same as Redisson has it; the owner is "uuid:thread".
type redissonLock struct {
	claim
	told moment // by a refusal: how long a waiter may sleep, for the lock is another's until then
}

func (w *worker) redissonLock(label, owner string, lease time.Duration) *redissonLock {
	l := &redissonLock{claim: w.claim(label, lease)}
	l.owner = owner
	return l
}

func (l *redissonLock) acquire(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) {
		count, left, err := l.locker.AcquireRedisson(ctx, l.key, l.owner, ours)
		l.told = l.worker.clock.now().add(l.worker.clock.scripted(left))
		return count > 0, err
	})
}

func (l *redissonLock) extend(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) { return l.locker.ExtendRedisson(ctx, l.key, l.owner, ours) })
}

func (l *redissonLock) release(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) {
		left, err := l.locker.ReleaseRedisson(ctx, l.key, l.owner, ours)
		return left >= 0, err
	})
}
