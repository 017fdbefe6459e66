package tui

import (
	"strings"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// paneSpan is what the swim-lane under the table shows unless it is zoomed.
const paneSpan = time.Minute

// layout is where everything goes in the window as it is.
func (m *model) layout() layout {
	table := m.detail == nil && m.shown != nil
	s := layoutState{typing: m.typing}
	if m.config.Play != nil {
		s.narration = narrationLines(m.width, m.height)
		if m.replays() {
			s.narration = reelLines(m.height)
		}
	}
	if table && m.view != viewDemo {
		s.titles = (!m.onLocks() || len(m.table.rows) > 0) && !m.onHolderPage()
		s.pane = m.paneLines()
	}
	return placeAreas(m.width, m.height, s)
}

// paneLines is the lines that the pane under the view wants.
func (m *model) paneLines() int {
	switch {
	case m.mapped():
		return mapPane(m.height, len(m.shown.Nodes))
	case m.view == viewNodes:
		return nodePane(m.height, len(m.shown.Nodes))
	case m.view == viewLocks && len(m.table.rows) > 0 && m.height >= heightPane:
		return lanesFor(m.height) + paneExtra(m.height)
	}
	return 0
}

// render makes the frame: exactly as many lines as the window has, none of them wider.
func (m *model) render() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	l := m.layout()
	p := newPainter(m.theme, m.width, m.height)
	m.paintHeader(p, l.header.height)
	if l.context.height > 0 {
		m.paintContext(p)
	}
	if l.narration.height > 0 {
		m.paintNarration(p)
	}
	p.fit(l.titles.top)

	if (allSilent(m.latest) || m.over) && !m.onDemo() {
		p.tone = toneDimmed // what is below may be old
	}
	switch {
	case m.detail != nil:
		m.detail.paint(p, m, l.body.height)
	case m.view == viewDemo:
		m.paintDemo(p, l.body.height)
	case m.view == viewHolders:
		m.paintHolders(p, l)
	case m.view == viewEvents:
		m.paintEvents(p, l)
	case m.mapped():
		m.paintMap(p, l)
	case m.view == viewNodes:
		m.paintNodes(p, l)
	default:
		m.paintLocks(p, l)
	}
	p.fit(l.pane.top)
	switch {
	case l.pane.height == 0:
	case m.mapped():
		m.paintMapPane(p, l.pane.height)
	case m.view == viewNodes:
		m.paintNodePane(p)
	default:
		m.paintPane(p, l.pane.height)
	}
	p.tone = toneNormal
	p.fit(l.footer.top)
	p.foot = l.footer.height
	if p.foot > 0 {
		m.paintFooter(p)
	}
	p.fit(m.height)

	m.mouse.covered = m.toast.overlay(p, l)
	if o, open := m.overlay(); open {
		o.paint(p)
	}
	return strings.Join(p.lines, "\n")
}

func (m *model) paintLocks(p *painter, l layout) {
	m.table.height = l.body.height
	m.table.clamp()
	if len(m.table.rows) == 0 {
		m.paintNothing(p, l.body.height)
		return
	}
	columns, gap := m.columns()
	if l.titles.height > 0 {
		m.table.paintTitles(p, columns, gap, m.order)
	}
	m.table.paintRows(p, columns, gap, m.picture)
}

// paintPane paints who held the selected lock of late, or of a Redlock without a quorum who votes for whom.
func (m *model) paintPane(p *painter, height int) {
	p.blank()
	l := m.table.current()
	if l == nil {
		return
	}
	if unheld(l) && l.Quorum != nil {
		// Nobody had it: what there is to see is who claims it where.
		p.put(p.theme.strong, " "+text.Truncate(text.Escape(l.Key), max(m.width/2, 8)))
		p.put(p.theme.faint, " · "+quorumSentence(l.Quorum))
		p.end()
		p.voteRows(l.Quorum, m.at)
		return
	}
	lanes := max(height-paneExtra(m.height), 1)
	labelWidth, now := laneLabelWidth(l, m.width), m.momentOf(l)
	w := m.paneTime.window(now, paneSpan)
	s := newSwimlane(l, m.shown.UnseenOf(l), now, w, m.width-rowPrefix-labelWidth-4, lanes)
	s.polled = polled(m.shown, l)
	p.put(p.theme.strong, " "+text.Truncate(text.Escape(l.Key), max(m.width/2, 8)))
	p.put(p.theme.faint, " · ")
	title := firstFitting(w.titles(now), p.width-p.used-1)
	if more := ", ⏎ for all of them"; s.shared > 0 && p.used+text.Width(title+more) < p.width {
		title += more
	}
	p.put(w.titleStyle(p.theme), title)
	if m.height < heightLegend { // what of it there is room for
		if list, _ := fitSegments(s.legend(p.theme), nil, 2, p.width-p.used-4); len(list) > 0 {
			p.to(p.width - 1 - segmentsWidth(list, 2))
			p.segments(list, 2)
		}
	}
	p.end()
	s.paint(p, labelWidth, lanes)
	if m.height >= heightLegend {
		s.paintLegend(p)
	}
}

// laneLabelWidth is the width of the names beside the lanes.
func laneLabelWidth(l *inspector.Lock, width int) int {
	widest := 8
	for i := range l.History {
		widest = max(widest, text.Width(text.Escape(l.History[i].Label)))
	}
	return min(widest, laneLabelMax, max(width/4, 4))
}
