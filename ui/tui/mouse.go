package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"locktop/ui/text"
)

// mouse is what is known of it. It is off unless asked for, because a terminal that reports the mouse does not select text
// with it; the key that switches it on gives it back.
//
// A click never acts: it selects what the frame shows under the pointer, orders by a column, opens a detail, or presses one
// of the keys of [keyMap.harmless]. Where something lies over the screen it scrolls that, presses such keys, or Cancel.
type mouse struct {
	on bool
	// The last click, which a second one at the same place makes a double click. What it selected is opened then, also
	// where another row has come under the pointer meanwhile.
	at   time.Time
	x, y int
	// hints are those of the footer, as far as a click may press them; covered are the lines above it that a toast hides.
	hints   []clickable
	covered int
}

// clickable is a hint as the footer shows it.
type clickable struct {
	shown string
	press tea.KeyMsg
}

const (
	doubleClick = 400 * time.Millisecond
	wheelLines  = 3
	// wheelPace is the shortest time between two turns of the wheel: touch pads send hundreds a second, and each would
	// cost a frame.
	wheelPace = 16 * time.Millisecond
)

// harmless are the keys that a click on their hint may press: those that only look elsewhere or otherwise.
func (k keyMap) harmless() []key.Binding {
	return []key.Binding{
		k.Locks, k.Holders, k.Events, k.Nodes, k.Demo, k.Open, k.Back, k.Cancel, k.Filter, k.Suspects, k.Sort, k.Freeze, k.Bottom, k.Help,
	}
}

// toggleMouse asks the terminal for the mouse, or gives it back.
func (m *model) toggleMouse() tea.Cmd {
	m.mouse.on = !m.mouse.on
	if !m.mouse.on {
		m.toast = infoToast("mouse off: the terminal selects text with it again", m.clock())
		return tea.DisableMouse
	}
	m.toast = infoToast("mouse on: the wheel scrolls, a click selects, two open, a click on a title sorts; "+
		m.keys.Mouse.Help().Key+" gives it back to the terminal", m.clock())
	return tea.EnableMouseCellMotion
}

// resumeMouse asks for the mouse after something has taken it away: a terminal that was left has all modes off.
func (m *model) resumeMouse() tea.Cmd {
	if !m.mouse.on {
		return nil
	}
	return tea.EnableMouseCellMotion
}

// noteHint remembers a hint that the footer shows, for a click on it.
func (m *model) noteHint(b key.Binding, word string) {
	if !m.mouse.on {
		return
	}
	for _, h := range m.keys.harmless() {
		if b.Enabled() && b.Help() == h.Help() { // by what it does: enter chooses as well
			m.mouse.hints = append(m.mouse.hints, clickable{text.Drawable(b.Help().Key + " " + word), keyOf(h.Keys()[0])})
			return
		}
	}
}

// keyOf is the message of a key, by its name. Letters in it would be taken for several that were typed at once.
func keyOf(name string) tea.KeyMsg {
	letter, alt := strings.CutPrefix(name, "alt+")
	for t := tea.KeyF20; t <= tea.KeyBackspace; t++ { // from the least of them to the greatest
		if k := (tea.Key{Type: t, Alt: alt}); t != tea.KeyRunes && k.String() == name {
			if t == tea.KeySpace {
				k.Runes = []rune{' '}
			}
			return tea.KeyMsg(k)
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(letter), Alt: alt}
}

// handleMouse does what the mouse says. A message that was under way when it was switched off is dropped.
func (m *model) handleMouse(msg tea.MouseMsg) tea.Cmd {
	if !m.mouse.on {
		return nil
	}
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		m.turnWheel(-wheelLines)
	case msg.Button == tea.MouseButtonWheelDown:
		m.turnWheel(wheelLines)
	case leftClick(msg):
		return m.click(msg)
	}
	return nil
}

// turnWheel scrolls what is on top, if that scrolls.
func (m *model) turnWheel(by int) {
	switch o, open := m.overlay(); {
	case o.offset != nil:
		*o.offset = max(*o.offset+by, 0) // the end is known when it is drawn
	case !open:
		m.move(by)
	}
}

func leftClick(msg tea.MouseMsg) bool {
	return msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress
}

// click finds out what is under the pointer.
func (m *model) click(msg tea.MouseMsg) tea.Cmd {
	l := m.layout()
	now := m.clock()
	again := msg.X == m.mouse.x && msg.Y == m.mouse.y && now.Sub(m.mouse.at) < doubleClick
	m.mouse.x, m.mouse.y, m.mouse.at = msg.X, msg.Y, now
	o, open := m.overlay()
	if open {
		m.mouse.at = time.Time{} // a second click is none on what comes to light
	}
	switch {
	case o.asks && shownAt(m.frame, msg, "[ Cancel ]"):
		return m.handleKey(keyOf(m.keys.Cancel.Keys()[0]))
	case l.footer.has(msg.Y):
		for _, h := range m.mouse.hints {
			if shownAt(m.frame, msg, h.shown) {
				return m.handleKey(h.press)
			}
		}
	case open || m.detail != nil || m.shown == nil:
	case l.titles.has(msg.Y) && m.onLocks():
		if c, ok := m.table.titleAt(msg.X); ok {
			return m.sortBy(c)
		}
	case l.body.has(msg.Y) && msg.Y < l.footer.top-m.mouse.covered:
		if again {
			m.mouse.at = time.Time{} // a third click begins anew
			return m.openSelected()
		}
		m.selectLine(msg.Y - l.body.top)
	}
	return nil
}

// openSelected opens what is under the cursor, as the key does; a filter that is being typed stays as it is.
func (m *model) openSelected() tea.Cmd {
	m.typing = false
	m.input.Blur()
	switch {
	case m.onHolderPage():
		m.holders.page.openDetail(m)
	case m.onHolders():
		return m.openHolderPage()
	default:
		m.openDetail()
	}
	return nil
}

// selectLine puts the cursor on what a line of the body shows.
func (m *model) selectLine(line int) {
	switch {
	case m.view == viewDemo:
	case m.view == viewEvents:
		m.events.selectLine(line, m.order.filter)
	case m.onHolderPage():
		m.holders.page.selectLine(line)
	case m.onHolders():
		if i := m.holders.offset + line; i < len(m.holders.rows) {
			m.holders.move(i)
		}
	case !m.onLocks():
		if i := m.nodes.offset + line; i < len(m.shownNodes()) {
			m.nodes.move(m.shownNodes(), i)
		}
	default:
		if i := m.table.offset + line; i < len(m.table.rows) {
			m.table.move(i)
		}
	}
}

// shownAt says whether a frame shows a text where the pointer is.
func shownAt(frame string, msg tea.MouseMsg, wanted string) bool {
	lines := strings.Split(frame, "\n")
	if msg.Y < 0 || msg.Y >= len(lines) {
		return false
	}
	before, _, found := strings.Cut(ansi.Strip(lines[msg.Y]), wanted)
	from := text.Width(before)
	return found && msg.X >= from && msg.X < from+text.Width(wanted)
}

// mouseFilter keeps from the model what would cost a frame and change nothing, and what is no key though it looks like
// some: a report of the mouse that was cut in two on its way arrives as letters, of which "m" marks and "3" goes elsewhere.
type mouseFilter struct {
	wheel time.Time
	torn  bool // the rest of a report is still to come
	clock func() time.Time
}

// pass is for [tea.WithFilter].
func (f *mouseFilter) pass(of tea.Model, msg tea.Msg) tea.Msg {
	m, ok := of.(*model)
	if !ok || !m.mouse.on {
		f.torn = false
		return msg
	}
	switch msg := msg.(type) {
	case tea.MouseMsg:
		f.torn = false
		now := f.clock()
		switch {
		case msg.Action != tea.MouseActionPress:
			return nil
		case tea.MouseEvent(msg).IsWheel() && now.Sub(f.wheel) < wheelPace:
			return nil
		case tea.MouseEvent(msg).IsWheel():
			f.wheel = now
		}
	case tea.KeyMsg:
		if f.fragment(msg) {
			return nil
		}
	}
	return msg
}

// fragment says whether what came as keys is a part of a report: "\x1b[<0;40;12M".
func (f *mouseFilter) fragment(msg tea.KeyMsg) bool {
	if msg.Type != tea.KeyRunes || msg.Paste {
		f.torn = false
		return false
	}
	typed := string(msg.Runes)
	begins := msg.Alt && typed == "[" || strings.HasPrefix(typed, "[<")
	if !begins && (!f.torn || strings.Trim(typed, "<0123456789;Mm") != "") {
		f.torn = false
		return false
	}
	f.torn = !strings.ContainsAny(typed, "Mm")
	return true
}
