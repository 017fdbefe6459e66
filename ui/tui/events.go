package tui

import (
	"cmp"
	"slices"

	"locktop/inspector"
	"locktop/ui/text"
)

// eventsKept bounds the memory of the view of events.
const eventsKept = 4096

// eventLog is what happened, for the view of events. It follows the newest event until the cursor is moved off it.
type eventLog struct {
	all  []inspector.Event // oldest first
	last uint64            // Seq of the newest in all
	// shown is the Seq of the newest event on the screen, which stands still while the screen does.
	shown uint64
	// cursor is the Seq of the selected event; 0: the newest, whichever it is.
	cursor uint64
	missed uint64 // events that came and went between two snapshots

	// matching are the indices of the events that pass the filter, kept until one of the things it depends on changes.
	matching []int
	madeFor  struct {
		filter      string
		shown, last uint64
	}
}

// take takes the events of a snapshot. Those of a recording may be others than were to follow, earlier ones too: then they are all that
// there is.
func (e *eventLog) take(list []inspector.Event, replayed bool) {
	if replayed && e.last > 0 && (len(list) == 0 || list[len(list)-1].Seq < e.last || list[0].Seq > e.last+1) {
		*e = eventLog{cursor: e.cursor}
	}
	e.add(list)
}

// add takes the events of a snapshot that are not yet known.
func (e *eventLog) add(list []inspector.Event) {
	from, _ := slices.BinarySearchFunc(list, e.last+1, func(ev inspector.Event, seq uint64) int {
		return cmp.Compare(ev.Seq, seq)
	})
	fresh := list[from:]
	if len(fresh) == 0 {
		return
	}
	if e.last > 0 {
		e.missed += fresh[0].Seq - e.last - 1
	}
	e.last = fresh[len(fresh)-1].Seq
	e.all = append(e.all, fresh...)
	if len(e.all) > 2*eventsKept {
		e.all = append(e.all[:0], e.all[len(e.all)-eventsKept:]...)
	}
}

// catchUp brings the newest events on the screen.
func (e *eventLog) catchUp() { e.shown = e.last }

// list is the indices of the events to show, oldest first.
func (e *eventLog) list(f filter) []int {
	if e.matching != nil && e.madeFor.filter == f.text && e.madeFor.shown == e.shown && e.madeFor.last == e.last {
		return e.matching
	}
	e.madeFor.filter, e.madeFor.shown, e.madeFor.last = f.text, e.shown, e.last
	e.matching = make([]int, 0, len(e.all))
	for i := max(0, len(e.all)-eventsKept); i < len(e.all); i++ {
		if e.all[i].Seq <= e.shown && f.event(&e.all[i]) {
			e.matching = append(e.matching, i)
		}
	}
	return e.matching
}

// position is the cursor's place in the list; -1: the list is empty.
func (e *eventLog) position(list []int) int {
	if e.cursor == 0 {
		return len(list) - 1
	}
	i, _ := slices.BinarySearchFunc(list, e.cursor, func(i int, seq uint64) int { return cmp.Compare(e.all[i].Seq, seq) })
	return min(i, len(list)-1)
}

// current is the event under the cursor; nil: there is none.
func (e *eventLog) current(f filter) *inspector.Event {
	list := e.list(f)
	i := e.position(list)
	if i < 0 {
		return nil
	}
	return &e.all[list[i]]
}

// move moves the cursor; at the newest event it follows again.
func (e *eventLog) move(by int, f filter) {
	list := e.list(f)
	i := e.position(list) + by
	if i >= len(list)-1 || len(list) == 0 {
		e.cursor = 0
		return
	}
	e.cursor = e.all[list[max(i, 0)]].Seq
}

func (e *eventLog) moveToEnd(last bool, f filter) {
	e.cursor = 0
	if list := e.list(f); !last && len(list) > 0 {
		e.cursor = e.all[list[0]].Seq
	}
}

// eventColumns are the widths of the columns of events; 0: not shown.
type eventColumns struct {
	at, kind, key, owner, previous, held, cause, gap int
}

func planEventColumns(width int) eventColumns {
	c := eventColumns{at: 8, kind: 13, gap: 2}
	if width >= 110 {
		c.at = 12 // with milliseconds
	}
	if width < fromCount {
		c.gap = 1
	}
	if width >= 70 {
		c.held = 8
	}
	if width >= 96 {
		c.cause = 12
	}
	left := width - rowPrefix - 1 - c.at - c.kind - 2*c.gap
	for _, w := range []int{c.held, c.cause} {
		if w > 0 {
			left -= w + c.gap
		}
	}
	switch {
	case width >= 96:
		c.owner = min(left*3/11, 30)
		c.previous = c.owner
		c.key = left - c.owner - c.previous - 2*c.gap
	case width >= 45:
		c.owner = left * 2 / 5
		c.key = left - c.owner - c.gap
	default:
		c.key = left
	}
	c.key = max(c.key, 0)
	return c
}

func (e *eventLog) paintTitles(p *painter, c eventColumns) {
	p.gap(rowPrefix)
	e.paintCells(p, c, [...]cell{
		{p.theme.title, "TIME"},
		{p.theme.title, "EVENT"},
		{p.theme.title, "KEY"},
		{p.theme.title, "OWNER"},
		{p.theme.title, "BEFORE"},
		{p.theme.title, "HELD"},
		{p.theme.title, "CAUSE"},
	})
}

// cell is a text in its style.
type cell struct {
	style style
	text  string
}

func (e *eventLog) paintCells(p *painter, c eventColumns, cells [7]cell) {
	widths := [...]int{c.at, c.kind, c.key, c.owner, c.previous, c.held, c.cause}
	for i, w := range widths {
		if w <= 0 {
			continue
		}
		if i > 0 {
			p.gap(c.gap)
		}
		if w == c.held && i == 5 {
			p.right(cells[i].style, cells[i].text, w)
		} else {
			p.left(cells[i].style, cells[i].text, w)
		}
	}
	p.end()
}

// paintRows paints the events around the cursor, the newest at the bottom.
func (e *eventLog) paintRows(p *painter, c eventColumns, f filter, height int) {
	list := e.list(f)
	at := e.position(list)
	from := max(len(list)-height, 0)
	if at < from {
		from = max(at-height/2, 0)
	}
	tone := p.tone
	for i := from; i < min(from+height, len(list)); i++ {
		ev := &e.all[list[i]]
		p.tone = tone
		cursor := " "
		if i == at && tone != toneDimmed {
			p.tone, cursor = toneSelected, "▌"
		}
		p.put(p.theme.plain, " ")
		p.put(p.theme.cursor, cursor)
		p.put(p.theme.plain, " ")
		e.paintRow(p, c, ev)
	}
	p.tone = tone
}

func (e *eventLog) paintRow(p *painter, c eventColumns, ev *inspector.Event) {
	at := ev.At.Format("15:04:05.000")
	if c.at < len(at) {
		at = at[:c.at]
	}
	face := p.theme.eventFace(ev.Kind)
	if ev.Kind == inspector.EventGap || ev.Kind == inspector.EventOperator {
		p.left(p.theme.faint, at, c.at)
		p.gap(c.gap)
		p.left(face.style, face.glyph+" "+face.word, c.kind)
		p.gap(c.gap)
		p.put(p.theme.plain, text.Legible(ev.Text))
		p.end()
		return
	}
	held := ""
	if ev.Held > 0 {
		held = text.Duration(ev.Held)
		if !ev.HeldExact {
			held = "≥" + held
		}
	}
	owner := ev.Label
	if owner == "" {
		owner = ev.Owner
	}
	e.paintCells(p, c, [...]cell{
		{p.theme.faint, at},
		{face.style, face.glyph + " " + face.word},
		{p.theme.plain, text.Escape(ev.Key)},
		{p.theme.plain, text.Escape(owner)},
		{p.theme.faint, text.Escape(ev.PreviousOwner)},
		{p.theme.plain, held},
		{p.theme.faint, text.Escape(string(ev.Cause))},
	})
}

// eventFace is how a kind of event is shown.
func (t *theme) eventFace(k inspector.EventKind) face {
	word := string(k)
	switch k {
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
	case inspector.EventGap:
		return face{"▲", word, t.warn}
	case inspector.EventOperator:
		return face{"▸", word, t.accent}
	}
	return face{"·", text.Escape(word), t.plain}
}
