package tui

import (
	"errors"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"locktop/actions"
	"locktop/ui/text"
)

// What may be written into the fields of a dialog.
const (
	maxSpan      = 20
	maxProbeSpan = 8
	maxReason    = 200
)

// production is the word to type where a name is demanded and the profile has none.
const production = "production"

func newField(value string, limit int) textinput.Model {
	f := textinput.New()
	f.Prompt = ""
	f.CharLimit = limit
	// Pasting by ctrl-v would start a program to read the clipboard; the terminal's own paste arrives as keys.
	f.KeyMap.Paste.SetEnabled(false)
	f.SetValue(value)
	f.CursorEnd()
	f.Focus()
	return f
}

// addFields adds what is asked for in an action: a time, and why.
func (d *dialog) addFields(lease string) {
	switch d.verb {
	case actions.VerbExtend:
		d.controls = append(d.controls, controlTTL)
		d.ttl = newField(lease, maxSpan)
	case actions.VerbForceExpire:
		d.controls = append(d.controls, controlDelay)
		d.delay = newField("0", maxSpan)
	case actions.VerbRelease:
	}
	d.controls = append(d.controls, controlReason)
	d.reason = newField("", maxReason)
}

// demandIn demands, in a production profile, that a name be typed: with the last control before Cancel.
func (d *dialog) demandIn(c Config, name string) {
	if !c.Production {
		return
	}
	if strings.TrimSpace(name) == "" {
		name = production
	}
	d.demand = name
	d.typed = newField("", len([]rune(name))+maxSpan)
	at := len(d.controls) - 2
	d.controls = append(d.controls[:at:at], controlTyped, controlCancel, controlConfirm)
}

// profileName is what is typed for what concerns several locks, or none.
func profileName(c Config) string {
	if c.Profile == "" {
		return production
	}
	return text.Escape(c.Profile)
}

// wasTyped says whether what is demanded stands in its field. Blanks at the ends cannot be seen, and do not count.
func (d *dialog) wasTyped() bool {
	return d.demand == "" || strings.TrimSpace(d.typed.Value()) == strings.TrimSpace(d.demand)
}

// field is the text that a control writes; nil: it writes none.
func (d *dialog) field(c control) *textinput.Model {
	switch c {
	case controlTTL:
		return &d.ttl
	case controlDelay:
		return &d.delay
	case controlReason:
		return &d.reason
	case controlTyped:
		return &d.typed
	case controlCancel, controlConfirm, controlHolder, controlEntries, controlTombstone, controlDiscouraged:
	}
	return nil
}

// writes says whether a key is a letter for the field that has the focus, whatever else it may be bound to.
func (d *dialog) writes(msg tea.KeyMsg) bool {
	return d.field(d.focus) != nil && (msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace) && !msg.Alt
}

// write gives a key to the field that has the focus. More letters at once than fingers type are a paste, from a terminal that
// does not mark one.
func (d *dialog) write(msg tea.KeyMsg) {
	if d.focus == controlTyped && len(msg.Runes) > maxBurst {
		d.refusePaste()
		return
	}
	d.word = ""
	f := d.field(d.focus)
	*f, _ = f.Update(msg) // the command would blink a cursor that we draw ourselves
}

// paste puts pasted text where text is asked for. A name that must be typed is not pasted: typing it is the point.
func (d *dialog) paste(msg tea.KeyMsg) {
	switch f := d.field(d.focus); {
	case f == nil:
	case d.focus == controlTyped:
		d.refusePaste()
	default:
		*f, _ = f.Update(msg)
	}
}

func (d *dialog) refusePaste() { d.word = "it is not pasted but typed, letter by letter" }

// complete puts what was written into a request.
func (d *dialog) complete(r *actions.Request) (err error) {
	r.Reason, r.NoTombstone = strings.TrimSpace(d.reason.Value()), d.noTombstone
	switch d.verb {
	case actions.VerbExtend:
		r.TTL, err = parseLease(d.ttl.Value())
	case actions.VerbForceExpire:
		r.TTL, err = parseDelay(d.delay.Value())
	case actions.VerbRelease:
	}
	return err
}

// parseDelay reads a delay as parseLease does a lease; nothing, or nought, is now.
func parseDelay(s string) (time.Duration, error) {
	s = strings.TrimSpace(s)
	if d, err := time.ParseDuration(s); s == "" || err == nil && d == 0 {
		return 0, nil
	}
	d, err := parseLease(s)
	if err != nil {
		return 0, errors.New("write 0 for now, or a time such as 30s")
	}
	return d, nil
}

// controlLines are the fields and the buttons. In a low window they stand close together.
func (d *dialog) controlLines(m *model, width int, low bool) [][]part {
	const nameWidth = 9
	t := m.theme
	var lines [][]part
	if !low {
		lines = append(lines, nil)
	}
	for _, c := range d.controls {
		on, cursor := t.faint, t.plain
		if c == d.focus {
			on, cursor = t.cursor, t.buttonOn
		}
		either := func(name, one, two string, second bool) []part {
			first, last := t.strong, t.faint
			if second {
				first, last = last, first
			}
			return []part{{on, text.PadRight(name, nameWidth)}, {on, "‹ "}, {first, one}, {t.faint, " / "}, {last, two}, {on, " ›"}}
		}
		written := func(name, hint string) []part {
			parts := append([]part{{on, text.PadRight(name, nameWidth)}}, fieldParts(t, *d.field(c), cursor, width-nameWidth)...)
			return append(parts, part{t.faint, hint})
		}
		switch c {
		case controlHolder:
			lines = append(lines, []part{
				{on, text.PadRight("which", nameWidth)}, {on, "‹ "}, {t.strong, text.Escape(d.lock.Holders[d.holder].Label)}, {on, " ›"},
			})
		case controlEntries:
			lines = append(lines, either("entries", "one", "all of them", d.all))
		case controlTombstone:
			lines = append(lines, either("leave", "a tombstone", "nothing", d.noTombstone))
		case controlDiscouraged:
			lines = append(lines, either("also", "not those that are discouraged", "those too", d.bulk.discouraged))
		case controlTTL:
			lines = append(lines, written("for", ""))
		case controlDelay:
			lines = append(lines, written("in", "  0: now; else its holder may notice until then"))
		case controlReason:
			hint := ""
			if d.reason.Value() == "" {
				hint = "  kept in the audit; may be left out"
			}
			lines = append(lines, written("reason", hint))
		case controlTyped:
			lines = append(lines, d.demandLines(t, on, cursor, width)...)
		case controlCancel, controlConfirm:
		}
	}
	if !low {
		lines = append(lines, nil)
	}
	return append(lines, d.buttons(m))
}

// demandLines say what is to be typed, and show what was.
func (d *dialog) demandLines(t *theme, on, cursor style, width int) [][]part {
	const nameWidth = 9
	var lines [][]part
	for i, line := range hardWrap(d.demand, width-nameWidth) {
		name := "type"
		if i > 0 {
			name = ""
		}
		lines = append(lines, []part{{t.bad, text.PadRight(name, nameWidth)}, {t.strong, line}})
	}
	answer := append([]part{{on, text.PadRight("", nameWidth-2) + "› "}}, fieldParts(t, d.typed, cursor, width-nameWidth)...)
	switch {
	case d.word != "":
		answer = append(answer, part{t.warn, "  ▲ " + d.word})
	case d.wasTyped():
		answer = append(answer, part{t.good, "  ✔"})
	}
	return append(lines, answer)
}

// hardWrap breaks a name wherever a line is full, so that all of it can be read; nothing of it is left out.
func hardWrap(s string, width int) []string {
	return splitLines(ansi.Hardwrap(s, max(width, 1), true))
}

// fieldParts is the part of a field that fits, with the cursor in it.
func fieldParts(t *theme, f textinput.Model, cursor style, width int) []part {
	runes := []rune(f.Value())
	at := min(max(f.Position(), 0), len(runes))
	from := at
	for room := width - 2; from > 0; from-- {
		if room -= text.Width(text.Escape(string(runes[from-1]))); room < 1 {
			break
		}
	}
	if from == 0 {
		return inputParts(t, f, cursor)
	}
	under := " "
	if at < len(runes) {
		under = text.Escape(string(runes[at]))
	}
	return []part{{t.faint, "…"}, {t.strong, text.Escape(string(runes[from:at]))}, {cursor, under}}
}

// buttons are what ends the dialog.
func (d *dialog) buttons(m *model) []part {
	t := m.theme
	cancel, confirm := t.button, t.button
	switch d.focus {
	case controlCancel:
		cancel = t.buttonOn
	case controlConfirm:
		confirm = t.buttonDanger
		if d.verb == actions.VerbExtend || d.rearm > 0 {
			confirm = t.buttonOn
		}
	case controlHolder, controlEntries, controlTombstone, controlTTL, controlDelay, controlDiscouraged, controlReason, controlTyped:
	}
	why, word := m.locked(), d.confirmWord()
	if why == lookFirst {
		why, word = "", "Look again"
		if d.focus == controlConfirm {
			confirm = t.buttonOn // it does no harm
		}
	}
	line := []part{{cancel, "[ Cancel ]"}, {t.plain, "  "}, {confirm, "[ " + word + " ]"}}
	if why != "" {
		line = append(line, part{t.faint, "  " + why})
	}
	return line
}

// confirmWord names the deed on its button, with its extent.
func (d *dialog) confirmWord() string {
	if d.rearm > 0 {
		return "Write"
	}
	word := ""
	switch d.verb {
	case actions.VerbExtend:
		word = "Extend"
	case actions.VerbForceExpire:
		word = "Force-expire"
	case actions.VerbRelease:
		word = "Release"
		if d.bulk == nil && d.reentrant() {
			word = "Release one entry"
			if d.all {
				word = "Release all entries"
			}
		}
	}
	if d.bulk != nil {
		word += " " + text.Count(int64(d.bulk.counts().will))
	}
	return word
}
