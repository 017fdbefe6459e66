package tui

import (
	"fmt"
	"slices"
	"strings"

	"locktop/inspector"
	"locktop/ui/text"
)

// probeFits says whether the window can show the dialog of a probe.
func (m *model) probeFits() bool { return m.width >= dialogMinWidth && m.height >= dialogMinHeight }

// probeHints are the keys of the dialog of a probe, and of the probe.
func (m *model) probeHints() []segment {
	if m.probe.running != nil {
		return []segment{m.hint(0, m.keys.Cancel, "end the probe")}
	}
	return []segment{m.hint(1, m.keys.Next, "next"), m.hint(0, m.keys.Choose, "choose"), m.hint(0, m.keys.Cancel, "cancel")}
}

// overlayProbe lays the dialog of a probe over the screen, or while it runs how far it is.
func (m *model) overlayProbe(p *painter) {
	t := m.theme
	if !m.probeFits() {
		p.box(framed(t, "probe", [][]part{{{t.warn, "the window is too small; esc cancels"}}}, p.width), p.width)
		return
	}
	width := min(dialogWidth, p.width-2)
	content, controls := m.probe.describe(t, width-4), m.probe.controlLines(t)
	if m.probe.running != nil {
		content, controls = m.progressLines(width-4), nil
	}
	if room := overlayRoom(p.height()) - len(controls); len(content) > room {
		content = content[:max(room, 0)]
	}
	p.box(framed(t, "probe "+text.Escape(m.probe.lock.Key), append(content, controls...), width), width)
}

// describe says what will be done, and what it costs. What matters the most comes first: a low window cuts the rest.
func (p *probe) describe(t *theme, width int) [][]part {
	var lines [][]part
	say := func(s style, sentence string) {
		for _, line := range wrap(sentence, width) {
			lines = append(lines, []part{{s, line}})
		}
	}
	span, err := p.asked()
	switch {
	case p.costErr != nil:
		say(t.bad, "✖ It cannot be probed: "+errorText(p.costErr))
	case p.cost == nil:
		say(t.faint, "… asking how busy the server is")
	case p.cost.TooBusy():
		say(t.bad, fmt.Sprintf("✖ Refused: the server runs %s commands a second, and a probe would slow it down.", text.Count(int64(p.cost.Busiest))))
		say(t.faint, "locktop show KEY --probe 2s --force does it all the same.")
	default:
		say(t.plain, costSentence(*p.cost, p, err == nil))
		say(t.warn, "▲ Redis measured MONITOR to take about half of the throughput.")
	}
	switch {
	case err != nil:
		say(t.bad, err.Error())
	case p.costErr == nil && (p.cost == nil || !p.cost.TooBusy()):
		say(t.faint, fmt.Sprintf("Listens for %s to all that is sent to the server (MONITOR), and keeps only who asks for this lock. "+
			"It ends early when too much comes; esc ends it at once.", text.Duration(span)))
	}
	return lines
}

// costSentence says how busy the servers are, and how much there will be to hear.
func costSentence(c inspector.ProbeCost, p *probe, spanKnown bool) string {
	if !c.Known {
		return "How busy the server is is not known."
	}
	where := "The server runs "
	if c.Masters > 1 {
		where = fmt.Sprintf("The %d masters run ", c.Masters)
	}
	said := where + text.Count(int64(c.Ops)) + " commands a second now"
	if span, err := p.asked(); err == nil && spanKnown {
		said += fmt.Sprintf(": about %s lines", text.Count(c.Lines(span)))
	}
	return said + "."
}

// controlLines are the field and the buttons.
func (p *probe) controlLines(t *theme) [][]part {
	on, cursor := t.faint, t.plain
	cancel, confirm := t.button, t.button
	switch p.focus {
	case controlTTL:
		on, cursor = t.cursor, t.buttonOn
	case controlConfirm:
		confirm = t.buttonOn
	default:
		cancel = t.buttonOn
	}
	word := "Probe"
	if !p.ready() {
		word = "-"
	}
	return [][]part{
		nil,
		append([]part{{on, text.PadRight("for", 9)}}, inputParts(t, p.span, cursor)...),
		nil,
		{{cancel, "[ Cancel ]"}, {t.plain, "  "}, {confirm, "[ " + word + " ]"}},
	}
}

// progressLines say how far the probe is.
func (m *model) progressLines(width int) [][]part {
	t, run := m.theme, m.probe.running
	gone := min(max(m.clock().Sub(run.since), 0), run.span)
	cells := max(min(width-24, 32), 8)
	full := int(float64(cells) * gone.Seconds() / run.span.Seconds())
	said := text.Duration(gone) + " of " + text.Duration(run.span)
	if run.cancelled {
		said = "ending …"
	}
	return [][]part{
		{{t.accent, repeat(heavyLines, full)}, {t.faint, repeat(lightLines, cells-full)}, {t.plain, "  " + said}},
		{{t.plain, text.Count(run.lines.Load()) + " lines, " + text.Bytes(run.bytes.Load())}, {t.faint, "   "}, {t.key, m.keys.Cancel.Help().Key}, {t.faint, " ends it"}},
	}
}

// sampled paints what the last probe found: who asks for the lock, how often, and what it cost.
func (d *detail) sampled(p *painter) {
	s := d.lock.Sample
	if d.sample != nil && (s == nil || s.From.Before(d.sample.From)) {
		s = d.sample
	}
	if s == nil {
		return
	}
	t := p.theme
	d.sampleTop = len(p.lines)
	defer func() { d.sampleEnd = len(p.lines) }()
	p.heading("Waiters", " (sampled "+text.Duration(s.Span())+" at "+s.From.Format("15:04:05")+")")
	if early := s.EndText(); early != "" { // too long for the heading of a narrow window
		p.paragraph("ended", t.warn, strings.TrimPrefix(early, ", "))
	}
	tone := t.plain
	if s.Waiting > 0 {
		tone = t.warn
	}
	p.paragraph("waiting", tone, s.WaitingText())
	p.paragraph("attempts", t.plain, s.AttemptsText())
	if len(s.Clients) > 0 {
		p.sampledClients(s)
	}
	p.paragraph("cost", t.faint, text.Count(s.Lines)+" lines, "+text.Bytes(s.Bytes))
	for i := range s.Nodes {
		n := &s.Nodes[i]
		said := n.LoadText()
		if len(s.Nodes) > 1 {
			said = text.Escape(string(n.Node)) + ": " + said
		}
		p.paragraph("", t.faint, said)
		if n.Err != "" {
			p.paragraph("", t.warn, "▲ not probed to the end: "+text.Legible(n.Err))
		}
	}
}

// sampleColumn is a column of the clients of a sample; those of greater rank give way first.
type sampleColumn struct {
	title string
	width int
	rank  int
	right bool
	cell  func(c *inspector.SampledClient) string
}

// sampleColumns are the columns that fit.
func sampleColumns(s *inspector.Sample, width int) []sampleColumn {
	number := func(n int) string { return text.Count(int64(n)) }
	all := []sampleColumn{
		{"CLIENT", 0, 0, false, func(c *inspector.SampledClient) string { return clientText(c) }},
		{"ASKED", 7, 0, true, func(c *inspector.SampledClient) string { return number(c.Attempts) }},
		{"IN VAIN", 8, 1, true, func(c *inspector.SampledClient) string {
			if c.Unknown() > 0 {
				return "≥" + number(c.Failed)
			}
			return number(c.Failed)
		}},
		{"A SECOND", 9, 3, true, func(c *inspector.SampledClient) string { return s.RateText(c.Failed) }},
		{"GOT IT", 7, 2, true, func(c *inspector.SampledClient) string { return number(c.Acquired) }},
		{"EXTENDED", 9, 5, true, func(c *inspector.SampledClient) string { return c.Extends.Text() }},
		{"REPAIRED", 9, 5, true, func(c *inspector.SampledClient) string { return number(c.Repaired) }},
		{"RELEASED", 9, 5, true, func(c *inspector.SampledClient) string { return c.Releases.Text() }},
		{"WAITS", 6, 1, true, func(c *inspector.SampledClient) string {
			if c.Waiting {
				return "yes"
			}
			return "no"
		}},
		{"ADDRESS", 24, 4, false, func(c *inspector.SampledClient) string { return addressText(c) }},
		{"LIBRARY", 18, 6, false, func(c *inspector.SampledClient) string { return text.Escape(c.Program()) }},
	}
	if !slices.ContainsFunc(s.Clients, func(c inspector.SampledClient) bool { return c.Repaired > 0 }) {
		all = slices.DeleteFunc(all, func(c sampleColumn) bool { return c.title == "REPAIRED" })
	}
	least, used := 14, 0
	for _, c := range s.Clients {
		least = max(least, min(text.Width(clientText(&c)), 28))
	}
	used = least
	for _, c := range all[1:] {
		used += c.width + 1
	}
	for rank := 6; rank > 0 && used > width; rank-- {
		kept := all[:0:0]
		for _, c := range all {
			if c.rank == rank {
				used -= c.width + 1
				continue
			}
			kept = append(kept, c)
		}
		all = kept
	}
	all[0].width = max(min(least, least+width-used), 4)
	return all
}

// sampledClients paints who asks, those first who ask most.
func (p *painter) sampledClients(s *inspector.Sample) {
	columns := sampleColumns(s, p.width-rowPrefix)
	p.gap(rowPrefix)
	for i := range columns {
		p.sampleCell(&columns[i], i, columns[i].title, p.theme.title)
	}
	p.end()
	for i := range s.Clients {
		c := &s.Clients[i]
		p.gap(rowPrefix)
		for n := range columns {
			tone := p.theme.plain
			if n == 0 && c.Waiting {
				tone = p.theme.warn
			}
			p.sampleCell(&columns[n], n, columns[n].cell(c), tone)
		}
		p.end()
	}
	if s.More > 0 {
		p.gap(rowPrefix)
		p.put(p.theme.faint, "and "+text.Count(int64(s.More))+" more")
		p.end()
	}
}

func (p *painter) sampleCell(c *sampleColumn, at int, content string, s style) {
	if at > 0 {
		p.gap(1)
	}
	if c.right {
		p.right(s, content, c.width)
	} else {
		p.left(s, content, c.width)
	}
}

// clientText names a client as well as can be.
func clientText(c *inspector.SampledClient) string {
	switch {
	case c.Name != "":
		return text.Escape(c.Name)
	case strings.HasPrefix(c.Addr, "unix:") && c.Owner != "":
		return text.Escape(c.Owner)
	}
	return text.Escape(c.Addr)
}

// addressText is where a client comes from.
func addressText(c *inspector.SampledClient) string {
	addr := text.Escape(c.Addr)
	if c.Connections > 1 {
		addr += fmt.Sprintf(" +%d", c.Connections-1)
	}
	return addr
}
