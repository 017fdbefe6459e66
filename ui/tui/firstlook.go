package tui

import (
	"time"

	"locktop/keyspace"
	"locktop/ui/text"
)

// firstLook is how far the first passes of all nodes that answer have come, added up.
type firstLook struct {
	scanned, keys, matched int64
	perSecond              float64       // keys; 0: it is too early to tell
	left                   time.Duration // until the slowest is done; negative: that cannot be told
	nodes, done            int
}

// firstLookOf adds up the first passes; false: they are over on each node that answers.
func firstLookOf(nodes []keyspace.Status) (look firstLook, running bool) {
	for i := range nodes {
		n := &nodes[i]
		if !n.Connected {
			continue
		}
		look.nodes++
		if n.LastPass.Generation > 0 {
			look.done++
			look.scanned += n.LastPass.Scanned
			look.keys += n.LastPass.Scanned
			look.matched += n.LastPass.Matched
			continue
		}
		running = true
		s := n.Scanning
		if s == nil {
			look.left = -1
			continue
		}
		look.scanned += s.Scanned
		look.matched += s.Matched
		look.keys += s.KeysInDB
		rate := scanRate(s)
		look.perSecond += rate
		switch left := s.KeysInDB - s.Scanned; {
		case look.left < 0:
		case rate <= 0 || s.KeysInDB == 0 || left < 0:
			look.left = -1
		default:
			look.left = max(look.left, time.Duration(float64(left)/rate*float64(time.Second)))
		}
	}
	return look, running
}

// scanRate is how many keys a second a pass has scanned so far; 0: it is too early to tell.
func scanRate(pass *keyspace.Pass) float64 {
	const soonest = 500 * time.Millisecond
	until := pass.At
	if !pass.Ended.IsZero() {
		until = pass.Ended
	}
	took := until.Sub(pass.Started)
	if pass.Started.IsZero() || took < soonest && pass.Ended.IsZero() || took <= 0 {
		return 0
	}
	return float64(pass.Scanned) / took.Seconds()
}

// pass is the sum as if it were one.
func (l *firstLook) pass() *keyspace.Pass {
	return &keyspace.Pass{Scanned: l.scanned, Matched: l.matched, KeysInDB: l.keys}
}

// leftText is how long the first look will go on; empty where that cannot be told.
func (l *firstLook) leftText() string {
	if l.left < 0 || l.perSecond <= 0 {
		return ""
	}
	return wholeSeconds(max(l.left, time.Second)) + " left"
}

// firstLookPage shows how far the first look has come.
func (m *model) firstLookPage(g *page, look *firstLook) {
	t := g.theme
	g.line(part{t.strong, text.Spaces(rowPrefix) + "the first look at all keys"})
	if look.keys == 0 && look.scanned == 0 {
		return
	}
	if look.keys > 0 {
		cells := max(min(30, g.width-rowPrefix-8), 0)
		full := int(min(float64(look.scanned)/float64(look.keys), 1) * float64(cells))
		g.line(part{t.plain, text.Spaces(rowPrefix)}, part{t.accent, repeat(heavyLines, full)},
			part{t.faint, repeat(lightLines, cells-full)}, part{t.plain, "  " + progressText(look.pass())})
	}
	seen := text.Plural(look.scanned, "key") + " seen"
	if look.keys > 0 {
		seen = text.Count(look.scanned) + " of " + text.Plural(look.keys, "key") + " seen"
	}
	g.paragraph(nil, rowPrefix, t.faint, seen+", "+text.Count(look.matched)+" of them named like locks")
	pace := ""
	if look.perSecond > 0 {
		pace = text.Count(int64(look.perSecond)) + " keys/s"
	}
	if left := look.leftText(); left != "" {
		pace += ", about " + left
	}
	if look.nodes > 1 && pace != "" {
		pace += ", " + text.Count(int64(look.done)) + " of " + text.Plural(int64(look.nodes), "node") + " done"
	}
	if pace != "" {
		g.paragraph(nil, rowPrefix, t.faint, pace)
	}
}
