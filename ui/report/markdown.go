package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"time"

	"locktop/actions"
	"locktop/ui/text"
)

// Markdown is the report for people, for a ticket or a chat.
func (i *Incident) Markdown() []byte {
	p := &page{at: i.At}
	p.line("# Incident report: %s", i.title())
	p.line("")
	p.item("when", stamp(i.At))
	p.item("where", code(i.Where))
	if i.Profile != "" {
		p.item("profile", code(i.Profile))
	}
	if i.Environment != "" {
		p.item("environment", code(i.Environment))
	}
	if i.Recording != "" {
		p.item("from the recording", code(i.Recording))
	}
	p.item("by", code(i.Locktop))
	p.sight(i)
	locks, left := i.locks()
	for _, l := range locks {
		p.lock(i, l)
		if i.Recording == "" && len(locks) <= maxCommands {
			p.commands(Commands(l, i.At))
		}
	}
	if len(locks) == 0 {
		p.line("")
		p.line("No lock is suspect.")
	}
	if left > 0 {
		p.line("")
		p.line("%d more locks are left out.", left)
	}
	p.events(i)
	p.actions(i)
	return p.Bytes()
}

// title names what it is about, in Markdown.
func (i *Incident) title() string {
	switch {
	case i.All:
		return fmt.Sprintf("%d suspects", len(i.Locks))
	case len(i.Locks) == 1:
		return code(i.Locks[0].Key)
	default:
		return fmt.Sprintf("%d locks", len(i.Locks))
	}
}

// page is a page of Markdown under way. What comes from elsewhere is written by [code] or [prose], and by nothing else.
type page struct {
	bytes.Buffer
	at time.Time
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.Buffer, format+"\n", args...) }

func (p *page) item(name, value string) {
	if value != "" {
		p.line("- **%s:** %s", name, value)
	}
}

func (p *page) heading(level int, title string) {
	p.line("")
	p.line("%s %s", strings.Repeat("#", level), title)
	p.line("")
}

// table writes rows of cells that cannot hold a pipe.
func (p *page) table(head []string, rows [][]string) {
	p.line("| %s |", strings.Join(head, " | "))
	p.line("|%s", strings.Repeat(" --- |", len(head)))
	for _, row := range rows {
		p.line("| %s |", strings.Join(row, " | "))
	}
}

// sight says how locktop saw.
func (p *page) sight(i *Incident) {
	p.heading(2, "How it was seen")
	var rows [][]string
	for n := range i.Snapshot.Nodes {
		s := &i.Snapshot.Nodes[n]
		feed := string(s.Feed)
		if !s.Connected {
			feed = "no answer"
			if !s.StaleSince.IsZero() {
				feed += " since " + stamp(s.StaleSince)
			}
		}
		gaps := fmt.Sprint(s.Gaps)
		if s.Gaps > 0 {
			gaps += ", the last " + stamp(s.LastGap) + ": " + prose(s.LastGapWhy)
		}
		pass := "-"
		if !s.LastPass.Ended.IsZero() {
			pass = text.Ago(i.At.Sub(s.LastPass.Ended))
		}
		rows = append(rows, []string{
			code(string(s.Node)), prose(strings.TrimSpace(s.Software + " " + s.Version + " " + s.Role)), prose(feed), lag(s.Lag),
			signed(s.ClockOffset), pass, gaps, prose(cmp.Or(s.Err, s.FeedReason, "-")),
		})
	}
	p.table([]string{"node", "server", "feed", "lag", "its clock", "last complete pass", "gaps", "trouble"}, rows)
	if !i.Snapshot.Complete {
		p.line("")
		p.line("Not every key was looked at: the first pass is not complete.")
	}
	p.unseen(i.Snapshot)
}

func (p *page) events(i *Incident) {
	p.heading(2, "Events")
	events, earlier := i.events()
	if len(events) == 0 {
		said := "None were seen."
		if i.Once {
			said = "It was looked at once: nothing is known of what happened before."
		}
		p.line("%s", said)
		return
	}
	if earlier > 0 {
		p.line("The last %d; %d before them are left out.", len(events), earlier)
		p.line("")
	}
	var rows [][]string
	for n := range events {
		e := &events[n]
		key, held := "-", "-"
		if e.Key != "" {
			key = code(e.Key)
		}
		if e.Held > 0 {
			if held = text.Lag(e.Held); !e.HeldExact {
				held = "at least " + held
			}
		}
		rows = append(rows, []string{
			stamp(e.At), prose(e.Word()), key, who(e.Owner, e.Label), who(e.PreviousOwner, ""), held, prose(cmp.Or(string(e.Cause), e.Text, "-")),
		})
	}
	p.table([]string{"at", "event", "key", "owner", "before", "held", "why"}, rows)
}

// actions tells what was done in this session.
func (p *page) actions(i *Incident) {
	if i.Recording != "" || i.Once {
		return
	}
	p.heading(2, "Actions of this session")
	var rows [][]string
	for n := range i.Actions {
		a := &i.Actions[n]
		key, owner, outcome := codeOr(a.Key), codeOr(a.Saw.Owner), prose(cmp.Or(string(a.Outcome), "-"))
		verb := string(a.Verb)
		if a.Asked.DryRun {
			verb += ", dry run"
		}
		if a.Phase == actions.PhaseIntent {
			outcome = "unknown: no outcome was written"
		}
		if a.Phase == actions.PhaseSession {
			verb = "writing: " + verb
		}
		rows = append(rows, []string{
			stamp(a.At), code(a.Actor.User + "@" + a.Actor.Host), prose(verb), key, owner,
			outcome, prose(cmp.Or(a.Asked.Reason, "-")), prose(cmp.Or(a.Error, a.Detail, "-")),
		})
	}
	switch {
	case i.AuditTrouble != "":
		p.line("They cannot be told: %s.", prose(i.AuditTrouble))
	case len(rows) == 0:
		p.line("None.")
	default:
		p.table([]string{"at", "by", "action", "key", "owner", "outcome", "reason", "detail"}, rows)
	}
	if i.Audit != "" {
		p.line("")
		p.line("All actions are in the audit: %s.", code(i.Audit))
	}
}

// stamp is an instant as it stands in a report.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05.000Z")
}

// lag is a time to a server and back; zero: it was not measured.
func lag(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return text.Lag(d)
}

// signed is a difference of clocks; zero: it is not known, or there is none.
func signed(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	if d > 0 {
		return "+" + text.Lag(d)
	}
	return text.Lag(d)
}
