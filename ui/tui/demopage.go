package tui

import (
	"slices"

	"locktop/ui/text"
)

// demoPage is the view of the demo: what it is about, its lanes, and what was told.
type demoPage struct {
	offset int
	wraps  wraps
}

// demoWide is the window width from which on the page has two columns.
const demoWide = 140

// onDemo says that the body shows the demo.
func (m *model) onDemo() bool { return m.detail == nil && m.view == viewDemo }

// paintDemo paints as much of the page as fits, from the offset on. In two columns both are moved, each to its own end.
func (m *model) paintDemo(p *painter, height int) {
	d, s, t := &m.demo, &m.staged, p.theme
	if d.wraps == nil {
		d.wraps = make(wraps)
	}
	if p.width < demoWide {
		g := &page{theme: t, width: p.width, wraps: d.wraps}
		g.scene(s)
		g.log(s)
		d.offset = max(min(d.offset, len(g.lines)-height), 0)
		for _, parts := range g.window(d.offset, height) {
			p.row(parts, p.width)
			p.end()
		}
		return
	}
	const gap = 2
	left := &page{theme: t, width: (p.width - gap) * 11 / 20, wraps: d.wraps}
	right := &page{theme: t, width: p.width - gap - left.width, wraps: d.wraps}
	left.scene(s)
	right.log(s)
	d.offset = max(min(d.offset, max(len(left.lines), len(right.lines))-height), 0)
	a, b := left.window(d.offset, height), right.window(d.offset, height)
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			p.row(a[i], left.width)
		}
		if i < len(b) {
			p.to(left.width + gap)
			p.row(b[i], p.width)
		}
		p.end()
	}
}

// scene is what the demo is about, and what came of it.
func (g *page) scene(s *Scene) {
	t := g.theme
	name := s.Name
	if name == "" {
		name = "demo"
	}
	g.line(part{t.cursor, " ▌ "}, part{t.strong, text.Escape(name)})
	g.about("shows", s.Shows)
	g.about("look for", s.LookFor)
	if s.Fault != "" {
		g.about("fault", s.Fault)
	}
	g.lanes(s.Lanes)
	g.figures(s.Table)
}

// aboutGutter is the width of the names on the left.
const aboutGutter = 10

func (g *page) about(name, sentence string) {
	lead := []part{{g.theme.faint, text.Spaces(rowPrefix) + name}}
	g.paragraph(lead, rowPrefix+aboutGutter, g.theme.plain, sentence)
}

// log is what was told, the newest first.
func (g *page) log(s *Scene) {
	t := g.theme
	g.heading("What was told", ", the newest first")
	if len(s.Told) == 0 {
		g.line(part{t.faint, text.Spaces(rowPrefix) + "nothing yet"})
	}
	for _, told := range slices.Backward(s.Told) {
		mark, look := part{t.faint, " · "}, t.plain
		if told.News {
			mark, look = part{t.cursor, " ▸ "}, t.strong
		}
		lead := []part{{t.faint, text.Spaces(rowPrefix) + told.At.Format("15:04:05")}, mark}
		g.paragraph(lead, rowPrefix+11, look, told.Text)
	}
}

// figures are what the scenario measures, as a table.
func (g *page) figures(table [][]string) {
	if len(table) == 0 {
		return
	}
	const gap, least = 2, 8
	var widths []int
	for _, row := range table {
		for i, figure := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], text.Width(text.Escape(figure)))
		}
	}
	total := rowPrefix + 1
	for _, w := range widths {
		total += w + gap
	}
	if len(widths) > 0 { // The names give way, for a figure that is cut is another figure.
		widths[0] = max(widths[0]-max(total-gap-g.width, 0), min(widths[0], least))
	}
	g.line()
	for i, row := range table {
		s := g.theme.plain
		if i == 0 {
			s = g.theme.title
		}
		parts := make([]part, 0, len(row))
		for j, figure := range row {
			if j == 0 {
				parts = append(parts, part{s, text.Spaces(rowPrefix) + text.PadRight(text.Escape(figure), widths[0])})
				continue
			}
			parts = append(parts, part{s, text.Spaces(gap) + text.PadLeft(text.Escape(figure), widths[j])})
		}
		g.line(parts...)
	}
}
