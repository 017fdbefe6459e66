package tui

import (
	"fmt"
	"strings"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// allSilent says that nothing answers any more: the whole picture is old.
func allSilent(s *inspector.Snapshot) bool {
	if s == nil || len(s.Nodes) == 0 {
		return false
	}
	for i := range s.Nodes {
		if s.Nodes[i].Connected {
			return false
		}
	}
	return true
}

// topologyOf is how the servers of a snapshot belong together.
func topologyOf(s *inspector.Snapshot) keyspace.Topology {
	if s == nil || len(s.Nodes) == 0 || s.Nodes[0].Topology == "" {
		return keyspace.Standalone
	}
	return s.Nodes[0].Topology
}

// statusOf is how a node is seen; nil: it is not known.
func statusOf(s *inspector.Snapshot, node keyspace.Node) *keyspace.Status {
	if s == nil {
		return nil
	}
	for i := range s.Nodes {
		if s.Nodes[i].Node == node {
			return &s.Nodes[i]
		}
	}
	return nil
}

// isReplica says that a node is a replica, which takes no action.
func isReplica(n *keyspace.Status) bool { return n.Role == "replica" }

// firstReplica is a node of the snapshot that is a replica; nil: there is none.
func firstReplica(s *inspector.Snapshot) *keyspace.Status {
	if s == nil {
		return nil
	}
	for i := range s.Nodes {
		if isReplica(&s.Nodes[i]) {
			return &s.Nodes[i]
		}
	}
	return nil
}

// replicaText says whose replica a node is.
func replicaText(n *keyspace.Status) string {
	if n.Replication.MasterAddr == "" {
		return "replica"
	}
	return "replica of " + text.Escape(n.Replication.MasterAddr)
}

// replicaBadge says that nothing can be done here, and whose replica it is as far as there is room.
func replicaBadge(n *keyspace.Status, width int) string {
	long := " " + replicaText(n) + " · actions refused "
	if text.Width(long) > width-2 {
		return " replica · actions refused "
	}
	return long
}

// paintWhere paints where we look, and how we see.
func (m *model) paintWhere(p *painter) {
	t := p.theme
	where := shortWhere(m.config.Where, max(12, p.width*2/5))
	left := []segment{piece(4, t.cursor, "locktop"), piece(1, t.strong, where)}
	now := m.clock()
	clock := piece(3, t.plain, now.Format("15:04:05"))
	if m.latest == nil || len(m.latest.Nodes) == 0 {
		p.spread(left, []segment{piece(0, t.faint, "connecting"), clock}, 2)
		return
	}
	nodes := m.latest.Nodes
	left = append(left, segment{tight: true, rank: 6, parts: []part{{t.plain, "· " + softwareText(nodes)}}})
	left = append(left, topologySegments(t, m.latest)...)
	var right []segment
	if allSilent(m.latest) {
		first := firstSilent(nodes)
		right = append(right, piece(0, t.bad, "✖ stale since "+clockText(first.StaleSince, now)))
		if why := shortTrouble(first); why != "" {
			right = append(right, piece(2, t.bad, text.Truncate(text.Legible(why), max(p.width/2, 10))))
		}
	} else {
		right = append(right, feedSegments(t, nodes, now)...)
	}
	p.spread(left, append(right, clock), p.air())
}

// shortWhere names where we look; of several addresses that do not fit, the first and how many more there are.
func shortWhere(where string, width int) string {
	where = text.Escape(where)
	first, rest, several := strings.Cut(where, ", ")
	if several && text.Width(where) > width {
		where = fmt.Sprintf("%s +%d", first, strings.Count(rest, ", ")+1)
	}
	return text.Truncate(where, width)
}

// softwareText is what the nodes run, as far as that can be said in a word.
func softwareText(nodes []keyspace.Status) string {
	said := ""
	for i := range nodes {
		runs := strings.TrimSpace(nodes[i].Software + " " + nodes[i].Version)
		switch {
		case runs == "" || runs == said:
		case said == "":
			said = runs
		default:
			return "several versions"
		}
	}
	return text.Escape(said)
}

// topologySegments say how the servers belong together: of several masters how many answer, and of one where it is.
func topologySegments(t *theme, s *inspector.Snapshot) []segment {
	said := func(rank int, st style, words string) segment {
		return segment{tight: true, rank: rank, parts: []part{{t.plain, "· "}, {st, words}}}
	}
	topology := topologyOf(s)
	switch topology {
	case keyspace.Cluster, keyspace.Redlock:
		answer, all := mastersOf(s.Nodes)
		words := fmt.Sprintf("%s %d/%d", topology, answer, all)
		if answer < all {
			return []segment{said(0, t.bad, "✖ "+words)}
		}
		return []segment{said(2, t.plain, words)}
	case keyspace.Sentinel:
		return []segment{
			said(3, t.plain, "sentinel"),
			{tight: true, rank: 2, parts: []part{{t.plain, "→ " + text.Truncate(text.Escape(string(s.Nodes[0].Node)), 40)}}},
		}
	case keyspace.Standalone:
		if isReplica(&s.Nodes[0]) {
			return []segment{said(2, t.warn, "replica")}
		}
	}
	return nil
}

// mastersOf counts the masters, and those of them that answer.
func mastersOf(nodes []keyspace.Status) (answer, all int) {
	for i := range nodes {
		if isReplica(&nodes[i]) {
			continue
		}
		all++
		if nodes[i].Connected {
			answer++
		}
	}
	return answer, all
}
