package tui

import (
	"fmt"
	"strconv"
	"time"

	"locktop/keyspace"
	"locktop/ui/text"
)

// nodeList is the rows of the view of nodes, with a cursor that stays on its node.
type nodeList struct {
	rowCursor
	selected keyspace.Node
}

// move puts the cursor on another node.
func (l *nodeList) move(nodes []keyspace.Status, index int) {
	l.index = max(min(index, len(nodes)-1), 0)
	if len(nodes) > 0 {
		l.selected = nodes[l.index].Node
	}
}

// place finds the cursor's node again, and brings it on the screen.
func (l *nodeList) place(nodes []keyspace.Status, height int) {
	for i := range nodes {
		if nodes[i].Node == l.selected {
			l.index = i
			break
		}
	}
	l.move(nodes, l.index)
	l.height = height
	l.clamp(len(nodes))
}

// nodeColumnID names a column of the table of nodes.
type nodeColumnID int

// The columns, from left to right.
const (
	nodeNumber nodeColumnID = iota // of a Redlock's master, as the lock x node map numbers it
	nodeFeed
	nodeAddr
	nodeRole
	nodeLocks
	nodeLag
	nodePass
	nodeReplicas
	nodeCommands
	nodeFetched
	nodeTotal
	nodeClock
	nodeGaps
	nodeBehind
	nodeAcknowledged
	nodeVersion
	nodeError
)

type nodeColumn = listColumn[nodeColumnID]

// planNodeColumns lays out the table of nodes: how each is seen, its address and its locks always; then what it is and how
// fresh the picture of it is; then its replicas; then what is good to know.
func planNodeColumns(width int, nodes []keyspace.Status, numbered bool) (columns []nodeColumn, gap int) {
	addr, replicas, role, replica := 8, false, "master", false
	for i := range nodes {
		n := &nodes[i]
		addr = max(addr, text.Width(text.Escape(string(n.Node))))
		replicas = replicas || len(n.Replication.Replicas) > 0
		replica = replica || isReplica(n)
		if n.Slots > 0 {
			role = "5,461 slots"
		}
	}
	if replica {
		role = "replica of"
	}
	gap = 2
	if width < fromCount {
		gap = 1
	}
	add := func(from int, c nodeColumn) {
		if width >= from {
			columns = append(columns, c)
		}
	}
	columns = make([]nodeColumn, 0, 17)
	if numbered {
		add(0, nodeColumn{id: nodeNumber, title: "#", width: len(strconv.Itoa(len(nodes))), right: true})
	}
	add(0, nodeColumn{id: nodeFeed, title: "FEED", width: 10})
	add(0, nodeColumn{id: nodeAddr, title: "NODE"})
	add(58, nodeColumn{id: nodeRole, title: "ROLE", width: len(role)})
	add(34, nodeColumn{id: nodeLocks, title: "LOCKS", width: 6, right: true})
	add(66, nodeColumn{id: nodeLag, title: "LAG", width: 7, right: true})
	add(74, nodeColumn{id: nodePass, title: "PASS", width: 6, right: true})
	if replicas {
		add(80, nodeColumn{id: nodeReplicas, title: "REPLICAS", width: 8, right: true})
	}
	add(90, nodeColumn{id: nodeCommands, title: "CMD/S", width: 5, right: true})
	add(152, nodeColumn{id: nodeFetched, title: "READ/S", width: 7, right: true})
	add(164, nodeColumn{id: nodeTotal, title: "COMMANDS", width: 9, right: true})
	add(100, nodeColumn{id: nodeClock, title: "CLOCK", width: 8, right: true})
	add(108, nodeColumn{id: nodeGaps, title: "GAPS", width: 4, right: true})
	if replicas {
		add(118, nodeColumn{id: nodeBehind, title: "BEHIND", width: 7, right: true})
		add(128, nodeColumn{id: nodeAcknowledged, title: "ACK", width: 6, right: true})
	}
	add(140, nodeColumn{id: nodeVersion, title: "VERSION", width: 14})
	add(176, nodeColumn{id: nodeError, title: "WHY"})
	left := width - rowPrefix - 1 - gap*(len(columns)-1)
	for i := range columns {
		left -= columns[i].width
	}
	for i := range columns {
		if columns[i].id == nodeAddr {
			columns[i].width = max(min(left, addr), 0)
			left -= columns[i].width
		}
		if columns[i].id == nodeError {
			columns[i].width = max(left, 0)
		}
	}
	return columns, gap
}

// nodeRow paints one node; locks is how many there are.
func (p *painter) nodeRow(columns []nodeColumn, gap int, n *keyspace.Status, number, locks int, selected bool, now time.Time) {
	cursor := " "
	if selected {
		cursor = "▌"
	}
	p.put(p.theme.plain, " ")
	p.put(p.theme.cursor, cursor)
	p.put(p.theme.plain, " ")
	for i, c := range columns {
		if i > 0 {
			p.gap(gap)
		}
		p.nodeCell(c, n, number, locks, now)
	}
	p.end()
}

func (p *painter) nodeCell(c nodeColumn, n *keyspace.Status, number, locks int, now time.Time) {
	t := p.theme
	switch c.id {
	case nodeNumber:
		p.right(t.faint, strconv.Itoa(number), c.width)
	case nodeFeed:
		f := t.feedFace(n)
		p.left(f.style, f.glyph+" "+f.word, c.width)
	case nodeAddr:
		p.left(t.plain, text.Escape(string(n.Node)), c.width)
	case nodeRole:
		p.left(t.faint, roleText(n), c.width)
	case nodeLocks:
		p.figure(text.Count(int64(locks)), c.width)
	case nodeLag:
		p.figure(lagText(n), c.width)
	case nodePass:
		p.passFigure(n, now, c.width)
	case nodeReplicas:
		online, all := replicasOf(n)
		switch {
		case all == 0:
			p.figure("-", c.width)
		case online < all:
			p.right(t.warn, fmt.Sprintf("%d/%d", online, all), c.width)
		default:
			p.figure(fmt.Sprintf("%d/%d", online, all), c.width)
		}
	case nodeCommands:
		p.figure(rateOf(n), c.width)
	case nodeFetched:
		p.figure(fetchedRateOf(n), c.width)
	case nodeTotal:
		p.figure(text.Count(int64(n.Commands)), c.width)
	case nodeClock:
		p.figure(clockOffsetText(n.ClockOffset), c.width)
	case nodeGaps:
		if n.Gaps > 0 {
			p.right(t.warn, text.Count(int64(n.Gaps)), c.width)
		} else {
			p.figure("0", c.width)
		}
	case nodeBehind:
		behind, _ := worstReplica(n)
		p.figure(behind, c.width)
	case nodeAcknowledged:
		_, since := worstReplica(n)
		p.figure(since, c.width)
	case nodeVersion:
		p.left(t.faint, text.Escape(n.Software+" "+n.Version), c.width)
	case nodeError:
		s, why := t.warn, n.FeedReason
		if n.Err != "" {
			why = n.Err
		}
		if !n.Connected {
			s = t.bad
		}
		p.left(s, text.Legible(why), c.width)
	}
}

// passFigure paints how old the last complete pass is, or how far the first one has come.
func (p *painter) passFigure(n *keyspace.Status, now time.Time, width int) {
	if n.LastPass.Generation == 0 {
		p.right(p.theme.warn, progressText(n.Scanning), width)
		return
	}
	p.figure(wholeSeconds(max(now.Sub(n.LastPass.Ended), 0)), width)
}

// roleText is what a node is among the others.
func roleText(n *keyspace.Status) string {
	if n.Slots > 0 {
		return text.Count(int64(n.Slots)) + " slots"
	}
	if n.Role == "" {
		return "-"
	}
	return text.Escape(n.Role)
}

// lagText is how far away a node is, which of one that does not answer nobody knows.
func lagText(n *keyspace.Status) string {
	if n.Lag == 0 || !n.Connected {
		return "-"
	}
	return text.Lag(n.Lag)
}

// rateOf is how many commands a second a node gets from us.
func rateOf(n *keyspace.Status) string {
	if !n.Connected {
		return "-"
	}
	return fmt.Sprintf("%.0f", n.CommandsPerSecond)
}

// fetchedRateOf is how much a second we read from a node.
func fetchedRateOf(n *keyspace.Status) string {
	if !n.Connected {
		return "-"
	}
	return text.Bytes(int64(n.FetchedPerSecond + 0.5))
}

// clockOffsetText is how far a server's clock is ahead of ours.
func clockOffsetText(d time.Duration) string {
	if d > 0 {
		return "+" + text.Lag(d)
	}
	return text.Lag(d)
}

// replicasOf counts a node's replicas, and those of them that have their first copy.
func replicasOf(n *keyspace.Status) (online, all int) {
	for i := range n.Replication.Replicas {
		if n.Replication.Replicas[i].Online {
			online++
		}
	}
	return online, len(n.Replication.Replicas)
}

// worstReplica is by how much the last of the replicas is behind, and how long ago the quietest one acknowledged anything.
func worstReplica(n *keyspace.Status) (behind, since string) {
	if len(n.Replication.Replicas) == 0 {
		return "-", "-"
	}
	var bytes int64
	var age time.Duration
	for i := range n.Replication.Replicas {
		bytes = max(bytes, n.Replication.Replicas[i].Behind)
		age = max(age, n.Replication.Replicas[i].SinceAck)
	}
	return text.Bytes(bytes), wholeSeconds(age)
}

// wholeSeconds is a time to which no tenths belong: servers tell some in whole seconds.
func wholeSeconds(d time.Duration) string {
	if d < 5*time.Second {
		return strconv.Itoa(int(d/time.Second)) + " s"
	}
	return text.Duration(d)
}
