package tui

import (
	"strings"

	"locktop/inspector"
	"locktop/ui/text"
)

// table is the rows of the view of locks, with a cursor that stays on its lock: the selection is a key, and its place is
// found anew whenever the rows are arranged.
type table struct {
	arranged
	rowCursor
	selected lockID
	marks    map[lockID]struct{}
	titles   []titleSpan // of the frame
}

// titleSpan is where the title of a column is.
type titleSpan struct {
	from, to int
	sort     sortColumn
}

// titleAt is what the rows are to be sorted by where a title is clicked; false: by nothing.
func (t *table) titleAt(x int) (sortColumn, bool) {
	for _, s := range t.titles {
		if x >= s.from && x < s.to {
			return s.sort, s.sort >= 0
		}
	}
	return 0, false
}

// current is the lock under the cursor; nil: there are no rows.
func (t *table) current() *inspector.Lock {
	if t.index < 0 || t.index >= len(t.rows) {
		return nil
	}
	return t.rows[t.index]
}

// set takes newly arranged rows. The cursor follows its lock; where that has gone, it stays in its place on the screen.
func (t *table) set(a arranged) {
	// Columns only ever grow, so that they do not dance while locks come and go.
	a.keyWidth, a.holderWidth = max(a.keyWidth, t.keyWidth), max(a.holderWidth, t.holderWidth)
	a.votes = a.votes || t.votes
	t.arranged = a
	if i := t.find(t.selected); i >= 0 {
		t.follow(i)
	}
	t.clamp()
}

// find is the row of a lock; it looks near its old place first. -1: it is not there.
func (t *table) find(id lockID) int {
	const near = 64
	from, to := max(t.index-near, 0), min(t.index+near, len(t.rows))
	for i := from; i < to; i++ {
		if id.is(t.rows[i]) {
			return i
		}
	}
	for i, l := range t.rows {
		if id.is(l) {
			return i
		}
	}
	return -1
}

// move puts the cursor on another row.
func (t *table) move(index int) {
	t.index = index
	t.clamp()
}

// clamp keeps the cursor on a row and on the screen.
func (t *table) clamp() {
	t.rowCursor.clamp(len(t.rows))
	if l := t.current(); l != nil {
		t.selected = idOf(l.Ref)
	}
}

// toggleMark marks the row of the cursor, or takes the mark away.
func (t *table) toggleMark() {
	l := t.current()
	if l == nil {
		return
	}
	if t.marks == nil {
		t.marks = make(map[lockID]struct{})
	}
	if _, ok := t.marks[idOf(l.Ref)]; ok {
		delete(t.marks, idOf(l.Ref))
	} else {
		t.marks[idOf(l.Ref)] = struct{}{}
	}
}

// paintTitles paints the names of the columns; an arrow marks the one that the rows are sorted by.
func (t *table) paintTitles(p *painter, columns []column, gap int, a arrangement) {
	p.gap(rowPrefix)
	t.titles = t.titles[:0]
	for i, c := range columns {
		if i > 0 {
			p.gap(gap + c.gap)
		}
		from := p.used
		title, s := c.title, p.theme.title
		if c.alarm {
			s = p.theme.bad
		}
		if c.sort == a.column && a.column != sortWorst || c.sort == a.column && a.reverse {
			s = p.theme.accent
			title = sortedTitle(title, c.width, a.reverse)
		}
		p.columnTitle(s, title, c.width, c.right)
		t.titles = append(t.titles, titleSpan{from, p.used, c.sort})
	}
	p.end()
}

// sortedTitle is the name of the column that the rows are sorted by.
func sortedTitle(title string, width int, reverse bool) string {
	if text.Width(title)+1 > width {
		title = title[:max(width-1, 0)]
	}
	if reverse {
		return title + "↑"
	}
	return title + "↓"
}

// columnTitle paints the name of a column over its values.
func (p *painter) columnTitle(s style, title string, width int, right bool) {
	if right {
		p.right(s, title, width)
	} else {
		p.left(s, title, width)
	}
}

// paintRows paints the visible rows; no other row is ever formatted.
func (t *table) paintRows(p *painter, columns []column, gap int, seen picture) {
	tone := p.tone
	for i := t.offset; i < min(t.offset+t.height, len(t.rows)); i++ {
		l := t.rows[i]
		p.tone = tone
		switch {
		case tone == toneDimmed:
		case i == t.index:
			p.tone = toneSelected
		case l.State == inspector.StateFreed && len(l.Findings) == 0:
			p.tone = toneDimmed
		default:
			if _, stale := seen.staleSince(l); stale {
				p.tone = toneDimmed
			}
		}
		t.paintRow(p, columns, gap, l, i == t.index, seen)
	}
	p.tone = tone
}

func (t *table) paintRow(p *painter, columns []column, gap int, l *inspector.Lock, selected bool, seen picture) {
	cursor, mark := " ", " "
	if selected {
		cursor = "▌"
	}
	if _, ok := t.marks[idOf(l.Ref)]; ok {
		mark = "+"
	}
	p.put(p.theme.plain, " ")
	p.put(p.theme.cursor, cursor)
	p.put(p.theme.accent, mark)
	for i, c := range columns {
		if i > 0 {
			p.gap(gap + c.gap)
		}
		t.paintCell(p, c, l, seen)
	}
	p.end()
}

func (t *table) paintCell(p *painter, c column, l *inspector.Lock, seen picture) {
	now := seen.momentOf(l)
	switch c.id {
	case columnState:
		f := p.theme.faceOf(l, now)
		if c.width == 1 {
			p.left(f.style, f.glyph, 1)
		} else {
			p.left(f.style, f.glyph+" "+f.word, c.width)
		}
	case columnKey:
		p.left(p.theme.plain, text.Escape(l.Key), c.width)
	case columnScheme:
		p.left(p.theme.faint, string(l.Scheme), c.width)
	case columnHolder:
		p.left(p.theme.plain, ownerWithin(l, c.width), c.width)
	case columnCount:
		p.figure(countText(l), c.width)
	case columnVotes:
		p.votesFigure(l.Quorum, c.width)
	case columnTTL:
		if since, stale := seen.staleSince(l); stale {
			p.words(p.theme.warn, "stale "+text.Duration(seen.at.Sub(since)), "stale", c)
		} else {
			p.paintTTL(l, now, c)
		}
	case columnHeld:
		p.figure(heldText(l, now), c.width)
	case columnWaiters:
		if l.Waiters.Count > 0 {
			p.right(p.theme.warn, waitersText(l), c.width)
		} else {
			p.figure(waitersText(l), c.width)
		}
	case columnSpark:
		p.left(p.theme.accent, sparkText(l, now), c.width)
	case columnRenewals:
		s := p.theme.plain
		if l.Renewals == 0 {
			s = p.theme.faint
		}
		p.left(s, renewalsText(l), c.width)
	case columnMaster:
		p.paintVote(voteOf(l.Quorum, c.node, c.master), now, c.width)
	case columnValidity:
		p.validityFigure(l, now, c.width)
	case columnMargin:
		p.marginFigure(l.Quorum, c.width)
	case columnSkew:
		p.figure(skewText(l.Quorum), c.width)
	case columnFinding:
		if f := worstFinding(l); f != nil {
			p.left(p.theme.severityFace(f.Severity).style, findingText(f), c.width)
		} else {
			p.gap(c.width)
		}
	}
}

// figure paints a figure on the right of its column; what is not known, or not there, is faint.
func (p *painter) figure(s string, width int) {
	if s == "-" || s == "?" {
		p.right(p.theme.faint, s, width)
		return
	}
	p.right(p.theme.plain, s, width)
}

// findingText is a finding on one line.
func findingText(f *inspector.Finding) string {
	return string(f.Code) + ": " + strings.TrimSuffix(text.Legible(f.Text), ".")
}
