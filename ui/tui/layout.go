package tui

// area is a horizontal band of the window: full width, some lines high. Height 0: it is not shown.
type area struct {
	top, height int
}

// bottom is the first line below the area.
func (a area) bottom() int { return a.top + a.height }

// has says whether a line of the window belongs to the area.
func (a area) has(line int) bool { return line >= a.top && line < a.bottom() }

// layout is where everything goes. The areas do not overlap, and together are exactly as high as the window.
type layout struct {
	width, height int

	header    area // where, how it sees, totals
	context   area // badges, patterns, or the filter while it is typed
	narration area // how the demo goes on, and its sentence
	titles    area // names of the columns
	body      area // rows
	pane      area // who held the selected lock, or more of the nodes
	footer    area // hints
}

// layoutState is what the layout depends on besides the window's size.
type layoutState struct {
	narration int  // the lines that the demo's narration wants; 0: there is no demo
	titles    bool // the body is a table
	pane      int  // the lines that the pane wants; 0: there is none
	typing    bool // the filter is being typed, so its line must be there
}

// The least window heights at which parts are shown; below, the rows need the lines.
const (
	heightFooter    = 5
	heightHeader2   = 6
	heightContext   = 9
	heightNarration = 12
	heightTempo     = 20 // of the narration: how the demo goes on
	heightPane      = 20 // for the swim-lane
	heightLegend    = 30 // of the swim-lane in the pane
	heightRows      = 4  // of the body, before the pane gets anything
)

// paneExtra is the lines of the pane besides its lanes: a blank line, the title, the hand-overs, the axis, and in a high window the
// legend.
func paneExtra(height int) int {
	if height >= heightLegend {
		return 5
	}
	return 4
}

// lanesFor is the number of swim-lanes in the pane under the table.
func lanesFor(height int) int { return min(max(height/6, 3), 8) }

// placeAreas is the layout of a window. It is pure, and holds at every size from nothing on.
func placeAreas(width, height int, s layoutState) layout {
	l := layout{width: max(width, 0), height: max(height, 0)}
	left := l.height
	take := func(lines int) int {
		lines = min(lines, left)
		left -= lines
		return lines
	}
	if s.typing {
		l.context.height = take(1)
	}
	switch {
	case height >= heightHeader2:
		l.header.height = take(2)
	case height >= 2:
		l.header.height = take(1)
	}
	if height >= heightFooter {
		l.footer.height = take(1)
	}
	if height >= heightContext && !s.typing {
		l.context.height = take(1)
	}
	if height >= heightNarration {
		l.narration.height = take(s.narration)
	}
	if s.titles && height >= 4 {
		l.titles.height = take(1)
	}
	if s.pane > 0 {
		l.pane.height = take(max(min(s.pane, left-heightRows), 0))
	}
	l.body.height = take(left)

	at := 0
	for _, a := range []*area{&l.header, &l.context, &l.narration, &l.titles, &l.body, &l.pane, &l.footer} {
		a.top = at
		at += a.height
	}
	return l
}
