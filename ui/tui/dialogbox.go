package tui

import (
	"slices"
	"strings"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// The least window in which a dialog can be read; in a smaller one nothing can be confirmed.
const (
	dialogWidth     = 72
	dialogMinWidth  = 30
	dialogMinHeight = 8
)

// dialogLow is the height below which a dialog leaves out what is blank in it.
const dialogLow = 16

// dialogFits says whether the window can show all controls of the dialog, and a line of what it is about.
func (m *model) dialogFits() bool {
	if m.width < dialogMinWidth || m.height < dialogMinHeight {
		return false
	}
	return overlayRoom(m.height) > len(m.dialog.controlLines(m, m.dialogInner(), m.height < dialogLow))
}

// dialogOuter is the width of the dialog; one about several locks has a table in it.
func (m *model) dialogOuter() int {
	if m.dialog.bulk != nil {
		return min(bulkWidth, m.width-2)
	}
	return min(dialogWidth, m.width-2)
}

func (m *model) dialogInner() int { return m.dialogOuter() - 4 }

// dialogHints are the keys of a dialog.
func (m *model) dialogHints() []segment {
	k := m.keys
	return []segment{m.hint(1, k.Next, "next"), m.hint(0, k.Choose, "choose"), m.hint(2, k.PageDown, "more"), m.hint(0, k.Cancel, "cancel")}
}

// overlayDialog lays the dialog over the screen. Where the window is low, the middle of what it says gives way, never the
// buttons.
func (m *model) overlayDialog(p *painter) {
	t, d := m.theme, m.dialog
	if !m.dialogFits() {
		width := p.width
		p.box(framed(t, d.title(), [][]part{{{t.warn, "the window is too small; esc cancels"}}}, width), width)
		return
	}
	width := m.dialogOuter()
	controls := d.controlLines(m, width-4, m.height < dialogLow)
	said := page{theme: t, width: width - 4, lines: d.describe(m, width-4)}
	room := overlayRoom(p.height()) - len(controls)
	d.offset = max(min(d.offset, len(said.lines)-room), 0)
	p.box(m.guardedFrame(d, append(slices.Clone(said.window(d.offset, room)), controls...), width), width)
}

// guardedFrame is the frame of a dialog. In production it says so, and looks so.
func (m *model) guardedFrame(d *dialog, content [][]part, width int) []string {
	if !m.config.Production {
		return framed(m.theme, d.title(), content, width)
	}
	guarded := *m.theme
	guarded.frame = m.theme.bad
	guarded.strong = m.theme.bad
	return framed(&guarded, "PRODUCTION · "+d.title(), content, width)
}

// title is what the dialog is about.
func (d *dialog) title() string {
	switch {
	case d.rearm > 0:
		return "writing has lapsed"
	case d.bulk != nil:
		return d.bulk.title(d.verb)
	}
	return string(d.verb) + " " + text.Escape(d.lock.Key)
}

// describe says what was seen, what will happen, and what has changed since.
func (d *dialog) describe(m *model, width int) [][]part {
	switch {
	case d.rearm > 0:
		return d.describeRearm(m, width)
	case d.bulk != nil:
		return d.bulk.describe(m, width)
	}
	t, l := m.theme, d.lock
	row := func(name string, s style, value string) []part {
		return []part{{t.faint, text.PadRight(name, 9)}, {s, value}}
	}
	now := m.momentOf(l)
	if !d.seenAt.IsZero() {
		now = d.seenAt
	}
	f := t.faceOf(l, now)
	state := f.glyph + " " + f.word
	if held, atLeast := heldFor(l, now); held > 0 {
		if f.word != string(inspector.StateHeld) {
			state += ", held"
		}
		state += " for " + atLeastText(atLeast) + text.Duration(held)
	}
	var lines [][]part
	if escaped := text.Escape(l.Key); text.Width(d.title()) > width-2 { // the title cuts it
		for i, line := range hardWrap(escaped, width-9) {
			name := "key"
			if i > 0 {
				name = ""
			}
			lines = append(lines, row(name, t.strong, line))
		}
	}
	lines = append(lines, append(row("seen", f.style, state), part{t.faint, " · " + string(l.Scheme) + " · at " + now.Format("15:04:05")}))
	if len(l.Holders) > 0 {
		h := l.Holders[d.holder]
		holder := text.Escape(h.Label) + goneWord(&h)
		if h.Count.Known {
			holder += ", " + entriesText(h.Count.N)
		}
		if l.CountUnknown(&h) {
			holder += ", entry count unknown"
		}
		name := "holder"
		if unheld(l) {
			name = "claimant"
		}
		lines = append(lines, row(name, t.strong, holder))
	}
	if !unheld(l) { // else the votes say it
		lines = append(lines, row("lease", t.plain, leaseText(l, now)))
		if said := fieldLease(l, now); said != "" {
			for _, line := range wrap(said, width-11) {
				lines = append(lines, row("", t.plain, line))
			}
		}
	}
	if l.Renewals > 0 && !unheld(l) {
		lines = append(lines, row("renewals", t.plain, renewedText(l, now)))
	}
	lines = append(lines, row("waiters", t.plain, waitersSentence(l)))
	lines = append(lines, d.masterLines(t, width)...)
	if changed := d.changed(m.latest); changed != "" {
		for _, line := range wrap("▲ "+changed+"; look again", width-2) {
			lines = append(lines, []part{{t.warn, line}})
		}
	}
	if said := silentText(m, []*inspector.Lock{l}); said != "" {
		for _, line := range wrap(said, width-2) {
			lines = append(lines, []part{{t.warn, line}})
		}
	}
	lines = append(lines, nil)
	r, err := d.request(m.clock())
	if err != nil {
		return append(lines, []part{{t.bad, err.Error()}})
	}
	r.Unheard = m.unheard(l)
	return append(lines, consequenceLines(t, r, width)...)
}

// unheard says whether no event tells what happens to a lock.
func (m *model) unheard(l *inspector.Lock) bool {
	n := statusOf(m.latest, l.Node)
	return n != nil && n.Feed == keyspace.FeedPoll
}

// silentText says which of the servers that locks were read from does not answer by now, so that nobody knows what became of them
// since; empty: all answer. Of a Redlock only those masters count that had the lock: of the others its votes speak.
func silentText(m *model, locks []*inspector.Lock) string {
	silent := func(node keyspace.Node) string {
		n := statusOf(m.latest, node)
		if n == nil || n.Connected {
			return ""
		}
		return "▲ " + text.Escape(string(node)) + " does not answer since " + n.StaleSince.Local().Format(time.TimeOnly) + ": what is shown may not be so any more"
	}
	for _, l := range locks {
		if l.Quorum == nil {
			if said := silent(l.Node); said != "" {
				return said
			}
			continue
		}
		for i := range l.Quorum.Votes {
			if v := &l.Quorum.Votes[i]; v.Owner != "" {
				if said := silent(v.Node); said != "" {
					return said
				}
			}
		}
	}
	return ""
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
		why := "this library does not survive it."
		if r.Verb == actions.VerbExtend {
			why = "its holder may not be able to release it any more."
		}
		say(t.bad, "✖ ", "Discouraged: "+why)
	}
	say(t.plain, "", effect.Does)
	say(t.plain, "", effect.Then)
	for _, warning := range effect.Warnings {
		say(t.warn, "▲ ", warning)
	}
	return lines
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
	case inspector.WaitersShared:
		return n + ", by the subscribers of the channel for all locks of its library"
	case inspector.WaitersCounter:
		return n + ", by the counter that its library keeps"
	case inspector.WaitersSampled:
		return n + ", by sampled commands"
	case inspector.WaitersNone:
	}
	return "cannot be seen from outside"
}
