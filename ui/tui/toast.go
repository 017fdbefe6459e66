package tui

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"locktop/actions"
	"locktop/ui/text"
)

// toast is a message that lies over the lowest lines for some seconds. One that tells of a failure stays longer, and goes
// with esc.
type toast struct {
	text   string
	kind   toastKind
	until  time.Time
	sticky bool
	path   string // that it tells of, for the key that copies; empty: none
}

type toastKind int

// The kinds of toasts.
const (
	toastGood toastKind = iota
	toastInfo
	toastBad
)

const (
	toastFor    = 6 * time.Second
	toastBadFor = 30 * time.Second
	toastLines  = 4 // of a sentence; what follows it on lines of its own may take half the window
)

func infoToast(s string, now time.Time) toast {
	return toast{text: s, kind: toastInfo, until: now.Add(toastFor)}
}

// failedToast tells of a failure.
func failedToast(s string, now time.Time) toast {
	return toast{text: "✖ " + s, kind: toastBad, until: now.Add(toastBadFor), sticky: true}
}

// outcomeToast says how an action ended. What the screen shows does not change by it: the change is seen when it is
// observed.
func outcomeToast(msg outcomeMsg, now time.Time) toast {
	said := text.Legible(msg.outcome.Sentence(msg.request))
	if len(msg.outcome.Nodes) > 0 {
		said = strings.ReplaceAll(said, "; ", ";\n  ") // a line a master, and how the quorum stands
	}
	if msg.outcome.Result == actions.ResultUnknown {
		said += " (look again before you act again)"
	}
	if msg.outcome.Result.Done() {
		return toast{text: "✔ " + said, kind: toastGood, until: now.Add(toastFor)}
	}
	if msg.outcome.Result == actions.ResultDryRun {
		return infoToast(said, now)
	}
	failed := failedToast(said, now)
	if msg.outcome.Result == actions.ResultPartly {
		failed.text = "▲ " + said
	}
	return failed
}

func copiedToast(msg copiedMsg, now time.Time) toast {
	if msg.err != nil {
		return failedToast("could not copy: "+errorText(msg.err), now)
	}
	return infoToast("copied "+msg.what+proviso(), now)
}

// noticeToast lets a toast go when its time is over: as long after it was seen first as it was to last then.
func (m *model) noticeToast() {
	now := m.wall()
	if m.toast != m.noticed {
		m.noticed, m.ends = m.toast, now.Add(m.toast.until.Sub(m.clock()))
	}
	if m.toast.text != "" && !now.Before(m.ends) {
		m.toast, m.noticed = toast{}, toast{}
	}
}

// overlay lays the toast over the lines above the footer, and says over how many of them.
func (t toast) overlay(p *painter, l layout) int {
	if t.text == "" {
		return 0
	}
	s := p.theme.toastGood
	switch t.kind {
	case toastInfo:
		s = p.theme.toastInfo
	case toastBad:
		s = p.theme.toastBad
	case toastGood:
	}
	lines := wrap(t.text, p.width-2)
	most := toastLines
	if strings.Contains(t.text, "\n") {
		most = max(l.height/2, toastLines)
	}
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = text.Truncate(lines[most-1]+"…", p.width-2)
	}
	bottom := l.footer.top
	if l.footer.height == 0 {
		bottom = l.height
	}
	for i, line := range lines {
		at := bottom - len(lines) + i
		if at < 0 || at >= len(p.lines) {
			continue
		}
		p.put(s, " "+text.PadRight(text.Drawable(line), max(p.width-2, 0))+" ")
		p.lines[at] = p.take()
	}
	return len(lines)
}

// wrap breaks a text at blanks into lines of at most width cells, and what has no blank anywhere.
func wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	return splitLines(ansi.Wrap(s, width, ""))
}
