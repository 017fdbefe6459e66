package tui

import (
	"fmt"
	"slices"
	"strings"

	"locktop/ui/text"
)

// paintNothing paints the body where there is no row: still looking, nothing found, nothing that passes, or no server.
func (m *model) paintNothing(p *painter, height int) {
	g := &page{theme: p.theme, width: p.width}
	m.nothingPage(g)
	lines := g.lines
	if len(lines) > height { // the blank lines go first, and then the least important, which are the last
		lines = slices.DeleteFunc(lines, func(l []part) bool { return len(l) == 0 })
	}
	lines = lines[:min(len(lines), max(height, 0))]
	for range max((height-len(lines))/3, 0) {
		p.blank()
	}
	for _, l := range lines {
		p.row(l, p.width)
		p.end()
	}
}

func (m *model) nothingPage(g *page) {
	t := g.theme
	if m.shown == nil {
		if m.over {
			g.paragraph(nil, rowPrefix, t.bad, "no locks can be shown: "+errorText(m.ended))
			return
		}
		g.paragraph(nil, rowPrefix, t.strong, "connecting to "+text.Escape(m.config.Where)+" …")
		return
	}
	if allSilent(m.latest) && len(m.shown.Locks) == 0 {
		m.silentPage(g)
		return
	}
	if n := len(m.shown.Locks); n > 0 && (!m.order.filter.empty() || m.order.suspects) {
		what := "suspects"
		if !m.order.filter.empty() {
			what = "the filter /" + text.Escape(m.order.filter.text)
			if m.order.suspects {
				what += " and is a suspect"
			}
		}
		g.paragraph(nil, rowPrefix, t.strong, "none of "+text.Plural(int64(n), "lock")+" passes "+what)
		g.paragraph(nil, rowPrefix, t.faint, m.keys.Back.Help().Key+" shows them all")
		return
	}
	if look, running := firstLookOf(m.shown.Nodes); running {
		m.firstLookPage(g, &look)
		return
	}
	m.noLocksPage(g)
}

// noLocksPage says where locktop looked, for what, and what to do next.
func (m *model) noLocksPage(g *page) {
	t, f := g.theme, factsOf(m.shown.Nodes)
	if len(m.shown.Nodes) > 0 {
		g.paragraph(nil, rowPrefix, t.strong, fmt.Sprintf("no locks in database %d of %s %s", f.db, f.where, text.Plural(f.keys, "key")))
		g.paragraph(nil, rowPrefix, t.plain, "looked for "+patternsText(m.shown.Nodes[0].Patterns, max(3*(m.width-16), 20)))
		for _, said := range f.sentences() {
			g.paragraph(nil, rowPrefix, t.warn, said)
		}
	}
	g.line()
	if m.config.Play == nil { // between two rounds of a demo nobody needs to look elsewhere
		for _, step := range f.steps() {
			g.step(step.command, step.does)
		}
		g.line()
	}
	g.paragraph(nil, rowPrefix, t.faint, "a lock that appears now will be seen here")
	if f.limited != "" {
		g.paragraph(nil, rowPrefix, t.warn, "seen by "+f.limited)
	}
}

// step is a command and what it does, on two lines where the window is too narrow for one.
func (g *page) step(command, does string) {
	const wide, narrow = 28, 60
	indent := text.Spaces(rowPrefix)
	if g.width >= narrow {
		g.line(part{g.theme.accent, indent + text.PadRight(command+" ", wide)}, part{g.theme.plain, does})
		return
	}
	g.line(part{g.theme.accent, indent + command})
	g.line(part{g.theme.faint, indent + "  " + does})
}

// errorText is an error as one line that a terminal may show.
func errorText(err error) string {
	if err == nil {
		return "the source has ended"
	}
	return text.Legible(strings.TrimSpace(err.Error()))
}
