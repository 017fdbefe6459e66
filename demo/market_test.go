package demo

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// newTestMarket is a market whose books are open, and a way to check them.
func newTestMarket(t *testing.T, deal manner) (*marketplace, books) {
	t.Helper()
	m := &marketplace{stage: newTestStage(t), deal: deal, keys: "market:test:"}
	m.measures = &marketFigures{}
	b := books{marketplace: m, worker: m.hireAll()}
	t.Cleanup(b.worker.close)
	t.Cleanup(m.dismiss)
	if !must(b.begin(t.Context()))(t) {
		t.Fatal("the books are not open")
	}
	return m, b
}

// Two buyers have both seen a piece before either acts: a way that is worth its name sells it once.
func TestTwoBuyersOfOnePiece(t *testing.T) {
	for name, c := range map[string]struct {
		deal    manner
		sold    int
		retries int
	}{
		"watch":       {watched, 1, 1},
		"market-lock": {underMarketLock, 1, 0},
		"item-lock":   {underItemLock, 1, 0},
		"unguarded":   {unguarded, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m, b := newTestMarket(t, c.deal)
			if sold := m.duel(t.Context()); sold != c.sold {
				t.Fatalf("sold %d times", sold)
			}
			if n := m.collect(0, time.Second).retries; n != c.retries {
				t.Errorf("%d retries", n)
			}
			if !must(b.check(t.Context()))(t) {
				t.Fatal("the books cannot be judged")
			}
			v, said := judge(m.ledger), m.measures.said()
			if wrong := says(v, "100 pieces were made, and 101 are there"); wrong != (c.sold == 2) || v.Faults != c.sold-1 || v.Failures > 0 {
				t.Errorf("%+v", v)
			}
			if balanced := len(said) == 1 && strings.Contains(said[0], "balanced 1 time: 100 pieces"); balanced != (c.sold == 1) {
				t.Errorf("%q", said)
			}
		})
	}
}

func TestBooksCountCoins(t *testing.T) {
	m, b := newTestMarket(t, watched)
	if err := b.worker.client.HIncrBy(t.Context(), m.funds(m.buyers[0].name), "coins", -3).Err(); err != nil {
		t.Fatal(err)
	}
	if !must(b.check(t.Context()))(t) || !says(judge(m.ledger), "there were 10000000 coins, and there are 9999997") {
		t.Fatalf("%+v", judge(m.ledger))
	}
}

// What a command did that was not answered nobody knows: it is no fault of the market.
func TestBooksThatCannotBeJudged(t *testing.T) {
	m, b := newTestMarket(t, watched)
	seller := m.sellers[0]
	if err := seller.client.Set(t.Context(), m.inventory(seller.name), "no set", 0).Err(); err != nil {
		t.Fatal(err)
	}
	m.clock.set(1000) // a failure is slept over
	if _, listed := seller.list(t.Context()); listed {
		t.Fatal("listed from what is no inventory")
	}
	if must(b.check(t.Context()))(t) || judge(m.ledger).Faults != 0 || judge(m.ledger).Failures == 0 {
		t.Fatalf("%+v", judge(m.ledger))
	}
}

func TestMarketFigures(t *testing.T) {
	f := &marketFigures{}
	small, large := marketLoads[0], marketLoads[2]
	f.add(small, 1, measured{listed: 10, bought: 4, retries: 3, tried: 30 * time.Millisecond, lasted: time.Second})
	f.add(small, 1, measured{listed: 20, bought: 6, retries: 9, tried: 50 * time.Millisecond, lasted: time.Second})
	f.add(large, 1, measured{listed: 5, retries: 7, tried: time.Second, lasted: time.Second})
	for l, want := range map[load][]string{
		small: {"15", "5", "1.2", "8.0 ms"}, marketLoads[1]: {"-", "-", "-", "-"}, large: {"5", "0", "7, and none bought", "-"},
	} {
		if row := f.of(l).row(); !slices.Equal(row, want) {
			t.Errorf("%v: %q, want %q", l, row, want)
		}
	}
	f.add(large, 0.5, measured{listed: 1, bought: 1, lasted: time.Second})
	if f.of(small).lasted != 0 || f.of(large).lasted != time.Second {
		t.Errorf("what was measured at another tempo is still there: %+v", f.loads)
	}
}

// The ways are compared once all of them have been measured in a round, also where one of them was not in a round before.
func TestWaysAreCompared(t *testing.T) {
	script := market()
	s := newShow(t.Context(), Options{Speed: 1}, nil, nil, "", script.lanes)
	l := marketLoads[1]
	told := 0
	for round, measured := range []int{3, 2, 3} { // by so many of the ways
		for n, stage := range s.stages[:measured] {
			m := &marketplace{stage: stage}
			m.figures().add(l, 1, aRound(round))
			if m.compare(l); n == 2 {
				told++
			}
			if all := len(s.narrator.sentences()); all != told {
				t.Fatalf("round %d, after %s: %d sentences, want %d", round, stage.lane.Name, all, told)
			}
		}
	}
	const want = "With 5 sellers, 1 buyer a purchase took 5.0 ms and 1.5 retries under watch, 5.0 ms and 1.5 retries under market-lock, " +
		"5.0 ms and 1.5 retries under item-lock"
	if first := s.narrator.sentences()[0].Text; first != want {
		t.Fatalf("%q, want %q", first, want)
	}
}

// What was measured while somebody played with the tempo is worth nothing, also where it ended as it began.
func TestDisturbedRoundIsNotMeasured(t *testing.T) {
	for name, disturbed := range map[string]bool{"held in between": true, "left alone": false} {
		t.Run(name, func(t *testing.T) {
			m, b := newTestMarket(t, watched)
			done := make(chan struct{})
			go func() {
				defer close(done)
				m.round(t.Context(), b.worker, 0, moment(time.Hour))
			}()
			spectator := newTestWorker(t, m.stage)
			eventually(t, "trade", func(ctx context.Context) bool { return spectator.client.Exists(ctx, m.listed()).Val() == 1 })
			if disturbed {
				for range 2 {
					if err := m.hold(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			}
			eventually(t, "the end of the round", func(context.Context) bool {
				m.letHappen() // it may not rest yet
				select {
				case <-done:
					return true
				default:
					return false
				}
			})
			if lasted := m.figures().of(marketLoads[0]).lasted; (lasted == 0) != disturbed {
				t.Fatalf("measured for %v", lasted)
			}
		})
	}
}

func aRound(n int) measured {
	return measured{bought: 2, retries: 3, tried: 10 * time.Millisecond, lasted: time.Second, round: n}
}

// Each way is measured under each load.
func TestMarketIsMeasured(t *testing.T) {
	onServersFor(t, NeedsReal, func(t *testing.T, server Server) {
		d := begin(t, Options{Scenario: "market", Server: server, Seed: 7, Speed: testSpeed})
		if rows := d.Table(); len(rows) != 1+9 || rows[1][2] != "-" || len(rows[0]) != len(rows[1]) {
			t.Fatalf("%q", rows)
		}
		eventually(t, "figures in every row", func(context.Context) bool {
			return !slices.ContainsFunc(d.Table(), func(row []string) bool { return slices.Contains(row, "-") })
		})
		if v := d.Verdict(); unsound(v) || strings.Contains(v.Text, "failed") {
			t.Fatal(v.Text)
		}
	})
}
