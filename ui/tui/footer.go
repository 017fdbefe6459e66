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
	k := m.keys
	m.mouse.hints = m.mouse.hints[:0]
	var left []segment
	over, overlaid := m.overlay()
	listing := !overlaid && !m.typing && m.detail == nil
	switch {
	case overlaid:
		left = over.hints()
	case m.typing:
		left = []segment{m.hint(0, k.Choose, "keep"), m.hint(0, k.Back, "clear"), piece(1, p.theme.faint, "text, or a glob with * ? [")}
	case m.detail != nil:
		left = []segment{
			piece(9, p.theme.faint, "↑↓ scroll"), m.hint(1, k.Release, "release"), m.hint(2, k.Extend, "extend"),
			m.hint(2, k.Expire, "force-expire"), m.hint(3, k.Probe, "probe"), m.hint(4, k.Copy, "copy key"), m.hint(5, k.CopyCommand, "copy command"),
			m.hint(6, k.Report, "report"), m.hint(7, k.ZoomIn, "zoom"), m.hint(8, k.Earlier, "earlier"),
			m.hint(0, k.Back, "back"), m.hint(0, k.Help, "help"),
		}
	case m.view == viewDemo:
		left = []segment{
			piece(9, p.theme.faint, "↑↓ scroll"), m.hint(1, k.Locks, "locks"), m.hint(7, k.Events, "events"),
			m.hint(8, k.Freeze, "freeze"), m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
		if m.height < heightTempo {
			left = slices.Insert(left, 1, m.controlHints()...)
		}
	case m.onHolderPage():
		left = []segment{
			piece(9, p.theme.faint, "↑↓ move"), m.hint(1, k.Open, "detail"), m.hint(2, k.Release, "release"), m.hint(4, k.Extend, "extend"),
			m.hint(4, k.Expire, "force-expire"), m.hint(3, k.Probe, "probe"), m.hint(5, k.Copy, "copy key"), m.hint(0, k.Back, "back"), m.hint(0, k.Help, "help"),
		}
	case m.view == viewHolders:
		left = []segment{
			piece(11, p.theme.faint, "↑↓ move"), m.hint(1, k.Open, "its locks"), m.hint(3, k.Filter, "filter"),
			m.hint(4, k.Suspects, "suspects"), m.hint(5, k.Release, "release all"), m.hint(9, k.Extend, "extend all"),
			m.hint(8, k.Expire, "force-expire all"), m.hint(2, k.Locks, "locks"), m.hint(6, k.Events, "events"),
			m.hint(7, k.Freeze, "freeze"), m.hint(8, k.Sort, "sort"), m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
	case m.view == viewEvents:
		left = []segment{
			m.hint(5, k.Open, "detail"), m.hint(2, k.Filter, "filter"), m.hint(3, k.Suspects, "trouble"), m.hint(1, k.Locks, "locks"),
			m.hint(8, k.Holders, "holders"), m.hint(8, k.Nodes, "nodes"), m.hint(4, k.Freeze, "freeze"), m.hint(6, k.Bottom, "newest"),
			m.hint(7, k.Copy, "copy key"), m.hint(9, k.CopyCommand, "copy line"), m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
	case m.view == viewNodes && !m.mapped():
		left = []segment{
			piece(9, p.theme.faint, "↑↓ move"), m.hint(1, k.Locks, "locks"), m.hint(4, k.Holders, "holders"), m.hint(2, k.Events, "events"),
			m.hint(3, k.Freeze, "freeze"), m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
	default:
		left = m.lockHints()
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

// lockHints are the keys of the table of locks, and of the map. What an operator wants first is ranked first: what is wrong and who is
// behind it, then what to do about it, and how it looks last.
func (m *model) lockHints() []segment {
	k, act, many := m.keys, 4, ""
	if n := len(m.table.marks); n > 0 { // the keys act on all that is marked, which is what marks are for
		act, many = 1, " "+text.Count(int64(n))
	}
	view := m.hint(10, k.Nodes, "nodes")
	switch {
	case m.view == viewNodes:
		view = m.hint(1, k.Locks, "locks")
	case len(m.shownNodes()) > 1:
		view = m.hint(5, k.Nodes, "nodes")
	}
	list := []segment{
		piece(13, m.theme.faint, "↑↓ move"), m.hint(1, k.Open, "detail"), m.hint(2, k.Filter, "filter"), m.hint(3, k.Suspects, "suspects"),
		m.hint(act, k.Release, "release"+many), m.hint(act+4, k.Extend, "extend"+many), m.hint(act+4, k.Expire, "force-expire"+many),
		m.hint(6, k.Probe, "probe"), m.hint(5, k.Holders, "holders"), m.hint(7, k.Events, "events"), view, m.hint(9, k.Freeze, "freeze"),
		m.hint(11, k.Sort, "sort"), m.hint(12, k.Columns, "columns"),
	}
	if m.view == viewLocks && m.layout().pane.height > 0 {
		list = append(list, m.hint(12, k.ZoomIn, "zoom"), m.hint(13, k.Earlier, "earlier"))
	}
	return append(list, m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"))
}
