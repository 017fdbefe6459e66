package tui

import (
	"strconv"
	"time"

	"locktop/ui/text"
)

// sentenceWide is the window width from which on a sentence has one line; below it has two.
const sentenceWide = 160

// narrationClock is the window width from which on a sentence says when it happened.
const narrationClock = 60

// sentenceLines is how many lines a sentence has. It depends on the window alone: a table that jumps with every sentence
// cannot be read.
func sentenceLines(width int) int {
	if width >= sentenceWide {
		return 1
	}
	return 2
}

// narrationLines is the lines that the narration wants in a window.
func narrationLines(width, height int) int {
	lines := sentenceLines(width)
	if height >= heightTempo {
		lines++
	}
	return lines
}

// paintNarration paints how the demo goes on, and the sentence that is to be read now. It is live also while the screen
// stands still: a user who freezes the picture to look at it closely still wants to know what goes on, and the controls of
// the demo, which work then too, must be seen to do something.
func (m *model) paintNarration(p *painter) {
	t, s := p.theme, &m.scene
	if s.Reel != nil {
		m.paintReel(p)
		return
	}
	if m.height >= heightTempo {
		m.paintTempo(p)
	}
	told, look, mark := s.Now.Text, t.plain, part{t.faint, "·"}
	switch {
	case told == "": // nothing has happened yet
		told, look = s.Shows, t.faint
	case s.Now.News:
		look, mark = t.strong, part{t.cursor, "▸"}
	}
	switch {
	case s.still() && m.height < heightTempo:
		mark = part{t.badgeWarn, " ‖ held "}
	case s.still():
		mark = part{t.badgeWarn, "‖"}
	}
	when := ""
	if m.width >= narrationClock && !s.Now.At.IsZero() {
		when = s.Now.At.Format(time.TimeOnly) + " " // news waits its turn to be read: it may be of some seconds ago
	}
	indent := 1 + text.Width(mark.text) + 1 + len(when)
	width := p.width - indent - 1
	lines := firstLines(wrapWords(text.Legible(told), width), sentenceLines(p.width), width)
	for i, line := range lines {
		p.gap(1)
		if i == 0 {
			p.put(mark.style, mark.text)
			p.gap(1)
			p.put(t.faint, when)
		}
		p.to(indent)
		p.put(look, line)
		p.end()
	}
}

// firstLines are as many lines as there is room for; the last of them says by an ellipsis that it is not the end.
func firstLines(lines []string, most, width int) []string {
	if len(lines) <= most {
		return lines
	}
	lines = append([]string(nil), lines[:most]...)
	lines[most-1] = text.Truncate(lines[most-1]+text.Ellipsis, width)
	return lines
}

// paintTempo paints the scenario, how fast it goes, what came of it so far, and the keys that control it.
func (m *model) paintTempo(p *painter) {
	t, s := p.theme, &m.scene
	var left []segment
	if s.Name != "" {
		left = append(left, piece(3, t.strong, text.Truncate(text.Escape(s.Name), max(p.width/4, 12))))
	}
	left = append(left, s.tempo(t))
	if s.still() {
		left = append(left, piece(7, t.warn, "time stands still"))
	}
	left = append(left, scoreSegments(t, s.Lanes)...)
	p.spread(left, m.controlHints(), p.air())
}

// controlHints are the keys that control the demo.
func (m *model) controlHints() []segment {
	t, k := m.theme, m.keys
	var list []segment
	if m.scene.Fault != "" {
		list = append(list, m.hint(1, k.Fault, text.Truncate(text.Legible(m.scene.Fault), max(m.width/4, 16))))
	}
	hold, step := "hold", 6
	if m.scene.still() {
		hold, step = "go on", 3
	}
	tempo := segment{rank: 7, parts: []part{{t.key, k.Slower.Help().Key + " " + k.Faster.Help().Key}, {t.plain, " tempo"}}}
	return append(list, m.hint(step, k.Step, "step"), m.hint(2, k.Hold, hold), tempo, m.hint(9, k.Restart, "restart"))
}

// still says that time stands still, and nothing will happen before the user says so.
func (s *Scene) still() bool { return s.Held && !s.Stepping }

// tempo is how fast the demo goes, with a glyph.
func (s *Scene) tempo(t *theme) segment {
	switch {
	case s.still(), s.Reel != nil && s.Reel.Ended:
		return piece(0, t.badgeWarn, " "+s.tempoText()+" ")
	case s.Stepping:
		return piece(0, t.accent, s.tempoText())
	}
	return piece(0, t.plain, s.tempoText())
}

func (s *Scene) tempoText() string {
	switch {
	case s.Reel != nil && s.Reel.Ended:
		return "■ end"
	case s.still():
		return "‖ held"
	case s.Stepping:
		return "▶| step"
	case s.Rate == 0.5:
		return "▶ ½x"
	case s.Rate == 0.25:
		return "▶ ¼x"
	case s.Rate == 0.125:
		return "▶ ⅛x"
	}
	return "▶ " + strconv.FormatFloat(s.Rate, 'g', 3, 64) + "x"
}

// scoreSegments are what the workers of all lanes did. Where some of the lanes are flawed, their faults are told by
// themselves: those are what is to be shown, and a fault of a sound lane never is.
func scoreSegments(t *theme, lanes []Lane) []segment {
	if len(lanes) == 0 {
		return nil
	}
	var acquisitions, sound, flawed, flaws int
	for i := range lanes {
		acquisitions += lanes[i].Acquisitions
		if lanes[i].Flawed {
			flaws++
			flawed += lanes[i].Faults
		} else {
			sound += lanes[i].Faults
		}
	}
	done := text.Plural(int64(acquisitions), "acquisition")
	look := t.good
	if sound > 0 {
		look = t.bad
	}
	if flaws == 0 {
		return []segment{{rank: 5, parts: []part{{t.plain, done + ", "}, {look, faultsText(sound, "no faults")}}}}
	}
	list := []segment{piece(8, t.plain, done), piece(5, t.odd, "flawed: "+faultsText(flawed, "no faults"))}
	if flaws < len(lanes) {
		list = append(list, piece(5, look, "sound: "+faultsText(sound, "none")))
	}
	return list
}

// faultsText is a number of faults, and none in the given words.
func faultsText(n int, none string) string {
	if n == 0 {
		return none
	}
	return text.Plural(int64(n), "fault")
}
