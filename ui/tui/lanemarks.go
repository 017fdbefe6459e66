package tui

import (
	"slices"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// mark is a hand-over under the lanes, at the column where it happened.
type mark struct {
	column int
	cause  inspector.Cause
	lost   bool   // the holder was still at work
	label  string // of the holder whose hold ended
}

// mark notes how a hold ended, if that is in the window.
func (s *swimlane) mark(h *inspector.Hold) {
	if h.Until.IsZero() || h.Until.Before(s.begin) || h.Until.After(s.end) || h.Cause == "" {
		return
	}
	s.marks = append(s.marks, mark{min(max(s.at(h.Until), 0), s.columns-1), h.Cause, h.WasLost(), labelOf(h)})
}

// laneFace is a glyph and the words for it.
type laneFace struct {
	glyph, word string
	style       style
	rank        int    // what is worse is greater
	brief       string // for where the word does not fit
}

// laneFaceOf is how hands were changed: every way has a glyph of its own.
func (t *theme) laneFaceOf(m mark) laneFace {
	switch {
	case m.cause == inspector.CauseFailOver:
		return laneFace{"✖", "lost in a fail-over", t.bad, 4, "lost"}
	case m.lost:
		return laneFace{"✖", "lost while held", t.bad, 4, "lost"}
	}
	switch m.cause {
	case inspector.CauseReleased:
		return laneFace{"·", "released", t.faint, 0, ""}
	case inspector.CauseFreed:
		return laneFace{"◦", "freed", t.faint, 0, ""}
	case inspector.CauseOperator:
		return laneFace{"▸", "by the operator", t.accent, 1, "operator"}
	case inspector.CauseExpired:
		return laneFace{"▽", "expired", t.warn, 2, ""}
	case inspector.CauseTakenOver:
		return laneFace{"⇄", "taken over", t.warn, 2, ""}
	case inspector.CauseEvicted:
		return laneFace{"▼", "evicted", t.bad, 3, ""}
	case inspector.CauseFlushed:
		return laneFace{"≈", "flushed", t.bad, 3, ""}
	case inspector.CauseUnknown, inspector.CauseFailOver:
	}
	return laneFace{"?", "unknown", t.faint, 1, ""}
}

// alarming says whether a hold that ended so may have ended while its holder still worked.
func alarming(c inspector.Cause) bool {
	switch c {
	case inspector.CauseExpired, inspector.CauseTakenOver, inspector.CauseEvicted, inspector.CauseFlushed, inspector.CauseFailOver:
		return true
	case inspector.CauseReleased, inspector.CauseFreed, inspector.CauseOperator, inspector.CauseUnknown:
		return false
	}
	return false
}

// laneWord is a text in the line of the hand-overs.
type laneWord struct {
	column, width int
	text          string
	style         style
}

func (w laneWord) overlaps(from, to, air int) bool {
	return from < w.column+w.width+air && w.column < to+air
}

// paintMarks shows how the lock changed hands, at the moments when it did: each by a glyph, and by a word where there is room for
// one. Where several are in one column, the worst of them is shown. What went wrong has precedence over what went well,
// and then the latest.
func (s *swimlane) paintMarks(p *painter, indent int) {
	type spot struct {
		mark
		laneFace
	}
	room := min(s.columns, p.width-indent)
	var spots []spot
	for _, m := range slices.Backward(s.marks) {
		f := p.theme.laneFaceOf(m)
		i := slices.IndexFunc(spots, func(x spot) bool { return x.column == m.column })
		switch {
		case m.column >= room:
		case i < 0:
			spots = append(spots, spot{m, f})
		case f.rank > spots[i].rank:
			spots[i] = spot{m, f}
		}
	}
	line := make([]laneWord, 0, len(spots)+8)
	for _, x := range spots {
		line = append(line, laneWord{x.column, 1, x.glyph, x.style})
	}
	slices.SortStableFunc(spots, func(a, b spot) int { return b.rank - a.rank })
	for _, x := range spots {
		word := x.word
		if x.rank >= 2 {
			word += ": " + text.Truncate(text.Escape(x.label), laneLabelMax)
		}
		for _, try := range []string{word, x.word, x.brief} {
			if try == "" {
				continue
			}
			if w, fits := placeWord(line, x.column, room, try, x.style); fits {
				line = append(line, w)
				break
			}
		}
	}
	slices.SortFunc(line, func(a, b laneWord) int { return a.column - b.column })
	for _, w := range line {
		p.to(indent + w.column)
		p.put(w.style, w.text)
	}
	p.end()
}

// placeWord finds a place for a word beside its glyph, on its right or on its left, that leaves all other glyphs and words alone.
func placeWord(line []laneWord, column, room int, word string, s style) (laneWord, bool) {
	w := laneWord{width: text.Width(word), text: word, style: s}
	for _, w.column = range []int{column + 2, column - 1 - w.width} {
		free := w.column >= 0 && w.column+w.width <= room && !slices.ContainsFunc(line, func(other laneWord) bool {
			return other.column != column && other.overlaps(w.column, w.column+w.width, 2)
		})
		if free {
			return w, true
		}
	}
	return laneWord{}, false
}

// legend is what the glyphs mean that are to be seen, the worst first.
func (s *swimlane) legend(t *theme) []segment {
	var faces []laneFace
	for _, m := range s.marks {
		if f := t.laneFaceOf(m); !slices.ContainsFunc(faces, func(x laneFace) bool { return x.glyph == f.glyph }) {
			faces = append(faces, f)
		}
	}
	lost, unsure := false, false
	for _, x := range s.lanes {
		lost, unsure = lost || slices.Contains(x.cells, laneLost), unsure || slices.Contains(x.cells, laneUnsure)
	}
	if lost {
		faces = append(faces, laneFace{string(laneLost), "may be inside still", t.bad, 5, ""})
	}
	if s.unseen {
		faces = append(faces, laneFace{string(laneUnseen), "not seen", t.faint, 3, ""})
	}
	if unsure {
		faces = append(faces, laneFace{string(laneUnsure), "end not sure", t.warn, 1, ""})
	}
	slices.SortStableFunc(faces, func(a, b laneFace) int { return b.rank - a.rank })
	list := make([]segment, 0, len(faces))
	for i, f := range faces {
		list = append(list, segment{rank: i + 1, parts: []part{{f.style, f.glyph}, {t.faint, " " + f.word}}})
	}
	if s.polled {
		list = append(list, piece(2, t.faint, "polled: short holds are missed"))
	}
	return list
}

// paintLegend is a line of its own for the legend.
func (s *swimlane) paintLegend(p *painter) {
	list, _ := fitSegments(s.legend(p.theme), nil, 2, p.width-rowPrefix-1)
	p.gap(rowPrefix)
	p.segments(list, 2)
	p.end()
}

// axisSteps are what two marks of an axis may be apart.
var axisSteps = [...]time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
}

// paintAxis paints the times of the clock under the lanes, as many as there is room for, and where now is.
func (s *swimlane) paintAxis(p *painter, indent int) {
	p.to(indent)
	if s.columns == 0 {
		p.end()
		return
	}
	end := "now"
	if !s.live {
		end = s.end.Format("15:04:05")
	}
	last := s.columns
	if s.columns >= text.Width(end) {
		last = s.columns - text.Width(end)
	}
	for _, step := range axisSteps {
		form := "15:04:05"
		if step >= time.Minute {
			form = "15:04"
		}
		width := 1 + len(form)
		if apart := int(int64(step) * int64(s.columns) / int64(s.span())); apart < width+6 {
			continue
		}
		for at := firstTick(s.begin, step); at.Before(s.end); at = at.Add(step) {
			if c := s.at(at); c+width+1 <= last {
				p.to(indent + c)
				p.put(p.theme.faint, "╵"+at.Format(form))
			}
		}
		break
	}
	if last < s.columns {
		p.to(indent + last)
		p.put(p.theme.faint, end)
	}
	p.end()
}

// firstTick is the first time from a moment on that is a whole number of steps on the clock of that place.
func firstTick(from time.Time, step time.Duration) time.Time {
	_, offset := from.Zone()
	zone := time.Duration(offset) * time.Second
	at := from.Add(zone).Truncate(step).Add(-zone)
	if at.Before(from) {
		at = at.Add(step)
	}
	return at
}
