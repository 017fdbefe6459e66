package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// overlay is what lies over the screen and alone has the keyboard, until it is closed: a dialog, a panel, the help.
type overlay struct {
	handle func(tea.KeyMsg) tea.Cmd
	paint  func(*painter)
	hints  func() []segment
	// asks: it asks for something to be done. The screen stands still behind it, and no key that was typed before it could be read is
	// for it.
	asks bool
	// paste puts pasted text where text is asked for; nil: nowhere is.
	paste func(tea.KeyMsg)
	// offset is the first line that is shown of what it scrolls, by the wheel too; nil: it does not scroll so.
	offset *int
}

// overlay is the one that is on top; false: none is open. This is the only order among them, for keys, pastes, the mouse, the hints
// and the picture alike.
func (m *model) overlay() (o overlay, open bool) {
	switch {
	case m.dialog != nil:
		return overlay{handle: m.handleDialogKey, paint: m.overlayDialog, hints: m.dialogHints, asks: true, paste: m.dialog.paste}, true
	case m.probe != nil:
		return overlay{handle: m.handleProbeKey, paint: m.overlayProbe, hints: m.probeHints, asks: m.probe.running == nil, paste: m.probe.paste}, true
	case m.run != nil:
		return overlay{handle: m.handleRunKey, paint: m.overlayRun, hints: m.runHints, offset: &m.run.offset}, true
	case m.lastActions != nil:
		return overlay{handle: m.handleActionPanelKey, paint: m.overlayActionPanel, hints: m.actionPanelHints, offset: &m.lastActions.offset}, true
	case m.help:
		return overlay{handle: m.handleHelpKey, paint: m.overlayHelp, hints: m.helpHints, offset: &m.helpOffset}, true
	case m.chooser != nil: // which the help may lie over
		return overlay{handle: m.handleChooserKey, paint: m.overlayChooser, hints: m.chooserHints}, true
	}
	return overlay{}, false
}

// overlaid says that an overlay is open, of whatever kind.
func (m *model) overlaid() bool {
	_, open := m.overlay()
	return open
}

// asks says that one asks for something to be done.
func (m *model) asks() bool {
	o, _ := m.overlay()
	return o.asks
}

// scroll scrolls what an overlay shows, by a page of so many lines or by one. Where the end is is known when it is drawn.
func (k keyMap) scroll(msg tea.KeyMsg, offset *int, page int) {
	switch {
	case key.Matches(msg, k.Up):
		*offset--
	case key.Matches(msg, k.Down):
		*offset++
	case key.Matches(msg, k.PageUp, k.HalfUp):
		*offset -= page
	case key.Matches(msg, k.PageDown, k.HalfDown):
		*offset += page
	case key.Matches(msg, k.Top):
		*offset = 0
	case key.Matches(msg, k.Bottom):
		*offset = 1 << 20
	}
	*offset = max(*offset, 0)
}
