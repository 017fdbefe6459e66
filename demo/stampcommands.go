package demo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// This file has the timestamp lock in plain commands, as the texts of 2010 have it and programs still use it. Between its
// commands others come in, which is what the scenario shows; the scripts of package actions do not have that gap.

// proposal is the end of a lease that begins now: as the worker writes it, and when that is by the right clock.
func (c *stamp) proposal() (value string, ends time.Time) {
	ends = time.Now().Add(c.lease)
	value = strconv.FormatInt(ends.Add(c.ahead).UnixMilli()+1, 10)
	if c.signed {
		value = c.worker.name + ":" + value
	}
	return value, ends
}

// ask acquires the lock if it is free. Where it has lapsed it only says so: taking it over is another step.
func (c *stamp) ask(ctx context.Context) (bool, error) {
	if won, err := c.setNew(ctx); won || err != nil {
		return won, err
	}
	lapsed, err := c.look(ctx)
	if lapsed {
		c.lapsed()
	}
	return false, err
}

// setNew is SETNX.
func (c *stamp) setNew(ctx context.Context) (bool, error) {
	value, ends := c.proposal()
	won, err := c.worker.client.SetNX(ctx, c.key, value, 0).Result()
	if err != nil {
		return false, fmt.Errorf("SETNX %s: %w", c.key, err)
	}
	if won {
		c.wrote, c.ends = value, ends
	}
	return won, nil
}

// look says whether the time of the lock is over by the worker's clock, and remembers what was in it. What is no time is not
// ours to take.
func (c *stamp) look(ctx context.Context) (lapsed bool, err error) {
	value, err := c.worker.client.Get(ctx, c.key).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil // released in between
	}
	if err != nil {
		return false, fmt.Errorf("GET %s: %w", c.key, err)
	}
	if until := endOf(value); until.IsZero() || until.UnixMilli() >= c.clock().UnixMilli() {
		return false, nil
	}
	c.seen = value
	return true, nil
}

// takeByGetSet writes a new end, and owns the lock only if it replaced what it had seen, or nothing: then the lock was free. Who
// loses has written over the winner's end. As both write a lease of the same length, that end is moved to a later time: the
// winner does not lose the lock by it.
func (c *stamp) takeByGetSet(ctx context.Context) (bool, error) {
	value, ends := c.proposal()
	replaced, err := c.worker.client.Do(ctx, "GETSET", c.key, value).Text()
	if err != nil && !errors.Is(err, redis.Nil) {
		return false, fmt.Errorf("GETSET %s: %w", c.key, err)
	}
	c.wrote, c.ends, c.replaced = value, ends, replaced
	return replaced == c.seen || replaced == "", nil
}

// tellMoved tells of a GETSET that came second.
func (c *stamp) tellMoved(winner *stamp) {
	c.worker.ledger.fact("a taker that lost the race moved the end of the winner's lease")
	c.worker.news("%s took over %s; %s lost: its GETSET found another end, and only moved it by %d ms",
		winner.worker.name, c.label, c.worker.name, endOf(c.wrote).Sub(endOf(c.replaced)).Milliseconds())
}

// takeByDelete deletes the lock and acquires it anew. Between seeing that it has lapsed and the DEL another worker can have
// done the same, and then its lock is the one that is deleted.
func (c *stamp) takeByDelete(ctx context.Context) (bool, error) {
	if err := c.worker.client.Del(ctx, c.key).Err(); err != nil {
		return false, fmt.Errorf("DEL %s: %w", c.key, err)
	}
	return c.setNew(ctx)
}

// releaseMoved deletes the lock although a loser of GETSET may have moved its end. What is in it when it is read is not the
// next holder's, who may take it over only when the end that this worker wrote is past; and if it changes after that, the
// release does nothing. A lock whose time is over is left to lapse.
func (c *stamp) releaseMoved(ctx context.Context) (bool, error) {
	value, err := c.worker.client.Get(ctx, c.key).Result()
	switch {
	case errors.Is(err, redis.Nil):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("GET %s: %w", c.key, err)
	case !time.Now().Before(c.ends):
		return false, nil
	}
	return c.worker.locker.ReleaseTimestamp(ctx, c.key, value)
}
