package tui

import (
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
)

// timelineShown is the timeline that is on the screen, with its lock, the moment that it shows, and the span that it has unless it is zoomed;
// false: there is none.
func (m *model) timelineShown() (t *timeline, l *inspector.Lock, now time.Time, usual time.Duration, shown bool) {
	switch {
	case m.detail != nil:
		l = m.detail.lock
		now = m.momentOf(l)
		return &m.detail.time, l, now, usualSpan(l, now), len(l.History) > 0
	case m.view == viewLocks && m.shown != nil && m.layout().pane.height > 0:
		if l = m.table.current(); l != nil && (l.Quorum == nil || !unheld(l)) {
			return &m.paneTime, l, m.momentOf(l), paneSpan, true
		}
	}
	return nil, nil, time.Time{}, 0, false
}

// handleTimeKey zooms and scrolls the timeline. It says whether the key was one for that.
func (m *model) handleTimeKey(msg tea.KeyMsg) bool {
	k := m.keys
	if !key.Matches(msg, k.ZoomIn, k.ZoomOut, k.Earlier, k.Later, k.Now) {
		return false
	}
	t, l, now, usual, shown := m.timelineShown()
	if !shown {
		return true
	}
	if m.detail != nil {
		m.detail.reveal = true
	}
	switch oldest := oldestOf(l, now); {
	case key.Matches(msg, k.ZoomIn):
		t.zoom(true, now, usual)
	case key.Matches(msg, k.ZoomOut):
		t.zoom(false, now, usual)
	case key.Matches(msg, k.Now):
		t.now()
	case key.Matches(msg, k.Later):
		t.scroll(false, now, usual, oldest)
	case !t.scroll(true, now, usual, oldest):
		m.toast = infoToast("no hold of before "+clockText(oldest, now)+" is known", m.clock())
	}
	return true
}
