package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
)

// columns are those of the table of locks, or of the map, in the window as it is.
func (m *model) columns() (columns []column, gap int) {
	if m.mapped() {
		return planMapColumns(m.width, m.table.keyWidth, m.shown.Nodes)
	}
	return planColumns(m.width, m.table.keyWidth, m.table.holderWidth, m.table.votes, m.hidden)
}

// sortBy orders the rows by a column; the same one again turns the order. The cursor stays on its lock.
func (m *model) sortBy(c sortColumn) tea.Cmd {
	if c < 0 || c >= sortColumns {
		return nil
	}
	if m.order.column == c {
		return m.turnOrder()
	}
	m.order.column, m.order.reverse = c, false
	return m.rearrange()
}

// turnOrder puts the last row first.
func (m *model) turnOrder() tea.Cmd {
	m.order.reverse = !m.order.reverse
	return m.rearrange()
}

// sortByNext orders by the next of the columns that are shown, from left to right, and from the last one by the first again.
func (m *model) sortByNext() tea.Cmd {
	columns, _ := m.columns()
	var orders []sortColumn
	for _, c := range columns {
		if c.sort >= 0 && !slices.Contains(orders, c.sort) {
			orders = append(orders, c.sort)
		}
	}
	slices.Sort(orders) // they are numbered from left to right
	next := orders[0]
	if i, _ := slices.BinarySearch(orders, m.order.column+1); i < len(orders) {
		next = orders[i]
	}
	if next == m.order.column {
		return nil
	}
	return m.sortBy(next)
}
