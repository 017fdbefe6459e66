package demo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// classic is a timestamp lock in plain commands, as the texts of 2010 have it and programs still use it. Between its
// commands others come in, which is what the scenario shows; the scripts of package actions do not have that gap.
type classic struct {
	worker *worker
	label  string
	lease  time.Duration
	meet   *meeting
	stall  time.Duration // between seeing that the lock has lapsed and acting on it
	wrote  string        // the end that it wrote, once it owns the lock
}

// takeover is one attempt to get a lock whose time is over.
type takeover func(*classic, context.Context) (bool, error)

// end is the end of a lease that begins now.
func (c *classic) end() string {
	return strconv.FormatInt(time.Now().Add(c.lease).UnixMilli()+1, 10)
}

// lapsed reads the lock after a SETNX that lost, and says what is in it if its time is over. All takers have then seen
// the same.
func (c *classic) lapsed(ctx context.Context, key string) (value string, over bool, err error) {
	value, err = c.worker.client.Get(ctx, key).Result()
	c.meet.arrive(ctx)
	if errors.Is(err, redis.Nil) {
		return "", false, nil // released in between
	}
	if err != nil {
		return "", false, fmt.Errorf("GET %s: %w", key, err)
	}
	end := millis(value)
	return value, end > 0 && end < time.Now().UnixMilli(), nil // what is no time is not ours to take
}

// setNew is the SETNX with which every attempt begins.
func (c *classic) setNew(ctx context.Context, key string) (bool, error) {
	end := c.end()
	won, err := c.worker.client.SetNX(ctx, key, end, 0).Result()
	if err != nil {
		return false, fmt.Errorf("SETNX %s: %w", key, err)
	}
	if won {
		c.wrote = end
	}
	return won, nil
}

// takeByGetSet writes a new end and owns the lock only if it replaced what it had read. The loser has then written over
// the winner's end, by some milliseconds.
func (c *classic) takeByGetSet(ctx context.Context) (bool, error) {
	key := c.worker.key(c.label)
	if won, err := c.setNew(ctx, key); won || err != nil {
		c.meet.arrive(ctx)
		return won, err
	}
	seen, over, err := c.lapsed(ctx, key)
	if err != nil || !over || !c.worker.pause(ctx, c.stall) {
		return false, err
	}
	end := c.end()
	replaced, err := c.worker.client.Do(ctx, "GETSET", key, end).Text()
	if err != nil && !errors.Is(err, redis.Nil) {
		return false, fmt.Errorf("GETSET %s: %w", key, err)
	}
	if replaced != seen {
		c.worker.news("%s lost the race for %s, and GETSET told it: one is inside, but its end was moved by %d ms",
			c.worker.name, c.label, millis(end)-millis(replaced))
		return false, nil
	}
	c.wrote = end
	return true, nil
}

// millis reads the end of a lease; what is no number is 0.
func millis(end string) int64 {
	ms, err := strconv.ParseInt(end, 10, 64)
	if err != nil {
		return 0
	}
	return ms
}

// takeByDelete deletes the lock and acquires it anew. Between the two another taker can have done the same, and then its
// lock is the one that is deleted.
func (c *classic) takeByDelete(ctx context.Context) (bool, error) {
	key := c.worker.key(c.label)
	if won, err := c.setNew(ctx, key); won || err != nil {
		c.meet.arrive(ctx)
		return won, err
	}
	_, over, err := c.lapsed(ctx, key)
	if err != nil || !over || !c.worker.pause(ctx, c.stall) {
		return false, err
	}
	if err := c.worker.client.Del(ctx, key).Err(); err != nil {
		return false, fmt.Errorf("DEL %s: %w", key, err)
	}
	return c.setNew(ctx, key)
}

// release deletes the lock if its lease is not over, which is all that such a client checks.
func (c *classic) release(ctx context.Context) (bool, error) {
	if millis(c.wrote) < time.Now().UnixMilli() {
		return false, nil
	}
	key := c.worker.key(c.label)
	n, err := c.worker.client.Del(ctx, key).Result()
	if err != nil {
		return false, fmt.Errorf("DEL %s: %w", key, err)
	}
	return n == 1, nil
}

// compete lets two takers go for a lock at once, and returns when both are done.
func (r race) compete(ctx context.Context, first, second *worker) {
	var both sync.WaitGroup
	meet := newMeeting(2, first.scaled(time.Second))
	for i, w := range []*worker{first, second} {
		c := &classic{
			worker: w, label: r.label, lease: w.scaled(stampLease), meet: meet, stall: time.Duration(i) * r.stall,
		}
		both.Go(func() {
			if !w.try(ctx, func(ctx context.Context) (bool, error) { return r.take(c, ctx) }) {
				return
			}
			if other := w.ledger.holder(r.label); other != "" {
				w.news("%s deleted %s, which %s had just got, and got it too: both are inside", w.name, r.label, other)
			}
			v := w.ledger.enter(r.label, w.name)
			w.pause(ctx, 2*time.Second)
			v.leave()
			w.try(ctx, c.release)
		})
	}
	both.Wait()
}

// meeting lets several goroutines wait for each other, but not for ever.
type meeting struct {
	mu       sync.Mutex
	missing  int
	complete chan struct{}
	patience time.Duration
}

func newMeeting(size int, patience time.Duration) *meeting {
	return &meeting{missing: size, complete: make(chan struct{}), patience: patience}
}

// arrive waits until all have arrived, or the patience or the context is over. Everybody arrives once.
func (m *meeting) arrive(ctx context.Context) {
	m.mu.Lock()
	if m.missing--; m.missing == 0 {
		close(m.complete)
	}
	m.mu.Unlock()
	timer := time.NewTimer(m.patience)
	defer timer.Stop()
	select {
	case <-m.complete:
	case <-timer.C:
	case <-ctx.Done():
	}
}
