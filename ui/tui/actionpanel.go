package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/ui/text"
)

// Remembering is an [Operator] that has a record of what was done here, by whomever; *actions.Operator is one.
type Remembering interface {
	Recent(n int) ([]actions.AuditLine, error)
}

const (
	// lastActionsShown bounds the panel; the audit file has the rest.
	lastActionsShown = 200
	// lastActionsEvery is how often the panel looks what others have done meanwhile.
	lastActionsEvery = 2 * time.Second
)

// actionPanel is the last actions on the servers that are looked at, newest first: this session's, and those of others who share the
// audit file.
type actionPanel struct {
	lines   []actions.AuditLine
	err     error
	read    bool // it was read at least once
	reading bool
	readAt  time.Time
	offset  int
}

// lastActionsMsg brings what the record has.
type lastActionsMsg struct {
	lines []actions.AuditLine
	err   error
}

// openActionPanel opens the panel of the last actions.
func (m *model) openActionPanel() tea.Cmd {
	if m.replays() {
		return m.say("a recording has no audit; what was done while it was made is among the events (3)")
	}
	if _, is := m.config.Operator.(Remembering); !is {
		return m.say("no actions are recorded here")
	}
	m.lastActions = &actionPanel{}
	return m.readLastActions()
}

// readLastActions reads the record anew where the panel is open; one read is under way at most.
func (m *model) readLastActions() tea.Cmd {
	if m.lastActions == nil || m.lastActions.reading {
		return nil
	}
	m.lastActions.reading = true
	operator := m.config.Operator.(Remembering)
	return guard(func() tea.Msg {
		lines, err := operator.Recent(lastActionsShown)
		return lastActionsMsg{lines, err}
	})
}

// refreshLastActions reads the record when it is time to.
func (m *model) refreshLastActions() tea.Cmd {
	if m.lastActions == nil || m.clock().Sub(m.lastActions.readAt) < lastActionsEvery {
		return nil
	}
	return m.readLastActions()
}

func (m *model) takeLastActions(msg lastActionsMsg) {
	if m.lastActions == nil {
		return
	}
	d := m.lastActions
	d.lines, d.err, d.read, d.reading, d.readAt = msg.lines, msg.err, true, false, m.clock()
}

// handleActionPanelKey gives a key to the panel. It shows, and does nothing else.
func (m *model) handleActionPanelKey(msg tea.KeyMsg) tea.Cmd {
	if key.Matches(msg, m.keys.Actions, m.keys.Back, m.keys.Quit) {
		m.lastActions = nil
		return nil
	}
	m.keys.scroll(msg, &m.lastActions.offset, max(m.height/2, 1))
	return nil
}

// actionPanelHints are the keys of the panel.
func (m *model) actionPanelHints() []segment {
	return []segment{piece(1, m.theme.faint, "↑↓ scroll"), m.hint(0, m.keys.Back, "back")}
}

// overlayActionPanel lays the panel over the screen.
func (m *model) overlayActionPanel(p *painter) {
	t, d := m.theme, m.lastActions
	width := max(p.width-2, min(p.width, dialogMinWidth))
	g := page{theme: t, width: width - 4}
	switch {
	case d.err != nil:
		g.paragraph(nil, 0, t.bad, "the record cannot be read: "+d.err.Error())
	case !d.read:
		g.line(part{t.faint, "…"})
	case len(d.lines) == 0:
		g.paragraph(nil, 0, t.faint, "nothing was done here yet; what is done is kept in the audit file")
	}
	at := len("14:03:27") + 1
	for i := range d.lines {
		at = max(at, text.Width(clockText(d.lines[i].At.In(m.clock().Location()), m.clock()))+1)
	}
	for i := range d.lines {
		m.deedLines(&g, &d.lines[i], at)
	}
	room := overlayRoom(p.height())
	d.offset = max(min(d.offset, len(g.lines)-room), 0)
	p.box(framed(t, "the last actions", g.window(d.offset, room), width), width)
}

// deedLines tell of one action: when, in a column of so many cells, who, what, and how it ended.
func (m *model) deedLines(g *page, l *actions.AuditLine, at int) {
	t := m.theme
	glyph, s, said := m.deedSaid(l)
	who := text.Escape(l.Actor.User) + "@" + text.Escape(l.Actor.Host)
	if l.Own() {
		who = "here"
	}
	verb := text.Escape(string(l.Verb))
	if l.Phase == actions.PhaseSession {
		verb = "writing"
	}
	if l.Asked.DryRun {
		verb += " (dry)"
	}
	what := text.Escape(l.Key)
	if l.Key64 != "" {
		what = text.Legible(l.Key) // it is escaped already
	}
	from := text.Escape(l.Saw.Label)
	if from == "" {
		from = text.Escape(l.Saw.Owner)
	}
	when := clockText(l.At.In(m.clock().Location()), m.clock())
	if l.Asked.Reason != "" {
		said += ` · "` + text.Escape(l.Asked.Reason) + `"`
	}
	if g.width >= 90 {
		const name, deed = 14, 13
		rest := g.width - at - name - deed - 3
		key, holder := rest*2/5, rest/5
		lead := []part{
			{t.faint, text.PadRight(text.Truncate(when, at-1), at)},
			{t.plain, text.PadRight(text.Truncate(who, name-1), name)},
			{t.plain, text.PadRight(text.Truncate(verb, deed), deed+1)},
			{t.strong, text.PadRight(text.Truncate(what, key-1), key)},
			{t.plain, text.PadRight(text.Truncate(from, holder-1), holder)},
			{s, glyph},
		}
		g.paragraph(lead, at+name+deed+1+key+holder+2, t.plain, said)
		return
	}
	if from != "" {
		said += " · of " + from
	}
	if g.width >= 60 {
		g.line(part{t.faint, text.PadRight(when, at)}, part{t.plain, who + "  " + verb + " "}, part{t.strong, what})
	} else {
		g.line(part{t.faint, text.PadRight(when, at)}, part{t.plain, who})
		g.line(part{t.plain, "  " + verb + " "}, part{t.strong, what})
	}
	g.paragraph([]part{{s, "  " + glyph}}, 4, t.plain, said)
}

// deedSaid is how an action ended, as its line says it.
func (m *model) deedSaid(l *actions.AuditLine) (glyph string, s style, said string) {
	t := m.theme
	switch {
	case l.Verb == actions.SessionLapse:
		return "·", t.faint, "lapsed"
	case l.Verb == actions.SessionRearm:
		return "·", t.warn, "armed again for " + text.Span(time.Duration(l.Asked.TTL)*time.Millisecond)
	case l.Phase == actions.PhaseIntent && m.clock().Sub(l.At) < actTimeout+time.Second:
		return "…", t.accent, "under way"
	case l.Phase == actions.PhaseIntent:
		return "▲", t.warn, "unknown: no outcome was written"
	}
	glyph, s = resultFace(t, l.Outcome)
	said = text.Escape(string(l.Outcome))
	span := text.Span(time.Duration(l.Asked.TTL) * time.Millisecond)
	switch {
	case l.Outcome == actions.ResultExtended:
		said += " to " + span
	case l.Outcome == actions.ResultExpired && l.Asked.TTL > 0:
		said = "ends in " + span
	case l.Outcome == actions.ResultEntryReleased && l.CountLeft != nil:
		said += ", " + text.Count(*l.CountLeft) + " left"
	}
	if l.Detail != "" && !l.Outcome.Done() {
		detail := strings.TrimSuffix(text.Legible(l.Detail), ".")
		if strings.HasPrefix(detail, said+" ") { // "changed while you were reading" says already that it has changed
			said = detail
		} else {
			said += ": " + detail
		}
	}
	if l.Holder != "" && l.Outcome == actions.ResultNotHolder {
		said += ": now held by " + text.Escape(l.Holder)
	}
	return glyph, s, said
}
