package tui

import (
	"slices"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// historyRows bounds the list of holds in the detail.
const historyRows = 50

// timeline paints the swim-lane over a span that shows the whole history.
func (d *detail) timeline(p *painter, now time.Time) {
	if len(d.lock.History) == 0 {
		return
	}
	span := spanFor(d.lock, now)
	labelWidth := laneLabelWidth(d.lock, p.width)
	s := newSwimlane(d.lock, now, span, p.width-rowPrefix-labelWidth-4, 8)
	p.heading("Who held it", " in the last "+spanText(span))
	s.paint(p, labelWidth, len(s.lanes))
}

// distribution paints how long the lock was held by its past holders, as far as both ends of a hold were seen.
func (d *detail) distribution(p *painter, now time.Time) {
	var holds []time.Duration
	for _, h := range d.lock.History {
		if h.SinceExact && h.UntilExact && !h.Until.IsZero() && !h.Until.After(now) {
			holds = append(holds, h.Until.Sub(h.Since))
		}
	}
	if len(holds) < 2 {
		return
	}
	slices.Sort(holds)
	p.heading("Hold times", " of "+text.Count(int64(len(holds)))+" holds seen from begin to end")
	quantile := func(q float64) time.Duration { return holds[min(int(q*float64(len(holds))), len(holds)-1)] }
	p.gap(rowPrefix)
	for _, f := range []struct {
		name  string
		value time.Duration
	}{
		{"min", holds[0]},
		{"p50", quantile(0.5)},
		{"p90", quantile(0.9)},
		{"max", holds[len(holds)-1]},
	} {
		p.put(p.theme.faint, f.name+" ")
		p.put(p.theme.plain, text.PadRight(text.Lag(f.value), 10))
	}
	p.end()
	const bars = 24
	p.gap(rowPrefix)
	p.put(p.theme.faint, text.Lag(holds[0])+" ")
	p.put(p.theme.accent, histogram(holds, bars))
	p.put(p.theme.faint, " "+text.Lag(holds[len(holds)-1]))
	p.end()
}

// histogram is a sparkline of how many of the sorted durations lie in each of some equal parts between the least and the
// greatest.
func histogram(sorted []time.Duration, bars int) string {
	low, high := sorted[0], sorted[len(sorted)-1]
	values := make([]float64, bars)
	for _, d := range sorted {
		i := 0
		if high > low {
			i = min(int(int64(d-low)*int64(bars)/int64(high-low)), bars-1)
		}
		values[i]++
	}
	return spark(values, true)
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
		if alarming(h.Cause) {
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
	said := string(h.Cause)
	if h.Until.IsZero() {
		said = "holds it"
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
