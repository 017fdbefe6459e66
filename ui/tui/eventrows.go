package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// eventColumnID names a column of the table of events.
type eventColumnID int

// The columns, from left to right.
const (
	eventTime eventColumnID = iota
	eventKind
	eventKey
	eventScheme
	eventOwner
	eventBefore
	eventCount
	eventTTL
	eventHeld
	eventCause
	eventNode // there only where there are several
)

type eventColumn = listColumn[eventColumnID]

// planEventColumns lays out the table of events: when, what and of which key at any width; then by whom; then how long it was
// held and how that ended; then what else is known.
func planEventColumns(width int, nodes []keyspace.Status) (columns []eventColumn, gap int) {
	gap = 2
	if width < fromCount {
		gap = 1
	}
	columns = make([]eventColumn, 0, 11)
	add := func(from int, c eventColumn) {
		if width >= from {
			columns = append(columns, c)
		}
	}
	at := 8
	if width >= 110 {
		at = 12 // with milliseconds
	}
	node := 0
	for i := range nodes {
		node = min(max(node, text.Width(text.Escape(string(nodes[i].Node)))), 22)
	}
	add(0, eventColumn{id: eventTime, title: "TIME", width: at})
	add(0, eventColumn{id: eventKind, title: "EVENT", width: 13})
	add(0, eventColumn{id: eventKey, title: "KEY"})
	add(160, eventColumn{id: eventScheme, title: "SCHEME", width: 9})
	add(45, eventColumn{id: eventOwner, title: "OWNER"})
	add(96, eventColumn{id: eventBefore, title: "BEFORE"})
	add(150, eventColumn{id: eventCount, title: "N", width: 3, right: true})
	add(140, eventColumn{id: eventTTL, title: "TTL", width: 7, right: true})
	add(70, eventColumn{id: eventHeld, title: "HELD", width: 8, right: true})
	add(96, eventColumn{id: eventCause, title: "CAUSE", width: 12})
	if len(nodes) > 1 {
		add(170, eventColumn{id: eventNode, title: "NODE", width: node})
	}
	left := width - rowPrefix - 1 - gap*(len(columns)-1)
	for _, c := range columns {
		left -= c.width
	}
	owner := (left + gap) * 2 / 5
	if width >= 96 {
		owner = min((left+2*gap)*3/11, 30)
	}
	key := left
	for i := range columns {
		if columns[i].id == eventOwner || columns[i].id == eventBefore {
			columns[i].width = owner
			key -= owner
		}
	}
	for i := range columns {
		if columns[i].id == eventKey {
			columns[i].width = max(key, 0)
		}
	}
	return columns, gap
}

// paintEvents paints the view of events, the newest at the bottom. Where the newest is not followed it says so.
func (m *model) paintEvents(p *painter, l layout) {
	if m.shown == nil {
		m.paintNothing(p, l.body.height)
		return
	}
	columns, gap := planEventColumns(m.width, m.shownNodes())
	if l.titles.height > 0 {
		listTitles(p, columns, gap)
	}
	e, height := &m.events, l.body.height
	list := e.list(m.order.filter)
	if len(list) == 0 {
		said := "nothing has happened since locktop started to look"
		switch {
		case !m.order.filter.empty():
			said = "no event passes the filter; esc clears it"
		case e.trouble:
			said = "no trouble since locktop looks; ! shows every event"
		}
		p.put(p.theme.faint, text.Spaces(rowPrefix)+said)
		p.end()
		return
	}
	at := e.position(list)
	newer := int64(len(list) - 1 - at)
	if newer > 0 && height >= 3 {
		height--
	} else {
		newer = 0
	}
	from := e.window(list, height)
	tone := p.tone
	for i := from; i < min(from+height, len(list)); i++ {
		p.tone = tone
		cursor := " "
		if i == at && tone != toneDimmed {
			p.tone, cursor = toneSelected, "▌"
		}
		p.put(p.theme.plain, " ")
		p.put(p.theme.cursor, cursor)
		p.put(p.theme.plain, " ")
		p.eventRow(columns, gap, &e.all[list[i]])
	}
	p.tone = tone
	if newer > 0 {
		p.fit(l.body.bottom() - 1)
		p.put(p.theme.warn, text.Spaces(rowPrefix)+"↓ "+text.Plural(newer, "newer event")+" below; "+m.keys.Bottom.Help().Key+" follows again")
		p.end()
	}
}

// spoken says that an event is told in words, and has no lock's columns.
func spoken(ev *inspector.Event) bool {
	return ev.Kind == inspector.EventGap || ev.Kind == inspector.EventOperator
}

func (p *painter) eventRow(columns []eventColumn, gap int, ev *inspector.Event) {
	before := slices.ContainsFunc(columns, func(c eventColumn) bool { return c.id == eventBefore })
	for i, c := range columns {
		if i > 0 {
			p.gap(gap)
		}
		if c.id == eventKey && spoken(ev) {
			p.put(p.theme.plain, text.Legible(ev.Text))
			break
		}
		if c.id == eventOwner && eventOwnerOf(ev) == "" && !before {
			p.left(p.theme.faint, text.Escape(ev.PreviousName()), c.width) // whose hold it was that ended
			continue
		}
		p.eventCell(c, ev)
	}
	p.end()
}

func (p *painter) eventCell(c eventColumn, ev *inspector.Event) {
	t := p.theme
	switch c.id {
	case eventTime:
		at := ev.At.Format("15:04:05.000")
		p.left(t.faint, at[:min(c.width, len(at))], c.width)
	case eventKind:
		f := t.eventFace(ev)
		p.left(f.style, f.glyph+" "+f.word, c.width)
	case eventKey:
		p.left(t.plain, text.Escape(ev.Key), c.width)
	case eventScheme:
		p.left(t.faint, string(ev.Scheme), c.width)
	case eventOwner:
		p.left(t.plain, text.Escape(eventOwnerOf(ev)), c.width)
	case eventBefore:
		p.left(t.faint, text.Escape(ev.PreviousName()), c.width)
	case eventCount:
		said := ""
		if ev.Count.Known {
			said = text.Count(ev.Count.N)
		}
		p.right(t.plain, said, c.width)
	case eventTTL:
		p.right(t.plain, eventTTLText(ev), c.width)
	case eventHeld:
		p.right(t.plain, eventHeldText(ev), c.width)
	case eventCause:
		p.left(t.faint, text.Escape(string(ev.Cause)), c.width)
	case eventNode:
		p.left(t.faint, text.Escape(string(ev.Node)), c.width)
	}
}

// eventOwnerOf is who has the lock after an event, as people know him.
func eventOwnerOf(ev *inspector.Event) string {
	if ev.Label != "" {
		return ev.Label
	}
	return ev.Owner
}

// eventTTLText is what the lease had left then; empty where the event tells of none.
func eventTTLText(ev *inspector.Event) string {
	switch {
	case !ev.TTLKnown:
		return ""
	case ev.TTL < 0:
		return "never"
	}
	return text.Duration(ev.TTL)
}

// eventHeldText is for how long the holder had it whose hold ended; empty where that is not known.
func eventHeldText(ev *inspector.Event) string {
	switch {
	case ev.Held <= 0:
		return ""
	case ev.HeldExact:
		return text.Duration(ev.Held)
	}
	return "≥" + text.Duration(ev.Held)
}

// eventLine is all that is known of an event, on one line to be pasted somewhere.
func eventLine(ev *inspector.Event) string {
	said := []string{ev.At.Format("2006-01-02 15:04:05.000"), ev.Word()}
	add := func(before, value string) {
		if value != "" {
			said = append(said, before+text.Legible(value))
		}
	}
	if spoken(ev) {
		add("", ev.Text)
		return strings.Join(said, " ")
	}
	add("", ev.Key)
	add("by ", eventOwnerOf(ev))
	add("before ", ev.PreviousName())
	add("held ", eventHeldText(ev))
	add("ttl ", eventTTLText(ev))
	add("cause ", string(ev.Cause))
	add("scheme ", string(ev.Scheme))
	add("on ", string(ev.Node))
	return strings.Join(said, " ")
}

// copyEvent copies the line of the event under the cursor.
func (m *model) copyEvent() tea.Cmd {
	if ev := m.events.current(m.order.filter); ev != nil {
		return m.copyText("the line of the event", eventLine(ev))
	}
	return nil
}

// eventFace is how an event is shown.
func (t *theme) eventFace(ev *inspector.Event) face {
	word := ev.Word()
	switch ev.Kind {
	case inspector.EventAcquired:
		return face{"●", word, t.good}
	case inspector.EventReentered:
		return face{"⊕", word, t.good}
	case inspector.EventRenewed:
		return face{"↻", word, t.faint}
	case inspector.EventExtended:
		return face{"↻", word, t.plain}
	case inspector.EventReleased:
		return face{"◌", word, t.plain}
	case inspector.EventExpired:
		return face{"◔", word, t.warn}
	case inspector.EventDeleted:
		return face{"◌", word, t.warn}
	case inspector.EventHandedOver:
		return face{"⇄", word, t.accent}
	case inspector.EventLost:
		return face{"✖", word, t.bad}
	case inspector.EventEdited:
		return face{"±", word, t.warn}
	case inspector.EventGap:
		return face{"▲", word, t.warn}
	case inspector.EventOperator:
		return face{"▸", word, t.accent}
	}
	return face{"·", text.Escape(word), t.plain}
}
