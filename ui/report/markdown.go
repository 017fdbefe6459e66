package report

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/actions"
	"locktop/inspector"
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
}

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
	p.holders(l)
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
	p.votes(l)
	p.findings(l)
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

func (p *page) holders(l *inspector.Lock) {
	if len(l.Holders) == 0 {
		p.item("holder", "nobody")
	}
	for n := range l.Holders {
		h := &l.Holders[n]
		said := code(h.Owner)
		if h.Label != h.Owner && h.Label != "" {
			said += ", " + prose(h.Label)
		}
		if h.Count.Known {
			said += fmt.Sprintf(", entered %d times", h.Count.N)
		}
		if !h.ExpiresAt.IsZero() {
			said += ", until " + stamp(h.ExpiresAt)
		}
		p.item("holder", said)
		if h.Presence == nil {
			continue
		}
		p.line("  - connection %s%s", prose(string(h.Presence.Connection)), since(h.Presence.Since))
		for _, c := range h.Presence.Clients {
			p.line("  - client %s", code(strings.TrimSpace(fmt.Sprintf("%s %s id=%d age=%s idle=%s %s %s", c.Name, c.Addr, c.ID,
				text.Duration(c.Age), text.Duration(c.Idle), c.Library, c.LibraryVersion))))
		}
		if h.Presence.By != "" {
			p.line("  - told by: %s", prose(h.Presence.By))
		}
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
	case !ends:
		return "never ends"
	case left <= 0:
		return "over since " + stamp(p.at.Add(left))
	default:
		return text.Duration(left) + " left, until " + stamp(p.at.Add(left))
	}
}

func (p *page) held(l *inspector.Lock) string {
	switch {
	case l.HeldSince.IsZero():
		return ""
	case l.HeldExact:
		return text.Duration(p.at.Sub(l.HeldSince)) + ", since " + stamp(l.HeldSince)
	default:
		return "at least " + text.Duration(p.at.Sub(l.HeldSince)) + ", first seen " + stamp(l.HeldSince)
	}
}

func (p *page) renewals(l *inspector.Lock) string {
	if l.Renewals == 0 {
		return "none seen"
	}
	said := fmt.Sprint(l.Renewals)
	if l.RenewalPeriod > 0 {
		said += ", every " + text.Duration(l.RenewalPeriod)
	}
	if !l.LastRenewal.IsZero() {
		said += ", the last " + stamp(l.LastRenewal)
	}
	return said
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
	default:
		return code(owner) + " " + prose(label)
	}
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
			stamp(e.At), prose(string(e.Kind)), key, who(e.Owner, e.Label), who(e.PreviousOwner, ""), held, prose(cmp.Or(string(e.Cause), e.Text, "-")),
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
		if a.Phase != actions.PhaseOutcome {
			continue
		}
		rows = append(rows, []string{
			stamp(a.At), code(a.Actor.User + "@" + a.Actor.Host), prose(string(a.Verb)), code(a.Key), code(a.Saw.Owner),
			prose(string(a.Outcome)), prose(cmp.Or(a.Asked.Reason, "-")), prose(cmp.Or(a.Error, a.Detail, "-")),
		})
	}
	if len(rows) == 0 {
		p.line("None.")
	} else {
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

// code is a text from elsewhere as a code span, in which Markdown has no meaning: not of HTML, links, images or names of users. What
// would end the span or the cell of a table stands there as an escape, as [text.Escape] writes them, so that the text is one to one.
func code(s string) string {
	if s == "" {
		return "(empty)"
	}
	shown := strings.ReplaceAll(strings.ReplaceAll(text.Escape(s), "`", `\x60`), "|", `\x7c`)
	return "`" + shown + "`"
}

// prose is a sentence of ours, in which names may stand that come from elsewhere. It stays as it is where it has nothing but words; else
// it is a code span.
func prose(s string) string {
	if tame(s) {
		return s
	}
	return code(unescaped(s))
}

// unescaped undoes the escapes of names in a sentence, so that code does not escape them twice; a sentence that has others stays.
func unescaped(s string) string {
	if plain, err := text.Unescape(s); err == nil {
		return plain
	}
	return s
}

// tame says whether a text means nothing to Markdown, nor to the sites that show it: no link, no user, no number of an issue.
func tame(s string) bool {
	if s == "" || s != strings.TrimSpace(s) || !text.Printable(s) {
		return false
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(" .,;'\"()%?=/→≥≤", r):
		case r == '-' || r == '+' || r == ':':
		default:
			return false
		}
	}
	return !strings.Contains(s, "://") && !strings.Contains(strings.ToLower(s), "www.")
}
