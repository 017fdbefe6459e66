package tui

import (
	"strings"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// The least window in which a dialog can be read; in a smaller one nothing can be confirmed.
const (
	dialogWidth     = 72
	dialogMinWidth  = 30
	dialogMinHeight = 8
)

func (m *model) dialogFits() bool { return m.width >= dialogMinWidth && m.height >= dialogMinHeight }

// overlayDialog lays the dialog over the screen. Where the window is low, the middle of what it says gives way, never the
// buttons.
func (m *model) overlayDialog(p *painter) {
	t, d := m.theme, m.dialog
	if !m.dialogFits() {
		width := p.width
		p.box(framed(t, string(d.verb), [][]part{{{t.warn, "the window is too small; esc cancels"}}}, width), width)
		return
	}
	width := min(dialogWidth, p.width-2)
	content := squeezed(d.describe(m, width-4), d.controlLines(t), p.overlayRoom())
	title := string(d.verb) + " " + text.Escape(d.lock.Key)
	p.box(framed(t, title, content, width), width)
}

// describe says what was seen, what will happen, and what has changed since.
func (d *dialog) describe(m *model, width int) [][]part {
	t, l := m.theme, d.lock
	row := func(name string, s style, value string) []part {
		return []part{{t.faint, text.PadRight(name, 9)}, {s, value}}
	}
	now := m.momentOf(l)
	f := t.faceOf(l, now)
	state := f.glyph + " " + f.word
	if held, atLeast := heldFor(l, now); held > 0 {
		if f.word != string(inspector.StateHeld) {
			state += ", held"
		}
		state += " for " + atLeastText(atLeast) + text.Duration(held)
	}
	lines := [][]part{
		append(row("seen", f.style, state), part{t.faint, " · " + string(l.Scheme) + " · at " + now.Format("15:04:05")}),
	}
	if len(l.Holders) > 0 {
		h := l.Holders[d.holder]
		holder := text.Escape(h.Label)
		if h.Count.Known {
			holder += ", " + entriesText(h.Count.N)
		}
		name := "holder"
		if unheld(l) {
			name = "claimant"
		}
		lines = append(lines, row(name, t.strong, holder))
	}
	if !unheld(l) { // else the votes say it
		lines = append(lines, row("lease", t.plain, leaseText(l, now)))
	}
	lines = append(lines, row("waiters", t.plain, waitersSentence(l)))
	lines = append(lines, d.masterLines(t, width)...)
	if changed := d.changed(m.latest); changed != "" && m.latest != nil {
		lines = append(lines, []part{{t.warn, "▲ " + changed + ": the action will be refused"}})
	}
	lines = append(lines, nil)
	r, err := d.request()
	if err != nil {
		return append(lines, []part{{t.bad, err.Error()}})
	}
	return append(lines, consequenceLines(t, r, width)...)
}

// consequenceLines are what the action will do, and the warnings. What was observed the dialog has said already, as of the
// moment at which it was opened.
func consequenceLines(t *theme, r actions.Request, width int) [][]part {
	effect := actions.EffectOf(r)
	var lines [][]part
	say := func(s style, glyph, sentence string) {
		if sentence == "" {
			return
		}
		for _, line := range wrap(sentence, width-2) {
			lines = append(lines, []part{{s, glyph + line}})
			glyph = strings.Repeat(" ", len([]rune(glyph)))
		}
	}
	if effect.Discouraged {
		say(t.bad, "✖ ", "Discouraged: this library does not survive it.")
	}
	say(t.plain, "", effect.Does)
	say(t.plain, "", effect.Then)
	for _, warning := range effect.Warnings {
		say(t.warn, "▲ ", warning)
	}
	return lines
}

// controlLines are the fields and the buttons.
func (d *dialog) controlLines(t *theme) [][]part {
	lines := [][]part{nil}
	for _, c := range d.controls {
		on := t.faint
		if c == d.focus {
			on = t.cursor
		}
		switch c {
		case controlHolder:
			lines = append(lines, []part{
				{on, text.PadRight("which", 9)}, {on, "‹ "}, {t.strong, text.Escape(d.lock.Holders[d.holder].Label)}, {on, " ›"},
			})
		case controlEntries:
			one, all := t.strong, t.faint
			if d.all {
				one, all = all, one
			}
			lines = append(lines, []part{
				{on, text.PadRight("entries", 9)}, {on, "‹ "}, {one, "one"}, {t.faint, " / "}, {all, "all of them"}, {on, " ›"},
			})
		case controlTTL:
			cursor := t.plain
			if c == d.focus {
				cursor = t.buttonOn
			}
			lines = append(lines, append([]part{{on, text.PadRight("for", 9)}}, inputParts(t, d.ttl, cursor)...))
		case controlCancel, controlConfirm:
		}
	}
	cancel, confirm := t.button, t.button
	switch d.focus {
	case controlCancel:
		cancel = t.buttonOn
	case controlConfirm:
		confirm = t.buttonDanger
		if d.verb == actions.VerbExtend {
			confirm = t.buttonOn
		}
	case controlHolder, controlEntries, controlTTL:
	}
	return append(lines, nil, []part{
		{cancel, "[ Cancel ]"}, {t.plain, "  "}, {confirm, "[ " + d.confirmWord() + " ]"},
	})
}

// confirmWord names the deed on its button, with its extent.
func (d *dialog) confirmWord() string {
	switch d.verb {
	case actions.VerbExtend:
		return "Extend"
	case actions.VerbForceExpire:
		return "Force-expire"
	case actions.VerbRelease:
		if d.reentrant() {
			if d.all {
				return "Release all entries"
			}
			return "Release one entry"
		}
		return "Release"
	}
	return string(d.verb)
}

func atLeastText(atLeast bool) string {
	if atLeast {
		return "at least "
	}
	return ""
}

func entriesText(n int64) string {
	if n == 1 {
		return "entered once"
	}
	return "entered " + text.Count(n) + " times"
}

// waitersSentence says how many wait, and how that is known.
func waitersSentence(l *inspector.Lock) string {
	n := text.Count(int64(l.Waiters.Count))
	switch {
	case l.Waiters.Exact:
	case l.Waiters.Count == 0:
		n = "none seen"
	case l.Waiters.AtMost():
		n = "at most " + n
	default:
		n = "at least " + n
	}
	switch l.Waiters.By {
	case inspector.WaitersQueue:
		return n + ", by its queue"
	case inspector.WaitersSubscribers:
		return n + ", by the subscribers of its channel"
	case inspector.WaitersBlocked:
		return n + ", by the clients that are blocked, on whatever key"
	case inspector.WaitersSampled:
		return n + ", by sampled commands"
	case inspector.WaitersNone:
	}
	return "cannot be seen from outside"
}
