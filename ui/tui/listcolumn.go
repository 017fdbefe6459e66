package tui

// listColumn is a column of the views of nodes and of events, as it is laid out in a window.
type listColumn[ID any] struct {
	id    ID
	title string
	width int
	right bool
}

// listTitles paints the names of the columns.
func listTitles[ID any](p *painter, columns []listColumn[ID], gap int) {
	p.gap(rowPrefix)
	for i, c := range columns {
		if i > 0 {
			p.gap(gap)
		}
		p.columnTitle(p.theme.title, c.title, c.width, c.right)
	}
	p.end()
}
