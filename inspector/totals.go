package inspector

import (
	"maps"
	"slices"
	"time"
)

// totals are kept up to date lock by lock: counting 100,000 of them ten times a second would cost more than all the rest.
type totals struct {
	byState   map[State]int
	suspects  int
	contended int
	rates     [len(Totals{}.Rates)]uint32 // acquisitions a second; the last is the running one
	second    int64
}

func newTotals() totals { return totals{byState: make(map[State]int)} }

func (t *totals) add(l *Lock)    { t.count(l, 1) }
func (t *totals) remove(l *Lock) { t.count(l, -1) }

func (t *totals) count(l *Lock, n int) {
	t.byState[l.State] += n
	if s := l.Severity(); s == SeverityWarning || s == SeverityCritical {
		t.suspects += n
	}
	if contended(l) {
		t.contended += n
	}
}

// contended says whether a lock has waiters, or changed hands often in the last minute.
func contended(l *Lock) bool {
	acquired := 0
	for _, n := range l.Acquisitions {
		acquired += int(n)
	}
	return l.Waiters.Count > 0 || acquired >= 3
}

func (t *totals) acquired(n int, at time.Time) {
	t.advance(at)
	t.rates[len(t.rates)-1] += uint32(n)
}

// advance moves the seconds on.
func (t *totals) advance(now time.Time) {
	second := now.Unix()
	steps := second - t.second
	if steps <= 0 {
		return
	}
	t.second = second
	n := min(int(min(steps, int64(len(t.rates)))), len(t.rates))
	copy(t.rates[:], t.rates[n:])
	clear(t.rates[len(t.rates)-n:])
}

func (t *totals) at(now time.Time) Totals {
	t.advance(now)
	out := Totals{ByState: maps.Clone(t.byState), Suspects: t.suspects, Contended: t.contended}
	maps.DeleteFunc(out.ByState, func(_ State, n int) bool { return n == 0 })
	for state, n := range out.ByState {
		if state != StateFreed {
			out.Locks += n
		}
	}
	whole := t.rates[:len(t.rates)-1] // the running second is not over
	for i, n := range t.rates {
		out.Rates[i] = float64(n)
	}
	const over = 10
	for _, n := range slices.Backward(whole[len(whole)-over:]) {
		out.AcquisitionsPerSecond += float64(n) / over
	}
	return out
}
