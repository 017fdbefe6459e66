package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/inspector"
	"locktop/ui/report"
	"locktop/ui/text"
)

// identity is what a command is told of how to find out who a holder is.
type identity struct {
	clients string // "auto" or "off"
	names   ownerNames
}

// add offers the flags.
func (i *identity) add(set *pflag.FlagSet) {
	set.Var(newChoice(&i.clients, "auto", "auto", "off"), "clients",
		"join holders to the servers' clients (CLIENT LIST, every 5s and 1 % of a server's time at most), or do not ask who they are")
	set.Var(&i.names, "owner-name", "`'GLOB=TEMPLATE'`: owners of the keys GLOB look like TEMPLATE, with the {name}, {addr} or {id} of their connection, such as 'orders:*={name}:*'; a lock whose holder is not connected is then orphaned at once; repeatable")
}

// complete completes their values in the shell.
func (i *identity) complete(cmd *cobra.Command) { chosen(cmd, "clients", "auto", "off") }

// on says whether clients are listed.
func (i *identity) on() bool { return i.clients != "off" }

// check refuses what contradicts itself.
func (i *identity) check() error {
	if !i.on() && len(i.names.rules) > 0 {
		return usage("--owner-name says whose connections owners are, and --clients off does not look for any: drop one of them")
	}
	return nil
}

// ownerNames is --owner-name.
type ownerNames struct {
	texts []string
	rules []inspector.OwnerName
}

func (n *ownerNames) String() string { return strings.Join(n.texts, ",") }
func (n *ownerNames) Type() string   { return "GLOB=TEMPLATE" }

// Set adds one.
func (n *ownerNames) Set(text string) error { return n.Append(text) }

// Append adds one; with the next two it is a pflag.SliceValue.
func (n *ownerNames) Append(text string) error {
	rule, err := inspector.ParseOwnerName(text)
	if err != nil {
		return err
	}
	n.texts, n.rules = append(n.texts, text), append(n.rules, rule)
	return nil
}

// Replace takes these in the place of all.
func (n *ownerNames) Replace(texts []string) error {
	n.texts, n.rules = nil, nil
	for _, text := range texts {
		if err := n.Append(text); err != nil {
			return err
		}
	}
	return nil
}

// GetSlice is them all.
func (n *ownerNames) GetSlice() []string { return n.texts }

// clientNote is what "show" says of a holder's connection; empty: nothing is known.
func clientNote(s *inspector.Snapshot, p *inspector.Presence) string {
	c := report.NewClient(s, p)
	if c == nil {
		return ""
	}
	said := c.Connection
	for _, more := range []string{p.Name, c.Addr, c.Library} {
		if more != "" {
			said += ", " + text.Escape(more)
		}
	}
	if c.Age != nil {
		said += ", connected for " + text.Duration(milli(*c.Age)) + ", idle for " + text.Duration(milli(*c.Idle))
	}
	if c.Connections > 1 {
		said += ", " + text.Count(int64(c.Connections-1)) + " more"
	}
	if c.GoneSince != "" {
		said += ", gone since " + c.GoneSince
	}
	return said + " (" + text.Escape(c.By) + ")"
}

func milli(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }

// goneNote marks a holder whose connection is gone.
func goneNote(h inspector.Holder) string {
	if h.Connection() == inspector.ConnectionGone {
		return " (gone)"
	}
	return ""
}

// unlisted says why a search for orphaned locks does not mean anything; nil: it does.
func unlisted(s *inspector.Snapshot, failOn []string) error {
	if !slices.Contains(failOn, string(inspector.CodeOrphaned)) {
		return nil
	}
	why := "the clients of the servers were not listed"
	if s.Roll != nil {
		why = s.Roll.Partial()
	}
	if wrong := wrongNames(s); why == "" && len(wrong) > 0 {
		why = wrong[0]
	}
	if why == "" {
		return nil
	}
	return failed("--fail-on has found nothing, but who is gone is not known: %s", text.Escape(why))
}

// wrongNames tells of the rules of --owner-name that do not fit.
func wrongNames(s *inspector.Snapshot) (said []string) {
	for _, use := range s.OwnerNames {
		if use.Wrong() {
			said = append(said, use.String())
		}
	}
	return said
}
