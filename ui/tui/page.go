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
	for i, line := range wrapWords(text.Legible(sentence), g.width-indent-1) {
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

// wrapWords breaks a sentence at blanks alone, so that "worker-4" stays in one piece, and what has no blank anywhere.
func wrapWords(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	var lines []string
	from, used := 0, 0 // where the line under way begins, and its cells
	for at := 0; at < len(s); {
		end := len(s)
		if blank := strings.IndexByte(s[at:], ' '); blank >= 0 {
			end = at + blank
		}
		w := text.Width(s[at:end])
		if used > 0 && used+1+w <= width {
			used += 1 + w
			at = end + 1
			continue
		}
		if used > 0 {
			lines = append(lines, s[from:at-1])
		}
		if from, used = at, w; w > width {
			pieces := splitLines(ansi.Hardwrap(s[at:end], width, true))
			lines = append(lines, pieces[:len(pieces)-1]...)
			last := pieces[len(pieces)-1]
			from, used = end-len(last), text.Width(last)
		}
		at = end + 1
	}
	if used > 0 {
		lines = append(lines, s[from:])
	}
	return lines
}
