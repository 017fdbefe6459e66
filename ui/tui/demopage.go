package tui

import (
	"slices"

	"locktop/ui/text"
)

// demoPage is the view of the demo: what it is about, its lanes, and what was told.
type demoPage struct {
	offset int
	// told are the lines of what was told. A sentence does not change any more, and there may be hundreds of them in a frame.
	told map[toldIn][][]part
}

// toldIn is a sentence, and the width and the theme that its lines were made for.
type toldIn struct {
	sentence Sentence
	width    int
	theme    *theme
}

// toldKept bounds how many sentences are kept as lines.
const toldKept = 1024

// demoWide is the window width from which on the page has two columns.
const demoWide = 140

// onDemo says that the body shows the demo.
func (m *model) onDemo() bool { return m.detail == nil && m.view == viewDemo }

// paintDemo paints as much of the page as fits, from the offset on. In two columns both are moved, each to its own end.
func (m *model) paintDemo(p *painter, height int) {
	d, s, t := &m.demo, &m.staged, p.theme
	if p.width < demoWide {
		g := &page{theme: t, width: p.width}
		g.scene(s)
		d.log(g, s.Told)
		d.offset = max(min(d.offset, len(g.lines)-height), 0)
		for _, parts := range g.window(d.offset, height) {
			p.row(parts, p.width)
			p.end()
		}
		return
	}
	const gap = 2
	left := &page{theme: t, width: (p.width - gap) * 11 / 20}
	right := &page{theme: t, width: p.width - gap - left.width}
	left.scene(s)
	d.log(right, s.Told)
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
func (d *demoPage) log(g *page, list []Sentence) {
	g.heading("What was told", ", the newest first")
	if len(list) == 0 {
		g.line(part{g.theme.faint, text.Spaces(rowPrefix) + "nothing yet"})
	}
	for _, s := range slices.Backward(list) {
		key := toldIn{s, g.width, g.theme}
		lines, made := d.told[key]
		if !made {
			if d.told == nil || len(d.told) >= toldKept {
				d.told = make(map[toldIn][][]part)
			}
			lines = g.sentence(s)
			d.told[key] = lines
		}
		g.lines = append(g.lines, lines...)
	}
}

// sentence is the lines of a sentence that was told.
func (g *page) sentence(s Sentence) [][]part {
	of := page{theme: g.theme, width: g.width}
	mark, look := part{g.theme.faint, " · "}, g.theme.plain
	if s.News {
		mark, look = part{g.theme.cursor, " ▸ "}, g.theme.strong
	}
	of.paragraph([]part{{g.theme.faint, text.Spaces(rowPrefix) + s.At.Format("15:04:05")}, mark}, rowPrefix+11, look, s.Text)
	return of.lines
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
