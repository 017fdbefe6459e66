package tui

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"locktop/inspector"
)

// TestCellsAgreeWithTheHolds draws histories at random at every span, and asks of each cell whether what it says was so.
func TestCellsAgreeWithTheHolds(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 3))
		span := spans[random.IntN(len(spans))]
		l, unseen := randomHistory(random, span)
		w := window{end: noon.Add(-time.Duration(random.Int64N(int64(span) + 1)))}
		w.begin = w.end.Add(-span)
		columns, lanes := 1+random.IntN(160), 1+random.IntN(6)
		s := newSwimlane(l, unseen, noon, w, columns, lanes)
		for _, x := range s.lanes {
			others := s.shared > 0 && x.label == s.lanes[0].label
			named := slices.Collect(func(yield func(string) bool) {
				for _, other := range s.lanes {
					if !yield(other.label) {
						return
					}
				}
			})
			for c, cell := range x.cells {
				begin, end := s.moment(c), s.moment(c+1)
				var touched, whole, lost, blurred, blind bool
				for i := range l.History {
					h := &l.History[i]
					if h.Label != x.label && (!others || slices.Contains(named, h.Label)) {
						continue
					}
					until := h.Until
					if until.IsZero() {
						until = noon
					}
					touched = touched || !h.Since.After(end) && !until.Before(begin)
					whole = whole || !h.Since.After(begin) && !until.Before(end)
					if h.Lost != nil {
						last := lossEnd(l, i, noon)
						lost = lost || !h.Lost.At.After(end) && !last.Add(2*end.Sub(begin)).Before(begin)
					}
				}
				for _, u := range unseen {
					to := u.To
					if to.IsZero() {
						to = noon
					}
					blurred = blurred || u.From.Before(end) && to.After(begin)
					blind = blind || !u.From.IsZero() && !u.From.After(begin) && !to.Before(end)
				}
				said := ""
				switch {
				case blind && cell != laneUnseen:
					said = "nobody looked"
				case (cell == laneHeld || cell == laneUnsure) && !touched:
					said = "nobody held it"
				case whole && !blurred && cell != laneHeld && cell != laneUnsure && (cell != laneLost || !lost):
					said = "it was held all the time"
				case cell == laneEmpty && blurred:
					said = "a part of it was not seen"
				case cell == laneLost && !lost:
					said = "nothing was lost"
				}
				if said != "" {
					t.Fatalf("seed %d, span %v, %d columns: the cell %d of %s is %q, but %s (%v to %v)\nholds %+v\nunseen %+v",
						seed, span, columns, c, x.label, cell, said, begin, end, l.History, unseen)
				}
			}
		}
		for i := range l.History { // however short it was, it is seen
			h := &l.History[i]
			if h.Since.Before(w.begin) || h.Since.After(w.end) {
				continue
			}
			if c := min(s.at(h.Since), columns-1); !slices.ContainsFunc(s.lanes, func(x lane) bool { return x.cells[c] != laneEmpty }) {
				t.Fatalf("seed %d: the hold of %s at %v is not to be seen", seed, h.Label, h.Since)
			}
		}
	}
}

// randomHistory is a lock with holds one after another, and times in which nobody looked.
func randomHistory(random *rand.Rand, span time.Duration) (*inspector.Lock, []inspector.Span) {
	l := &inspector.Lock{State: inspector.StateHeld}
	causes := []inspector.Cause{
		inspector.CauseReleased, inspector.CauseExpired, inspector.CauseTakenOver, inspector.CauseEvicted, inspector.CauseFlushed, inspector.CauseUnknown,
	}
	at := noon.Add(-2 * span)
	for range random.IntN(40) {
		owner := "worker-" + string(rune('0'+random.IntN(8)))
		h := inspector.Hold{Owner: owner, Label: owner, Since: at, SinceExact: true, UntilExact: random.IntN(3) > 0, Cause: causes[random.IntN(len(causes))]}
		at = at.Add(time.Duration(random.Int64N(int64(span)/8 + 1)))
		if at.After(noon) {
			break
		}
		h.Until = at
		if random.IntN(4) == 0 {
			h.Lost = &inspector.Loss{At: at}
			if random.IntN(2) == 0 {
				h.Lost.Until = at.Add(time.Duration(random.Int64N(int64(span)/8 + 1)))
			}
		}
		l.History = append(l.History, h)
		if random.IntN(2) == 0 {
			at = at.Add(time.Duration(random.Int64N(int64(span)/8 + 1)))
		}
	}
	if at.Before(noon) && random.IntN(2) == 0 {
		l.History = append(l.History, inspector.Hold{Owner: "now", Label: "now", Since: at, SinceExact: true})
	}
	var unseen []inspector.Span
	if random.IntN(2) == 0 {
		unseen = append(unseen, inspector.Span{To: noon.Add(-time.Duration(random.Int64N(int64(2 * span))))})
	}
	for range random.IntN(3) {
		from := noon.Add(-time.Duration(random.Int64N(int64(2 * span))))
		to := from.Add(time.Duration(random.Int64N(int64(span)/4 + 1)))
		if to.After(noon) {
			to = time.Time{}
		}
		unseen = append(unseen, inspector.Span{From: from, To: to})
	}
	return l, unseen
}
