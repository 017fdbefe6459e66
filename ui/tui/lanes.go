package tui

import "locktop/ui/text"

// verdictWidth is the width of a lane's verdict: a glyph and a word.
const verdictWidth = 8

// laneColumns are the widths of the table of lanes; 0: not shown.
type laneColumns struct {
	name, shows, acquisitions, played, faults, gap int
	acquired                                       string // the title of the acquisitions
}

// planLaneColumns lays out the table. What a lane shows has a column only where that of every lane fits into it; else each
// has lines of its own below its lane.
func planLaneColumns(width int, lanes []Lane) laneColumns {
	c := laneColumns{acquisitions: 12, played: 6, faults: 6, gap: 2, acquired: "ACQUISITIONS"}
	if width < 60 {
		c = laneColumns{acquisitions: 6, faults: 6, gap: 1, acquired: "ACQ"}
	}
	room := width - rowPrefix - verdictWidth - c.gap - 1
	for _, w := range []int{c.acquisitions, c.played, c.faults} {
		if w > 0 {
			room -= w + c.gap
		}
	}
	name, shows := text.Width("VARIANT"), 0
	for i := range lanes {
		name = max(name, text.Width(text.Escape(lanes[i].Name)))
		shows = max(shows, text.Width(text.Legible(lanes[i].Shows)))
	}
	c.name = max(min(name, room), 0)
	if room -= c.name + c.gap; shows > 0 && shows <= room {
		c.shows = shows
	}
	return c
}

// lanes is a table of the variants, with what was said of each below it.
func (g *page) lanes(lanes []Lane) {
	if len(lanes) == 0 {
		return
	}
	t := g.theme
	c := planLaneColumns(g.width, lanes)
	g.line()
	g.line(c.cells([6]part{
		{t.title, ""}, {t.title, "VARIANT"}, {t.title, "SHOWS"}, {t.title, c.acquired}, {t.title, "PLAYED"}, {t.title, "FAULTS"},
	})...)
	for i := range lanes {
		l := &lanes[i]
		verdict := part{t.good, "✔ sound"}
		faults := t.bad
		if l.Flawed {
			verdict, faults = part{t.odd, "✖ flawed"}, t.odd // a fault is what it shows
		}
		if l.Faults == 0 {
			faults = t.plain
		}
		g.line(c.cells([6]part{
			verdict,
			{t.strong, text.Escape(l.Name)},
			{t.faint, text.Legible(l.Shows)},
			{t.plain, text.Count(int64(l.Acquisitions))},
			{t.plain, text.Count(int64(l.Played))},
			{faults, text.Count(int64(l.Faults))},
		})...)
		indent := rowPrefix + verdictWidth + c.gap
		if c.shows == 0 {
			g.paragraph(nil, indent, t.faint, l.Shows)
		}
		for _, said := range l.Said {
			g.paragraph(nil, indent, t.plain, said)
		}
	}
}

// cells are a row of the table: its words on the left of their columns, its figures on the right.
func (c laneColumns) cells(cells [6]part) []part {
	parts := make([]part, 0, len(cells))
	for i, w := range [6]int{verdictWidth, c.name, c.shows, c.acquisitions, c.played, c.faults} {
		before := c.gap
		if i == 0 {
			before = rowPrefix
		}
		if w == 0 {
			continue
		}
		// The blanks are by themselves: where a style underlines or reverses, it does so to the words.
		words := text.Truncate(cells[i].text, w)
		after := w - text.Width(words)
		if i >= 3 {
			before, after = before+after, 0
		}
		parts = append(parts, part{text: text.Spaces(before)}, part{cells[i].style, words}, part{text: text.Spaces(after)})
	}
	return parts
}
