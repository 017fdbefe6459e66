package tui

import (
	"github.com/charmbracelet/bubbles/key"

	"locktop/ui/text"
)

// overlayHelp lays the help over the screen. It is made from the live key map; bubbles/help is not used because it hides
// disabled keys, which must be seen with the reason why they are off.
func (m *model) overlayHelp(p *painter) {
	const column = 41
	groups := m.keys.groups()
	columns := 1
	if p.width >= 2*column+6 {
		columns = 2
	}
	stacks := make([][][]part, columns)
	for i, g := range groups {
		at := 0
		if columns == 2 && i%2 == 1 {
			at = 1
		}
		if len(stacks[at]) > 0 {
			stacks[at] = append(stacks[at], nil)
		}
		stacks[at] = append(stacks[at], []part{{m.theme.accent, g.title}})
		for _, b := range g.bindings {
			stacks[at] = append(stacks[at], m.helpLine(b))
		}
	}
	height := 0
	for _, s := range stacks {
		height = max(height, len(s))
	}
	lines := make([][]part, 0, height+2)
	for i := range height {
		var line []part
		for c, s := range stacks {
			var cell []part
			if i < len(s) {
				cell = s[i]
			}
			line = append(line, cell...)
			if c < columns-1 {
				line = append(line, part{m.theme.plain, text.Spaces(column + 2 - segment{parts: cell}.width())})
			}
		}
		lines = append(lines, line)
	}
	lines = append(lines, nil, []part{{m.theme.faint, "≥ at least   ? not stored   - cannot be seen   ▒ about to lapse"}})
	lines = lines[:min(len(lines), max(p.height()-2, 0))]
	width := min(columns*column+6, p.width)
	p.box(framed(m.theme, "keys", lines, width), width)
}

func (m *model) helpLine(b key.Binding) []part {
	h := b.Help()
	if !b.Enabled() {
		return []part{{m.theme.faint, text.PadRight(h.Key, 9)}, {m.theme.faint, h.Desc + " (off: read-only)"}}
	}
	return []part{{m.theme.key, text.PadRight(h.Key, 9)}, {m.theme.plain, h.Desc}}
}

func (p *painter) height() int { return len(p.lines) }
