package tui

import (
	"fmt"
	"strings"
	"time"

	"locktop/keyspace"
	"locktop/ui/text"
)

// feedSegments say honestly how the nodes that answer are seen: the worst feed of all, the age of the oldest pass, gaps and
// our load.
func feedSegments(t *theme, nodes []keyspace.Status, now time.Time) []segment {
	var worst *keyspace.Status
	var oldest time.Time
	gaps, commands := uint64(0), 0.0
	for i := range nodes {
		n := &nodes[i]
		gaps += n.Gaps
		if !n.Connected {
			continue
		}
		if worst == nil || feedRank(n.Feed) > feedRank(worst.Feed) || n.Feed == worst.Feed && n.Lag > worst.Lag {
			worst = n
		}
		commands += n.CommandsPerSecond
		if n.LastPass.Generation > 0 && (oldest.IsZero() || n.LastPass.Ended.Before(oldest)) {
			oldest = n.LastPass.Ended
		}
	}
	pass := []segment{piece(5, t.plain, "pass "+text.Ago(now.Sub(oldest)))}
	if first, running := firstLookOf(nodes); running {
		pass = []segment{piece(2, t.warn, "first pass "+progressText(first.pass()))}
		if left := first.leftText(); left != "" {
			pass = append(pass, segment{tight: true, rank: 6, parts: []part{{t.warn, left}}})
		}
	}
	f := t.feedFace(worst)
	list := []segment{piece(0, f.style, f.glyph+" "+f.word)}
	if worst.Lag > 0 {
		list = append(list, segment{tight: true, rank: 5, parts: []part{{f.style, text.Lag(worst.Lag)}}})
	}
	list = append(list, pass...)
	if gaps > 0 {
		list = append(list, piece(2, t.warn, text.Plural(int64(gaps), "gap")))
	}
	return append(list, piece(7, t.plain, fmt.Sprintf("%.0f cmd/s", commands)))
}

func feedRank(f keyspace.Feed) int {
	switch f {
	case keyspace.FeedPush:
		return 0
	case keyspace.FeedTracking:
		return 1
	case keyspace.FeedPoll:
		return 2
	}
	return 3
}

// feedFace is how a node's feed is shown, or that there is none.
func (t *theme) feedFace(n *keyspace.Status) face {
	switch {
	case !n.Connected:
		return face{"✖", "silent", t.bad}
	case n.Feed == keyspace.FeedPush:
		return face{"●", "push", t.good}
	case n.Feed == keyspace.FeedTracking:
		return face{"◐", "tracking", t.good}
	case n.Feed == keyspace.FeedPoll:
		return face{"○", "polling", t.warn}
	}
	return face{"○", text.Escape(string(n.Feed)), t.warn}
}

// feedWord names a feed.
func feedWord(f keyspace.Feed) string {
	if f == keyspace.FeedPoll {
		return "polling"
	}
	return string(f)
}

// progressText is how far a pass has come, as far as that can be known.
func progressText(pass *keyspace.Pass) string {
	switch {
	case pass == nil || pass.KeysInDB == 0 && pass.Scanned == 0:
		return "…"
	case pass.KeysInDB > 0:
		return fmt.Sprintf("%d %%", min(100*pass.Scanned/pass.KeysInDB, 99))
	}
	return text.Count(pass.Scanned) + " keys"
}

// firstSilent is the first node that does not answer; nil: all of them do.
func firstSilent(nodes []keyspace.Status) *keyspace.Status {
	for i := range nodes {
		if !nodes[i].Connected {
			return &nodes[i]
		}
	}
	return nil
}

// seenSegments say what limits the sight: the nodes that do not answer, why the feed is no better, and which keys are
// looked for.
func (m *model) seenSegments(t *theme, width int) []segment {
	if m.latest == nil || len(m.latest.Nodes) == 0 {
		return nil
	}
	nodes := m.latest.Nodes
	var list []segment
	if allSilent(m.latest) {
		if mend := nodes[0].Trouble.Mend; mend != "" {
			list = append(list, piece(1, t.bad, text.Truncate("→ "+text.Legible(mend), width-2)))
		}
	} else if why := writesRefused(nodes); why != "" {
		code, _, _ := strings.Cut(why, " ")
		list = append(list, piece(1, t.bad, "✖ writes are refused: "+text.Truncate(text.Legible(code), 24)))
		list = append(list, piece(6, t.bad, "nobody can acquire or release"))
	}
	if n := firstSilent(nodes); n != nil && !allSilent(m.latest) {
		said := "✖ " + text.Truncate(text.Escape(string(n.Node)), max(width/3, 14))
		if more := countSilent(nodes) - 1; more > 0 {
			said += fmt.Sprintf(" and %d more", more)
		}
		said += " silent"
		if !n.StaleSince.IsZero() {
			said += " since " + clockText(n.StaleSince, m.clock())
		}
		list = append(list, piece(1, t.bad, said))
		if n.Err != "" {
			list = append(list, piece(5, t.bad, text.Truncate(text.Legible(n.Err), width/2)))
		}
	}
	if rank, said := limitation(nodes); said != "" {
		list = append(list, piece(rank, t.warn, text.Truncate(text.Legible(said), width*3/5)))
	}
	return append(list, piece(8, t.faint, patternsText(nodes[0].Patterns, width/2)))
}

// writesRefused is the first server's word on why it refuses writes; empty: none does, for all that is known.
func writesRefused(nodes []keyspace.Status) string {
	for i := range nodes {
		if nodes[i].Connected && nodes[i].WritesRefused != "" {
			return nodes[i].WritesRefused
		}
	}
	return ""
}

func countSilent(nodes []keyspace.Status) int {
	count := 0
	for i := range nodes {
		if !nodes[i].Connected {
			count++
		}
	}
	return count
}

// limitation is why a node that answers is not seen as well as could be, with its rank; of several nodes it names the one.
func limitation(nodes []keyspace.Status) (rank int, said string) {
	for i := range nodes {
		n := &nodes[i]
		switch {
		case !n.Connected:
			continue
		case n.FeedReason != "":
			rank, said = 7, n.FeedReason
		case n.Err != "":
			rank, said = 6, n.Err
		default:
			continue
		}
		if len(nodes) > 1 {
			said = text.Escape(string(n.Node)) + ": " + said
		}
		return rank, said
	}
	return 0, ""
}
