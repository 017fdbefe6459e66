package actions

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Locker acquires, renews and releases locks as their holders do, with the scripts that the Operator uses. The demo's
// workers work with it. It is safe for concurrent use.
type Locker struct{}

// NewLocker makes a Locker over a client; it does not close it.
func NewLocker(client redis.UniversalClient) *Locker { return nil }

// AcquireToken is SET key token NX PX lease; false: somebody else has it.
func (l *Locker) AcquireToken(ctx context.Context, key, token string, lease time.Duration) (bool, error) {
	return false, nil
}

// ExtendToken sets the lease anew if the lock still has this token.
func (l *Locker) ExtendToken(ctx context.Context, key, token string, lease time.Duration) (bool, error) {
	return false, nil
}

// ReleaseToken deletes the lock if it still has this token.
func (l *Locker) ReleaseToken(ctx context.Context, key, token string) (bool, error) { return false, nil }

// AcquireTimestamp takes a timestamp lock (SETNX, else GETSET if the value read is in the past) until now+lease+1 ms by
// this client's clock, and returns the value that it wrote, which is the proof of ownership.
func (l *Locker) AcquireTimestamp(ctx context.Context, key string, lease time.Duration) (value string, ok bool, err error) {
	return "", false, nil
}

// ExtendTimestamp writes a later end if the value is still the proof; it returns the new proof.
func (l *Locker) ExtendTimestamp(ctx context.Context, key, value string, lease time.Duration) (string, bool, error) {
	return "", false, nil
}

// ReleaseTimestamp deletes the lock if its value is still the proof.
func (l *Locker) ReleaseTimestamp(ctx context.Context, key, value string) (bool, error) {
	return false, nil
}

// AcquireReentrant enters a hash lock and returns the owner's count; 0: somebody else has it.
func (l *Locker) AcquireReentrant(ctx context.Context, key, owner string, lease time.Duration) (count int64, err error) {
	return 0, nil
}

// ExtendReentrant sets the lease anew if the owner is in it.
func (l *Locker) ExtendReentrant(ctx context.Context, key, owner string, lease time.Duration) (bool, error) {
	return false, nil
}

// ReleaseReentrant leaves once: it returns the count that is left, or -1 where the owner was not in it.
func (l *Locker) ReleaseReentrant(ctx context.Context, key, owner string, lease time.Duration) (left int64, err error) {
	return 0, nil
}

// AcquireRedisson enters a Redisson lock as Redisson does; it returns the count, or 0 and what the other holder's lease
// has left.
func (l *Locker) AcquireRedisson(ctx context.Context, key, owner string, lease time.Duration) (count int64, left time.Duration, err error) {
	return 0, 0, nil
}

// ExtendRedisson is the watchdog's renewal.
func (l *Locker) ExtendRedisson(ctx context.Context, key, owner string, lease time.Duration) (bool, error) {
	return false, nil
}

// ReleaseRedisson leaves once, and publishes "0" to the waiters when it was the last entry; -1: not the owner.
func (l *Locker) ReleaseRedisson(ctx context.Context, key, owner string, lease time.Duration) (left int64, err error) {
	return 0, nil
}
