package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"locktop/ui/text"
)

// take ends the line under way and returns it instead of adding it to the frame.
func (p *painter) take() string {
	line := string(p.buf)
	p.buf, p.used = p.buf[:0], 0
	return line
}

func splitLines(s string) []string { return strings.Split(s, "\n") }

// box lays finished lines, each of them width cells wide, over the middle of the frame, and dims what is around them.
func (p *painter) box(lines []string, width int) {
	top := max((len(p.lines)-len(lines))/2, 0)
	left := max((p.width-width)/2, 0)
	for i := range p.lines {
		under := ansi.Strip(p.lines[i])
		inside := i >= top && i < top+len(lines)
		if !inside && i >= len(p.lines)-p.foot {
			continue // the hints are for the keys of the box
		}
		if !inside {
			p.put(p.theme.behind, under)
			p.lines[i] = p.take()
			continue
		}
		p.put(p.theme.behind, text.PadRight(ansi.Truncate(under, left, ""), left))
		line := p.take() + lines[i-top]
		if rest := ansi.TruncateLeft(under, left+width, ""); rest != "" {
			// A wide character that the edge of the box cuts in two takes a cell more than there is.
			p.used = left + width
			p.put(p.theme.behind, ansi.Truncate(rest, p.width-left-width, ""))
			line += p.take()
		}
		p.lines[i] = line
	}
}

// overlayRoom is how many lines of content a box may have in a window of so many lines: its border and the hints below it stay in
// sight.
func overlayRoom(height int) int {
	room := height - 2
	if height >= heightFooter {
		room--
	}
	return max(room, 0)
}

// framed makes the lines of a box: a border with a title, and the content filled up to the width. Content is given as
// parts, and cut at the border.
func framed(t *theme, title string, content [][]part, width int) []string {
	inner := newPainter(t, width, len(content)+2)
	inner.put(t.frame, "╭─ ")
	inner.put(t.strong, text.Truncate(title, max(width-6, 0)))
	inner.put(t.frame, " ")
	inner.put(t.frame, strings.Repeat("─", max(width-inner.used-1, 0)))
	inner.put(t.frame, "╮")
	inner.end()
	for _, parts := range content {
		inner.put(t.frame, "│ ")
		room := width - 2
		for _, part := range parts {
			if left := room - inner.used; left > 0 {
				inner.put(part.style, text.Truncate(text.Drawable(part.text), left))
			}
		}
		inner.to(width - 1)
		inner.put(t.frame, "│")
		inner.end()
	}
	inner.put(t.frame, "╰"+strings.Repeat("─", max(width-2, 0))+"╯")
	inner.end()
	return inner.lines
}
