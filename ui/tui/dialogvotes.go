package tui

import (
	"fmt"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// refusedBy is the replica on which a lock was seen; nil: it was seen on a master. Nothing can be done on a replica.
func refusedBy(s *inspector.Snapshot, l *inspector.Lock) *keyspace.Status {
	if n := statusOf(s, l.Node); l.Quorum == nil && n != nil && isReplica(n) {
		return n
	}
	return nil
}

// refusal says that a replica takes no action.
func refusal(verb actions.Verb, n *keyspace.Status) string {
	said := string(verb) + " is refused: " + text.Escape(string(n.Node)) + " is a " + replicaText(n)
	if n.Replication.MasterAddr == "" {
		return said + "; look at its master"
	}
	return said + "; look at that one"
}

// masterLines say on which masters of a Redlock the action is done: on all that have the lock for the holder. Those that
// cannot be reached may have it too, and keep it.
func (d *dialog) masterLines(t *theme, width int) [][]part {
	q := d.lock.Quorum
	if q == nil {
		return nil
	}
	r := actions.Request{Verb: d.verb, Lock: d.lock}
	if d.holder < len(d.lock.Holders) {
		r.Owner = d.lock.Holders[d.holder].Owner
	}
	var acts, beyond []string
	for i, n := range actions.Foreseen(r) {
		name := text.Escape(string(n.Node))
		switch {
		case n.Asked:
			acts = append(acts, name)
		case n.Result == actions.ResultFailed, n.Result == actions.ResultDenied:
			beyond = append(beyond, name+" ("+t.ballotFace(q.Votes[i].Ballot).word+")")
		}
	}
	const nameWidth = 9
	row := func(name string, s style, list []string) [][]part {
		var lines [][]part
		for i, line := range wrap(enumerate(list, 2*(width-nameWidth)), width-nameWidth) {
			if i > 0 {
				name = ""
			}
			lines = append(lines, []part{{t.faint, text.PadRight(name, nameWidth)}, {s, line}})
		}
		return lines
	}
	lines := [][]part{{{t.faint, text.PadRight("votes", nameWidth)}, {t.votesStyle(q), quorumSentence(q)}}}
	if len(acts) == 0 {
		acts = []string{"no master: none that answers has it for this holder"}
	}
	lines = append(lines, row("acts on", t.plain, acts)...)
	if len(beyond) > 0 {
		lines = append(lines, row("✖ not on", t.warn, beyond)...)
	}
	return lines
}

// enumerate joins names as far as they fit into so many cells, and says how many more there are.
func enumerate(names []string, cells int) string {
	out := ""
	for i, name := range names {
		next := name
		if i > 0 {
			next = out + ", " + name
		}
		if more := fmt.Sprintf(" and %d more", len(names)-i); i > 0 && text.Width(next)+len(more) > cells {
			return out + more
		}
		out = next
	}
	return out
}
