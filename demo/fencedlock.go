package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

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
	l := &fenced{redissonLock: w.redissonLock(label, owner, lease)}
	l.counter = inspector.RedissonName(inspector.RedissonFencing, l.key)
	w.use(l.counter)
	return l
}

// rehearseFenced writes what such a lock has besides the lock itself: a key that does not begin with our prefix.
func rehearseFenced(ctx context.Context, client *redis.Client, key string) error {
	counter := inspector.RedissonName(inspector.RedissonFencing, key)
	err := client.Set(ctx, counter, 0, time.Second).Err()
	if err == nil {
		err = client.Unlink(ctx, counter).Err()
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("the demo of fenced locks cannot run on this server: %w; give a user that may also write %s:{%s*", err,
		inspector.RedissonFencing, Prefix)
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
