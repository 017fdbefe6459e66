package tui

import (
	"locktop/keyspace"
	"locktop/ui/text"
)

// shortTrouble is why a node does not answer, in as few words as there are.
func shortTrouble(n *keyspace.Status) string {
	switch {
	case n.Trouble.Kind != "":
		return n.Trouble.Kind
	case n.Trouble.Why != "":
		return n.Trouble.Why
	}
	return n.Err
}

// silentPage says that nothing answers: what is wrong, why, and what mends it.
func (m *model) silentPage(g *page) {
	t, nodes := g.theme, m.latest.Nodes
	n := &nodes[0]
	what := text.Escape(string(n.Node))
	switch {
	case len(nodes) > 1:
		what = "none of " + text.Count(int64(len(nodes))) + " servers answers; of " + what
	case n.Trouble.Kind == "" && n.Trouble.Why != "":
		what += " serves nobody for now"
	case n.Trouble.Kind == keyspace.ErrAuth.Error(), n.Trouble.Kind == keyspace.ErrPermission.Error(), n.Trouble.Kind == keyspace.ErrFull.Error():
		what += " does not let us in: " + n.Trouble.Kind
	case n.Trouble.Kind == "", n.Trouble.Kind == keyspace.ErrUnreachable.Error(), n.Trouble.Kind == keyspace.ErrNoAnswer.Error():
		what += " does not answer"
	default:
		what += ": " + n.Trouble.Kind
	}
	if !n.StaleSince.IsZero() {
		what += ", since " + clockText(n.StaleSince, m.clock())
	}
	g.paragraph(nil, rowPrefix, t.bad, what)
	why := n.Trouble.Why
	if why == "" {
		why = n.Err
	}
	if why != "" {
		g.paragraph([]part{{t.faint, text.Spaces(rowPrefix) + "why   "}}, rowPrefix+6, t.plain, why)
	}
	mend := n.Trouble.Mend
	if mend == "" && n.Trouble.Kind == keyspace.ErrUnreachable.Error() {
		mend = "see whether the server runs, and whether its address and port are still these"
	}
	if mend != "" {
		g.paragraph([]part{{t.faint, text.Spaces(rowPrefix) + "mend  "}}, rowPrefix+6, t.strong, mend)
	}
	g.line()
	g.paragraph(nil, rowPrefix, t.faint, "locktop tries again by itself; "+m.keys.Quit.Help().Key+" quits")
}
