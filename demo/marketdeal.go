package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// deal is a listing or a purchase, whatever keeps others out of it.
type deal struct {
	lock    string   // of the item
	watches []string // the keys that nobody may change meanwhile
	// seen is called when the trader has seen the piece, and has done nothing yet.
	seen func()
	// open looks whether it can be done, and act does it.
	open func(context.Context, redis.Cmdable) (bool, error)
	act  func(context.Context, redis.Pipeliner)
}

// outcome is what became of a deal.
type outcome int

const (
	dealNone    outcome = iota // it cannot be done: the piece is gone
	dealDone                   // it is done
	dealAborted                // somebody changed what it is about: try again
)

// manner is how a market keeps its traders out of each other's way.
type manner func(context.Context, *trader, deal) (outcome, error)

// attempt does something once. Where the answer was not had, this round's books cannot be judged: nobody knows what was done.
func (t *trader) attempt(ctx context.Context, do func(context.Context) (bool, error)) bool {
	return t.try(ctx, func(ctx context.Context) (bool, error) {
		done, err := do(ctx)
		t.failed = t.failed || err != nil
		return done, err
	})
}

// conclude tries a deal in the way of the market.
func (t *trader) conclude(ctx context.Context, d deal) (o outcome) {
	t.attempt(ctx, func(ctx context.Context) (done bool, err error) {
		o, err = t.market.deal(ctx, t, d)
		return o == dealDone, err
	})
	return o
}

// watched acts only if none of the keys was changed since before it looked.
func watched(ctx context.Context, t *trader, d deal) (o outcome, err error) {
	err = t.client.Watch(ctx, func(tx *redis.Tx) error {
		open, err := d.open(ctx, tx)
		d.seen()
		if err != nil || !open {
			return err
		}
		err = transaction(ctx, tx, d)
		switch {
		case errors.Is(err, redis.TxFailedErr):
			o = dealAborted
			return nil
		case err == nil:
			o = dealDone
		}
		return err
	}, d.watches...)
	if err != nil {
		return dealNone, fmt.Errorf("under WATCH: %w", err)
	}
	return o, nil
}

// transactor is a client or a connection that WATCHes.
type transactor interface {
	TxPipelined(context.Context, func(redis.Pipeliner) error) ([]redis.Cmder, error)
}

// transaction acts within MULTI and EXEC, so that a trader that dies leaves no deal half done.
func transaction(ctx context.Context, on transactor, d deal) error {
	_, err := on.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		d.act(ctx, pipe)
		return nil
	})
	return err
}

// underMarketLock lets one deal after the other be done.
func underMarketLock(ctx context.Context, t *trader, d deal) (outcome, error) {
	return locked(ctx, t, d, marketLock)
}

// underItemLock lets deals of different items be done at once. The funds need no lock: only its owner spends from them.
func underItemLock(ctx context.Context, t *trader, d deal) (outcome, error) {
	return locked(ctx, t, d, d.lock)
}

const (
	// dealLease is long: a lock that a trader keeps for longer than it thinks would let two in.
	dealLease = 15 * time.Second
	// dealRetry is how long a trader waits before it asks again for a lock, as the texts have it.
	dealRetry = time.Millisecond
)

// locked does a deal under a lock.
func locked(ctx context.Context, t *trader, d deal, label string) (outcome, error) {
	d.seen()
	l := t.tokenLock(label, dealLease)
	for {
		acquired, err := l.acquire(ctx)
		if err != nil {
			return dealNone, err
		}
		if acquired {
			break
		}
		if !t.pause(ctx, t.about(dealRetry)) {
			return dealNone, nil
		}
	}
	if t.tooLate(ctx, l) {
		return dealAborted, nil
	}
	v := t.ledger.enter(label, t.name)
	o, err := inside(ctx, t, d, l)
	if o == dealDone {
		v.leave()
	} else {
		v.die()
	}
	if _, lost := l.release(ctx); lost != nil {
		return o, errors.Join(err, lost)
	}
	return o, err
}

// inside does a deal while the lease lasts.
func inside(ctx context.Context, t *trader, d deal, l *tokenLock) (outcome, error) {
	open, err := d.open(ctx, t.client)
	switch {
	case err != nil || !open:
		return dealNone, err
	case !t.work(ctx, 0, &l.claim): // it was kept from its work for too long, and may not act any more
		return dealAborted, nil
	}
	if err := transaction(ctx, t.client, d); err != nil {
		return dealNone, fmt.Errorf("under %s: %w", l.label, err)
	}
	return dealDone, nil
}

// unguarded looks, and then acts whatever has happened in between: that is what is wrong with it.
func unguarded(ctx context.Context, t *trader, d deal) (outcome, error) {
	open, err := d.open(ctx, t.client)
	d.seen()
	if err != nil || !open {
		return dealNone, err
	}
	_, err = t.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		d.act(ctx, pipe)
		return nil
	})
	if err != nil {
		return dealNone, fmt.Errorf("with no guard: %w", err)
	}
	return dealDone, nil
}
