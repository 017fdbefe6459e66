package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/text"
)

// overlayHelp lays the help over the screen. It is made from the live key map; bubbles/help is not used because it hides
// disabled keys, which must be seen with the reason why they are off. What a low window has no room for is scrolled to.
func (m *model) overlayHelp(p *painter) {
	const column, gap, most = 37, 2, 3
	columns := max(min((p.width-4+gap)/(column+gap), most), 1)
	stacks := m.helpStacks(columns)
	highest := 0
	for _, s := range stacks {
		highest = max(highest, len(s))
	}
	var lines [][]part
	for i := range highest {
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
	lines = append(lines, nil, []part{{m.theme.faint, "≥ at least   ≤ at most   ? not stored   - cannot be seen   ▒ about to lapse"}},
		[]part{{m.theme.faint, "╳ lost, perhaps still inside   ╱ not seen   · ▽ ⇄ ▼ ≈ ? how a hold ended"}})
	lines = m.helpLines(lines, overlayRoom(p.height()))
	width := min(columns*column+(columns-1)*gap+4, p.width)
	p.box(framed(m.theme, "keys", lines, width), width)
}

// helpLines are the lines of the help that the window has room for, from the one on that it was scrolled to.
func (m *model) helpLines(lines [][]part, room int) [][]part {
	if len(lines) <= room || room < 2 {
		return lines[:min(len(lines), room)]
	}
	m.helpOffset = max(min(m.helpOffset, len(lines)-room+1), 0)
	shown := append([][]part{}, lines[m.helpOffset:min(m.helpOffset+room-1, len(lines))]...)
	said := "↓ " + text.Count(int64(len(lines)-m.helpOffset-len(shown))) + " more lines"
	if m.helpOffset+len(shown) == len(lines) {
		said = "↑ " + text.Count(int64(m.helpOffset)) + " lines before"
	}
	return append(shown, []part{{m.theme.faint, said}})
}

// handleHelpKey scrolls the help, or closes it.
func (m *model) handleHelpKey(msg tea.KeyMsg) tea.Cmd {
	k, page := m.keys, max(m.height-4, 1)
	switch {
	case key.Matches(msg, k.Help, k.Back, k.Quit, k.Open):
		m.help, m.helpOffset = false, 0
	case key.Matches(msg, k.Freeze): // a pager's key for the next page
		m.helpOffset += page
	default:
		k.scroll(msg, &m.helpOffset, page)
	}
	return nil
}

// helpHints are the keys of the help.
func (m *model) helpHints() []segment {
	return []segment{m.hint(0, m.keys.Back, "back"), piece(1, m.theme.faint, "↑↓ scroll")}
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
	keys += text.Spaces(max(keyWidth-text.Cells(keys), 1))
	if !enabled {
		return []part{{m.theme.faint, keys + does + " (off: " + why + ")"}}
	}
	return []part{{m.theme.key, keys}, {m.theme.plain, does}}
}

func (p *painter) height() int { return len(p.lines) }
