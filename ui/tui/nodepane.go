package tui

import (
	"fmt"
	"strings"
	"time"

	"locktop/keyspace"
	"locktop/ui/text"
)

// paintNodes paints the view of nodes where they have one keyspace between them: a row a node.
func (m *model) paintNodes(p *painter, l layout) {
	if m.shown == nil {
		m.paintNothing(p, l.body.height)
		return
	}
	nodes := m.shown.Nodes
	m.nodes.place(nodes, l.body.height)
	columns, gap := planNodeColumns(m.width, nodes, false)
	if l.titles.height > 0 {
		listTitles(p, columns, gap)
	}
	tone := p.tone
	for i := m.nodes.offset; i < min(m.nodes.offset+l.body.height, len(nodes)); i++ {
		p.tone = tone
		if i == m.nodes.index && tone != toneDimmed {
			p.tone = toneSelected
		}
		p.nodeRow(columns, gap, &nodes[i], i+1, m.table.perNode[nodes[i].Node], i == m.nodes.index, m.at)
	}
	p.tone = tone
}

// shownNodes are the nodes on the screen.
func (m *model) shownNodes() []keyspace.Status {
	if m.shown == nil {
		return nil
	}
	return m.shown.Nodes
}

// nodePane is the lines that the pane wants under the table of so many nodes: what they leave of the window.
func nodePane(height, nodes int) int {
	const least, most, others = 5, 14, 6
	if height < 12 {
		return 0
	}
	return min(max(height-others-nodes, least), most)
}

// paintNodePane paints all that is known of the selected node.
func (m *model) paintNodePane(p *painter) {
	p.blank()
	nodes := m.shown.Nodes
	if m.nodes.index >= len(nodes) {
		return
	}
	t, n, now := p.theme, &nodes[m.nodes.index], m.at
	p.put(t.strong, " "+text.Truncate(text.Escape(string(n.Node)), max(m.width/2, 8)))
	p.put(t.faint, " · "+strings.Join(nodeFacts(n), " · "))
	p.end()
	if !n.Connected {
		said := "not connected yet"
		if !n.StaleSince.IsZero() {
			said = "since " + clockText(n.StaleSince, now) + ", " + text.Ago(now.Sub(n.StaleSince))
		}
		if n.Err != "" {
			said += ": " + text.Legible(n.Err)
		}
		p.paragraph("silent", t.bad, said)
	} else {
		if n.WritesRefused != "" {
			p.paragraph("writes", t.bad, "nobody can acquire or release here: "+text.Legible(n.WritesRefused))
		}
		if n.Err != "" {
			p.paragraph("limited", t.warn, text.Legible(n.Err))
		}
		said := t.feedFace(n).word
		if n.FeedReason != "" {
			said += ": " + text.Legible(n.FeedReason)
		}
		p.paragraph("feed", t.plain, said)
	}
	p.replicas(n)
	if n.Role == "replica" {
		said := replicaText(n)
		if n.Replication.MasterDown > 0 {
			said += ", which has been out of reach for " + text.Duration(n.Replication.MasterDown)
		}
		p.field("replication", part{t.plain, said})
	}
	p.field("pass", part{t.plain, passSentence(n, now)})
	if n.Gaps > 0 {
		said := text.Count(int64(n.Gaps))
		if !n.LastGap.IsZero() {
			said += ", the last " + text.Ago(now.Sub(n.LastGap))
		}
		if n.LastGapWhy != "" {
			said += ": " + text.Legible(n.LastGapWhy)
		}
		p.paragraph("gaps", t.warn, said)
	}
	clock := []part{{t.plain, offsetSentence(n.ClockOffset)}}
	if n.Connected {
		clock = append(clock, part{t.faint, ", lag " + lagText(n)})
	}
	p.field("clock", clock...)
	p.field("cost", costParts(t, n)...)
	if n.Denied > 0 {
		p.field("denied", part{t.warn, text.Plural(int64(n.Denied), "key") + " of these names may not be read"})
	}
}

// nodeFacts are what a node is, in words.
func nodeFacts(n *keyspace.Status) []string {
	var facts []string
	if runs := strings.TrimSpace(n.Software + " " + n.Version); runs != "" {
		facts = append(facts, text.Escape(runs))
	}
	if n.Role != "" {
		facts = append(facts, text.Escape(n.Role))
	}
	if n.Slots > 0 {
		facts = append(facts, text.Count(int64(n.Slots))+" slots")
	}
	return append(facts, "database "+text.Count(int64(n.DB)))
}

// replicas lists a node's replicas, and how far each is behind.
func (p *painter) replicas(n *keyspace.Status) {
	width := 0
	for i := range n.Replication.Replicas {
		width = max(width, text.Width(text.Escape(n.Replication.Replicas[i].Addr)))
	}
	width = min(width, max(p.width/3, 16))
	for i := range n.Replication.Replicas {
		r := &n.Replication.Replicas[i]
		name := ""
		if i == 0 {
			name = "replicas"
		}
		state, s := "online", p.theme.plain
		if !r.Online {
			state, s = "receives its first copy", p.theme.warn
		}
		p.field(name, part{p.theme.plain, text.PadRight(text.Escape(r.Addr), width) + "  "}, part{s, state},
			part{p.theme.faint, fmt.Sprintf(", %s behind, heard %s ago", text.Bytes(r.Behind), wholeSeconds(r.SinceAck))})
	}
}

// passSentence is how old the last complete pass is, and what it found.
func passSentence(n *keyspace.Status, now time.Time) string {
	if n.LastPass.Generation == 0 {
		return "the first one: " + progressText(n.Scanning)
	}
	said := fmt.Sprintf("%s, %s seen, %s of them named like locks", text.Ago(now.Sub(n.LastPass.Ended)),
		text.Plural(n.LastPass.Scanned, "key"), text.Count(n.LastPass.Matched))
	if took := n.LastPass.Ended.Sub(n.LastPass.Started); took > 0 && !n.LastPass.Started.IsZero() {
		said += ", in " + text.Lag(took)
		if rate := scanRate(&n.LastPass); rate >= 1 {
			said += " (" + text.Count(int64(rate)) + " keys/s)"
		}
	}
	return said
}

// costParts say what locktop costs a node: now, and all in all.
func costParts(t *theme, n *keyspace.Status) []part {
	var parts []part
	if n.Connected {
		parts = append(parts, part{t.plain, rateOf(n) + " commands/s and " + fetchedRateOf(n) + "/s read"})
	}
	if n.Commands > 0 {
		so := text.Plural(int64(n.Commands), "command") + ", " + text.Bytes(int64(n.Fetched)) + " read and " + text.Bytes(int64(n.Sent)) + " sent so far"
		if len(parts) > 0 {
			so = "; " + so
		}
		parts = append(parts, part{t.faint, so})
	}
	return parts
}

// offsetSentence is how a server's clock differs from ours.
func offsetSentence(d time.Duration) string {
	switch {
	case d > 0:
		return text.Lag(d) + " ahead of ours"
	case d < 0:
		return text.Lag(d.Abs()) + " behind ours"
	}
	return "as ours"
}
