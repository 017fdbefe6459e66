package tui

import (
	"strings"
	"time"

	"locktop/ui/text"
)

// replays says that the dashboard plays a recording.
func (m *model) replays() bool { return m.scene.Reel != nil }

// wall is the time outside: that of the clock, unless a recording has one of its own, which may stand still and be set back.
func (m *model) wall() time.Time {
	if m.config.Clock == nil {
		return m.clock()
	}
	return time.Now()
}

// reelLines is the lines that say how far a recording is.
func reelLines(height int) int {
	if height >= heightTempo {
		return 2
	}
	return 1
}

// paintReel paints how far the recording is and the keys that control it, and below it when that was. It is live also while the screen
// stands still.
func (m *model) paintReel(p *painter) {
	t, s := p.theme, &m.scene
	const barMost = 40
	left := []segment{s.tempo(t), piece(2, t.plain, s.Reel.positionText())}
	if width := min(p.width/4, barMost); width >= 8 {
		full := int(s.Reel.fraction() * float64(width))
		left = append(left, segment{rank: 5, parts: []part{{t.accent, strings.Repeat("█", full)}, {t.faint, strings.Repeat("░", width-full)}}})
	}
	p.spread(left, m.reelHints(), p.air())
	if m.height < heightTempo {
		return
	}
	at := part{t.strong, s.Reel.At.Format(time.DateTime)}
	said, look := ", of a recording from "+s.Reel.First.Format(time.DateTime)+" to "+s.Reel.Last.Format(time.DateTime), t.faint
	if s.Reel.Ended {
		said, look = ", the recording ends here", t.warn
		if s.Reel.End != "" {
			said += ": " + text.Legible(s.Reel.End)
		}
	}
	p.gap(1)
	p.put(at.style, at.text)
	p.put(look, text.Truncate(said, max(p.width-2-len(at.text), 0)))
	p.end()
}

// reelHints are the keys that control a recording.
func (m *model) reelHints() []segment {
	t, k := m.theme, m.keys
	hold := "hold"
	if m.scene.still() {
		hold = "go on"
	}
	both := func(rank int, keys, does string) segment {
		return segment{rank: rank, parts: []part{{t.key, keys}, {t.plain, " " + does}}}
	}
	return []segment{
		m.hint(1, k.Hold, hold), m.hint(3, k.Step, "next event"),
		both(4, k.Rewind.Help().Key+" "+k.Forward.Help().Key, "10 s"),
		both(6, k.RewindMinute.Help().Key+" "+k.ForwardMinute.Help().Key, "1 min"),
		both(7, k.Slower.Help().Key+" "+k.Faster.Help().Key, "tempo"), m.hint(9, k.Restart, "restart"),
	}
}

// fraction is how much of the recording is behind.
func (r *Reel) fraction() float64 {
	whole := r.Last.Sub(r.First)
	if whole <= 0 || r.Ended {
		return 1
	}
	return min(max(float64(r.At.Sub(r.First))/float64(whole), 0), 1)
}

// positionText is how far it is, and how long it is.
func (r *Reel) positionText() string {
	return text.Duration(r.At.Sub(r.First)) + " of " + text.Duration(r.Last.Sub(r.First))
}

// progressText is the tempo, and of a recording how far it is.
func (s *Scene) progressText() string {
	if s.Reel == nil {
		return s.tempoText()
	}
	said := s.tempoText() + "  " + s.Reel.positionText()
	if s.Reel.Ended {
		said += ", the recording ends here"
	}
	return said
}
