package actions

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// Locker acquires, renews and releases locks as their holders do, with the scripts that the Operator uses. The demo's
// workers work with it. It is safe for concurrent use.
type Locker struct {
	client redis.UniversalClient
}

// NewLocker makes a Locker over a client; it does not close it.
func NewLocker(client redis.UniversalClient) *Locker { return &Locker{client: client} }

// ErrLease says that a lease is too short to be one: Redis counts it in milliseconds.
var ErrLease = errors.New("a lease must be at least one millisecond")

// A holder compares nothing but the proof that the lock is its own.
const (
	anyFields = ""
	anyCount  = ""
	anyTTL    = "any"
)

// run runs a script and names the operation and the key in the error.
func (l *Locker) run(ctx context.Context, s *script, key string, args ...string) (answer, error) {
	a, err := s.run(ctx, l.client, []string{key}, args...)
	if err != nil {
		return answer{}, fmt.Errorf("%s %q: %w", s.name, key, err)
	}
	return a, nil
}

// leaseMillis is a lease as Redis counts it.
func leaseMillis(lease time.Duration) (string, error) {
	if lease < time.Millisecond {
		return "", fmt.Errorf("%w, not %v", ErrLease, lease)
	}
	return strconv.FormatInt(lease.Milliseconds(), 10), nil
}

// AcquireToken is SET key token NX PX lease; false: somebody else has it.
func (l *Locker) AcquireToken(ctx context.Context, key, token string, lease time.Duration) (bool, error) {
	ms, err := leaseMillis(lease)
	if err != nil {
		return false, err
	}
	a, err := l.run(ctx, acquireToken, key, token, ms)
	return a.code == codeDone, err
}

// ExtendToken sets the lease anew if the lock still has this token.
func (l *Locker) ExtendToken(ctx context.Context, key, token string, lease time.Duration) (bool, error) {
	ms, err := leaseMillis(lease)
	if err != nil {
		return false, err
	}
	a, err := l.run(ctx, extendString, key, token, strconv.Itoa(len(token)), anyCount, anyTTL, ms, extendSet)
	return a.code == codeDone, err
}

// ReleaseToken deletes the lock if it still has this token.
func (l *Locker) ReleaseToken(ctx context.Context, key, token string) (bool, error) {
	a, err := l.run(ctx, releaseString, key, token, strconv.Itoa(len(token)), anyCount, anyTTL)
	return a.code == codeDone, err
}

// AcquireTimestamp takes a timestamp lock (SETNX, else GETSET if the value read is in the past) until now+lease+1 ms by
// this client's clock, and returns the value that it wrote, which is the proof of ownership.
//
// Both steps are in one script, so two takers never write over each other's value. The value is a proof because a later
// holder always writes a later one: it acquires either when the lease is over, or after the lock was released.
func (l *Locker) AcquireTimestamp(ctx context.Context, key string, lease time.Duration) (value string, ok bool, err error) {
	if _, err := leaseMillis(lease); err != nil {
		return "", false, err
	}
	now := time.Now()
	value = timestampAfter(now, lease)
	a, err := l.run(ctx, acquireTimestamp, key, strconv.FormatInt(now.UnixMilli(), 10), value)
	if err != nil || a.code != codeDone {
		return "", false, err
	}
	return value, true, nil
}

// timestampAfter is the end of a lease as a timestamp lock states it.
func timestampAfter(now time.Time, lease time.Duration) string {
	return strconv.FormatInt(now.Add(lease).UnixMilli()+1, 10)
}

// ExtendTimestamp writes a later end if the value is still the proof; it returns the new proof.
func (l *Locker) ExtendTimestamp(ctx context.Context, key, value string, lease time.Duration) (string, bool, error) {
	ms, err := leaseMillis(lease)
	if err != nil {
		return "", false, err
	}
	later := timestampAfter(time.Now(), lease)
	a, err := l.run(ctx, extendTimestamp, key, value, strconv.Itoa(len(value)), anyCount, anyTTL, later, ms)
	if err != nil || a.code != codeDone {
		return "", false, err
	}
	return later, true, nil
}

// ReleaseTimestamp deletes the lock if its value is still the proof.
func (l *Locker) ReleaseTimestamp(ctx context.Context, key, value string) (bool, error) {
	return l.ReleaseToken(ctx, key, value)
}

// AcquireReentrant enters a hash lock and returns the owner's count; 0: somebody else has it.
func (l *Locker) AcquireReentrant(ctx context.Context, key, owner string, lease time.Duration) (count int64, err error) {
	count, _, err = l.AcquireRedisson(ctx, key, owner, lease)
	return count, err
}

// ExtendReentrant sets the lease anew if the owner is in it.
func (l *Locker) ExtendReentrant(ctx context.Context, key, owner string, lease time.Duration) (bool, error) {
	ms, err := leaseMillis(lease)
	if err != nil {
		return false, err
	}
	a, err := l.run(ctx, extendHash, key, owner, anyFields, anyCount, anyTTL, ms, extendSet)
	return a.code == codeDone, err
}

// ReleaseReentrant leaves once: it returns the count that is left, or -1 where the owner was not in it. While entries are
// left the lease begins anew; a lease of zero leaves it as it is.
func (l *Locker) ReleaseReentrant(ctx context.Context, key, owner string, lease time.Duration) (left int64, err error) {
	return l.leave(ctx, key, owner, lease, "")
}

// AcquireRedisson enters a Redisson lock as Redisson does; it returns the count, or 0 and what the other holder's lease
// has left.
func (l *Locker) AcquireRedisson(ctx context.Context, key, owner string, lease time.Duration) (count int64, left time.Duration, err error) {
	ms, err := leaseMillis(lease)
	if err != nil {
		return 0, 0, err
	}
	a, err := l.run(ctx, acquireHash, key, owner, ms)
	if err != nil {
		return 0, 0, err
	}
	return a.entries(), time.Duration(a.pttl) * time.Millisecond, nil
}

// ExtendRedisson is the watchdog's renewal.
func (l *Locker) ExtendRedisson(ctx context.Context, key, owner string, lease time.Duration) (bool, error) {
	return l.ExtendReentrant(ctx, key, owner, lease)
}

// ReleaseRedisson leaves once, and publishes "0" to the waiters when it was the last entry; -1: not the owner. While
// entries are left the lease begins anew, as Redisson does it; a lease of zero leaves it as it is.
func (l *Locker) ReleaseRedisson(ctx context.Context, key, owner string, lease time.Duration) (left int64, err error) {
	return l.leave(ctx, key, owner, lease, RedissonChannel(key))
}

// leave releases one entry of a hash lock.
func (l *Locker) leave(ctx context.Context, key, owner string, lease time.Duration, channel string) (int64, error) {
	ms := strconv.FormatInt(max(lease.Milliseconds(), 0), 10)
	a, err := l.run(ctx, releaseHash, key, owner, anyFields, anyCount, anyTTL, "1", ms, channel)
	if err != nil {
		return 0, err
	}
	switch a.code {
	case codeDone, codeLeft:
		return a.entries(), nil
	default:
		return -1, nil
	}
}
