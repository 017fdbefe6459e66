package demo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"locktop/inspector"
)

// market measures three ways to keep buyers and sellers out of each other's way, side by side and under a growing load.
func market() script {
	return script{
		Scenario: Scenario{
			Name: "market",
			Shows: "Sellers list pieces and buyers buy them, three ways side by side: under WATCH (tried again when somebody was faster), " +
				"under one lock around the whole market (" + marketLock + "), and under a lock for each item (lock:item:101 and on). " +
				"The load grows from 1 seller and 1 buyer to 5 and 5, and each way is measured.",
			LookFor: "how many retries and how long a wait each way needs for a purchase as the load grows: that is measured here and now. " +
				marketLock + " is wanted by everybody, an item's lock far less often. In the unguarded market a piece is sold twice, and the books tell.",
			Fault: "two buyers want the same piece",
			Needs: NeedsReal,
		},
		lanes: []lane{
			marketLane(marketplace{deal: watched, keys: "market:watch:"}, Variant{Name: "watch", Shows: "WATCH, MULTI, EXEC, and no lock"}),
			marketLane(marketplace{deal: underMarketLock, keys: "market:whole:"},
				Variant{Name: "market-lock", Shows: "one token lock around everything: " + marketLock}),
			marketLane(marketplace{deal: underItemLock, keys: "market:item:"},
				Variant{Name: "item-lock", Shows: "a token lock for each item: lock:item:101 and on"}),
			marketLane(marketplace{deal: unguarded, keys: "market:unguarded:", leisure: unguardedPace},
				Variant{Name: "unguarded", Shows: "looks, then acts: no WATCH and no lock", Flawed: true}),
		},
		table: marketTable,
		// Locks that are held for a millisecond, by turns, are what the scenario is about, and no finding.
		thresholds: inspector.Thresholds{},
	}
}

const (
	marketLock = "lock:market"

	// Every round has one load: it is measured, then two buyers want the same piece, then the books are checked.
	marketSpan  = 5 * time.Second
	marketRound = 7 * time.Second

	// tradePace is what a trader does besides, between two deals. Those of the unguarded market have leisure, so that they
	// take nothing away from what is measured.
	tradePace     = time.Millisecond
	unguardedPace = 500 * time.Millisecond

	marketItems = 20 // there are pieces of so many items
	firstItem   = 101
	mostTraders = 5 // of each kind
)

// load is how many trade at once.
type load struct{ sellers, buyers int }

func (l load) String() string { return fmt.Sprintf("%d+%d", l.sellers, l.buyers) }

// words are for people: "5 sellers, 1 buyer".
func (l load) words() string { return plural(l.sellers, "seller") + ", " + plural(l.buyers, "buyer") }

// marketLoads follow each other, round after round.
var marketLoads = []load{{1, 1}, {5, 1}, {5, 5}}

// marketplace is the market of one lane.
type marketplace struct {
	*stage
	deal    manner
	keys    string        // what the names of its keys begin with; not the name of a lock, for they are none
	leisure time.Duration // between two deals, for a market that is not measured

	sellers, buyers []*trader
	over            chan struct{} // closed when a round's trade is over
}

// marketLane makes a lane of a market.
func marketLane(m marketplace, v Variant) lane {
	return lane{
		Variant: v, lockless: v.Name == "watch" || v.Flawed, measure: func() measures { return &marketFigures{} },
		play: func(ctx context.Context, s *stage) {
			m := m
			m.stage = s
			bookkeeper := m.hireAll()
			s.group.Go(func() { m.run(ctx, bookkeeper) })
		},
	}
}

func (m *marketplace) figures() *marketFigures { return m.measures.(*marketFigures) }

// hireAll hires the traders and the bookkeeper. It does so before anything runs, so that everybody's dice are the same each time.
func (m *marketplace) hireAll() (bookkeeper *worker) {
	for range mostTraders {
		m.sellers, m.buyers = append(m.sellers, m.newTrader()), append(m.buyers, m.newTrader())
	}
	return m.newWorker()
}

// run plays round after round. All lanes begin theirs at the same moments.
func (m *marketplace) run(ctx context.Context, bookkeeper *worker) {
	defer bookkeeper.close()
	defer m.dismiss()
	for ctx.Err() == nil {
		round := int(time.Duration(m.clock.now()) / marketRound)
		begins := moment(round) * moment(marketRound)
		m.round(ctx, bookkeeper, round, begins.add(marketSpan))
		if m.clock.now() >= begins.add(marketSpan) { // else the fault was asked for, and the trade goes on
			m.clock.sleepUntil(ctx, begins.add(marketRound), nil)
		}
	}
}

// loadOf is the load of a round. A market that is not measured has the same one always.
func (m *marketplace) loadOf(round int) load {
	if m.leisure > 0 {
		return load{1, 2}
	}
	return marketLoads[round%len(marketLoads)]
}

// dismiss ends the traders' connections.
func (m *marketplace) dismiss() {
	for n := range mostTraders {
		m.sellers[n].close()
		m.buyers[n].close()
	}
}

// round is one round: open the books, trade, let two buyers want the same piece, and check the books.
func (m *marketplace) round(ctx context.Context, bookkeeper *worker, round int, end moment) {
	of, b := m.loadOf(round), books{marketplace: m, worker: bookkeeper}
	if !bookkeeper.try(ctx, b.begin) {
		return
	}
	steady, tempo, began := m.clock.steady(), m.director.now(), time.Now()
	m.trade(ctx, of, end)
	measured := m.collect(round, time.Since(began))
	if m.leisure == 0 && ctx.Err() == nil && steady() && !tempo.Held && measured.bought+measured.listed > 0 {
		m.figures().add(of, tempo.Rate, measured)
		m.compare(of)
	}
	sold := m.duel(ctx)
	if ctx.Err() == nil && bookkeeper.try(ctx, b.check) && sold > 0 {
		m.ledger.play()
	}
}

// trade lets as many trade as the load says, until the end or until somebody asks for the fault.
func (m *marketplace) trade(ctx context.Context, of load, end moment) {
	m.over = make(chan struct{})
	var all sync.WaitGroup
	for _, seller := range m.sellers[:of.sellers] {
		all.Go(func() { seller.sellOn(ctx) })
	}
	for _, buyer := range m.buyers[:of.buyers] {
		all.Go(func() { buyer.buyOn(ctx) })
	}
	m.rest(ctx, m.clock.now().until(end))
	close(m.over)
	all.Wait()
}

// trading says that the round's trade is not over.
func (m *marketplace) trading(ctx context.Context) bool {
	select {
	case <-m.over:
		return false
	default:
		return ctx.Err() == nil
	}
}

// duel lets two buyers see the same piece before either has acted, and says how many of them bought it.
func (m *marketplace) duel(ctx context.Context) (sold int) {
	seller, first, second := m.sellers[0], m.buyers[0], m.buyers[1]
	piece, listed := seller.list(ctx)
	if !listed {
		return 0
	}
	meet := newMeeting(2, first.scaled(marketSpan))
	var bought [2]bool
	var both sync.WaitGroup
	for i, buyer := range []*trader{first, second} {
		both.Go(func() {
			var once sync.Once
			seen := func() { once.Do(func() { meet.arrive(ctx) }) }
			bought[i] = buyer.insist(ctx, piece, seen, func() bool { return ctx.Err() == nil })
		})
	}
	both.Wait()
	switch {
	case bought[0] && bought[1]:
		m.news("%s and %s both saw piece %s, and then both bought it: %s sold it twice (%s)", first.name, second.name, piece.name,
			seller.name, m.lane.Name)
		return 2
	case bought[0] || bought[1]:
		winner, loser := first, second
		if bought[1] {
			winner, loser = second, first
		}
		m.ledger.fact("of two buyers who wanted the same piece one was refused")
		m.say("%s and %s wanted piece %s at once: %s got it, and %s was told that it is gone (%s)", first.name, second.name,
			piece.name, winner.name, loser.name, m.lane.Name)
		return 1
	}
	return 0
}

// compare tells how the ways fared under a load, once the last of them has been measured in this round.
func (m *marketplace) compare(of load) {
	var ways []string
	round := m.figures().of(of).round
	for _, s := range m.stages {
		if s.lane.Flawed {
			continue
		}
		f := s.measures.(*marketFigures).of(of)
		if f.bought == 0 || f.round != round {
			return
		}
		way := millisWords(f.wait())
		if f.retries > 0 {
			way += fmt.Sprintf(" and %s retries", ratio(f.perPurchase()))
		}
		ways = append(ways, way+" under "+s.lane.Name)
	}
	m.news("With %s a purchase took %s", of.words(), strings.Join(ways, ", "))
}

// ratio is a number with as many places as it is worth.
func ratio(r float64) string {
	if r < 100 {
		return strconv.FormatFloat(r, 'f', 1, 64)
	}
	return strconv.FormatFloat(r, 'f', 0, 64)
}
