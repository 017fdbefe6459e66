package tui

import (
	"slices"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// The cells of a lane.
const (
	laneEmpty    = ' '
	laneHeld     = '█'
	laneUnsure   = '▒' // the lease is about to lapse or ran out, or the end was not seen
	laneLost     = '╳' // the lock was lost, and its former holder may still be inside
	laneUnseen   = '╱' // nobody looked: neither free nor held
	laneLabelMax = 24
)

// lane is one holder's row in the picture of who had the lock when. Holders are told apart by their labels: a client
// that draws a new token for each acquisition is still the same client where the token says so.
type lane struct {
	label   string
	cells   []rune
	present bool // it holds the lock now
}

// swimlane is who had a lock in a window of time.
type swimlane struct {
	window
	columns int
	lanes   []lane
	marks   []mark // oldest first
	shared  int    // holders that share the first lane, for want of one of their own
	unseen  bool   // there are cells that nobody saw
	polled  bool   // what came and went between two reads was not seen either
}

// newSwimlane draws the history of a lock into lanes of columns cells. With more holders than lanes, those who had it last have lanes
// of their own, and the first lane is that of all the others. unseen are the times in which nobody looked.
func newSwimlane(l *inspector.Lock, unseen []inspector.Span, now time.Time, w window, columns, lanes int) swimlane {
	if columns <= 0 || lanes <= 0 || w.span() <= 0 {
		return swimlane{}
	}
	s := swimlane{window: w, columns: columns}
	losses := make([]time.Time, len(l.History)) // until when a former holder may have been inside
	shown := make([]bool, len(l.History))
	var seen []string // who had it last first
	for i := range slices.Backward(l.History) {
		h := &l.History[i]
		losses[i] = lossEnd(l, i, now)
		over := h.Until
		if losses[i].After(over) {
			over = losses[i]
		}
		shown[i] = (h.Until.IsZero() || !over.Before(w.begin)) && !h.Since.After(w.end)
		if shown[i] && !slices.Contains(seen, labelOf(h)) {
			seen = append(seen, labelOf(h))
		}
	}
	if len(seen) > lanes {
		s.shared = len(seen) - lanes + 1
		seen = seen[:lanes-1]
		s.lanes = append(s.lanes, newLane(text.Plural(int64(s.shared), "other"), columns))
	}
	of := func(label string) *lane {
		i := 0 // the others'
		if slices.Contains(seen, label) {
			i = slices.IndexFunc(s.lanes, func(x lane) bool { return x.label == label })
			if i < 0 {
				s.lanes = append(s.lanes, newLane(label, columns))
				i = len(s.lanes) - 1
			}
		}
		return &s.lanes[i]
	}
	for i := range l.History {
		if h := &l.History[i]; shown[i] {
			x := of(labelOf(h))
			x.held(&s, h, l, now)
			s.mark(h)
		}
	}
	for i := range l.History { // after the holds, which it must not cover
		if h := &l.History[i]; shown[i] && h.WasLost() {
			of(labelOf(h)).lost(&s, h, losses[i])
		}
	}
	if len(s.lanes) == 0 {
		s.lanes = append(s.lanes, newLane("", columns)) // it was free, or nobody looked
	}
	if since := l.RememberedSince(); !since.IsZero() {
		unseen = append([]inspector.Span{{To: since}}, unseen...)
	}
	for _, u := range unseen {
		s.hatch(u)
	}
	return s
}

// lossEnd is until when the former holder of a lost lock may have been inside, as far as is known: until it noticed; else as long
// as the next one had the lock.
func lossEnd(l *inspector.Lock, i int, now time.Time) time.Time {
	h := &l.History[i]
	if !h.WasLost() {
		return time.Time{}
	}
	if !h.Lost.Until.IsZero() {
		return earliest(h.Lost.Until, now)
	}
	for n := i + 1; n < len(l.History); n++ {
		if next := &l.History[n]; next.Owner != h.Owner {
			if next.Until.IsZero() {
				return now
			}
			return earliest(next.Until, now)
		}
	}
	return h.Lost.At
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func newLane(label string, columns int) lane {
	x := lane{label: label, cells: make([]rune, columns)}
	for c := range x.cells {
		x.cells[c] = laneEmpty
	}
	return x
}

// labelOf is a holder in words.
func labelOf(h *inspector.Hold) string {
	if h.Label == "" {
		return h.Owner
	}
	return h.Label
}

// at is the column of a moment: below zero before the window, and columns or more from its end on.
func (s *swimlane) at(t time.Time) int {
	switch {
	case t.Before(s.begin):
		return -1
	case t.After(s.end):
		return s.columns
	}
	return int(int64(t.Sub(s.begin)) * int64(s.columns) / int64(s.span()))
}

// moment is when a column begins.
func (s *swimlane) moment(column int) time.Time {
	return s.begin.Add(time.Duration(int64(s.span()) * int64(column) / int64(s.columns)))
}

// extent is the columns from a moment until another one, which has none itself. Any time in the window has at least one column,
// however short it was.
func (s *swimlane) extent(since, until time.Time) (from, to int) {
	from, to = s.at(since), s.at(until)
	if to < 0 || since.After(s.end) {
		return 0, 0
	}
	from = min(max(from, 0), s.columns-1)
	return from, min(max(to, from+1), s.columns)
}

// held puts one hold into the lane.
func (x *lane) held(s *swimlane, h *inspector.Hold, l *inspector.Lock, now time.Time) {
	until, unsure := h.Until, false
	if until.IsZero() {
		until, x.present = now, l.State != inspector.StateFreed
		if ttl, ok := l.TTLAt(now); ok && x.present {
			unsure = float64(ttl) < aboutToLapse*float64(leaseOf(l))
		}
	} else {
		unsure = h.Cause == inspector.CauseExpired || !h.UntilExact
	}
	from, to := s.extent(h.Since, until)
	for c := from; c < to; c++ {
		x.cells[c] = laneHeld
	}
	if unsure && to-from > 1 && !until.After(s.end) {
		x.cells[to-1] = laneUnsure
	}
}

// lost puts what followed a hold that was lost into the lane, from the cell after the hold. However short it was, and whatever else there
// was in its cell, it is seen.
func (x *lane) lost(s *swimlane, h *inspector.Hold, until time.Time) {
	from, to := s.extent(h.Lost.At, until)
	if from == to {
		return
	}
	_, hold := s.extent(h.Since, h.Until)
	seen := false
	for c := max(from, hold); c < max(to, hold+1) && c < s.columns; c++ {
		if x.cells[c] == laneEmpty || x.cells[c] == laneLost {
			x.cells[c], seen = laneLost, true
		}
	}
	if !seen {
		x.cells[from] = laneLost
	}
}

// hatch marks what nobody saw, in all lanes. A hold that is known to have begun before the end of such a time, or to have gone on
// after it, keeps the cells of which less than a half was not seen, and all that lie before anybody looked.
func (s *swimlane) hatch(u inspector.Span) {
	before, until := u.From.IsZero(), u.To
	if until.IsZero() || until.After(s.end) {
		until = s.end
	}
	from, to := s.extent(u.From, until)
	if before && until.Before(s.begin) || from >= to {
		return
	}
	if to < s.columns && s.moment(to).Before(until) {
		to++ // and of that a part
	}
	for c := from; c < to; c++ {
		begin, end := s.moment(c), s.moment(c+1)
		most := !before && overlap(begin, end, u.From, until) >= end.Sub(begin)/2
		for i := range s.lanes {
			if cell := &s.lanes[i].cells[c]; *cell == laneEmpty || most {
				*cell, s.unseen = laneUnseen, true
			}
		}
	}
}

// overlap is for how long two times are one.
func overlap(aFrom, aTo, bFrom, bTo time.Time) time.Duration {
	from, to := aFrom, earliest(aTo, bTo)
	if bFrom.After(from) {
		from = bFrom
	}
	return max(to.Sub(from), 0)
}

// paint paints the lanes, the hand-overs under them, and the axis; all that in exactly so many lines as so many lanes take.
func (s *swimlane) paint(p *painter, labelWidth, lanes int) {
	shown := min(lanes, len(s.lanes))
	for _, x := range s.lanes[:shown] {
		name, held := p.theme.plain, p.theme.faint
		if x.present {
			name, held = p.theme.strong, p.theme.accent
		}
		p.gap(rowPrefix)
		p.left(name, text.Escape(x.label), labelWidth)
		p.gap(2)
		x.paint(p, held)
		p.end()
	}
	indent := rowPrefix + labelWidth + 2
	s.paintMarks(p, indent)
	s.paintAxis(p, indent)
	for range lanes - shown {
		p.blank()
	}
}

// hatching is so many cells, of which every second one is hatched.
func hatching(cells int) string {
	const stroke = string(laneUnseen)
	return strings.Repeat(stroke+" ", cells/2) + stroke[:len(stroke)*(cells%2)]
}

// paint paints the cells in runs of the same look.
func (x lane) paint(p *painter, held style) {
	for from := 0; from < len(x.cells); {
		to := from + 1
		for to < len(x.cells) && x.cells[to] == x.cells[from] {
			to++
		}
		run := string(x.cells[from:to])
		switch x.cells[from] {
		case laneHeld:
			p.put(held, repeat(fullBlocks, to-from))
		case laneUnsure:
			p.put(p.theme.warn, run)
		case laneLost:
			p.put(p.theme.bad, run)
		case laneUnseen: // a full hatching would be the loudest thing on the screen, and says the least
			p.put(p.theme.faint, hatching(to-from))
		default:
			p.gap(to - from)
		}
		from = to
	}
}
