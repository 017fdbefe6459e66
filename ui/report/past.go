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

// This file tells in Markdown what is known of a lock's past: figures, who was seen asking for it, who lost it, and when nobody looked.

// maxUnseen bounds the times that are listed in which nothing was seen; the latest ones are.
const maxUnseen = 50

// figures are the statistics of a lock.
func (p *page) figures(l *inspector.Lock) {
	if times := l.HoldTimes(); times.Count > 0 {
		about := ""
		if times.Approximate {
			about = ", within 9 %"
		}
		p.item("held for", fmt.Sprintf("p50 %s, p90 %s, p99 %s, at most %s (%s seen from begin to end%s)", text.Lag(times.P50),
			text.Lag(times.P90), text.Lag(times.P99), text.Lag(times.Max), counted(times.Count, "hold"), about))
	}
	perMinute := l.AcquisitionsPerMinute(p.at)
	if hour := perMinute.Last(len(perMinute)); hour > 0 {
		p.item("acquired", fmt.Sprintf("%s in this minute, %d in the last 5, %d in the last hour", counted(perMinute.Last(1), "time"), perMinute.Last(5), hour))
	}
	if waiters, seen := l.WaitersPerMinute(p.at); seen {
		p.item("waiters at most", fmt.Sprintf("%d in the last 5 minutes, %d in the last hour", slices.Max(waiters[len(waiters)-5:]), slices.Max(waiters[:])))
	}
}

// renewals tells how regularly the holder renews.
func (p *page) renewals(l *inspector.Lock) string {
	if l.Renewals == 0 {
		return "none seen"
	}
	said, rhythm := fmt.Sprint(l.Renewals), l.Rhythm()
	switch {
	case rhythm.Period > 0:
		said += ", every " + text.Lag(rhythm.Period)
		if len(rhythm.Gaps) > 1 {
			said += " ± " + text.Lag(rhythm.Jitter)
		}
	case l.RenewalPeriod > 0:
		said += ", every " + text.Lag(l.RenewalPeriod)
	}
	if !l.LastRenewal.IsZero() {
		said += ", the last " + stamp(l.LastRenewal)
	}
	if due := rhythm.Due(); !due.IsZero() && due.Before(p.at) {
		said += fmt.Sprintf("; the next one was expected %s", stamp(due))
	}
	return said
}

// losses tells who lost the lock while at work, the latest first.
func (p *page) losses(l *inspector.Lock) {
	first := true
	for _, h := range slices.Backward(l.History) {
		if !h.WasLost() {
			continue
		}
		if first {
			p.heading(3, "Lost while held")
			first = false
		}
		noticed := "nobody saw that it noticed"
		if !h.Lost.Until.IsZero() {
			noticed = fmt.Sprintf("it noticed after %s at the latest", text.Lag(h.Lost.Until.Sub(h.Lost.At)))
		}
		p.line("- %s, %s: %s; %s", stamp(h.Lost.At), who(h.Owner, h.Label), prose(strings.TrimSuffix(h.Lost.Text, ".")), noticed)
	}
}

// sample tells who was seen asking for the lock.
func (p *page) sample(s *inspector.Sample) {
	if s == nil {
		return
	}
	p.heading(3, "Who waits: a sample by a contention probe")
	p.line("locktop listened to the commands of %s from %s for %s%s. Who asks less often was not heard.", counted(len(s.Nodes), "server"), stamp(s.From),
		text.Lag(s.Span()), ended(s))
	p.line("")
	p.item("attempts", s.AttemptsText())
	p.item("waiting", s.WaitingText())
	if len(s.Clients) > 0 {
		p.line("")
		var rows [][]string
		for i := range s.Clients {
			c := &s.Clients[i]
			library := strings.TrimSpace(c.Library + " " + c.LibraryVersion)
			owner := "-"
			switch {
			case c.Owners > 1:
				owner = fmt.Sprintf("%d different ones", c.Owners)
			case c.Owner != "":
				owner = code(c.Owner)
			}
			state := "-"
			if c.Waiting {
				state = "yes"
			}
			rows = append(rows, []string{
				code(c.Addr), codeOr(c.Name), codeOr(library), owner, fmt.Sprint(c.Attempts), fmt.Sprint(c.Failed), fmt.Sprint(c.Acquired), fmt.Sprint(c.Waits),
				state, stamp(c.Last),
			})
		}
		p.table([]string{"from", "name", "library", "owner", "attempts", "in vain", "acquired", "blocked or subscribed", "waiting at the end", "last seen"}, rows)
	}
	if s.More > 0 {
		p.line("")
		p.line("Left out: %s.", counted(s.More, "more client"))
	}
}

func ended(s *inspector.Sample) string {
	if said := strings.TrimPrefix(s.EndText(), ", "); said != "" {
		return ", " + prose(said)
	}
	return ""
}

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// codeOr is a text as a code span; empty: a dash.
func codeOr(s string) string {
	if s == "" {
		return "-"
	}
	return code(s)
}

// unseen lists when changes may have been missed: what a lock was then, nobody knows.
func (p *page) unseen(s *inspector.Snapshot) {
	if len(s.Unseen) == 0 {
		return
	}
	p.heading(3, "When changes may have been missed")
	list, left := latestUnseen(s)
	if left > 0 {
		p.line("The last %d; %d before them are left out.", len(list), left)
		p.line("")
	}
	var rows [][]string
	for _, u := range list {
		from, until := "ever before", "now"
		if !u.From.IsZero() {
			from = stamp(u.From)
		}
		if !u.To.IsZero() {
			until = stamp(u.To)
		}
		rows = append(rows, []string{code(string(u.Node)), fmt.Sprint(u.DB), from, until, prose(cmp.Or(u.Why, "-"))})
	}
	p.table([]string{"node", "database", "from", "until", "why"}, rows)
}

// latestUnseen are the times that a report has room for, oldest first, and how many there are before them.
func latestUnseen(s *inspector.Snapshot) (list []inspector.Unseen, left int) {
	list = slices.Clone(s.Unseen)
	slices.SortStableFunc(list, func(a, b inspector.Unseen) int { return a.From.Compare(b.From) })
	left = max(0, len(list)-maxUnseen)
	return list[left:], left
}

// connection tells of the clients of a holder what is known of them at the moment of the snapshot.
func (p *page) connection(s *inspector.Snapshot, h *inspector.Holder) {
	presence := h.Presence
	if presence == nil {
		return
	}
	said := prose(string(presence.Connection)) + since(presence.Since)
	if presence.Name != "" {
		said += ", called " + code(presence.Name)
	}
	if !presence.Seen.IsZero() {
		said += ", on a list last " + stamp(presence.Seen)
	}
	p.line("  - connection %s", said)
	for _, c := range presence.Clients {
		age, idle := c.Age, c.Idle
		if now, at, is := s.Client(c); is {
			c, age, idle = now, now.Age+max(0, p.at.Sub(at)), now.Idle
		}
		facts := []string{c.Name, c.Addr, fmt.Sprintf("id=%d", c.ID)}
		if presence.Connection == inspector.ConnectionAlive {
			facts = append(facts, "age="+seconds(age), "idle="+seconds(idle))
		}
		if c.Subscriptions > 0 {
			facts = append(facts, fmt.Sprintf("subscriptions=%d", c.Subscriptions))
		}
		if c.User != "" && c.User != "default" {
			facts = append(facts, "user="+c.User)
		}
		facts = append(facts, inspector.LibraryOf(&c))
		facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" })
		p.line("  - client %s", code(strings.Join(facts, " ")))
	}
	if presence.By != "" {
		p.line("  - told by: %s", prose(presence.By))
	}
}

// seconds is a duration that is not known any better.
func seconds(d time.Duration) string { return d.Truncate(time.Second).String() }
