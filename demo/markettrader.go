package demo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// trader is a worker that sells or buys. Only one goroutine at a time uses it.
type trader struct {
	*worker
	market *marketplace
	stock  []string // the pieces in a seller's inventory that are not listed yet
	made   int      // how many pieces it has made in this round
	known  int64    // how many pieces were on the market when it looked last
	failed bool     // a command of this round was not answered: nobody knows what it did
	measured
}

// piece is a thing that is on the market once.
type piece struct {
	name   string // of the member: "117/worker-3/42"
	item   int
	seller string
}

// parsePiece reads the name of a piece.
func parsePiece(name string) (piece, error) {
	parts := strings.Split(name, "/")
	item, err := strconv.Atoi(parts[0])
	if err != nil || len(parts) != 3 {
		return piece{}, fmt.Errorf("%q is no piece of this market", name)
	}
	return piece{name: name, item: item, seller: parts[1]}, nil
}

const (
	// firstFunds are what every trader has at a round's beginning; more than it can spend in one.
	firstFunds = 1_000_000
	highest    = 20 // the highest price
	// restock is how many pieces a seller makes at once.
	restock = 100
)

func (m *marketplace) newTrader() *trader { return &trader{worker: m.newWorker(), market: m} }

// The keys of a market: what is listed, by price, and of each trader its inventory and its funds.
func (m *marketplace) listed() string { return m.key(m.keys + "listed") }

func (m *marketplace) inventory(trader string) string { return m.key(m.keys + "inventory:" + trader) }
func (m *marketplace) funds(trader string) string     { return m.key(m.keys + "funds:" + trader) }

// itemLock names the lock of an item.
func itemLock(item int) string { return "lock:item:" + strconv.Itoa(item) }

// next waits between two deals; false: the trade is over.
func (t *trader) next(ctx context.Context) bool {
	pace := tradePace
	if t.market.leisure > 0 {
		pace = t.market.leisure
	}
	return t.pause(ctx, t.about(pace)) && t.market.trading(ctx)
}

// sellOn lists one piece after the other.
func (t *trader) sellOn(ctx context.Context) {
	for t.next(ctx) {
		if _, listed := t.list(ctx); listed {
			t.listed++
		}
	}
}

// list lists a piece.
func (t *trader) list(ctx context.Context) (piece, bool) {
	if len(t.stock) == 0 && !t.attempt(ctx, t.produce) {
		return piece{}, false
	}
	p, err := parsePiece(t.stock[0])
	if err != nil {
		t.trouble(ctx, err)
		return piece{}, false
	}
	price := 1 + t.dice.IntN(highest)
	mine, listed := t.market.inventory(t.name), t.market.listed()
	d := deal{
		lock: itemLock(p.item), watches: []string{mine}, seen: func() {},
		open: func(ctx context.Context, client redis.Cmdable) (bool, error) {
			return client.SIsMember(ctx, mine, p.name).Result()
		},
		act: func(ctx context.Context, pipe redis.Pipeliner) {
			pipe.ZAdd(ctx, listed, redis.Z{Score: float64(price), Member: p.name})
			pipe.SRem(ctx, mine, p.name)
		},
	}
	done := t.conclude(ctx, d) == dealDone
	if done {
		t.stock = t.stock[1:]
	}
	return p, done
}

// produce makes pieces and puts them into the inventory.
func (t *trader) produce(ctx context.Context) (bool, error) {
	pieces := make([]any, restock)
	for i := range pieces {
		pieces[i] = fmt.Sprintf("%d/%s/%d", firstItem+t.dice.IntN(marketItems), t.name, t.made+i+1)
	}
	if err := t.client.SAdd(ctx, t.market.inventory(t.name), pieces...).Err(); err != nil {
		return false, fmt.Errorf("SADD: %w", err)
	}
	t.made += len(pieces)
	for _, p := range pieces {
		t.stock = append(t.stock, p.(string))
	}
	return true, nil
}

// buyOn buys one piece after the other.
func (t *trader) buyOn(ctx context.Context) {
	for t.next(ctx) {
		began := time.Now()
		p, found := t.choose(ctx)
		if !found {
			continue // there is nothing to buy, which is not the locks' fault
		}
		if t.insist(ctx, p, func() {}, func() bool { return t.market.trading(ctx) }) {
			t.bought++
		}
		t.tried += time.Since(began)
	}
}

// choose picks any piece of the market, as far as the trader knows its size.
func (t *trader) choose(ctx context.Context) (p piece, found bool) {
	at := int64(0)
	if t.known > 0 {
		at = t.dice.Int64N(t.known)
	}
	t.attempt(ctx, func(ctx context.Context) (bool, error) {
		pipe := t.client.Pipeline()
		names, size := pipe.ZRange(ctx, t.market.listed(), at, at), pipe.ZCard(ctx, t.market.listed())
		if _, err := pipe.Exec(ctx); err != nil {
			return false, fmt.Errorf("choose a piece: %w", err)
		}
		t.known = size.Val()
		if len(names.Val()) == 0 {
			return false, nil
		}
		var err error
		p, err = parsePiece(names.Val()[0])
		found = err == nil
		return found, err
	})
	return p, found
}

// insist buys a piece, and tries again for as long as somebody else changes the market meanwhile; false: it is gone, or
// the buyer is not to go on.
func (t *trader) insist(ctx context.Context, p piece, seen func(), goOn func() bool) bool {
	for goOn() {
		switch t.conclude(ctx, t.purchase(p, seen)) {
		case dealDone:
			return true
		case dealAborted:
			t.retries++
		default:
			return false
		}
	}
	return false
}

// purchase is what is to be done to buy a piece.
func (t *trader) purchase(p piece, seen func()) deal {
	listed, mine, theirs := t.market.listed(), t.market.funds(t.name), t.market.funds(p.seller)
	price := 0.0
	return deal{
		lock: itemLock(p.item), watches: []string{listed, mine}, seen: seen,
		open: func(ctx context.Context, client redis.Cmdable) (bool, error) {
			pipe := client.Pipeline()
			score, funds := pipe.ZScore(ctx, listed, p.name), pipe.HGet(ctx, mine, "coins")
			if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
				return false, fmt.Errorf("look at the piece: %w", err)
			}
			if errors.Is(score.Err(), redis.Nil) {
				return false, nil
			}
			coins, err := funds.Float64()
			if err != nil {
				return false, fmt.Errorf("look at the funds: %w", err)
			}
			price = score.Val()
			return coins >= price, nil
		},
		act: func(ctx context.Context, pipe redis.Pipeliner) {
			pipe.HIncrBy(ctx, mine, "coins", -int64(price))
			pipe.HIncrBy(ctx, theirs, "coins", int64(price))
			pipe.SAdd(ctx, t.market.inventory(t.name), p.name)
			pipe.ZRem(ctx, listed, p.name)
		},
	}
}
