package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
)

// hint is a key and a word for what it does, with its rank as in [segment].
func (m *model) hint(rank int, b key.Binding, word string) segment {
	keyStyle, wordStyle := m.theme.key, m.theme.plain
	if !b.Enabled() {
		keyStyle, wordStyle = m.theme.faint, m.theme.faint
	}
	return segment{rank: rank, parts: []part{{keyStyle, b.Help().Key}, {wordStyle, " " + word}}}
}

// paintFooter paints the hints for where the user is. Help and the way out are there at any width.
func (m *model) paintFooter(p *painter) {
	k := m.keys
	var left []segment
	listing := m.dialog == nil && !m.help && !m.typing && m.detail == nil
	switch {
	case m.dialog != nil:
		left = []segment{m.hint(1, k.Next, "next"), m.hint(0, k.Choose, "choose"), m.hint(0, k.Cancel, "cancel")}
	case m.help:
		left = []segment{m.hint(0, k.Back, "back")}
	case m.typing:
		left = []segment{m.hint(0, k.Choose, "keep"), m.hint(0, k.Back, "clear"), piece(1, p.theme.faint, "text, or a glob with * ? [")}
	case m.detail != nil:
		left = []segment{
			piece(3, p.theme.faint, "↑↓ scroll"), m.hint(2, k.Release, "release"), m.hint(2, k.Extend, "extend"),
			m.hint(2, k.Expire, "force-expire"), m.hint(4, k.Copy, "copy key"), m.hint(5, k.CopyCommand, "copy command"), m.hint(6, k.Report, "report"),
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
	case m.view == viewEvents:
		left = []segment{
			m.hint(1, k.Locks, "locks"), m.hint(4, k.Open, "detail"), m.hint(3, k.Filter, "filter"),
			m.hint(2, k.Freeze, "freeze"), m.hint(5, k.Bottom, "newest"), m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
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
			m.hint(5, k.Suspects, "suspects"), m.hint(4, k.Release, "release"), m.hint(6, k.Extend, "extend"),
			m.hint(6, k.Expire, "force-expire"), m.hint(7, k.Freeze, "freeze"), m.hint(8, k.Events, "events"), other,
			m.hint(9, k.Sort, "sort"), m.hint(0, k.Help, "help"), m.hint(0, k.Quit, "quit"),
		}
	}
	if k.Demo.Enabled() && listing && m.view != viewDemo {
		left = slices.Insert(left, len(left)-2, m.hint(3, k.Demo, "demo"))
	}
	p.spread(left, nil, p.air())
}
