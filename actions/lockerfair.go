package actions

import (
	"context"
	"strconv"
	"time"

	"locktop/inspector"
)

// fairWait is how long a waiter of a fair lock has from its turn on, where the client does not say how long it waits: Redisson's
// fairLockWaitTimeout.
const fairWait = 5 * time.Minute

// AcquireRedissonFair enters a Redisson fair lock as Redisson does: first come, first served. It returns the count; or 0, and
// the owner is in the queue then.
//
// Who is in the queue listens on its own channel, [RedissonFairChannel], and asks again when it is told, or when left is over: it is how
// long Redisson waits for a message. It may be 0 or less where nobody knows when the lock will be free. Whoever does not come for its turn
// counts as dead after wait (Redisson's five minutes where that is 0), and lets the next one in; whoever gives up
// says so by [Locker.LeaveRedissonQueue].
func (l *Locker) AcquireRedissonFair(ctx context.Context, key, owner string, lease, wait time.Duration) (count int64, left time.Duration, err error) {
	ms, err := leaseMillis(lease)
	if err != nil {
		return 0, 0, err
	}
	if wait <= 0 {
		wait = fairWait
	}
	a, err := l.runBeside(ctx, acquireFair, key, besideFair(key), owner, ms, millis(max(wait, time.Millisecond)), nowMillis())
	if err != nil {
		return 0, 0, err
	}
	return a.count, time.Duration(a.pttl) * time.Millisecond, nil
}

// ReleaseRedissonFair leaves once, and tells the first in the queue, and nobody else, when it was the last entry; -1: not the owner. It
// tells the first one as well where the lease was over before. While entries are left the lease begins anew; a lease of zero leaves it as
// it is.
func (l *Locker) ReleaseRedissonFair(ctx context.Context, key, owner string, lease time.Duration) (left int64, err error) {
	a, err := l.runBeside(ctx, releaseFair, key, besideFair(key), owner, millis(max(lease, 0)), RedissonChannel(key), nowMillis())
	return entriesLeft(a, err)
}

// LeaveRedissonQueue takes a waiter that gives up out of the queue of a fair lock: the deadlines of those behind it are so much
// earlier as they would have waited for it. Nobody is told, as Redisson does it.
func (l *Locker) LeaveRedissonQueue(ctx context.Context, key, owner string) error {
	_, err := l.runBeside(ctx, leaveFair, key, besideFair(key), owner, nowMillis())
	return err
}

// besideFair are the queue of a fair lock, and the deadlines of those in it.
func besideFair(key string) []string {
	return []string{
		inspector.RedissonName(inspector.RedissonQueue, key), inspector.RedissonName(inspector.RedissonDeadlines, key),
	}
}

// nowMillis is this client's clock, which is the one that counts in a fair lock.
func nowMillis() string { return strconv.FormatInt(time.Now().UnixMilli(), 10) }
