package inspector

import (
	"fmt"
	"strings"
	"time"

	"locktop/keyspace"
)

// orphaned finds holders whose connection is gone. What is known of that comes with the holder: see attendance.
func orphaned(_ Thresholds, l *Lock, _ time.Time) (Finding, bool, time.Time) {
	var first *Holder
	gone := 0
	for i := range l.Holders {
		if l.Holders[i].Connection() != ConnectionGone {
			continue
		}
		if gone++; first == nil {
			first = &l.Holders[i]
		}
	}
	if first == nil || l.State == StateCooldown || l.State == StateExpired {
		return Finding{}, false, time.Time{}
	}
	f := Finding{Code: CodeOrphaned, Severity: SeverityWarning, Text: first.orphanedText()}
	if gone > 1 {
		f.Text += fmt.Sprintf(" So are those of %d more holders.", gone-1)
	}
	f.Advice = "Nobody will release it: it stays until its lease ends. Make sure that the process is dead, and release the lock."
	if l.leaseEnd().IsZero() {
		f.Advice = "Nobody will release it, and nothing else ends it. Make sure that the process is dead, and release the lock."
	}
	if l.State == StateStuck {
		f.Severity = SeverityCritical
	}
	return f, true, time.Time{}
}

// orphanedText is the evidence.
func (h *Holder) orphanedText() string {
	p := h.Presence
	since := p.Since.Local().Format(time.TimeOnly)
	if len(p.Clients) == 0 {
		return fmt.Sprintf("No connection of %s is on any node's list of clients at %s (%s).", shorten(h.Label), since, p.By)
	}
	c := &p.Clients[0]
	name := c.Name
	if name == "" {
		name = h.Label
	}
	where := c.Addr
	if n := len(p.Clients); n > 1 {
		where += fmt.Sprintf(" and %d more", n-1)
	}
	if library := LibraryOf(c); library != "" {
		where += " (" + library + ")"
	}
	is := "its connection is"
	if len(p.Clients) > 1 {
		is = "its connections are"
	}
	return fmt.Sprintf("%s was last seen at %s, connected from %s; %s gone since %s.", shorten(name), p.Seen.Local().Format(time.TimeOnly), where, is, since)
}

// LibraryOf is what a connection's library says of itself: "go-redis 9.23.0"; empty: nothing.
func LibraryOf(c *keyspace.Client) string {
	return strings.TrimSpace(c.Library + " " + c.LibraryVersion)
}
