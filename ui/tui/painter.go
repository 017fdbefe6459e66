package tui

import (
	"strings"

	"locktop/ui/text"
)

// painter builds a frame line by line. It is the one place that writes to the screen, and it upholds what the renderer
// needs: no line is ever wider than the window, and every style that was opened is closed in its run. Texts that it is
// given must be free of escape sequences; foreign ones have been through [text.Escape]. Where the terminal shows nothing but
// ASCII, this is the place at which our own signs get their twins.
type painter struct {
	theme *theme
	width int
	tone  tone
	foot  int // the lines at the bottom that nothing dims
	lines []string

	buf  []byte
	used int // cells of the line under way
}

func newPainter(t *theme, width, height int) *painter {
	return &painter{theme: t, width: width, lines: make([]string, 0, height+1), buf: make([]byte, 0, 4*width+64)}
}

// put writes a run of text, cut with an ellipsis at the edge of the window.
func (p *painter) put(s style, t string) {
	room := p.width - p.used
	if room <= 0 || t == "" {
		return
	}
	t = text.Drawable(t)
	w := text.Width(t)
	if w > room {
		t = text.Drawable(text.Truncate(t, room))
		w = text.Width(t)
	}
	p.raw(s, t, w)
}

// raw writes a run whose width is known and fits.
func (p *painter) raw(s style, t string, width int) {
	if open := s.open(p.tone); open != "" {
		p.buf = append(p.buf, open...)
		p.buf = append(p.buf, t...)
		p.buf = append(p.buf, resetSGR...)
	} else {
		p.buf = append(p.buf, t...)
	}
	p.used += width
}

// left writes a run in a column of its own width, filled up on its right.
func (p *painter) left(s style, t string, width int) {
	width = min(width, p.width-p.used)
	if width <= 0 {
		return
	}
	end := p.used + width
	t = text.Truncate(text.Drawable(t), width)
	p.put(s, t)
	p.to(end)
}

// right writes a run in a column of its own width, filled up on its left.
func (p *painter) right(s style, t string, width int) {
	width = min(width, p.width-p.used)
	if width <= 0 {
		return
	}
	t = text.Drawable(text.Truncate(text.Drawable(t), width))
	w := text.Width(t)
	p.gap(width - w)
	if w > 0 {
		p.raw(s, t, w)
	}
}

// gap leaves cells blank.
func (p *painter) gap(cells int) {
	cells = min(cells, p.width-p.used)
	if cells <= 0 {
		return
	}
	p.buf = append(p.buf, text.Spaces(cells)...)
	p.used += cells
}

// to leaves cells blank up to a column.
func (p *painter) to(column int) { p.gap(column - p.used) }

// end ends the line.
func (p *painter) end() {
	p.lines = append(p.lines, string(p.buf))
	p.buf, p.used = p.buf[:0], 0
}

// blank is a line with nothing in it.
func (p *painter) blank() { p.end() }

// fit makes the frame exactly so many lines high: what is too much is cut off, what is missing is left blank.
func (p *painter) fit(height int) {
	if len(p.lines) > height {
		p.lines = p.lines[:height]
	}
	for len(p.lines) < height {
		p.lines = append(p.lines, "")
	}
}

// bar writes a bar of cells, filled from the left by a fraction of 0 to 1.
func (p *painter) bar(full, rest style, fraction float64, cells int) {
	cells = min(cells, p.width-p.used)
	if cells <= 0 {
		return
	}
	n := int(fraction*float64(cells) + 0.5)
	if n == 0 && fraction > 0 {
		n = 1 // while there is anything left, something is to be seen of it
	}
	n = min(max(n, 0), cells)
	if n > 0 {
		p.raw(full, text.Drawable(repeat(heavyLines, n)), n)
	}
	if n < cells {
		p.raw(rest, text.Drawable(repeat(lightLines, cells-n)), cells-n)
	}
}

// What [repeat] cuts from, so that a bar costs no memory. Each of these characters takes three bytes. Bars in a column
// are lines rather than blocks, which would grow together into a wall.
var (
	fullBlocks = strings.Repeat("█", 64)
	heavyLines = strings.Repeat("━", 64)
	lightLines = strings.Repeat("─", 64)
)

// repeat is the first n characters of a stock of them.
func repeat(stock string, n int) string {
	const size = len("█")
	if n*size > len(stock) {
		return strings.Repeat(stock[:size], n)
	}
	return stock[:n*size]
}

// ticks are the heights of a sparkline.
var ticks = [...]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// spark is a line of bars, scaled to the greatest value; a nought is a blank where blankZero is set, else the least bar.
func spark(values []float64, blankZero bool) string {
	greatest := 0.0
	for _, v := range values {
		greatest = max(greatest, v)
	}
	b := make([]byte, 0, 3*len(values))
	for _, v := range values {
		switch {
		case v <= 0 && blankZero:
			b = append(b, ' ')
		case v <= 0 || greatest == 0:
			b = append(b, ticks[0]...)
		default:
			b = append(b, ticks[min(int(v/greatest*float64(len(ticks))), len(ticks)-1)]...)
		}
	}
	return string(b)
}
