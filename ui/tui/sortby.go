package tui

import tea "github.com/charmbracelet/bubbletea"

// sortBy orders the rows by a column, and the other way round where they are ordered by it already.
func (m *model) sortBy(c sortColumn) tea.Cmd {
	m.order.reverse = m.order.column == c && !m.order.reverse
	m.order.column = c
	return m.rearrange()
}
