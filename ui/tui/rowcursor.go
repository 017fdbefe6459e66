package tui

// rowCursor is the selected row of a list, of which a window shows some.
type rowCursor struct {
	index  int // of the selected row; it has none while there are no rows
	offset int // the first visible row
	height int // visible rows
}

// clamp keeps the cursor on a row, of which there are so many, and on the screen.
func (c *rowCursor) clamp(rows int) {
	c.index = max(min(c.index, rows-1), 0)
	if c.index < c.offset {
		c.offset = c.index
	}
	if c.height > 0 && c.index >= c.offset+c.height {
		c.offset = c.index - c.height + 1
	}
	c.offset = max(min(c.offset, rows-c.height), 0)
}

// follow puts the cursor where its row has gone. Where the list is scrolled the row keeps its place on the screen.
func (c *rowCursor) follow(index int) {
	if c.offset > 0 {
		c.offset += index - c.index
	}
	c.index = index
}
