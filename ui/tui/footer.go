package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"

	"locktop/ui/text"
)

// hint is a key and a word for what it does, with its rank as in [segment].
func (m *model) hint(rank int, b key.Binding, word string) segment {
	keyStyle, wordStyle := m.theme.key, m.theme.plain
	m.noteHint(b, word)
	if !b.Enabled() {
		keyStyle, wordStyle = m.theme.faint, m.theme.faint
	}
	return segment{rank: rank, parts: []part{{keyStyle, b.Help().Key}, {wordStyle, " " + word}}}
}

// paintFooter paints the hints for where the user is. Help and the way out are there at any width.
func (m *model) paintFooter(p *painter) {
	k, many := m.keys, ""
	if n := len(m.table.marks); n > 0 {
		many = " " + text.Count(int64(n)) // the keys act on all that is marked
	}
	m.mouse.hints = m.mouse.hints[:0]
	var left []segment
	listing := m.dialog == nil && m.run == nil && m.probe == nil && m.deeds == nil && !m.help && m.chooser == nil && !m.typing && m.detail == nil
	switch {
	case m.dialog != nil:
		left = []segment{m.hint(1, k.Next, "next"), m.hint(0, k.Choose, "choose"), m.hint(2, k.PageDown, "more"), m.hint(0, k.Cancel, "cancel")}
	case m.probeAsks():
		left = []segment{m.hint(1, k.Next, "next"), m.hint(0, k.Choose, "choose"), m.hint(0, k.Cancel, "cancel")}
	case m.probe != nil:
		left = []segment{m.hint(0, k.Cancel, "end the probe")}
	case m.run != nil:
		left = m.runHints()
	case m.deeds != nil:
		left = []segment{piece(1, p.theme.faint, "↑↓ scroll"), m.hint(0, k.Back, "back")}
	case m.help:
		left = []segment{m.hint(0, k.Back, "back"), piece(1, p.theme.faint, "↑↓ scroll")}
	case m.chooser != nil:
		left = []segment{
			piece(3, p.theme.faint, "↑↓ move"), m.hint(0, k.Freeze, "shows or hides"), m.hint(2, k.Save, "save"), m.hint(0, k.Back, "close"),
			m.hint(1, k.Help, "help"),
		}
	case m.typing:
		left = []segment{m.hint(0, k.Choose, "keep"), m.hint(0, k.Back, "clear"), piece(1, p.theme.faint, "text, or a glob with * ? [")}
	case m.detail != nil:
		left = []segment{
			piece(3, p.theme.faint, "↑↓ scroll"), m.hint(2, k.Release, "release"), m.hint(2, k.Extend, "extend"),
			m.hint(2, k.Expire, "force-expire"), m.hint(3, k.Probe, "probe"), m.hint(4, k.Copy, "copy key"), m.hint(5, k.CopyCommand, "copy command"),
			m.hint(6, k.ZoomIn, "zoom"), m.hint(7, k.Earlier, "earlier"), m.hint(8, k.Report, "report"),
			m.hint(0, k.Back, "back"), m.hint(0, k.Help, "help"),
		}
	case m.view == viewDemo:
		left = []segment{
			piece(7, p.theme.faint, "↑↓ scroll"), m.hint(1, k.Locks, "locks"), m.hint(8, k.Events, "events"),
			m.hint(9, k.Freeze, "freeze"), m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
		if m.height < heightTempo {
			left = slices.Insert(left, 1, m.controlHints()...)
		}
	case m.onHolderPage():
		left = []segment{
			piece(6, p.theme.faint, "↑↓ move"), m.hint(2, k.Open, "detail"), m.hint(3, k.Release, "release"), m.hint(4, k.Extend, "extend"),
			m.hint(4, k.Expire, "force-expire"), m.hint(5, k.Copy, "copy key"), m.hint(0, k.Back, "back"), m.hint(0, k.Help, "help"),
		}
	case m.view == viewHolders:
		left = []segment{
			piece(8, p.theme.faint, "↑↓ move"), m.hint(2, k.Open, "its locks"), m.hint(1, k.Locks, "locks"), m.hint(3, k.Filter, "filter"),
			m.hint(5, k.Suspects, "suspects"), m.hint(4, k.Release, "release all"), m.hint(7, k.Extend, "extend all"),
			m.hint(6, k.Expire, "force-expire all"), m.hint(6, k.Sort, "sort"), m.hint(7, k.Freeze, "freeze"), m.hint(0, k.Help, "help"),
			m.hint(0, k.Quit, "quit"),
		}
	case m.view == viewEvents:
		left = []segment{
			m.hint(1, k.Locks, "locks"), m.hint(5, k.Open, "detail"), m.hint(2, k.Filter, "filter"), m.hint(3, k.Suspects, "trouble"),
			m.hint(4, k.Freeze, "freeze"), m.hint(6, k.Bottom, "newest"), m.hint(7, k.Copy, "copy key"),
			m.hint(8, k.CopyCommand, "copy line"), m.hint(9, k.Nodes, "nodes"), m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
	case m.view == viewNodes && !m.mapped():
		left = []segment{
			piece(4, p.theme.faint, "↑↓ move"), m.hint(1, k.Locks, "locks"), m.hint(3, k.Events, "events"), m.hint(2, k.Freeze, "freeze"),
			m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
	default:
		other := m.hint(8, k.Nodes, "nodes")
		switch {
		case m.view == viewNodes:
			other = m.hint(1, k.Locks, "locks")
		case len(m.shownNodes()) > 1:
			other = m.hint(5, k.Nodes, "nodes")
		}
		left = []segment{
			piece(9, p.theme.faint, "↑↓ move"), m.hint(3, k.Open, "detail"), m.hint(2, k.Filter, "filter"),
			m.hint(5, k.Suspects, "suspects"), m.hint(4, k.Release, "release"+many), m.hint(6, k.Extend, "extend"+many),
			m.hint(6, k.Expire, "force-expire"+many), m.hint(7, k.Freeze, "freeze"), m.hint(8, k.Holders, "holders"), m.hint(8, k.Events, "events"), other, m.hint(9, k.Probe, "probe"),
			m.hint(9, k.Sort, "sort"), m.hint(10, k.Columns, "columns"), m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
		if m.view == viewLocks && m.layout().pane.height > 0 {
			left = slices.Insert(left, len(left)-2, m.hint(10, k.ZoomIn, "zoom"), m.hint(11, k.Earlier, "earlier"))
		}
	}
	if listing && m.onLocks() && len(m.table.rows) == 0 { // there is nothing to act upon
		left = []segment{
			m.hint(2, k.Events, "events"), m.hint(3, k.Nodes, "nodes"), m.hint(4, k.Freeze, "freeze"),
			m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
		if !m.order.filter.empty() || m.order.suspects {
			left = slices.Insert(left, 0, m.hint(1, k.Back, "show all"))
		}
	}
	if k.Demo.Enabled() && listing && m.view != viewDemo {
		left = slices.Insert(left, len(left)-2, m.hint(3, k.Demo, "demo"))
	}
	p.spread(left, nil, p.air())
}
