package demo

import (
	"context"
	"fmt"
	"time"

	"locktop/inspector"
)

// fenced is Redisson's fenced lock: a counter beside the lock gives each acquisition a higher number than all before it.
// Whatever is written to can refuse a number that is lower than one that it has seen.
type fenced struct {
	*redissonLock
	counter string
	token   int64
}

func (w *worker) fencedLock(label, owner string, lease time.Duration) *fenced {
	return &fenced{
		redissonLock: w.redissonLock(label, owner, lease),
		// On somebody's server the counter must have our prefix, which Redisson would not put there.
		counter: w.key(inspector.RedissonName(inspector.RedissonFencing, label)),
	}
}

// acquire counts under the lock. A client that is late with it gets a higher number than one that has come in meanwhile, whose
// write is then the one that is refused: one of the two is, whichever it is.
func (l *fenced) acquire(ctx context.Context) (bool, error) {
	acquired, err := l.redissonLock.acquire(ctx)
	if !acquired || err != nil {
		return false, err
	}
	if l.token, err = l.worker.client.Incr(ctx, l.counter).Result(); err != nil {
		return false, fmt.Errorf("INCR %s: %w", l.counter, err) // without a number it is not used, and its lease ends
	}
	return true, nil
}

func (l *fenced) fencingToken() int64 { return l.token }
func (l *fenced) words() string       { return fmt.Sprintf(" with token %d", l.token) }
