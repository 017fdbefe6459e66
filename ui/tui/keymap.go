package tui

import "github.com/charmbracelet/bubbles/key"

// keyMap is every key of the dashboard. The hints at the bottom and the help are made from it, so that they cannot say
// anything else than what the keys do.
type keyMap struct {
	Up, Down, HalfUp, HalfDown, PageUp, PageDown, Top, Bottom key.Binding

	Locks, Events, Nodes, Open, Back key.Binding

	Filter, Suspects, Sort, Reverse, Freeze, Mark key.Binding

	Copy, CopyCommand key.Binding

	Release, Extend, Expire key.Binding

	Help, Quit, Suspend, Interrupt key.Binding

	// In a dialog.
	Next, Previous, Choose, Cancel key.Binding
}

func bind(shown, does string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, does))
}

func newKeyMap() keyMap {
	return keyMap{
		Up:       bind("↑ k", "up", "up", "k"),
		Down:     bind("↓ j", "down", "down", "j"),
		HalfUp:   bind("^u", "half a page up", "ctrl+u"),
		HalfDown: bind("^d", "down", "ctrl+d"),
		PageUp:   bind("PgUp", "a page up", "pgup", "ctrl+b"),
		PageDown: bind("PgDn", "down", "pgdown", "ctrl+f"),
		Top:      bind("g", "first", "g", "home"),
		Bottom:   bind("G", "last", "G", "end"),

		Locks:  bind("1", "locks", "1"),
		Events: bind("3", "events", "3"),
		Nodes:  bind("4", "nodes", "4"),
		Open:   bind("⏎", "detail", "enter"),
		Back:   bind("esc", "back, clears filter, marks", "esc"),

		Filter:   bind("/", "filter by text or by a glob", "/"),
		Suspects: bind("!", "suspects only", "!"),
		Sort:     bind("s", "sort by the next column", "s"),
		Reverse:  bind("S", "turn the order", "S"),
		Freeze:   bind("␣", "freeze the screen", " "),
		Mark:     bind("m", "mark", "m"),

		Copy:        bind("y", "copy the key or marked keys", "y"),
		CopyCommand: bind("Y", "copy the redis-cli command", "Y"),

		Release: bind("r", "release", "r"),
		Extend:  bind("e", "extend the lease", "e"),
		Expire:  bind("x", "force-expire", "x"),

		Help:      bind("?", "help", "?"),
		Quit:      bind("q", "quit", "q"),
		Suspend:   bind("^z", "to the shell", "ctrl+z"),
		Interrupt: bind("^c", "quit at once", "ctrl+c"),

		Next:     bind("⇥", "next", "tab", "down", "right"),
		Previous: bind("⇤", "previous", "shift+tab", "up", "left"),
		Choose:   bind("⏎", "choose", "enter"),
		Cancel:   bind("esc", "cancel", "esc"),
	}
}

// helpGroup is a part of the help; keys that belong together share a line.
type helpGroup struct {
	title string
	lines [][]key.Binding
}

// groups are all keys, as the help shows them.
func (k keyMap) groups() []helpGroup {
	one := func(list ...key.Binding) [][]key.Binding {
		lines := make([][]key.Binding, len(list))
		for i, b := range list {
			lines[i] = []key.Binding{b}
		}
		return lines
	}
	return []helpGroup{
		{"Move", [][]key.Binding{{k.Up, k.Down}, {k.HalfUp, k.HalfDown}, {k.PageUp, k.PageDown}, {k.Top, k.Bottom}}},
		{"Look", one(k.Locks, k.Events, k.Nodes, k.Open, k.Back, k.Filter, k.Suspects, k.Sort, k.Reverse, k.Freeze)},
		{"Act", one(k.Release, k.Extend, k.Expire, k.Mark, k.Copy, k.CopyCommand)},
		{"Leave", one(k.Help, k.Quit, k.Suspend, k.Interrupt)},
		{"In a dialog", [][]key.Binding{{k.Next, k.Previous}, {k.Choose}, {k.Cancel}}},
	}
}

// setReadOnly disables the keys that act. They stay visible, with the reason.
func (k *keyMap) setReadOnly(on bool) {
	for _, b := range []*key.Binding{&k.Release, &k.Extend, &k.Expire} {
		b.SetEnabled(!on)
	}
}
