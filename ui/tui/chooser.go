package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/text"
)

// chooser is the overlay in which the columns of the table of locks are chosen. The table follows at once.
type chooser struct {
	index int // of the column under the cursor
}

// openChooser opens it over the table of locks; nothing else has columns to choose.
func (m *model) openChooser() {
	if m.view != viewLocks {
		m.toast = infoToast("columns are chosen in the view of locks ("+m.keys.Locks.Help().Key+")", m.clock())
		return
	}
	m.chooser = &chooser{index: slices.IndexFunc(columnChoices[:], func(c columnChoice) bool { return !c.always })}
}

// handleChooserKey moves and toggles.
func (m *model) handleChooserKey(msg tea.KeyMsg) tea.Cmd {
	k, c := m.keys, m.chooser
	switch {
	case key.Matches(msg, k.Back, k.Quit, k.Columns):
		m.chooser = nil
	case key.Matches(msg, k.Up):
		c.index--
	case key.Matches(msg, k.Down):
		c.index++
	case key.Matches(msg, k.Top):
		c.index = 0
	case key.Matches(msg, k.Bottom):
		c.index = len(columnChoices) - 1
	case key.Matches(msg, k.Freeze, k.Open):
		m.toggleColumn(c.index)
	case key.Matches(msg, k.Save):
		return m.save()
	case key.Matches(msg, k.Help):
		m.help = true
	}
	c.index = max(min(c.index, len(columnChoices)-1), 0)
	return nil
}

// toggleColumn hides a column, or shows it again.
func (m *model) toggleColumn(index int) {
	c := columnChoices[index]
	if c.always {
		m.toast = infoToast("the column "+c.name+" is always shown: a row means nothing without it", m.clock())
		return
	}
	m.hidden = m.hidden.toggled(c.id)
}

// chooserHints are the keys of the chooser.
func (m *model) chooserHints() []segment {
	k := m.keys
	return []segment{
		piece(3, m.theme.faint, "↑↓ move"), m.hint(0, k.Freeze, "shows or hides"), m.hint(2, k.Save, "save"), m.hint(0, k.Back, "close"),
		m.hint(1, k.Help, "help"),
	}
}

// overlayChooser lays the chooser over the screen; in a low window it shows the columns around the cursor.
func (m *model) overlayChooser(p *painter) {
	t := m.theme
	shown := make(map[columnID]bool)
	columns, _ := m.columns()
	for _, c := range columns {
		shown[c.id] = true
	}
	var lines [][]part
	for i, c := range columnChoices {
		cursor, name := "  ", t.plain
		if i == m.chooser.index {
			cursor, name = "▌ ", t.buttonOn
		}
		box, about, said := part{t.good, "[x] "}, t.faint, c.about
		switch {
		case c.always:
			box = part{t.faint, "[x] "}
			said = "always shown"
		case m.hidden.has(c.id):
			box = part{t.faint, "[ ] "}
		case c.id == columnVotes && !m.table.votes:
			said = "no Redlock here"
		case !shown[c.id]:
			about, said = t.warn, "no room at this width"
		}
		lines = append(lines, []part{{t.cursor, cursor}, box, {name, text.PadRight(c.name, 12)}, {about, "  " + said}})
	}
	width := min(56, p.width)
	if room := overlayRoom(p.height()); len(lines) > room {
		from := max(min(m.chooser.index-room/2, len(lines)-room), 0)
		lines = lines[from : from+room]
	}
	p.box(framed(t, "columns", lines, width), width)
}
