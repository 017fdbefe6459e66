package tui

import (
	"fmt"
	"strings"

	"locktop/ui/text"
)

// paintNothing paints the body where there is no row: still looking, nothing found, nothing that passes, or no server.
func (m *model) paintNothing(p *painter, height int) {
	lines := m.nothingLines(p.theme)
	for range max((height-len(lines))/3, 0) {
		p.blank()
	}
	for _, l := range lines {
		p.gap(rowPrefix)
		for _, part := range l {
			p.put(part.style, part.text)
		}
		p.end()
	}
}

func (m *model) nothingLines(t *theme) [][]part {
	line := func(s style, format string, values ...any) []part { return []part{{s, fmt.Sprintf(format, values...)}} }
	if m.shown == nil {
		if m.over {
			return [][]part{line(t.bad, "no locks can be shown: %s", errorText(m.ended))}
		}
		return [][]part{line(t.strong, "connecting to %s …", text.Escape(m.config.Where))}
	}
	if allSilent(m.latest) && len(m.shown.Locks) == 0 {
		n := &m.latest.Nodes[0]
		return [][]part{
			line(t.bad, "%s does not answer", text.Escape(string(n.Node))),
			line(t.plain, "%s", text.Legible(n.Err)),
			line(t.faint, "locktop tries again by itself; q quits"),
		}
	}
	if n := len(m.shown.Locks); n > 0 && (!m.order.filter.empty() || m.order.suspects) {
		what := "suspects"
		if !m.order.filter.empty() {
			what = "the filter /" + text.Escape(m.order.filter.text)
		}
		return [][]part{
			line(t.strong, "none of %s locks passes %s", text.Count(int64(n)), what),
			line(t.faint, "esc shows them all"),
		}
	}
	if first, running := firstPass(m.shown.Nodes); running {
		lines := [][]part{line(t.strong, "the first look at all keys")}
		if first.KeysInDB > 0 || first.Scanned > 0 {
			fraction := 0.0
			if first.KeysInDB > 0 {
				fraction = min(float64(first.Scanned)/float64(first.KeysInDB), 1)
			}
			const cells = 30
			full := int(fraction * cells)
			lines = append(lines,
				[]part{{t.accent, repeat(heavyLines, full)}, {t.faint, repeat(lightLines, cells-full)}, {t.plain, "  " + progressText(&first)}},
				line(t.faint, "%s of %s seen, %s of them named like locks",
					text.Count(first.Scanned), plural(first.KeysInDB, "key"), text.Count(first.Matched)))
		}
		return lines
	}
	return m.noLocksLines(t, line)
}

// noLocksLines say where locktop looked, for what, and what to do next.
func (m *model) noLocksLines(t *theme, line func(s style, format string, values ...any) []part) [][]part {
	var lines [][]part
	if nodes := m.shown.Nodes; len(nodes) > 0 {
		keys, answer := int64(0), 0
		for i := range nodes {
			if nodes[i].Connected {
				keys += nodes[i].LastPass.Scanned
				answer++
			}
		}
		where := text.Escape(string(nodes[0].Node)) + ", which has"
		if len(nodes) > 1 {
			where = fmt.Sprintf("%d of %d nodes, which have", answer, len(nodes))
		}
		lines = append(lines,
			line(t.strong, "no locks in database %d of %s %s", nodes[0].DB, where, plural(keys, "key")),
			line(t.plain, "looked for %s", patternsText(nodes[0].Patterns, max(m.width-16, 20))))
		if _, said := limitation(nodes); said != "" {
			lines = append(lines, line(t.warn, "%s", text.Legible(said)))
		}
	}
	soon := line(t.faint, "a lock that appears now will be seen here")
	if m.config.Play != nil { // between two rounds of a demo nobody needs to look elsewhere
		return append(lines, nil, soon)
	}
	hint := func(command, does string) []part {
		return []part{{t.accent, text.PadRight(command, 28)}, {t.plain, does}}
	}
	return append(lines,
		nil,
		hint("locktop --pattern 'GLOB'", "looks for other keys"),
		hint("locktop check --discover", "judges every key, and proposes patterns"),
		hint("locktop -n 1", "looks in another database"),
		hint("locktop demo", "shows what it looks like, without a Redis"),
		nil,
		soon)
}

// errorText is an error as one line that a terminal may show.
func errorText(err error) string {
	if err == nil {
		return "the source has ended"
	}
	return text.Legible(strings.TrimSpace(err.Error()))
}
