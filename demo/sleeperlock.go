package demo

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/actions"
)

// sleeperLock is a lock whose waiters do not ask again and again: they sleep until they are told, or until the time that the
// last refusal named.
type sleeperLock interface {
	lock
	channel() string
	wakes() moment
}

// shortestSleep is for a refusal that names no time, or one that is as good as over.
const shortestSleep = 500 * time.Millisecond

func (l *redissonLock) channel() string { return actions.RedissonChannel(l.key) }
func (l *redissonLock) wakes() moment   { return l.told }

// bell rings when there is a message on a channel.
type bell struct {
	subscription *redis.PubSub
	rung         chan struct{}
	rings        atomic.Int64
	ended        sync.WaitGroup
}

// listen returns when the server has agreed, so that no message after that is missed.
func (w *worker) listen(ctx context.Context, channel string) (*bell, error) {
	b := &bell{subscription: w.client.Subscribe(ctx, channel), rung: make(chan struct{}, 1)}
	if _, err := b.subscription.Receive(ctx); err != nil {
		_ = b.subscription.Close() // it never began
		return nil, fmt.Errorf("SUBSCRIBE %s: %w", channel, err)
	}
	messages := b.subscription.Channel()
	b.ended.Go(func() {
		for range messages {
			b.rings.Add(1)
			select {
			case b.rung <- struct{}{}:
			default: // it has rung already
			}
		}
	})
	return b, nil
}

func (b *bell) close() error {
	err := b.subscription.Close()
	b.ended.Wait()
	return err
}

// seekAsleep asks for a lock until it has it, as Redisson does: it asks, listens, asks again for what was missed meanwhile, and
// then sleeps between one question and the next. A waiter counts as waiting while it sleeps: it is then that somebody must
// wake it. It was untold if it got the lock because its sleep was over, and not because it heard a message. Not got: the demo
// is over.
func (w *worker) seekAsleep(ctx context.Context, l sleeperLock) (got, untold bool) {
	if w.try(ctx, l.acquire) {
		return true, false
	}
	for ctx.Err() == nil {
		b, err := w.listen(ctx, l.channel())
		if err != nil {
			w.trouble(ctx, err)
			continue
		}
		got, untold = w.sleepBeside(ctx, l, b)
		if err := b.close(); err != nil {
			w.trouble(ctx, fmt.Errorf("UNSUBSCRIBE: %w", err))
		}
		return got, untold
	}
	return false, false
}

// sleepBeside asks, and sleeps, until it has the lock.
func (w *worker) sleepBeside(ctx context.Context, l sleeperLock, b *bell) (got, untold bool) {
	for {
		heard := b.rings.Load()
		if w.try(ctx, l.acquire) {
			return true, untold
		}
		awake := w.ledger.wait(l.name())
		ok := w.clock.sleepUntil(ctx, max(l.wakes(), w.clock.now().add(shortestSleep)), b.rung)
		awake()
		if !ok {
			return false, false
		}
		untold = b.rings.Load() == heard
	}
}
