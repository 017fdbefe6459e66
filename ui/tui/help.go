package tui

import (
	"github.com/charmbracelet/bubbles/key"

	"locktop/ui/text"
)

// overlayHelp lays the help over the screen. It is made from the live key map; bubbles/help is not used because it hides
// disabled keys, which must be seen with the reason why they are off.
func (m *model) overlayHelp(p *painter) {
	const column, gap = 37, 2
	columns := 1
	if p.width >= 2*column+gap+4 {
		columns = 2
	}
	stacks := m.helpStacks(columns)
	var lines [][]part
	for i := range max(len(stacks[0]), len(stacks[columns-1])) {
		var line []part
		for c, s := range stacks {
			var cell []part
			if i < len(s) {
				cell = s[i]
			}
			line = append(line, cell...)
			if c < columns-1 {
				line = append(line, part{m.theme.plain, text.Spaces(column + gap - segment{parts: cell}.width())})
			}
		}
		lines = append(lines, line)
	}
	lines = append(lines, nil, []part{{m.theme.faint, "≥ at least   ≤ at most   ? not stored   - cannot be seen   ▒ about to lapse"}})
	lines = lines[:min(len(lines), max(p.height()-2, 0))]
	width := min(columns*column+(columns-1)*gap+4, p.width)
	p.box(framed(m.theme, "keys", lines, width), width)
}

// helpStacks puts the groups into columns, each into the one that is the shortest so far.
func (m *model) helpStacks(columns int) [][][]part {
	stacks := make([][][]part, columns)
	for _, g := range m.keys.groups() {
		at := 0
		for c := range stacks {
			if len(stacks[c]) < len(stacks[at]) {
				at = c
			}
		}
		if len(stacks[at]) > 0 {
			stacks[at] = append(stacks[at], nil)
		}
		stacks[at] = append(stacks[at], []part{{m.theme.accent, g.title}})
		for _, bindings := range g.lines {
			stacks[at] = append(stacks[at], m.helpLine(bindings))
		}
	}
	return stacks
}

func (m *model) helpLine(bindings []key.Binding) []part {
	why := "read-only"
	if m.replays() {
		why = "replay"
	}
	const keyWidth = 10
	var keys, does string
	enabled := true
	for i, b := range bindings {
		if i > 0 {
			keys, does = keys+" ", does+", "
		}
		keys, does = keys+b.Help().Key, does+b.Help().Desc
		enabled = enabled && b.Enabled()
	}
	if !enabled {
		return []part{{m.theme.faint, text.PadRight(keys, keyWidth) + does + " (off: " + why + ")"}}
	}
	return []part{{m.theme.key, text.PadRight(keys, keyWidth)}, {m.theme.plain, does}}
}

func (p *painter) height() int { return len(p.lines) }
