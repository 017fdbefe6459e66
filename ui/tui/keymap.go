package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
)

// keyMap is every key of the dashboard. The hints at the bottom and the help are made from it, so that they cannot say
// anything else than what the keys do.
type keyMap struct {
	Up, Down, HalfUp, HalfDown, PageUp, PageDown, Top, Bottom key.Binding

	Locks, Holders, Events, Nodes, Open, Back key.Binding

	Filter, Suspects, Sort, Reverse, Columns, Save, Freeze, Mark key.Binding

	Theme, Mouse key.Binding

	Copy, CopyCommand, Report key.Binding

	Release, Extend, Expire, Actions key.Binding

	// Of the timeline.
	ZoomIn, ZoomOut, Earlier, Later, Now key.Binding

	Probe key.Binding

	// Of a demo.
	Demo, Fault, Step, Hold, Slower, Faster, Restart key.Binding

	// Of a recording, which has the demo's from Step on as well.
	Rewind, Forward, RewindMinute, ForwardMinute key.Binding

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

		Locks:   bind("1", "locks", "1"),
		Holders: bind("2", "holders", "2"),
		Events:  bind("3", "events", "3"),
		Nodes:   bind("4", "nodes", "4"),
		Open:    bind("⏎", "detail", "enter"),
		Back:    bind("esc", "back, clears filter, marks", "esc"),

		Filter:   bind("/", "filter by text or by a glob", "/"),
		Suspects: bind("!", "suspects, or trouble, only", "!"),
		Sort:     bind("s", "sort by the next column", "s"),
		Reverse:  bind("I", "turn the order", "I"),
		Columns:  bind("c", "choose the columns", "c"),
		Save:     bind("S", "save the view", "S"),
		Freeze:   bind("␣", "freeze the screen", " "),
		Mark:     bind("m", "mark", "m"),

		Theme: bind("t", "next theme", "t"),
		Mouse: bind("M", "mouse on, off", "M"),

		Copy:        bind("y", "copy the key or marked keys", "y"),
		CopyCommand: bind("Y", "copy the redis-cli command", "Y"),
		Report:      bind("w", "write an incident report", "w"),

		Release: bind("r", "release", "r"),
		Extend:  bind("e", "extend the lease", "e"),
		Expire:  bind("x", "force-expire", "x"),
		Actions: bind("A", "the last actions", "A"),

		ZoomIn:  bind("z", "zoom in", "z"),
		ZoomOut: bind("Z", "out", "Z"),
		Earlier: bind("← h", "earlier", "left", "h"),
		Later:   bind("→ l", "later", "right", "l"),
		Now:     bind("0", "now", "0"),

		Probe: bind("P", "probe: who asks for it?", "P"),

		Demo:    bind("5", "demo", "5"),
		Fault:   bind("f", "let the fault happen now", "f"),
		Step:    bind("n", "step", "n"),
		Hold:    bind("p", "hold or go on", "p"),
		Slower:  bind("-", "slower", "-"),
		Faster:  bind("+", "faster", "+", "="),
		Restart: bind("R", "from the beginning", "R"),

		Rewind:        bind(",", "10 s back", ","),
		Forward:       bind(".", "forward", "."),
		RewindMinute:  bind("<", "a minute back", "<"),
		ForwardMinute: bind(">", "forward", ">"),

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

// groups are all keys that there are, as the help shows them: first what a low window should show first. One without keys is left out.
func (k keyMap) groups() []helpGroup {
	one := func(list ...key.Binding) [][]key.Binding {
		lines := make([][]key.Binding, len(list))
		for i, b := range list {
			lines[i] = []key.Binding{b}
		}
		return lines
	}
	views := []key.Binding{k.Events, k.Nodes}
	var demo [][]key.Binding
	if k.Demo.Enabled() {
		views = append(views, k.Demo)
		demo = [][]key.Binding{{k.Fault}, {k.Step, k.Hold}, {k.Slower, k.Faster}, {k.Restart}}
	}
	var replay [][]key.Binding
	if k.Rewind.Enabled() {
		replay = [][]key.Binding{{k.Rewind, k.Forward}, {k.RewindMinute, k.ForwardMinute}}
		if !k.Demo.Enabled() {
			replay = append([][]key.Binding{{k.Hold}, {k.Step}, {k.Slower, k.Faster}, {k.Restart}}, replay...)
		}
	}
	look := append([][]key.Binding{{k.Locks, k.Holders}, views}, one(k.Open, k.Back, k.Filter, k.Suspects, k.Sort, k.Reverse, k.Columns, k.Save, k.Freeze)...)
	look = append(look, []key.Binding{k.Theme, k.Mouse})
	groups := []helpGroup{
		{"Look", look},
		{"Act", one(k.Release, k.Extend, k.Expire, k.Probe, k.Mark, k.Actions, k.Copy, k.CopyCommand, k.Report)},
		{"Move", [][]key.Binding{{k.Up, k.Down}, {k.HalfUp, k.HalfDown}, {k.PageUp, k.PageDown}, {k.Top, k.Bottom}}},
		{"Timeline", [][]key.Binding{{k.ZoomIn, k.ZoomOut}, {k.Earlier, k.Later, k.Now}}},
		{"Demo", demo},
		{"Replay", replay},
		{"In a dialog", [][]key.Binding{{k.Next, k.Previous}, {k.Choose, k.Cancel}}},
		{"Leave", [][]key.Binding{{k.Help}, {k.Quit}, {k.Suspend, k.Interrupt}}},
	}
	return slices.DeleteFunc(groups, func(g helpGroup) bool { return len(g.lines) == 0 })
}

// setReadOnly disables the keys that act. They stay visible, with the reason.
func (k *keyMap) setReadOnly(on bool) {
	for _, b := range []*key.Binding{&k.Release, &k.Extend, &k.Expire} {
		b.SetEnabled(!on)
	}
}

// setDemo disables the keys of a demo where there is none. What is not there needs no reason in the help.
func (k *keyMap) setDemo(on bool) {
	for _, b := range []*key.Binding{&k.Demo, &k.Fault, &k.Step, &k.Hold, &k.Slower, &k.Faster, &k.Restart} {
		b.SetEnabled(on)
	}
}

// setReplay enables the keys of a recording where one is played, and disables those that only a recording has where none is. A
// recording has no server that could be probed; the key says so.
func (k *keyMap) setReplay(on bool) {
	for _, b := range []*key.Binding{&k.Rewind, &k.Forward, &k.RewindMinute, &k.ForwardMinute} {
		b.SetEnabled(on)
	}
	if !on {
		return
	}
	k.Probe.SetEnabled(false)
	for _, b := range []*key.Binding{&k.Step, &k.Hold, &k.Slower, &k.Faster, &k.Restart} {
		b.SetEnabled(true)
	}
	k.Step.SetHelp(k.Step.Help().Key, "to the next event, and hold")
}
