package tui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// holderPage is one holder: its connections, and all its locks, with a cursor on one of them.
type holderPage struct {
	row   *holderRow // as it was seen last
	gone  bool       // it holds nothing any more
	table table      // its locks
	// ordered: its locks have been put in order since the page was opened. The cursor stays on the first of them until then, and on
	// its lock from then on.
	ordered bool
	head    int // the lines above them, as of the last frame
}

func newHolderPage(r *holderRow) *holderPage {
	page := &holderPage{row: r}
	page.fill()
	return page
}

// refresh takes the holder from newly gathered rows.
func (h *holderPage) refresh(rows []*holderRow) {
	h.gone = true
	for _, r := range rows {
		if r.holderID == h.row.holderID {
			h.row, h.gone = r, false
			if r.ordered && !h.ordered {
				h.table.index, h.table.offset, h.table.selected = 0, 0, lockID{}
				h.ordered = true
			}
			h.fill()
			return
		}
	}
}

// fill puts the holder's locks into the table.
func (h *holderPage) fill() {
	rows := arranged{rows: h.row.locks}
	for _, l := range rows.rows[:min(len(rows.rows), 500)] {
		rows.keyWidth = max(rows.keyWidth, text.Width(text.Escape(l.Key)))
		rows.holderWidth = max(rows.holderWidth, text.Width(ownerText(l)))
		rows.votes = rows.votes || l.Quorum != nil
	}
	h.table.set(rows)
}

// openDetail opens the lock under the cursor.
func (h *holderPage) openDetail(m *model) {
	if l := h.table.current(); l != nil {
		m.detail = newDetail(l, m.shown)
	}
}

// selectLine puts the cursor on the lock that a line of the body shows, if it shows any.
func (h *holderPage) selectLine(line int) {
	if i := h.table.offset + line - h.head; line >= h.head && i < len(h.table.rows) {
		h.table.move(i)
	}
}

// handle does what keys mean on the page alone.
func (h *holderPage) handle(m *model, msg tea.KeyMsg) (cmd tea.Cmd, handled bool) {
	k := m.keys
	switch {
	case key.Matches(msg, k.Open):
		h.openDetail(m)
		return nil, true
	case key.Matches(msg, k.Back), key.Matches(msg, k.Quit):
		if m.toast.sticky && key.Matches(msg, k.Back) {
			return nil, false
		}
		m.holders.page = nil
		m.order.byHolder.open = holderID{}
		return nil, true
	case key.Matches(msg, k.Filter), key.Matches(msg, k.Suspects), key.Matches(msg, k.Sort), key.Matches(msg, k.Reverse), key.Matches(msg, k.Mark):
		return nil, true // of lists of all locks
	}
	return nil, false
}

// paint paints the page: who it is, and its locks under that.
func (h *holderPage) paint(p *painter, m *model, l layout) {
	top := len(p.lines)
	h.paintHead(p, m, l.body.height/2)
	if h.gone {
		p.put(p.theme.warn, text.Spaces(rowPrefix)+"it holds nothing any more; this is what it held last")
		p.end()
	}
	p.blank()
	columns, gap := planColumns(m.width, h.table.keyWidth, h.table.holderWidth, h.table.votes, m.hidden)
	h.table.paintTitles(p, columns, gap, arrangement{})
	h.head = len(p.lines) - top
	h.table.height = max(l.body.height-h.head, 1)
	h.table.clamp()
	h.table.paintRows(p, columns, gap, m.picture)
}

// paintHead says who the holder is, in so many lines at most.
func (h *holderPage) paintHead(p *painter, m *model, lines int) {
	t, r := p.theme, h.row
	f := t.connectionFace(r.connection)
	p.gap(1)
	p.put(t.cursor, "▌ ")
	p.put(f.style, f.glyph+" "+f.word)
	p.gap(2)
	p.put(t.strong, text.Escape(r.name))
	p.put(t.faint, "  "+text.Plural(int64(len(r.locks)), "lock"))
	if r.suspects > 0 {
		p.put(t.warn, ", "+text.Plural(int64(r.suspects), "suspect"))
	}
	if r.waiters > 0 {
		p.put(t.warn, ", "+r.waitersText()+" waiting behind them")
	}
	p.end()
	used := len(p.lines)
	m.paintClients(p, r.presence, lines-1)
	if len(p.lines) == used {
		said := "neither its token nor a connection's name tells whose it is; its locks are those with this label"
		if why := m.rollTrouble(); why != "" {
			said = why
		}
		for _, line := range wrap(said, p.width-rowPrefix-1) {
			p.put(t.faint, text.Spaces(rowPrefix)+line)
			p.end()
		}
	}
}

// paintClients paints what is known of a holder's connections, in so many lines at most: how it was joined to them, and each of them.
func (m *model) paintClients(p *painter, presence *inspector.Presence, lines int) {
	if presence == nil {
		return
	}
	t, top := p.theme, len(p.lines)
	f := t.connectionFace(presence.Connection)
	state := f.glyph + " " + f.word
	switch presence.Connection {
	case inspector.ConnectionGone:
		state += " since " + clockText(presence.Since, m.at)
		if !presence.Seen.IsZero() {
			state += ", last seen at " + presence.Seen.Local().Format(time.TimeOnly)
		}
	case inspector.ConnectionUnknown:
		state += ": it is not on the last list, which may not mean anything"
	case inspector.ConnectionAlive:
	}
	p.paragraph("client", f.style, state)
	p.paragraph("", t.faint, text.Legible(presence.By))
	for i, c := range presence.Clients {
		used := len(p.lines) - top - 2 // in a wide window the lines above take two, and each connection one
		if i > 0 && used >= lines-3 && i < len(presence.Clients)-1 {
			p.field("", part{t.faint, "and " + presence.AtLeast() + text.Plural(int64(len(presence.Clients)-i), "more connection")})
			return
		}
		said := text.Escape(c.Addr) + m.clientFacts(c, presence.Connection)
		if c.Name != "" {
			said = text.Escape(c.Name) + " at " + said
		}
		p.paragraph("", t.plain, said)
	}
}

// clientFacts is the rest of what is known of a connection.
func (m *model) clientFacts(c keyspace.Client, connection inspector.Connection) string {
	said := ""
	if connection == inspector.ConnectionAlive {
		age := c.Age
		if m.shown != nil {
			if now, at, is := m.shown.Client(c); is {
				c, age = now, now.Age+max(0, m.at.Sub(at))
			}
		}
		said = ", connected for " + wholeSeconds(age) + ", idle for " + wholeSeconds(c.Idle)
	}
	if c.Subscriptions > 0 {
		said += ", " + text.Plural(int64(c.Subscriptions), "subscription")
	}
	if library := inspector.LibraryOf(&c); library != "" {
		said += ", " + text.Escape(library)
	}
	if c.User != "" && c.User != "default" {
		said += ", user " + text.Escape(c.User)
	}
	if m.shown != nil && len(m.shown.Nodes) > 1 {
		said += ", on " + text.Escape(string(c.Node))
	}
	return said
}

// idleText is a time of a connection that is there.
func (m *model) idleText(r *holderRow, d time.Duration, known bool) string {
	if !known || r.connection != inspector.ConnectionAlive {
		return "-"
	}
	return wholeSeconds(d)
}
