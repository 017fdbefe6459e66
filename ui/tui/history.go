package tui

import (
	"slices"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// historyRows bounds the list of holds in the detail.
const historyRows = 50

// paintTimeline paints the swim-lane, over a span that shows the whole history unless it is zoomed.
func (d *detail) paintTimeline(p *painter, now time.Time) {
	if len(d.lock.History) == 0 {
		return
	}
	w := d.time.window(now, usualSpan(d.lock, now))
	labelWidth := laneLabelWidth(d.lock, p.width)
	s := newSwimlane(d.lock, d.unseen, now, w, p.width-rowPrefix-labelWidth-4, 8)
	s.polled = d.polled
	titles := w.titles(now)
	d.timeTop = len(p.lines)
	p.blank()
	p.gap(rowPrefix)
	p.put(p.theme.accent, "Who held it")
	if more := strings.TrimPrefix(titles[0], "who held it"); p.used+text.Width(more) < p.width {
		p.put(w.titleStyle(p.theme), more)
	} else {
		p.put(w.titleStyle(p.theme), ", "+firstFitting(titles[1:], p.width-p.used-3))
	}
	p.end()
	s.paint(p, labelWidth, len(s.lanes))
	s.paintLegend(p)
	d.timeEnd = len(p.lines)
}

// history lists the holds, the latest first.
func (d *detail) history(p *painter, now time.Time) {
	if len(d.lock.History) == 0 {
		return
	}
	t := p.theme
	more := ", latest first"
	if n := len(d.lock.History); n > historyRows {
		more += ", " + text.Count(historyRows) + " of " + text.Count(int64(n))
	}
	p.heading("Holds", more)
	owner := min(max(p.width-rowPrefix-58, 8), 40)
	for i, h := range slices.Backward(d.lock.History) {
		if i < len(d.lock.History)-historyRows {
			break
		}
		label := h.Label
		if label == "" {
			label = h.Owner
		}
		since, until, end, causeStyle := clockText(h.Since, now), "now", h.Until, t.faint
		if !h.SinceExact {
			since = "≤" + since
		}
		if h.Until.IsZero() {
			end = now
		} else {
			until = clockText(h.Until, now)
		}
		switch {
		case h.WasLost():
			causeStyle = t.bad
		case alarming(h.Cause):
			causeStyle = t.warn
		}
		held := text.Lag(end.Sub(h.Since))
		if !h.SinceExact || !h.UntilExact && !h.Until.IsZero() {
			held = "≥" + held
		}
		p.gap(rowPrefix)
		p.left(t.faint, since+" to "+until, 22)
		p.right(t.plain, held, 9)
		p.gap(2)
		p.left(t.plain, text.Escape(label), owner)
		p.gap(2)
		p.put(causeStyle, causeText(h))
		p.end()
	}
}

// causeText is how a hold ended, and how often it was renewed.
func causeText(h inspector.Hold) string {
	said := text.Legible(string(h.Cause))
	switch {
	case h.Until.IsZero():
		said = "holds it"
	case h.WasLost():
		said = "lost while held: " + said
	case h.Cause == inspector.CauseOperator:
		said = "ended by the operator"
	}
	switch h.Renewals {
	case 0:
		return said
	case 1:
		return said + ", renewed once"
	default:
		return said + ", renewed " + text.Count(int64(h.Renewals)) + " times"
	}
}
