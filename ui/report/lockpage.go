package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/ui/text"
)

// lock tells all of one lock.
func (p *page) lock(i *Incident, l *inspector.Lock) {
	p.heading(2, code(l.Key))
	if i.Gone {
		p.line("It is not there any more; this is how it was seen last.")
		p.line("")
	}
	p.item("state", prose(string(l.StateAt(i.At))))
	p.item("kind", prose(strings.TrimSuffix(string(l.Scheme)+", "+string(l.Mode), ", ")))
	if names := l.LibraryNames(); names != "" {
		p.item("library", prose(names))
	}
	p.item("place", code(string(l.Node))+fmt.Sprintf(", database %d", l.DB))
	p.holders(i.Snapshot, l)
	p.item("lease", p.lease(l))
	p.item("held", p.held(l))
	p.item("renewals", p.renewals(l))
	p.item("waiters", waiters(l))
	if l.FencingToken != nil {
		p.item("fencing token", fmt.Sprint(*l.FencingToken))
	}
	for _, key := range l.CompanionKeys() {
		p.item("companion", code(key))
	}
	p.figures(l)
	p.votes(l)
	p.findings(l)
	p.losses(l)
	p.sample(l.Sample)
	p.history(l)
	if len(l.Evidence) > 0 {
		p.heading(3, "Why it is taken for a lock")
		for _, fact := range l.Evidence {
			p.line("- %s", prose(fact))
		}
	}
}

// commands are blocks of code: they are indented, and each is one line.
func (p *page) commands(list []Command) {
	if len(list) == 0 {
		return
	}
	p.heading(3, "Commands")
	p.line("Each acts only if the lock is still as it was seen.")
	for _, c := range list {
		p.line("")
		p.line("%s:", prose(c.Does))
		p.line("")
		p.line("    %s", text.Legible(c.Command))
	}
}

func (p *page) holders(s *inspector.Snapshot, l *inspector.Lock) {
	if len(l.Holders) == 0 {
		p.item("holder", "nobody")
	}
	for n := range l.Holders {
		h := &l.Holders[n]
		said := code(h.Owner)
		if h.Unknown() {
			said = h.Label + ", value " + said
		} else if h.Label != h.Owner && h.Label != "" {
			said += ", " + prose(h.Label)
		}
		if h.Count.Known {
			said += fmt.Sprintf(", entered %d times", h.Count.N)
		}
		if !h.ExpiresAt.IsZero() {
			said += ", until " + stamp(h.ExpiresAt)
		}
		p.item("holder", said)
		p.connection(s, h)
	}
}

func since(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return " since " + stamp(t)
}

func (p *page) lease(l *inspector.Lock) string {
	left, ends := l.TTLAt(p.at)
	switch state := l.StateAt(p.at); {
	case state == inspector.StateFreed:
		return prose(string(l.FreedBy)) + " " + stamp(l.FreedAt)
	case l.EndUnknown():
		return text.UnknownEnd
	case !ends:
		return "never ends"
	case left <= 0:
		return "over since " + stamp(p.at.Add(left))
	default:
		said := text.Duration(left) + " left, until " + stamp(p.at.Add(left))
		if l.EndsByField() {
			said += "; " + text.FieldLease(l.KeyLeft(p.at))
		}
		return said
	}
}

func (p *page) held(l *inspector.Lock) string {
	if l.State == inspector.StateFreed {
		_, _, held, exact := l.Ended()
		if !exact {
			return "at least " + text.Lag(held)
		}
		return text.Lag(held)
	}
	switch {
	case l.HeldSince.IsZero():
		return ""
	case l.HeldExact:
		return text.Duration(p.at.Sub(l.HeldSince)) + ", since " + stamp(l.HeldSince)
	default:
		return "at least " + text.Duration(p.at.Sub(l.HeldSince)) + ", first seen " + stamp(l.HeldSince)
	}
}

// waiters says how many there are, and how that is known.
func waiters(l *inspector.Lock) string {
	w := l.Waiters
	switch {
	case w.By == "" || w.By == inspector.WaitersNone:
		return "cannot be seen"
	case w.Exact || w.Count == 0:
		return fmt.Sprintf("%d, by %s", w.Count, prose(string(w.By)))
	case w.AtMost():
		return fmt.Sprintf("at most %d, by %s", w.Count, prose(string(w.By)))
	default:
		return fmt.Sprintf("at least %d, by %s", w.Count, prose(string(w.By)))
	}
}

func (p *page) votes(l *inspector.Lock) {
	if l.Quorum == nil {
		return
	}
	p.heading(3, fmt.Sprintf("Votes: %d of %d, %d needed", l.Quorum.For, len(l.Quorum.Votes), l.Quorum.Needed))
	var rows [][]string
	for n := range l.Quorum.Votes {
		v := &l.Quorum.Votes[n]
		owner, ends := "-", "-"
		if v.Owner != "" {
			if owner, ends = code(v.Owner), "never"; !v.ExpiresAt.IsZero() {
				ends = stamp(v.ExpiresAt)
			}
		}
		rows = append(rows, []string{code(string(v.Node)), prose(string(v.Ballot)), owner, ends, prose(cmp.Or(v.Detail, "-"))})
	}
	p.table([]string{"master", "vote", "owner", "ends", "why"}, rows)
}

func (p *page) findings(l *inspector.Lock) {
	p.heading(3, "Findings")
	if len(l.Findings) == 0 {
		p.line("None.")
	}
	for _, f := range l.Findings {
		p.line("- **%s** (%s): %s", prose(string(f.Code)), prose(string(f.Severity)), prose(f.Text))
		if f.Advice != "" {
			p.line("  - advice: %s", prose(f.Advice))
		}
	}
}

// history lists the holds, the latest first.
func (p *page) history(l *inspector.Lock) {
	if len(l.History) == 0 {
		return
	}
	p.heading(3, "Who held it, the latest first")
	var rows [][]string
	for _, h := range slices.Backward(l.History) {
		from, until, end, cause := stamp(h.Since), "now", p.at, "holds it"
		if !h.SinceExact {
			from = "before " + from
		}
		if !h.Until.IsZero() {
			until, end, cause = stamp(h.Until), h.Until, prose(string(h.Cause))
			if h.WasLost() {
				cause += ", **while it was at work**"
			}
		}
		held := text.Lag(end.Sub(h.Since))
		if !h.SinceExact || !h.Until.IsZero() && !h.UntilExact {
			held = "at least " + held
		}
		rows = append(rows, []string{from, until, held, who(h.Owner, h.Label), cause, fmt.Sprint(h.Renewals)})
	}
	p.table([]string{"from", "until", "held", "owner", "how it ended", "renewals"}, rows)
}

// who is an owner, and its label where that says more.
func who(owner, label string) string {
	switch {
	case owner == "":
		return "-"
	case label == "" || label == owner:
		return code(owner)
	case label == inspector.UnknownHolder:
		return label
	default:
		return code(owner) + " " + prose(label)
	}
}
