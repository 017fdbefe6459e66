package tui

import (
	"fmt"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// staleNode is the first node that does not answer; nil: all of them do.
func staleNode(s *inspector.Snapshot) *keyspace.Status {
	if s == nil {
		return nil
	}
	for i := range s.Nodes {
		if !s.Nodes[i].Connected {
			return &s.Nodes[i]
		}
	}
	return nil
}

// pictureOf is the moment that the screen shows: now, or when nothing answers any more the moment from which on the
// picture is old. Counting on would make every lease seem to be over.
func pictureOf(s *inspector.Snapshot, now time.Time) time.Time {
	if s == nil || len(s.Nodes) == 0 {
		return now
	}
	since := time.Time{}
	for i := range s.Nodes {
		if s.Nodes[i].Connected || s.Nodes[i].StaleSince.IsZero() {
			return now
		}
		if s.Nodes[i].StaleSince.After(since) {
			since = s.Nodes[i].StaleSince
		}
	}
	return since
}

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

func (m *model) paintWhere(p *painter) {
	t := p.theme
	where := text.Truncate(text.Escape(m.config.Where), max(12, p.width*2/5))
	left := []segment{piece(4, t.cursor, "locktop"), piece(1, t.strong, where)}
	now := m.clock()
	clock := piece(3, t.plain, now.Format("15:04:05"))
	if m.latest == nil || len(m.latest.Nodes) == 0 {
		p.spread(left, []segment{piece(0, t.faint, "connecting"), clock}, 2)
		return
	}
	first := &m.latest.Nodes[0]
	server := "· " + text.Escape(strings.TrimSpace(first.Software+" "+first.Version))
	if n := len(m.latest.Nodes); n > 1 {
		server += fmt.Sprintf(" · %d nodes", n)
	}
	left = append(left, segment{tight: true, rank: 6, parts: []part{{t.plain, server}}})
	var right []segment
	if stale := staleNode(m.latest); stale != nil {
		said := "stale since " + stale.StaleSince.Format("15:04:05")
		right = append(right, piece(0, t.bad, "✖ "+said))
		if stale.Err != "" {
			right = append(right, piece(2, t.bad, text.Truncate(text.Legible(stale.Err), max(p.width/2, 10))))
		}
	} else {
		right = append(right, m.feedSegments(t, m.latest.Nodes, now)...)
	}
	p.spread(left, append(right, clock), p.air())
}

// feedSegments say honestly how the nodes are seen: the worst feed of all, the age of the last pass, gaps and our load.
func (m *model) feedSegments(t *theme, nodes []keyspace.Status, now time.Time) []segment {
	worst := &nodes[0]
	gaps, commands := uint64(0), 0.0
	pass := piece(5, t.plain, "pass "+text.Ago(now.Sub(nodes[0].LastPass.Ended)))
	for i := range nodes {
		n := &nodes[i]
		if feedRank(n.Feed) > feedRank(worst.Feed) {
			worst = n
		}
		gaps += n.Gaps
		commands += n.CommandsPerSecond
		if n.LastPass.Generation == 0 {
			pass = piece(2, t.warn, "first pass "+progressText(n.Scanning))
		}
	}
	list := []segment{feedSegment(t, worst), pass}
	if gaps > 0 {
		list = append(list, piece(2, t.warn, plural(int64(gaps), "gap")))
	}
	return append(list, piece(7, t.plain, fmt.Sprintf("%.0f cmd/s", commands)))
}

func feedRank(f keyspace.Feed) int {
	switch f {
	case keyspace.FeedPush:
		return 0
	case keyspace.FeedTracking:
		return 1
	case keyspace.FeedPoll:
		return 2
	}
	return 3
}

func feedSegment(t *theme, n *keyspace.Status) segment {
	lag := ""
	if n.Lag > 0 {
		lag = " " + text.Lag(n.Lag)
	}
	switch n.Feed {
	case keyspace.FeedPush:
		return piece(0, t.good, "● push"+lag)
	case keyspace.FeedTracking:
		return piece(0, t.good, "◐ tracking"+lag)
	case keyspace.FeedPoll:
		return piece(0, t.warn, "○ polling"+lag)
	}
	return piece(0, t.warn, "○ "+text.Escape(string(n.Feed)))
}

// progressText is how far a pass has come, as far as that can be known.
func progressText(pass *keyspace.Pass) string {
	if pass == nil {
		return "…"
	}
	if pass.KeysInDB > 0 {
		return fmt.Sprintf("%d %%", min(100*pass.Scanned/pass.KeysInDB, 99))
	}
	return text.Count(pass.Scanned) + " keys"
}

func (m *model) paintTotals(p *painter) {
	t := p.theme
	if m.shown == nil {
		p.blank()
		return
	}
	if staleNode(m.latest) != nil {
		p.tone = toneDimmed
		defer func() { p.tone = toneNormal }()
	}
	totals := &m.shown.Totals
	left := []segment{{rank: 0, parts: []part{{t.strong, plural(int64(totals.Locks), "lock")}}}}
	for _, s := range []struct {
		state inspector.State
		rank  int
		style style
	}{
		{inspector.StateHeld, 5, t.good},
		{inspector.StateStuck, 1, t.bad},
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
		right = append(right, segment{rank: 3, parts: []part{{t.warn, plural(int64(totals.Suspects), "suspect")}}})
	}
	right = append(right, segment{rank: 4, parts: []part{{t.plain, text.Count(int64(totals.Contended)) + " contended"}}})
	p.spread(left, right, p.air())
}

// plural is a number of things.
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return text.Count(n) + " " + thing + "s"
}

// passing is how many rows the filter lets pass.
func (m *model) passing() string {
	if m.view == viewEvents {
		return plural(int64(len(m.events.list(m.order.filter))), "event")
	}
	return plural(int64(len(m.table.rows)), "row")
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
	if m.config.Operator.ReadOnly() {
		left = append(left, piece(1, t.badge, " READ-ONLY "))
	}
	if m.frozen {
		left = append(left, piece(0, t.badgeWarn, " FROZEN "+m.at.Format("15:04:05")+" "))
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
	if m.order.suspects {
		left = append(left, piece(0, t.badgeWarn, " SUSPECTS ONLY "))
	}
	if n := len(m.table.marks); n > 0 {
		left = append(left, piece(2, t.accent, "+"+text.Count(int64(n))+" marked"))
	}
	if m.order.column != sortWorst || m.order.reverse {
		sorted := "by " + sortNames[m.order.column]
		if m.order.reverse {
			sorted += ", turned"
		}
		left = append(left, piece(3, t.faint, sorted))
	}
	if m.view == viewEvents && m.events.missed > 0 {
		left = append(left, piece(1, t.warn, plural(int64(m.events.missed), "event")+" came too fast to be kept"))
	}
	var right []segment
	if m.latest != nil && len(m.latest.Nodes) > 0 {
		n := &m.latest.Nodes[0]
		if n.FeedReason != "" && n.Connected {
			right = append(right, piece(5, t.warn, text.Truncate(text.Legible(n.FeedReason), p.width*3/5)))
		} else if n.Err != "" && n.Connected {
			right = append(right, piece(4, t.warn, text.Truncate(text.Legible(n.Err), p.width*3/5)))
		}
		right = append(right, piece(6, t.faint, patternsText(n.Patterns, p.width/2)))
	}
	p.spread(left, right, 2)
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

// paintNarration paints the demo's latest sentence.
func (m *model) paintNarration(p *painter) {
	p.put(p.theme.accent, " ▸ ")
	p.put(p.theme.plain, text.Legible(m.narration))
	p.end()
}

// windowTitle is what the terminal's title says.
func windowTitle(where string) string {
	return text.Truncate("locktop "+text.Escape(where), 80)
}

// clockText is a moment, with its date where it is not of today.
func clockText(at, now time.Time) string {
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04:05")
	}
	return at.Format("2006-01-02 15:04:05")
}
