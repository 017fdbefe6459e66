package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/text"
)

// Lapsing is an [Operator] that may act for a time only; *actions.Operator is one.
type Lapsing interface {
	// WritableUntil is when actions begin to be refused; zero: never.
	WritableUntil() time.Time
	// WriteFor is for how long Rearm makes them possible again.
	WriteFor() time.Duration
	Rearm() (time.Time, error)
}

// nearlyOver is when the time that is left for writing is pointed out.
const nearlyOver = time.Minute

// rearmedMsg is the answer to the wish to write for longer.
type rearmedMsg struct {
	until time.Time
	err   error
}

// writable is for how long actions are possible; bounded is false where they always are, or never.
func (m *model) writable() (left time.Duration, bounded bool) {
	l, is := m.config.Operator.(Lapsing)
	if !is || m.config.Operator.ReadOnly() {
		return 0, false
	}
	until, now := l.WritableUntil(), m.clock()
	// Of a clock that was set, and of one that stood still while the machine slept, that one counts by which less is left.
	return min(until.Sub(now), until.Round(0).Sub(now.Round(0))), !until.IsZero()
}

// lapsed says that actions were possible, and are not any more.
func (m *model) lapsed() bool {
	left, bounded := m.writable()
	return bounded && left <= 0
}

// guardSegments are the badges that say what may be done here.
func (m *model) guardSegments(t *theme) []segment {
	var list []segment
	if m.config.Production {
		list = append(list, productionBadge(t))
	}
	left, bounded := m.writable()
	switch {
	case m.config.Operator.ReadOnly(), bounded && left <= 0:
		list = append(list, piece(1, t.badge, " READ-ONLY "))
	case bounded && left < nearlyOver:
		list = append(list, piece(1, t.badgeWarn, " WRITE "+countdown(left)+" "))
	case bounded:
		list = append(list, piece(1, t.badge, " WRITE "+countdown(left)+" "))
	}
	return list
}

func productionBadge(t *theme) segment { return piece(0, t.badgeBad, " PRODUCTION ") }

// countdown is a time as a kitchen clock shows it. It is rounded up: nought is when it is over.
func countdown(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	if d%time.Second > 0 {
		s++
	}
	two := func(n int64) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
	if s >= 3600 {
		return text.Count(s/3600) + ":" + two(s/60%60) + ":" + two(s%60)
	}
	return text.Count(s/60) + ":" + two(s%60)
}

// openRearm asks whether to write for as long again.
func (m *model) openRearm() tea.Cmd {
	d := &dialog{rearm: m.config.Operator.(Lapsing).WriteFor(), controls: []control{controlCancel, controlConfirm}}
	d.demandIn(m.config, profileName(m.config))
	m.dialog = d
	return nil
}

// rearm makes actions possible again, outside Update: it is put on record first.
func (m *model) rearm() tea.Cmd {
	operator := m.config.Operator.(Lapsing)
	return guard(func() tea.Msg {
		until, err := operator.Rearm()
		return rearmedMsg{until, err}
	})
}

func (m *model) takeRearmed(msg rearmedMsg) {
	if msg.err != nil {
		m.toast = failedToast(errorText(msg.err), m.clock())
		return
	}
	m.toast = infoToast("writing until "+clockText(msg.until, m.clock()), m.clock())
}

func (d *dialog) describeRearm(m *model, width int) [][]part {
	t := m.theme
	span := text.Span(d.rearm)
	var lines [][]part
	for _, said := range []string{
		"Write for another " + span + "?",
		"Actions are possible for " + span + " at a time here, so that a dashboard that was left open cannot act. That is over since " +
			clockText(m.config.Operator.(Lapsing).WritableUntil(), m.clock()) + ". It is kept in the audit.",
	} {
		for _, line := range wrapWords(said, width) {
			lines = append(lines, []part{{t.plain, line}})
		}
	}
	return lines
}
