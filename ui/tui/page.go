package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"locktop/ui/text"
)

// page is lines of parts, of which a window shows some: only those are painted.
type page struct {
	theme *theme
	width int
	lines [][]part
	wraps wraps
}

func (g *page) line(parts ...part) { g.lines = append(g.lines, parts) }

// heading begins a section, with a blank line before it unless it is the first one.
func (g *page) heading(title, more string) {
	if len(g.lines) > 0 {
		g.line()
	}
	g.line(part{g.theme.accent, text.Spaces(rowPrefix) + title}, part{g.theme.faint, more})
}

// paragraph is a sentence over as many lines as it needs. The first of them begins with the lead, the others as far in.
func (g *page) paragraph(lead []part, indent int, s style, sentence string) {
	for i, line := range g.wraps.of(sentence, g.width-indent-1) {
		if i > 0 || len(lead) == 0 {
			g.line(part{s, text.Spaces(indent) + line})
			continue
		}
		first := append(make([]part, 0, len(lead)+2), lead...)
		blank := indent - segment{parts: lead}.width()
		g.line(append(first, part{g.theme.plain, text.Spaces(blank)}, part{s, line})...)
	}
}

// window is the lines that are seen from an offset on; the last one of them says how many more there are.
func (g *page) window(offset, height int) [][]part {
	offset = max(min(offset, len(g.lines)-height), 0)
	seen := g.lines[offset:]
	if len(seen) <= height {
		return seen
	}
	if height <= 2 {
		return seen[:max(height, 0)]
	}
	rest := int64(len(seen) - height + 1)
	more := part{g.theme.faint, text.Spaces(rowPrefix) + "↓ " + text.Count(rest) + " more lines"}
	return append(append(make([][]part, 0, height), seen[:height-1]...), []part{more})
}

// row paints parts up to an edge.
func (p *painter) row(parts []part, edge int) {
	width := p.width
	p.width = min(edge, width)
	for _, part := range parts {
		p.put(part.style, part.text)
	}
	p.width = width
}

// wraps remembers how sentences were wrapped. They do not change, and there may be hundreds of them in a frame.
type wraps map[wrapped][]string

// wrapped is a sentence, as it came, and the width that it was wrapped for.
type wrapped struct {
	sentence string
	width    int
}

// wrapsKept bounds the memory of wraps.
const wrapsKept = 2048

// of is a sentence as lines that can be shown.
func (w wraps) of(sentence string, width int) []string {
	key := wrapped{sentence, width}
	lines, known := w[key]
	if !known {
		if len(w) >= wrapsKept {
			clear(w)
		}
		lines = wrapWords(text.Legible(sentence), width)
		w[key] = lines
	}
	return lines
}

// wrapWords breaks a sentence at blanks alone, so that "worker-4" stays in one piece, and what has no blank anywhere.
func wrapWords(s string, width int) []string {
	if width <= 0 || s == "" {
		return nil
	}
	var lines []string
	line, used := "", 0
	for word := range strings.SplitSeq(s, " ") {
		w := text.Width(word)
		if used > 0 && used+1+w <= width {
			line, used = line+" "+word, used+1+w
			continue
		}
		if used > 0 {
			lines = append(lines, line)
		}
		if w > width {
			pieces := splitLines(ansi.Hardwrap(word, width, true))
			lines = append(lines, pieces[:len(pieces)-1]...)
			word = pieces[len(pieces)-1]
			w = text.Width(word)
		}
		line, used = word, w
	}
	if used > 0 {
		lines = append(lines, line)
	}
	return lines
}
