package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// holderList is the rows of the view of holders, with a cursor that stays on its holder.
type holderList struct {
	rowCursor
	rows     []*holderRow
	made     bool // rows were gathered since the view was opened
	selected holderID
	page     *holderPage
}

// set takes newly gathered rows. The cursor follows its holder; where that has gone, it stays in its place on the screen.
func (l *holderList) set(rows []*holderRow) {
	l.rows, l.made = rows, true
	for i, r := range rows {
		if r.holderID == l.selected {
			l.follow(i)
			break
		}
	}
	l.clamp()
	if l.page != nil {
		l.page.refresh(rows)
	}
}

// current is the holder under the cursor; nil: there is none.
func (l *holderList) current() *holderRow {
	if l.index < 0 || l.index >= len(l.rows) {
		return nil
	}
	return l.rows[l.index]
}

// move puts the cursor on another row.
func (l *holderList) move(index int) {
	l.index = index
	l.clamp()
}

// clamp keeps the cursor on a row and on the screen.
func (l *holderList) clamp() {
	l.rowCursor.clamp(len(l.rows))
	if r := l.current(); r != nil {
		l.selected = r.holderID
	}
}

// onHolders says that the view of holders has the keyboard: its list, or the page of one of them.
func (m *model) onHolders() bool { return m.detail == nil && m.view == viewHolders }

// onHolderPage says that the page of a holder has it.
func (m *model) onHolderPage() bool { return m.onHolders() && m.holders.page != nil }

// openHolders shows the view.
func (m *model) openHolders() tea.Cmd {
	m.view, m.detail, m.holders.page = viewHolders, nil, nil
	m.order.byHolder.open = holderID{}
	return m.rearrange()
}

// openHolderPage shows the page of the holder under the cursor.
func (m *model) openHolderPage() tea.Cmd {
	r := m.holders.current()
	if r == nil {
		return nil
	}
	m.holders.page = newHolderPage(r)
	m.order.byHolder.open = r.holderID
	return m.rearrange()
}

// handleHolderCommand does what keys mean in the view of holders alone; handled says that this was one.
func (m *model) handleHolderCommand(msg tea.KeyMsg) (cmd tea.Cmd, handled bool) {
	k := m.keys
	switch {
	case !m.onHolders():
		return nil, false
	case m.onHolderPage():
		return m.holders.page.handle(m, msg)
	case key.Matches(msg, k.Open):
		return m.openHolderPage(), true
	case key.Matches(msg, k.Sort):
		m.order.byHolder.column = (m.order.byHolder.column + 1) % holderColumns
		m.order.byHolder.reverse = false
		return m.rearrange(), true
	case key.Matches(msg, k.Reverse):
		m.order.byHolder.reverse = !m.order.byHolder.reverse
		return m.rearrange(), true
	case key.Matches(msg, k.Copy):
		r := m.holders.current()
		if r == nil {
			return nil, true
		}
		keys := make([]string, 0, len(r.locks))
		for _, l := range r.locks {
			keys = append(keys, text.Legible(l.Key))
		}
		return m.copyText("the keys of all locks of "+text.Escape(r.name), joinSorted(keys)), true
	case matchesDisabled(msg, k.Release):
		return m.openBulkOfHolder(actions.VerbRelease), true
	case matchesDisabled(msg, k.Extend):
		return m.openBulkOfHolder(actions.VerbExtend), true
	case matchesDisabled(msg, k.Expire):
		return m.openBulkOfHolder(actions.VerbForceExpire), true
	}
	return nil, false
}

// openBulkOfHolder asks for an action on all that the holder under the cursor has. Of a lock that it shares with others, only its own
// hold is meant.
func (m *model) openBulkOfHolder(verb actions.Verb) tea.Cmd {
	r := m.holders.current()
	if r == nil {
		return m.say("there is no holder here to act on")
	}
	if r.name == inspector.UnknownHolder {
		return m.say("these locks name no holder, and may be of several clients: press Enter and act on one, or mark those that you mean")
	}
	return m.openBulk(verb, r.locks, r.name, func(h *inspector.Holder) bool { return holderOf(h) == r.holderID })
}

// holderColumnID names a column of the table of holders.
type holderColumnID int

// The columns, from left to right.
const (
	holderState holderColumnID = iota
	holderName
	holderBy
	holderLocks
	holderSuspects
	holderOldest
	holderWaiters
	holderSchemes
	holderAddr
	holderIdle
	holderAge
	holderLibrary
)

// holderCell is a column of holders as it is laid out in a window.
type holderCell struct {
	id    holderColumnID
	title string
	width int
	right bool
	sort  holderColumn // -1: nothing is sorted by it
}

// planHolderColumns lays out the table of holders: whether they are there, who they are and how much they hold always; then how long,
// and who waits behind them; then where they are connected from.
func planHolderColumns(width int, rows []*holderRow) (columns []holderCell, gap int) {
	name := 12
	for _, r := range rows[:min(len(rows), 500)] { // more of them do not make a column that is better to read
		name = max(name, text.Width(text.Escape(r.name)))
	}
	gap = 2
	if width < fromCount {
		gap = 1
	}
	add := func(from int, c holderCell) {
		if width >= from {
			columns = append(columns, c)
		}
	}
	state := 9
	if width < fromStateWord {
		state = 1
	}
	columns = make([]holderCell, 0, 12)
	add(0, holderCell{id: holderState, title: "CLIENT", width: state, sort: byGone})
	add(0, holderCell{id: holderName, title: "HOLDER", sort: byName})
	add(80, holderCell{id: holderBy, title: "BY", width: 5, sort: -1})
	add(0, holderCell{id: holderLocks, title: "LOCKS", width: 6, right: true, sort: byLocks})
	add(62, holderCell{id: holderSuspects, title: "SUSPECTS", width: 8, right: true, sort: bySuspects})
	add(fromHolder, holderCell{id: holderOldest, title: "OLDEST", width: 7, right: true, sort: byOldest})
	add(fromCount, holderCell{id: holderWaiters, title: "WAITERS", width: 7, right: true, sort: byWaiters})
	add(fromScheme, holderCell{id: holderSchemes, title: "SCHEMES", width: 10, sort: -1})
	add(fromBar, holderCell{id: holderAddr, title: "ADDRESS", width: 21, sort: -1})
	add(112, holderCell{id: holderIdle, title: "IDLE", width: 7, right: true, sort: -1})
	add(fromSpark, holderCell{id: holderAge, title: "AGE", width: 7, right: true, sort: -1})
	add(fromRenewals, holderCell{id: holderLibrary, title: "LIBRARY", width: 18, sort: -1})
	left := width - rowPrefix - 1 - gap*(len(columns)-1)
	for i := range columns {
		left -= columns[i].width
	}
	left = max(left, 0)
	for i := range columns {
		if columns[i].id == holderName {
			columns[i].width = min(left, name)
			left -= columns[i].width
		}
	}
	for i := range columns { // what is left makes addresses and libraries longer, of which some are
		if id := columns[i].id; id == holderLibrary || id == holderAddr && width < fromRenewals {
			columns[i].width += left
			left = 0
		}
	}
	return columns, gap
}

// paintHolders paints the view: a line that says what cannot be known, where there is any, and a row a holder.
func (m *model) paintHolders(p *painter, l layout) {
	if m.onHolderPage() {
		m.holders.page.paint(p, m, l)
		return
	}
	height := l.body.height
	columns, gap := planHolderColumns(m.width, m.holders.rows)
	if l.titles.height > 0 {
		m.paintHolderTitles(p, columns, gap)
	}
	if said := m.rollTrouble(); said != "" && height > 1 {
		p.put(p.theme.warn, text.Spaces(rowPrefix)+"▲ "+said)
		p.end()
		height--
	}
	m.holders.height = height
	m.holders.clamp()
	if len(m.holders.rows) == 0 {
		m.paintNoHolders(p)
		return
	}
	tone := p.tone
	for i := m.holders.offset; i < min(m.holders.offset+height, len(m.holders.rows)); i++ {
		p.tone = tone
		cursor := " "
		if i == m.holders.index {
			cursor = "▌"
			if tone != toneDimmed {
				p.tone = toneSelected
			}
		}
		p.put(p.theme.plain, " ")
		p.put(p.theme.cursor, cursor)
		p.put(p.theme.plain, " ")
		for k, c := range columns {
			if k > 0 {
				p.gap(gap)
			}
			m.paintHolderCell(p, c, m.holders.rows[i])
		}
		p.end()
	}
	p.tone = tone
}

// paintNoHolders says why there are no rows, and what to do about it.
func (m *model) paintNoHolders(p *painter) {
	said := "nobody holds a lock"
	switch {
	case !m.holders.made:
		said = "gathering the locks of each holder"
	case !m.order.filter.empty():
		said = "no holder passes the filter; esc clears it"
	case m.order.suspects:
		said = "no holder is gone, and none has a lock with a finding; ! shows them all"
	}
	p.put(p.theme.faint, text.Spaces(rowPrefix)+said)
	p.end()
}

// rollTrouble says why it is not known of everybody whether he is gone; empty: it is.
func (m *model) rollTrouble() string {
	s := m.shown
	switch {
	case s == nil, m.replays(): // a recording keeps what was known of each holder, and no list of all clients
		return ""
	case s.Roll == nil:
		return "the servers' clients are not listed yet, or by --clients off: who is gone is not known"
	}
	if why := s.Roll.Partial(); why != "" {
		return "nobody is said to be gone: " + text.Legible(why)
	}
	for _, use := range s.OwnerNames {
		if use.Wrong() {
			return text.Legible(use.String())
		}
	}
	return ""
}

func (m *model) paintHolderTitles(p *painter, columns []holderCell, gap int) {
	p.gap(rowPrefix)
	o := m.order.byHolder
	for i, c := range columns {
		if i > 0 {
			p.gap(gap)
		}
		title, s := c.title, p.theme.title
		if c.sort == o.column && (o.column != byGone || o.reverse) {
			s = p.theme.accent
			title = sortedTitle(title, c.width, o.reverse)
		}
		p.columnTitle(s, title, c.width, c.right)
	}
	p.end()
}

func (m *model) paintHolderCell(p *painter, c holderCell, r *holderRow) {
	t := p.theme
	client, known := r.client(m.shown)
	dash := func(s string) string {
		if s == "" || !known {
			return "-"
		}
		return s
	}
	switch c.id {
	case holderState:
		f := t.connectionFace(r.connection)
		if c.width == 1 {
			p.left(f.style, f.glyph, 1)
		} else {
			p.left(f.style, f.glyph+" "+f.word, c.width)
		}
	case holderName:
		p.left(t.plain, text.Escape(r.name), c.width)
	case holderBy:
		p.left(t.faint, r.by(), c.width)
	case holderLocks:
		p.figure(text.Count(int64(len(r.locks))), c.width)
	case holderSuspects:
		if r.suspects > 0 {
			p.right(t.warn, text.Count(int64(r.suspects)), c.width)
		} else {
			p.figure("-", c.width)
		}
	case holderOldest:
		p.figure(r.oldestText(m.at), c.width)
	case holderWaiters:
		if r.waiters > 0 {
			p.right(t.warn, r.waitersText(), c.width)
		} else {
			p.figure("-", c.width)
		}
	case holderSchemes:
		p.left(t.faint, strings.ReplaceAll(r.schemes, ",", " "), c.width)
	case holderAddr:
		addr := text.Escape(client.Addr)
		if n := 0; known {
			if n = len(r.presence.Clients); n > 1 {
				more := " +" + text.Count(int64(n-1))
				if r.presence.AtLeast() != "" {
					more = " +≥" + text.Count(int64(n-1))
				}
				addr = text.Truncate(addr, max(c.width-text.Width(more), 4)) + more
			}
		}
		p.left(t.faint, dash(addr), c.width)
	case holderIdle:
		p.figure(m.idleText(r, client.Idle, known), c.width)
	case holderAge:
		p.figure(m.idleText(r, client.Age, known), c.width)
	case holderLibrary:
		p.left(t.faint, dash(text.Escape(inspector.LibraryOf(&client))), c.width)
	}
}
