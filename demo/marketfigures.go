package demo

import (
	"fmt"
	"strconv"
	"sync"
	"time"
)

// measured is what the traders of a market did in a time.
type measured struct {
	listed, bought int
	retries        int           // purchases that were begun again because somebody had changed the market
	tried          time.Duration // spent by all buyers on purchases, also on those that they did not finish
	lasted         time.Duration
	round          int // the last one, counted from the demo's beginning
}

func (m *measured) add(other measured) {
	m.listed, m.bought, m.retries = m.listed+other.listed, m.bought+other.bought, m.retries+other.retries
	m.tried, m.lasted, m.round = m.tried+other.tried, m.lasted+other.lasted, other.round
}

// perPurchase is how many retries a purchase took.
func (m measured) perPurchase() float64 { return float64(m.retries) / float64(m.bought) }

// wait is how long a purchase took.
func (m measured) wait() time.Duration { return m.tried / time.Duration(m.bought) }

// marketFigures are what one way made of each load. They belong to one tempo: at another they begin anew.
type marketFigures struct {
	mu     sync.Mutex
	rate   float64
	loads  map[load]measured
	books  int // how often the books were checked and balanced
	pieces int // how many pieces were in them
}

// add adds a round to the load's figures.
func (f *marketFigures) add(of load, rate float64, m measured) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if rate != f.rate {
		f.rate, f.loads = rate, map[load]measured{}
	}
	sum := f.loads[of]
	sum.add(m)
	f.loads[of] = sum
}

func (f *marketFigures) of(l load) measured {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loads[l]
}

// balanced counts that the books were in order, and for how many pieces.
func (f *marketFigures) balanced(pieces int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.books++
	f.pieces += pieces
}

func (f *marketFigures) said() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.books == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the books balanced %s: %s, each in one place, and no coin more or less", plural(f.books, "time"),
		plural(f.pieces, "piece"))}
}

// marketTable lists what was measured; a load that no round has had yet has no figures.
func marketTable(s *show) [][]string {
	rows := [][]string{{"sellers+buyers", "way", "listed/s", "bought/s", "retries per purchase", "wait per purchase"}}
	for _, l := range marketLoads {
		for _, stage := range s.stages {
			if !stage.lane.Flawed {
				rows = append(rows, append([]string{l.String(), stage.lane.Name}, stage.measures.(*marketFigures).of(l).row()...))
			}
		}
	}
	return rows
}

func (m measured) row() []string {
	if m.lasted == 0 {
		return []string{"-", "-", "-", "-"}
	}
	rate := func(n int) string { return strconv.FormatFloat(float64(n)/m.lasted.Seconds(), 'f', 0, 64) }
	row := []string{rate(m.listed), rate(m.bought)}
	if m.bought == 0 {
		return append(row, fmt.Sprintf("%d, and none bought", m.retries), "-")
	}
	return append(row, ratio(m.perPurchase()), millisWords(m.wait()))
}

// millisWords is a short time with the places that it is worth: "0.42 ms", "8.1 ms", "512 ms".
func millisWords(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	places := 2
	switch {
	case ms >= 100:
		places = 0
	case ms >= 1:
		places = 1
	}
	return strconv.FormatFloat(ms, 'f', places, 64) + " ms"
}
