package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/text"
)

// Settings is what of the dashboard a user may save for a profile. A zero value stands for the default of each.
type Settings struct {
	// View is the one to begin with: "locks", "holders", "events" or "nodes".
	View string
	// Columns are the names of those that the table of locks may show; nil: all.
	Columns []string
	// Sort is the name of the order; Reverse turns it.
	Sort    string
	Reverse bool
	// Filter is a text or a glob, as "/" takes it; Suspects shows suspects only.
	Filter   string
	Suspects bool
	// Theme is one of those that --theme names.
	Theme string
	// HoldersSort is the name of the order of holders; HoldersReverse turns it.
	HoldersSort    string
	HoldersReverse bool
	// Trouble shows only the events that may be trouble.
	Trouble bool
}

// viewNames are the views as settings name them. That of a demo is passed over where there is none.
var viewNames = []struct {
	name string
	view view
}{{"locks", viewLocks}, {"holders", viewHolders}, {"events", viewEvents}, {"nodes", viewNodes}, {"demo", viewDemo}}

// orderNames are the orders as settings name them.
var orderNames = [sortColumns]string{
	"worst", "key", "scheme", "holder", "count", "votes", "ttl", "held", "waiters", "acquisitions", "renewals",
}

// holderOrderNames are the orders of holders as settings name them.
var holderOrderNames = [holderColumns]string{"gone", "holder", "locks", "suspects", "oldest", "waiters"}

// Check says which name there is not, and which ones there are.
func (s Settings) Check() error {
	unknown := func(what, name string, names []string) error {
		return fmt.Errorf("no %s %q: choose one of %s", what, name, strings.Join(names, ", "))
	}
	var views []string
	for _, v := range viewNames {
		views = append(views, v.name)
	}
	if s.View != "" && !slices.Contains(views, s.View) {
		return unknown("view", s.View, views)
	}
	if _, name := hiddenBeside(s.Columns); name != "" {
		var columns []string
		for _, c := range columnChoices {
			columns = append(columns, c.name)
		}
		return unknown("column", name, columns)
	}
	if s.Sort != "" && !slices.Contains(orderNames[:], s.Sort) {
		return unknown("order", s.Sort, orderNames[:])
	}
	if s.HoldersSort != "" && !slices.Contains(holderOrderNames[:], s.HoldersSort) {
		return unknown("order of holders", s.HoldersSort, holderOrderNames[:])
	}
	_, err := newTheme(s.Theme, false)
	return err
}

// apply makes the dashboard as it was saved. The names have been checked; the theme is another's business.
func (m *model) apply(s Settings) {
	for _, v := range viewNames {
		if v.name == s.View && (v.view != viewDemo || m.config.Play != nil) {
			m.view = v.view
		}
	}
	m.hidden, _ = hiddenBeside(s.Columns)
	if at := slices.Index(orderNames[:], s.Sort); at >= 0 {
		m.order.column = sortColumn(at)
	}
	if at := slices.Index(holderOrderNames[:], s.HoldersSort); at >= 0 {
		m.order.byHolder.column = holderColumn(at)
	}
	m.order.byHolder.reverse, m.events.trouble = s.HoldersReverse, s.Trouble
	m.order.reverse, m.order.filter, m.order.suspects = s.Reverse, newFilter(s.Filter), s.Suspects
	m.input.SetValue(s.Filter)
}

// settings are the dashboard as it is.
func (m *model) settings() Settings {
	s := Settings{
		Columns: columnNames(m.hidden), Sort: orderNames[m.order.column], Reverse: m.order.reverse,
		Filter: m.order.filter.text, Suspects: m.order.suspects, Theme: m.theme.name,
		HoldersSort: holderOrderNames[m.order.byHolder.column], HoldersReverse: m.order.byHolder.reverse, Trouble: m.events.trouble,
	}
	if m.config.NoColor {
		s.Theme = m.config.Settings.Theme // the one on the screen is not what was chosen
	}
	for _, v := range viewNames {
		if v.view == m.view {
			s.View = v.name
		}
	}
	return s
}

// savedMsg says where the view was kept, or why it was not.
type savedMsg struct {
	where string
	err   error
}

// save keeps the view for the profile. Nothing else ever does: who only looks around finds all as it was.
func (m *model) save() tea.Cmd {
	keep, s := m.config.Save, m.settings()
	if keep == nil {
		m.toast = infoToast("the view cannot be kept: this dashboard was given no place to keep it in", m.clock())
		return nil
	}
	return guard(func() tea.Msg {
		where, err := keep(s)
		return savedMsg{where, err}
	})
}

func savedToast(msg savedMsg, now time.Time) toast {
	if msg.err != nil {
		return failedToast("the view cannot be kept: "+errorText(msg.err), now)
	}
	said := "✔ saved: view, columns, orders, filters and theme"
	if msg.where != "" {
		said += ", in " + text.Legible(msg.where)
	}
	return toast{text: said, kind: toastGood, until: now.Add(toastFor)}
}
