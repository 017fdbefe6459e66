package tui

import (
	"fmt"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// paintHeader paints where we look and how we see, and the totals. It tells of the latest snapshot also while the screen
// below stands still: that the connection is lost must be seen then too.
func (m *model) paintHeader(p *painter, lines int) {
	if lines >= 1 {
		m.paintWhere(p)
	}
	if lines >= 2 {
		m.paintTotals(p)
	}
}

func (m *model) paintTotals(p *painter) {
	t := p.theme
	if m.shown == nil {
		p.blank()
		return
	}
	if allSilent(m.latest) {
		p.tone = toneDimmed
		defer func() { p.tone = toneNormal }()
	}
	totals := &m.shown.Totals
	left := []segment{{rank: 0, parts: []part{{t.strong, text.Plural(int64(totals.Locks), "lock")}}}}
	for _, s := range []struct {
		state inspector.State
		rank  int
		style style
	}{
		{inspector.StateHeld, 5, t.good},
		{inspector.StateSplit, 1, t.bad},
		{inspector.StateStuck, 1, t.bad},
		{inspector.StateMinority, 2, t.warn},
		{inspector.StateLapsed, 2, t.warn},
		{inspector.StateExpired, 4, t.warn},
		{inspector.StateWrong, 3, t.odd},
		{inspector.StateCooldown, 6, t.faint},
	} {
		if n := totals.ByState[s.state]; n > 0 {
			left = append(left, segment{rank: s.rank, parts: []part{{s.style, text.Count(int64(n))}, {t.plain, " " + string(s.state)}}})
		}
	}
	seconds := 10
	if p.width >= 150 {
		seconds = len(totals.Rates)
	}
	right := []segment{
		{rank: 6, parts: []part{{t.plain, rateText(totals.AcquisitionsPerSecond) + " acq/s"}}},
		piece(7, t.accent, spark(totals.Rates[len(totals.Rates)-seconds:], false)),
	}
	if totals.Suspects > 0 {
		right = append(right, segment{rank: 3, parts: []part{{t.warn, text.Plural(int64(totals.Suspects), "suspect")}}})
	}
	right = append(right, segment{rank: 4, parts: []part{{t.plain, text.Count(int64(totals.Contended)) + " contended"}}})
	p.spread(left, right, p.air())
}

// passing is how many rows the filter lets pass.
func (m *model) passing() string {
	if m.view == viewEvents {
		return text.Plural(int64(len(m.events.list(m.order.filter))), "event")
	}
	if m.view == viewHolders {
		return text.Plural(int64(len(m.holders.rows)), "holder")
	}
	return text.Plural(int64(len(m.table.rows)), "row")
}

func rateText(perSecond float64) string {
	if perSecond > 0 && perSecond < 10 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return text.Count(int64(perSecond + 0.5))
}

// paintContext paints what changes the meaning of the rows: the filter, the badges, and which keys are looked for.
func (m *model) paintContext(p *painter) {
	t := p.theme
	if m.typing {
		p.put(t.key, " / ")
		for _, part := range inputParts(t, m.input, t.buttonOn) {
			p.put(part.style, part.text)
		}
		p.end()
		return
	}
	var left []segment
	if m.replays() {
		left = append(left, piece(0, t.badgeWarn, " REPLAY "))
		if m.config.Production { // of the servers that were recorded
			left = append(left, productionBadge(t))
		}
	} else {
		left = append(left, m.guardSegments(t)...)
	}
	left = append(left, m.recorderBadge()...)
	if n := firstReplica(m.latest); n != nil {
		left = append(left, piece(1, t.badge, replicaBadge(n, p.width)))
	}
	if m.frozen {
		left = append(left, piece(0, t.badgeWarn, " FROZEN "+m.at.Format("15:04:05")+" "))
	}
	if since := m.events.last - m.events.shown; m.frozen && m.view == viewEvents && since > 0 {
		left = append(left, piece(1, t.warn, text.Plural(int64(since), "event")+" since"))
	}
	if m.over {
		left = append(left, piece(0, t.badgeBad, " ENDED "))
		if m.ended != nil {
			left = append(left, piece(1, t.bad, text.Truncate(errorText(m.ended), p.width/2)))
		}
	}
	if !m.order.filter.empty() {
		shown := text.Truncate(text.Escape(m.order.filter.text), max(p.width/2, 8))
		left = append(left, segment{rank: 0, parts: []part{
			{t.badge, " /" + shown + " "},
			{t.plain, " " + m.passing()},
		}})
	}
	if m.view == viewEvents && m.events.trouble {
		left = append(left, piece(0, t.badgeWarn, " TROUBLE ONLY "))
		if m.order.filter.empty() {
			left = append(left, segment{tight: true, rank: 2, parts: []part{{t.plain, m.passing()}}})
		}
	}
	if m.order.suspects && m.view != viewEvents {
		left = append(left, piece(0, t.badgeWarn, " SUSPECTS ONLY "))
	}
	if m.mouse.on {
		left = append(left, segment{rank: 6, parts: []part{{t.plain, "mouse on, "}, {t.key, m.keys.Mouse.Help().Key}, {t.plain, " off"}}})
	}
	if n := len(m.table.marks); n > 0 {
		left = append(left, piece(2, t.accent, "+"+text.Count(int64(n))+" marked"))
	}
	if o := m.order.byHolder; m.view == viewHolders && (o.column != byGone || o.reverse) {
		sorted := "by " + holderSorts[o.column]
		if o.reverse {
			sorted += ", turned"
		}
		left = append(left, piece(3, t.faint, sorted))
	}
	if m.onLocks() && (m.order.column != sortWorst || m.order.reverse) {
		sorted := "by " + sortNames[m.order.column]
		if m.order.reverse {
			sorted += ", turned"
		}
		left = append(left, piece(3, t.faint, sorted))
	}
	if m.view == viewEvents && m.events.missed > 0 {
		left = append(left, piece(1, t.warn, text.Plural(int64(m.events.missed), "event")+" came too fast to be kept"))
	}
	p.spread(left, m.seenSegments(t, p.width), 2)
}

// patternsText names the patterns as far as they fit, and how many more there are.
func patternsText(patterns []string, width int) string {
	out, count := "", 0
	for _, pattern := range patterns {
		next := out
		if next != "" {
			next += " "
		}
		next += text.Escape(pattern)
		if text.Width(next) > width-4 && count > 0 {
			break
		}
		out = next
		count++
	}
	if rest := len(patterns) - count; rest > 0 {
		out += fmt.Sprintf(" +%d", rest)
	}
	return out
}

// windowTitle is what the terminal's title says.
func windowTitle(where string) string {
	return text.Drawable(text.Truncate("locktop "+text.Escape(where), 80))
}

// clockText is a moment, with its date where it is not of today.
func clockText(at, now time.Time) string {
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04:05")
	}
	return at.Format("2006-01-02 15:04:05")
}
