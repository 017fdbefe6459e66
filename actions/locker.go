package actions

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
)

// Locker acquires, renews and releases locks as their holders do, each step in one script. The demo's workers
// work with it. It is safe for concurrent use.
type Locker struct {
	client redis.UniversalClient
}

// NewLocker makes a Locker over a client; it does not close it.
func NewLocker(client redis.UniversalClient) *Locker { return &Locker{client: client} }

// ErrLease says that a lease is too short to be one: Redis counts it in milliseconds.
var ErrLease = errors.New("a lease must be at least one millisecond")

// holderAnswer is what the scripts of holders return.
type holderAnswer struct {
	code  string
	count int64 // the holder's entries
	pttl  int64 // what is left of the lease
}

func (a holderAnswer) done() bool { return a.code == codeDone }

// run runs a script on a lock, and names the operation and the lock's key in the error.
func (l *Locker) run(ctx context.Context, s *script, key string, args ...string) (holderAnswer, error) {
	return l.runBeside(ctx, s, key, nil, args...)
}

// runBeside does so with the keys of what is beside the lock.
func (l *Locker) runBeside(ctx context.Context, s *script, key string, beside []string, args ...string) (holderAnswer, error) {
	reply, err := s.run(ctx, l.client, append([]string{key}, beside...), args...)
	if err != nil {
		return holderAnswer{}, fmt.Errorf("%s %q: %w", s.name, key, err)
	}
	items, ok := reply.([]any)
	if !ok || len(items) != 3 {
		return holderAnswer{}, fmt.Errorf("%s %q: %w: %v", s.name, key, errAnswer, reply)
	}
	code, isText := items[0].(string)
	count, isText2 := items[1].(string)
	pttl, isNumber := items[2].(int64)
	if !isText || !isText2 || !isNumber {
		return holderAnswer{}, fmt.Errorf("%s %q: %w: %v", s.name, key, errAnswer, reply)
	}
	return holderAnswer{code, entriesIn(count), pttl}, nil
}

// ifHeld runs a command if the key is a string with this value.
func (l *Locker) ifHeld(ctx context.Context, verb Verb, key, value string, command ...string) (bool, error) {
	p := plan{verb: verb, keys: []string{key}, commands: [][]string{command}}
	p.facts = append(observedType(key, keyspace.TypeString), observedValue(key, value, int64(len(value)))...)
	reply, err := act.run(ctx, l.client, p.keys, p.args()...)
	if err != nil {
		return false, fmt.Errorf("%s %q: %w", verb, key, err)
	}
	a, err := parseAnswer(p, reply)
	if err != nil {
		return false, fmt.Errorf("%s %q: %w", verb, key, err)
	}
	return a.code == codeDone, nil
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
	return a.done(), err
}

// ExtendToken sets the lease anew if the lock still has this token.
func (l *Locker) ExtendToken(ctx context.Context, key, token string, lease time.Duration) (bool, error) {
	ms, err := leaseMillis(lease)
	if err != nil {
		return false, err
	}
	return l.ifHeld(ctx, VerbExtend, key, token, "PEXPIRE", key, ms)
}

// ReleaseToken deletes the lock if it still has this token.
func (l *Locker) ReleaseToken(ctx context.Context, key, token string) (bool, error) {
	return l.ifHeld(ctx, VerbRelease, key, token, "DEL", key)
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
	if err != nil || !a.done() {
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
	a, err := l.run(ctx, extendTimestamp, key, value, later, ms)
	if err != nil || !a.done() {
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
	a, err := l.run(ctx, extendHash, key, owner, ms)
	return a.done(), err
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
	return a.count, time.Duration(a.pttl) * time.Millisecond, nil
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
	a, err := l.run(ctx, releaseHash, key, owner, millis(max(lease, 0)), channel)
	return entriesLeft(a, err)
}

// entriesLeft is what a release says: the entries that are left, or -1 where the owner was not in the lock.
func entriesLeft(a holderAnswer, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	if !a.done() {
		return -1, nil
	}
	return a.count, nil
}
