package tui

import (
	"slices"
	"strconv"
	"strings"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// The least width of the key in the lock x node map, and the one up to which it grows before other columns come.
const (
	mapKeyLeast = 14
	mapKeyFair  = 24
)

// planMapColumns lays out the lock x node map: a column a master, as wide as its vote can be told in words, else a glyph; the
// votes at any width; then for how long the lock is safe, the margin and the skew, and the state in words.
func planMapColumns(width, keyWidth int, masters []keyspace.Status) (columns []column, gap int) {
	gap = 2
	if width < fromHeld {
		gap = 1
	}
	state := column{id: columnState, title: "S", width: 1, sort: sortWorst}
	key := column{id: columnKey, title: "KEY", sort: sortKey}
	votes := column{id: columnVotes, title: "VOTES", width: 5, right: true, sort: sortVotes}
	valid := column{id: columnValidity, title: "VALID", width: 6, right: true, sort: -1}
	margin := column{id: columnMargin, title: "MARGIN", width: 6, right: true, sort: -1}
	skew := column{id: columnSkew, title: "SKEW", width: 6, right: true, sort: -1}

	left := width - rowPrefix - 1 - state.width - votes.width - 3*gap
	cell, cellGap := voteGlyph, 1
	if len(masters) > 12 {
		cellGap = 0
	}
	for _, w := range []int{voteNamed, voteWords, voteTight} {
		if left-(w+1)*len(masters)-valid.width-gap >= max(mapKeyLeast, min(keyWidth, mapKeyFair)*3/4) {
			cell, cellGap = w, 1
			break
		}
	}
	// As many masters as fit beside the key; the table of nodes below has them all.
	shown := max(min(len(masters), (left-mapKeyLeast)/(cell+cellGap)), 0)
	left -= shown*(cell+cellGap) - min(shown, 1)*cellGap
	take := func(c column, keep int) bool {
		if left-c.width-gap < keep {
			return false
		}
		left -= c.width + gap
		return true
	}
	fair := min(max(keyWidth, mapKeyLeast), mapKeyFair)
	withValid := take(valid, mapKeyLeast)
	withMargin := take(margin, fair)
	withSkew := take(skew, fair)
	if left >= fair+9 {
		left -= 9
		state.width, state.title = 10, "STATE"
	}
	key.width = min(left, max(keyWidth, mapKeyLeast)+2)

	columns = append(make([]column, 0, shown+6), state, key)
	for i, name := range masterNames(masters[:shown], cell) {
		c := column{id: columnMaster, title: name, width: cell, sort: -1, master: i, node: masters[i].Node, alarm: !masters[i].Connected}
		if i > 0 {
			c.gap = cellGap - gap
		}
		columns = append(columns, c)
	}
	columns = append(columns, votes)
	for _, c := range []struct {
		column
		with bool
	}{{margin, withMargin}, {valid, withValid}, {skew, withSkew}} {
		if c.with {
			columns = append(columns, c.column)
		}
	}
	return columns, gap
}

// masterNames number the masters, as the table below does, and name them as far as their columns are wide.
func masterNames(masters []keyspace.Status, width int) []string {
	names := make([]string, len(masters))
	for i := range masters {
		names[i] = string(masters[i].Node)
	}
	before, after := commonEnds(names)
	for i, name := range names {
		number := strconv.Itoa(i + 1)
		if width == voteGlyph {
			names[i] = number[len(number)-1:]
			continue
		}
		if !masters[i].Connected {
			number = "✖" + number
		}
		if room := width - text.Width(number) - 1; text.Width(text.Escape(name)) > room {
			name = name[before : len(name)-after]
			if before > 0 && text.Width(text.Escape(name)) < room {
				name = text.Ellipsis + name
			}
		}
		names[i] = text.Truncate(number+" "+text.Escape(name), width)
	}
	return names
}

// commonEnds is how many bytes all addresses have in common at the beginning and at the end, whole parts of them: what is
// between them tells them apart.
func commonEnds(names []string) (before, after int) {
	if len(names) < 2 {
		return 0, 0
	}
	first := names[0]
	shared := func(same func(name string, n int) bool) int {
		n := 0
		for n < len(first) && !slices.ContainsFunc(names, func(name string) bool { return n >= len(name) || !same(name, n) }) {
			n++
		}
		return n
	}
	before = shared(func(name string, n int) bool { return name[n] == first[n] })
	after = shared(func(name string, n int) bool { return name[len(name)-1-n] == first[len(first)-1-n] })
	before = strings.LastIndexAny(first[:before], ".:-/") + 1
	if at := strings.IndexAny(first[len(first)-after:], ".:-/"); at >= 0 {
		after -= at
	} else {
		after = 0
	}
	for _, name := range names {
		if before+after >= len(name) {
			return 0, 0
		}
	}
	return before, after
}

// mapped says that the view of nodes is the lock x node map, whose rows are those of the view of locks.
func (m *model) mapped() bool {
	return m.view == viewNodes && topologyOf(m.shown) == keyspace.Redlock
}

// onLocks says that the rows are locks.
func (m *model) onLocks() bool { return m.view == viewLocks || m.mapped() }

// paintMap paints the lock x node map.
func (m *model) paintMap(p *painter, l layout) {
	m.table.height = l.body.height
	m.table.clamp()
	if len(m.table.rows) == 0 {
		m.paintNothing(p, l.body.height)
		return
	}
	columns, gap := m.columns()
	if l.titles.height > 0 {
		m.table.paintTitles(p, columns, gap, m.order)
	}
	m.table.paintRows(p, columns, gap, m.picture)
}

// mapPane is the lines that the pane wants under the map: a row a master, and two above them.
func mapPane(height, masters int) int {
	if height < 14 {
		return 0
	}
	return min(masters+2, height*2/5)
}

// paintMapPane paints what the signs of the map mean where there is no room for words, and the masters: the silent ones
// first where there is not room for all.
func (m *model) paintMapPane(p *painter, height int) {
	nodes := m.shown.Nodes
	columns, _ := planMapColumns(m.width, m.table.keyWidth, nodes)
	if slices.ContainsFunc(columns, func(c column) bool { return c.id == columnMaster && c.width > voteGlyph }) {
		p.blank()
	} else {
		p.ballotLegend()
	}
	m.paintMasters(p, height-2)
}

// paintMasters paints the masters in so many lines.
func (m *model) paintMasters(p *painter, room int) {
	nodes := m.shown.Nodes
	columns, gap := planNodeColumns(m.width, nodes, true)
	listTitles(p, columns, gap)
	all := len(nodes) <= room
	for _, silent := range []bool{true, false} {
		for i := range nodes {
			if room <= 0 {
				return
			}
			if all && silent || !all && silent == nodes[i].Connected {
				continue
			}
			p.nodeRow(columns, gap, &nodes[i], i+1, m.table.perNode[nodes[i].Node], false, m.at)
			room--
		}
	}
}

// ballotLegend paints what the glyphs of the votes mean.
func (p *painter) ballotLegend() {
	var list []segment
	for i, b := range []inspector.Ballot{
		inspector.BallotFor, inspector.BallotOther, inspector.BallotAbsent, inspector.BallotDown, inspector.BallotTimeout,
		inspector.BallotWrong, inspector.BallotDenied, inspector.BallotUnread,
	} {
		f := p.theme.ballotFace(b)
		list = append(list, segment{rank: i, parts: []part{{f.style, f.glyph}, {p.theme.faint, " " + f.word}}})
	}
	p.gap(2)
	p.spread(list, nil, 2)
}
