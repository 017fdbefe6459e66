package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// handleKey gives a key to whoever has the keyboard: what lies over the screen, the filter, the detail, or the view.
func (m *model) handleKey(msg tea.KeyMsg) tea.Cmd {
	if msg.Paste {
		// What was pasted is text, and never a command.
		return m.handlePaste(msg)
	}
	if msg.Type == tea.KeyRunes && len(msg.Runes) > 1 && !msg.Alt && !m.typing && !m.asks() {
		return m.handleBurst(msg.Runes)
	}
	switch {
	case key.Matches(msg, m.keys.Interrupt):
		m.interrupted, m.quitting = true, true
		return nil
	case key.Matches(msg, m.keys.Suspend):
		return m.suspend()
	}
	if o, open := m.overlay(); open {
		return o.handle(msg)
	}
	if m.typing {
		return m.handleFilterKey(msg)
	}
	return m.handleCommand(msg)
}

// maxBurst is how many letters may arrive in one read and still have been typed, over a slow connection. More of them are
// a paste from a terminal that does not mark one.
const maxBurst = 8

// handleBurst handles letters that Bubble Tea read at once, one after another. A dialog that one of them opens ends the
// burst: nothing that was typed before it could be read is for it.
func (m *model) handleBurst(runes []rune) tea.Cmd {
	if len(runes) > maxBurst {
		return nil
	}
	var commands []tea.Cmd
	for _, r := range runes {
		commands = append(commands, m.handleKey(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}))
		if m.asks() || m.quitting {
			break
		}
	}
	return tea.Batch(commands...)
}

func (m *model) handlePaste(msg tea.KeyMsg) tea.Cmd {
	o, open := m.overlay()
	switch {
	case o.paste != nil:
		o.paste(msg)
	case m.typing && !open:
		m.input, _ = m.input.Update(msg)
		return m.setFilter(m.input.Value())
	}
	return nil
}

// handleFilterKey edits the filter; every letter applies it.
func (m *model) handleFilterKey(msg tea.KeyMsg) tea.Cmd {
	switch {
	case key.Matches(msg, m.keys.Back):
		m.typing = false
		m.input.Blur()
		m.input.SetValue("")
		return m.setFilter("")
	case key.Matches(msg, m.keys.Choose):
		m.typing = false
		m.input.Blur()
		return nil
	case msg.Type == tea.KeyUp:
		m.move(-1)
		return nil
	case msg.Type == tea.KeyDown:
		m.move(1)
		return nil
	}
	m.input, _ = m.input.Update(msg) // the command would blink a cursor that we draw ourselves
	return m.setFilter(m.input.Value())
}

func (m *model) setFilter(s string) tea.Cmd {
	if s == m.order.filter.text {
		return nil
	}
	m.order.filter = newFilter(s)
	return m.rearrange()
}

// handleCommand does what a key of the views or of the detail says.
func (m *model) handleCommand(msg tea.KeyMsg) tea.Cmd {
	if c := m.controlOf(msg); c != "" {
		return m.control(c)
	}
	if cmd, handled := m.handleHolderCommand(msg); handled {
		return cmd
	}
	if m.handleTimeKey(msg) {
		return nil
	}
	k := m.keys
	page := max(m.page(), 1)
	switch {
	case key.Matches(msg, k.Up):
		m.move(-1)
	case key.Matches(msg, k.Down):
		m.move(1)
	case key.Matches(msg, k.HalfUp):
		m.move(-max(page/2, 1))
	case key.Matches(msg, k.HalfDown):
		m.move(max(page/2, 1))
	case key.Matches(msg, k.PageUp):
		m.move(-page)
	case key.Matches(msg, k.PageDown):
		m.move(page)
	case key.Matches(msg, k.Top):
		m.moveToEnd(false)
	case key.Matches(msg, k.Bottom):
		m.moveToEnd(true)
	case key.Matches(msg, k.Help):
		m.help = true
	case key.Matches(msg, k.Freeze):
		return m.toggleFreeze()
	case key.Matches(msg, k.Theme):
		m.nextTheme()
	case key.Matches(msg, k.Mouse):
		return m.toggleMouse()
	case key.Matches(msg, k.Back):
		return m.back()
	case key.Matches(msg, k.Quit):
		if m.detail != nil {
			return m.back()
		}
		m.quitting = true
	case key.Matches(msg, k.Save):
		return m.save()
	case key.Matches(msg, k.Copy):
		return m.copyKeys()
	case key.Matches(msg, k.CopyCommand):
		return m.copyCommand()
	case key.Matches(msg, k.Report):
		return m.report()
	case matchesDisabled(msg, k.Release):
		return m.openDialog(actions.VerbRelease)
	case matchesDisabled(msg, k.Extend):
		return m.openDialog(actions.VerbExtend)
	case matchesDisabled(msg, k.Expire):
		return m.openDialog(actions.VerbForceExpire)
	case key.Matches(msg, k.Actions):
		return m.openActionPanel()
	case matchesDisabled(msg, k.Probe):
		return m.openProbe()
	case key.Matches(msg, k.Locks):
		m.view, m.detail = viewLocks, nil
	case key.Matches(msg, k.Holders):
		return m.openHolders()
	case key.Matches(msg, k.Events):
		m.view, m.detail = viewEvents, nil
	case key.Matches(msg, k.Nodes):
		m.view, m.detail = viewNodes, nil
	case key.Matches(msg, k.Demo):
		m.view, m.detail = viewDemo, nil
	default:
		if m.detail == nil && m.view != viewDemo {
			return m.handleListCommand(msg)
		}
	}
	return nil
}

// handleListCommand does what only lists can: open, filter, sort, mark.
func (m *model) handleListCommand(msg tea.KeyMsg) tea.Cmd {
	k := m.keys
	switch {
	case key.Matches(msg, k.Open):
		m.openDetail()
	case key.Matches(msg, k.Filter):
		m.typing = true
		m.input.SetValue(m.order.filter.text)
		m.input.CursorEnd()
		m.input.Focus()
	case key.Matches(msg, k.Suspects) && m.view == viewEvents:
		m.events.trouble = !m.events.trouble
	case key.Matches(msg, k.Suspects):
		m.order.suspects = !m.order.suspects
		return m.rearrange()
	case key.Matches(msg, k.Columns):
		m.openChooser()
	case !m.onLocks():
	case key.Matches(msg, k.Sort):
		return m.sortByNext()
	case key.Matches(msg, k.Reverse):
		return m.turnOrder()
	case key.Matches(msg, k.Mark):
		m.table.toggleMark()
		m.move(1)
	}
	return nil
}

// matchesDisabled matches a binding also while it is disabled, so that its key can say why it does nothing.
func matchesDisabled(msg tea.KeyMsg, b key.Binding) bool {
	b.SetEnabled(true)
	return key.Matches(msg, b)
}

// page is the number of lines that one page moves.
func (m *model) page() int { return m.layout().body.height }

func (m *model) move(by int) {
	switch {
	case m.detail != nil:
		m.detail.offset += by // clamped when it is drawn and its height is known
	case m.view == viewDemo:
		m.demo.offset += by
	case m.onHolderPage():
		m.holders.page.table.move(m.holders.page.table.index + by)
	case m.onHolders():
		m.holders.move(m.holders.index + by)
	case m.view == viewEvents:
		m.events.move(by, m.order.filter)
	case !m.onLocks():
		m.nodes.move(m.shownNodes(), m.nodes.index+by)
	default:
		m.table.move(m.table.index + by)
	}
}

func (m *model) moveToEnd(last bool) {
	switch {
	case m.detail != nil:
		m.detail.offset = 0
		if last {
			m.detail.offset = 1 << 20
		}
	case m.view == viewDemo:
		m.demo.offset = 0
		if last {
			m.demo.offset = 1 << 20
		}
	case m.onHolders():
		by := -1 << 30
		if last {
			by = 1 << 30
		}
		m.move(by)
	case m.view == viewEvents:
		m.events.moveToEnd(last, m.order.filter)
	case !m.onLocks() && last:
		m.nodes.move(m.shownNodes(), len(m.shownNodes()))
	case !m.onLocks():
		m.nodes.move(m.shownNodes(), 0)
	case last:
		m.table.move(len(m.table.rows) - 1)
	default:
		m.table.move(0)
	}
}

func (m *model) toggleFreeze() tea.Cmd {
	m.frozen = !m.frozen
	if m.frozen {
		return nil
	}
	return m.showLatest()
}

// back undoes the nearest thing: the detail, the filter, the suspects, the marks.
func (m *model) back() tea.Cmd {
	switch {
	case m.toast.sticky:
		m.toast = toast{}
	case m.detail != nil:
		m.detail = nil
	case !m.order.filter.empty():
		m.input.SetValue("")
		return m.setFilter("")
	case m.view == viewEvents && m.events.trouble:
		m.events.trouble = false
	case m.order.suspects && m.view != viewEvents:
		m.order.suspects = false
		return m.rearrange()
	case len(m.table.marks) > 0 && m.view != viewEvents:
		clear(m.table.marks)
	case m.view != viewLocks:
		m.view = viewLocks
	}
	return nil
}

func (m *model) openDetail() {
	if l := m.selected(); l != nil {
		m.detail = newDetail(l, m.shown)
		return
	}
	if m.view == viewEvents && m.events.current(m.order.filter) != nil {
		m.toast = infoToast("this lock has gone; "+m.keys.Filter.Help().Key+" with its key shows what happened to it", m.clock())
	}
}

// copyKeys copies the key of the cursor, or all marked keys, one a line. A key in which something cannot be seen is copied
// in its escaped form, since it will be pasted into a shell.
func (m *model) copyKeys() tea.Cmd {
	if m.toast.path != "" {
		return m.copyText("the path of the report", text.Legible(m.toast.path))
	}
	if m.detail == nil && m.onLocks() && len(m.table.marks) > 0 {
		keys := make([]string, 0, len(m.table.marks))
		for id := range m.table.marks {
			keys = append(keys, text.Legible(id.key))
		}
		return m.copyText(text.Count(int64(len(keys)))+" keys", joinSorted(keys))
	}
	if l := m.selected(); l != nil {
		return m.copyText("the key "+text.Escape(l.Key), text.Legible(l.Key))
	}
	if m.view == viewEvents {
		switch e := m.events.current(m.order.filter); {
		case e != nil && e.Key != "":
			return m.copyText("the key "+text.Escape(e.Key), text.Legible(e.Key))
		case e != nil:
			return m.copyEvent()
		}
	}
	return nil
}

// copyCommand copies the redis-cli command that releases the lock of the cursor with its guard; where nobody holds it,
// the one that removes it.
// Of an event it copies the line.
func (m *model) copyCommand() tea.Cmd {
	if m.detail == nil && m.view == viewEvents {
		return m.copyEvent()
	}
	l := m.selected()
	if l == nil {
		return nil
	}
	r := actions.Request{Verb: actions.VerbRelease, Lock: l}
	if len(l.Holders) == 0 || l.State == inspector.StateWrong {
		r.Verb = actions.VerbForceExpire
	} else {
		r.Owner = l.Holders[0].Owner
	}
	if m.replays() {
		m.toast = infoToast("a recording has no redis-cli commands: what they compare with is not kept", m.clock())
		return nil
	}
	command := actions.RedisCLI(r)
	if command == "" {
		m.toast = infoToast("no redis-cli command can do this safely", m.clock())
		return nil
	}
	return m.copyText("the redis-cli command that would "+string(r.Verb)+" "+text.Escape(l.Key), text.Legible(command))
}
