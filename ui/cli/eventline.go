package cli

import (
	"fmt"
	"strings"

	"locktop/inspector"
	"locktop/ui/text"
)

// eventLine is an event for people, on one line: when, what, which lock, who, and the rest.
func eventLine(e inspector.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %-11s", e.At.Local().Format("2006-01-02 15:04:05.000"), e.Word())
	add := func(format string, args ...any) {
		b.WriteString("  ")
		fmt.Fprintf(&b, format, args...)
	}
	if e.Kind == inspector.EventGap && e.Key == "" {
		add("%s", text.Escape(string(e.Node)))
	} else {
		add("%s", text.Escape(e.Key))
	}
	if e.Owner != "" {
		add("%s", who(e.Owner, e.Label))
	}
	if e.PreviousOwner != "" && e.PreviousOwner != e.Owner {
		add("was %s", who(e.PreviousName(), ""))
	}
	if e.Count.Known {
		add("count %d", e.Count.N)
	}
	if e.Cause != "" && string(e.Cause) != e.Word() {
		add("%s", e.Cause)
	}
	switch {
	case e.TTLKnown && e.TTL < 0:
		add("no TTL")
	case e.TTLKnown:
		add("ttl %s", text.Duration(e.TTL))
	}
	switch {
	case e.Held > 0 && e.HeldExact:
		add("held %s", text.Duration(e.Held))
	case e.Held > 0:
		add("held at least %s", text.Duration(e.Held))
	}
	if e.Text != "" {
		add("%s", text.Escape(e.Text))
	}
	return b.String()
}

// who is an owner, in words where it carries any.
func who(owner, label string) string {
	if label == "" {
		label = owner
	}
	return text.Truncate(text.Escape(label), maxHolderCells)
}
