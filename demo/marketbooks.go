package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// books are kept for one round of a market. Only the bookkeeper uses them, while nobody trades.
type books struct {
	*marketplace
	worker *worker
}

// traders are all of them, whether they trade in this round or not.
func (m *marketplace) traders() []*trader {
	return append(append([]*trader{}, m.sellers...), m.buyers...)
}

// begin empties the market and gives everybody the first funds.
func (b books) begin(ctx context.Context) (bool, error) {
	_, err := b.worker.client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.Unlink(ctx, b.listed())
		for _, t := range b.traders() {
			pipe.Unlink(ctx, b.inventory(t.name))
			pipe.HSet(ctx, b.funds(t.name), "coins", firstFunds)
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("open the market: %w", err)
	}
	for _, t := range b.traders() {
		t.stock, t.made, t.known, t.failed, t.measured = nil, 0, 0, false, measured{}
	}
	return true, nil
}

// collect adds up what the traders have done in a round that lasted for some time.
func (m *marketplace) collect(round int, lasted time.Duration) measured {
	var sum measured
	for _, t := range m.traders() {
		sum.add(t.measured)
	}
	sum.round, sum.lasted = round, lasted
	return sum
}

// check counts pieces and coins: each piece that was made must be in one place, and no coin may come or go. It says false
// where that cannot be judged, because nobody knows what became of a command.
func (b books) check(ctx context.Context) (bool, error) {
	pipe := b.worker.client.Pipeline()
	places := []*redis.IntCmd{pipe.ZCard(ctx, b.listed())}
	var purses []*redis.StringCmd
	made := 0
	for _, t := range b.traders() {
		if t.failed {
			return false, nil
		}
		made += t.made
		places, purses = append(places, pipe.SCard(ctx, b.inventory(t.name))), append(purses, pipe.HGet(ctx, b.funds(t.name), "coins"))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return false, fmt.Errorf("count the market: %w", err)
	}
	pieces, coins := 0, 0
	for _, place := range places {
		pieces += int(place.Val())
	}
	for _, purse := range purses {
		n, err := purse.Int()
		if err != nil {
			return false, fmt.Errorf("count the market: %w", err)
		}
		coins += n
	}
	all := len(purses) * firstFunds
	if pieces == made && coins == all {
		b.figures().balanced(pieces)
		return true, nil
	}
	text := fmt.Sprintf("the books do not balance: %s were made, and %d are there", plural(made, "piece"), pieces)
	if coins != all {
		text += fmt.Sprintf("; there were %d coins, and there are %d", all, coins)
	}
	b.ledger.fault("the books do not balance", time.Duration(max(pieces-made, made-pieces)), "%s", text)
	return true, nil
}
