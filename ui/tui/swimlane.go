package tui

import (
	"slices"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// The cells of a lane.
const (
	laneEmpty    = ' '
	laneHeld     = '█'
	laneUnsure   = '▒' // the lease was about to lapse, or the end was not seen
	laneLabelMax = 24
)

// lane is one holder's row in the picture of who had the lock when. Holders are told apart by their labels: a client
// that draws a new token for each acquisition is still the same client where the token says so.
type lane struct {
	label   string
	cells   []rune
	present bool // it holds the lock now
}

// mark is a hand-over under the lanes, at the column where it happened.
type mark struct {
	column int
	cause  inspector.Cause
	label  string // of the holder whose hold ended
}

// swimlane is who had a lock over a span of time that ends now.
type swimlane struct {
	lanes  []lane
	marks  []mark // oldest first
	shared int    // holders that share the first lane, for want of one of their own
}

// newSwimlane draws the history of a lock into lanes of columns cells, each of them span/columns long. With more holders
// than lanes, those who had it last have lanes of their own, and the first lane is that of all the others.
func newSwimlane(l *inspector.Lock, now time.Time, span time.Duration, columns, lanes int) swimlane {
	if columns <= 0 || lanes <= 0 || span <= 0 {
		return swimlane{}
	}
	begin := now.Add(-span)
	shown := func(h inspector.Hold) bool {
		return (h.Until.IsZero() || !h.Until.Before(begin)) && !h.Since.After(now)
	}
	var seen []string // who had it last first
	for _, h := range slices.Backward(l.History) {
		if shown(h) && !slices.Contains(seen, labelOf(h)) {
			seen = append(seen, labelOf(h))
		}
	}
	s := swimlane{}
	if len(seen) > lanes {
		s.shared = len(seen) - lanes + 1
		seen = seen[:lanes-1]
		s.lanes = append(s.lanes, newLane(plural(int64(s.shared), "other"), columns))
	}
	at := func(t time.Time) int {
		return int(int64(t.Sub(begin)) * int64(columns) / int64(span))
	}
	for _, h := range l.History {
		if !shown(h) {
			continue
		}
		i := 0 // the others'
		if label := labelOf(h); slices.Contains(seen, label) {
			i = slices.IndexFunc(s.lanes, func(x lane) bool { return x.label == label })
			if i < 0 {
				s.lanes = append(s.lanes, newLane(label, columns))
				i = len(s.lanes) - 1
			}
		}
		s.lanes[i].draw(h, l, now, at, columns)
		if !h.Until.IsZero() && !h.Until.After(now) {
			s.marks = append(s.marks, mark{min(at(h.Until), columns-1), h.Cause, labelOf(h)})
		}
	}
	return s
}

func newLane(label string, columns int) lane {
	x := lane{label: label, cells: make([]rune, columns)}
	for c := range x.cells {
		x.cells[c] = laneEmpty
	}
	return x
}

// labelOf is a holder in words.
func labelOf(h inspector.Hold) string {
	if h.Label == "" {
		return h.Owner
	}
	return h.Label
}

// draw puts one hold into the lane. Any hold is at least one cell, however short it was.
func (x *lane) draw(h inspector.Hold, l *inspector.Lock, now time.Time, at func(time.Time) int, columns int) {
	until, unsure := h.Until, 0
	if until.IsZero() {
		until, x.present = now, l.State != inspector.StateFreed
		if ttl, ok := l.TTLAt(now); ok && x.present && float64(ttl) < aboutToLapse*float64(leaseOf(l)) {
			unsure = 1
		}
	}
	from, to := max(at(h.Since), 0), min(at(until), columns)
	to = min(max(to, from+1), columns)
	if !h.Until.IsZero() && (h.Cause == inspector.CauseExpired || !h.UntilExact) {
		unsure = max((to-from)/8, 1)
	}
	for c := from; c < to; c++ {
		cell := rune(laneHeld)
		if c >= to-unsure && to-from > 1 {
			cell = laneUnsure
		}
		x.cells[c] = cell
	}
}

// paint paints the lanes and the hand-overs under them, in exactly lanes+1 lines.
func (s swimlane) paint(p *painter, labelWidth, lanes int) {
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
	p.to(rowPrefix + labelWidth + 2)
	s.paintMarks(p, rowPrefix+labelWidth+2)
	p.end()
	for range lanes - shown {
		p.blank()
	}
}

// paint paints the cells in runs of the same look.
func (x lane) paint(p *painter, held style) {
	for from := 0; from < len(x.cells); {
		to := from + 1
		for to < len(x.cells) && x.cells[to] == x.cells[from] {
			to++
		}
		switch x.cells[from] {
		case laneHeld:
			p.put(held, repeat(fullBlocks, to-from))
		case laneUnsure:
			p.put(p.theme.warn, string(x.cells[from:to]))
		default:
			p.gap(to - from)
		}
		from = to
	}
}

// paintMarks says in words how the lock changed hands, at the moments when it did. The latest have precedence where the
// words would overlap, and what went wrong has precedence over what went well.
func (s swimlane) paintMarks(p *painter, indent int) {
	type word struct {
		column int
		text   string
		style  style
	}
	chosen := make([]word, 0, 4)
	place := func(m mark) {
		w := word{column: m.column, text: string(m.cause), style: p.theme.faint}
		if alarming(m.cause) {
			w.text, w.style = "✖ "+w.text+" while held: "+text.Truncate(text.Escape(m.label), laneLabelMax), p.theme.bad
		}
		width := text.Width(w.text)
		w.column = max(min(w.column, p.width-indent-1-width), 0)
		for _, other := range chosen {
			if w.column < other.column+text.Width(other.text)+2 && other.column < w.column+width+2 {
				return
			}
		}
		chosen = append(chosen, w)
	}
	for _, alarm := range []bool{true, false} {
		for _, m := range slices.Backward(s.marks) {
			if alarming(m.cause) == alarm && m.cause != "" {
				place(m)
			}
		}
	}
	slices.SortFunc(chosen, func(a, b word) int { return a.column - b.column })
	for _, w := range chosen {
		p.to(indent + w.column)
		p.put(w.style, w.text)
	}
}

// alarming says whether a hold that ended so may have ended while its holder still worked.
func alarming(c inspector.Cause) bool {
	switch c {
	case inspector.CauseExpired, inspector.CauseTakenOver, inspector.CauseEvicted, inspector.CauseFlushed:
		return true
	case inspector.CauseReleased, inspector.CauseUnknown:
		return false
	}
	return false
}

// spanFor is the least of the usual spans that shows the whole history of a lock.
func spanFor(l *inspector.Lock, now time.Time) time.Duration {
	const minute, hour = time.Minute, time.Hour
	spans := []time.Duration{
		minute, 2 * minute, 5 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour,
	}
	if len(l.History) == 0 {
		return spans[0]
	}
	age := now.Sub(l.History[0].Since)
	for _, s := range spans {
		if age <= s {
			return s
		}
	}
	return spans[len(spans)-1]
}

// spanText is a span for a title.
func spanText(d time.Duration) string {
	switch {
	case d == time.Minute:
		return "60 s"
	case d < time.Hour:
		return plural(int64(d/time.Minute), "minute")
	default:
		return plural(int64(d/time.Hour), "hour")
	}
}
