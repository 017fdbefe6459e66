package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktop/inspector"
	"locktop/ui/report"
	"locktop/ui/text"
)

// newShow prints one lock in full.
func (a *app) newShow() *cobra.Command {
	var (
		about   target
		output  string
		reports string
	)
	cmd := &cobra.Command{
		Use:   "show KEY [flags]",
		Short: "print one lock in full, with findings, advice and the commands that would act on it",
		Long: `Show reads one key, whatever its name is, and prints what kind of lock it is and why, who holds it, how long it has left,
what is wrong with it, and the redis-cli commands that would act on it. It exits with 1 where the key is not there or no
lock, and says what it is.

With -o json it prints a locktop.snapshot/1 of this one lock, with the additional fields "evidence" and "commands".
With -o markdown it prints an incident report for a ticket; --report DIRECTORY writes it there, as Markdown and as JSON
(locktop.incident/1), and prints its path. The dashboard's w writes the same report, and what happened before besides.`,
		Example: `  locktop show orders:checkout
  locktop show orders:checkout --report /tmp
  locktop show orders:checkout -o json | jq -r '.locks[0].holders[0].owner'
  locktop show --quoted-input 'lock:\xff\x00'`,
		Args: oneKey,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			key, err := about.unquote("KEY", args[0])
			if err != nil {
				return err
			}
			place, err := a.place(cmd, &about.server)
			if err != nil {
				return err
			}
			s, err := connect(cmd.Context(), place)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.close()) }()
			found, err := s.look(cmd.Context(), about.rules.rules, key)
			switch {
			case err != nil:
				return err
			case !found.record.Exists():
				return about.missing(place, key)
			case found.lock == nil:
				return noLock(found.record)
			case reports != "" || output == "markdown":
				return a.showReport(found, place, reports)
			case output == "json":
				return report.WriteJSON(a.stdout, report.NewShown(found.snapshot()))
			default:
				return writeLock(a.stdout, found.lock, found.at)
			}
		},
	}
	cmd.Flags().VarP(newChoice(&output, "text", "text", "json", "markdown"), "output", "o", "form of the output")
	chosen(cmd, "output", "text", "json", "markdown")
	cmd.Flags().StringVar(&reports, "report", "", "write an incident report into this `DIRECTORY`, and print its path")
	about.add(cmd, "KEY is written")
	addGroup(cmd, groupObserving, func(set *pflag.FlagSet) { about.rules.add(set) })
	return cmd
}

// writeLock prints a lock in full.
func writeLock(w io.Writer, l *inspector.Lock, at time.Time) error {
	out := bufio.NewWriter(w)
	line := func(name, value string) { fmt.Fprintf(out, "  %-10s%s\n", name, value) }
	fmt.Fprintln(out, text.Escape(l.Key))
	if l.Quorum == nil {
		line("node", fmt.Sprintf("%s, database %d", text.Escape(string(l.Node)), l.DB))
	}
	line("scheme", string(l.Scheme)+modeNote(l))
	if names := l.LibraryNames(); names != "" {
		line("library", names)
	}
	for i, fact := range l.Evidence {
		name := ""
		if i == 0 {
			name = "evidence"
		}
		line(name, text.Escape(fact))
	}
	line("state", string(l.State))
	for _, h := range l.Holders {
		line("holder", text.Escape(h.Owner)+countNote(h))
		if h.Label != "" && h.Label != h.Owner {
			line("", text.Escape(h.Label))
		}
	}
	line("ttl", ttl(l, at)+endNote(l))
	line("held", held(l, at))
	if by := l.Waiters.By; by != "" && by != inspector.WaitersNone {
		line("waiters", waiters(l)+" by "+string(by))
	}
	if l.FencingToken != nil {
		line("fencing", fmt.Sprint(*l.FencingToken))
	}
	if l.Quorum != nil {
		writeVotes(line, l.Quorum, at)
	}
	for _, c := range l.CompanionKeys() {
		line("companion", text.Escape(c))
	}
	for _, f := range l.Findings {
		fmt.Fprintf(out, "\n%s: %s\n  %s\n  %s\n", f.Severity, f.Code, text.Escape(f.Text), text.Escape(f.Advice))
	}
	for i, c := range report.Commands(l, at) {
		if i == 0 {
			fmt.Fprintln(out, "\ncommands (each acts only if the lock is still as shown)")
		}
		fmt.Fprintf(out, "  # %s\n  %s\n", c.Does, c.Command)
	}
	return out.Flush()
}

// writeVotes prints what each of the independent masters says.
func writeVotes(line func(name, value string), q *inspector.Quorum, at time.Time) {
	valid := ""
	if !q.ValidUntil.IsZero() {
		valid = fmt.Sprintf(", valid for %s", text.Duration(max(0, q.ValidUntil.Sub(at))))
	}
	line("votes", fmt.Sprintf("%d of %d, %d needed%s", q.For, len(q.Votes), q.Needed, valid))
	for i := range q.Votes {
		v := &q.Votes[i]
		said := string(v.Ballot)
		if v.Ballot == inspector.BallotFor || v.Ballot == inspector.BallotOther {
			said += " " + text.Escape(v.Owner) + ", " + voteLease(v, at)
		}
		if v.Detail != "" {
			said += ": " + text.Escape(v.Detail)
		}
		line("", text.Escape(string(v.Node))+"  "+said)
	}
}

// voteLease is what the key's lease has left on a master.
func voteLease(v *inspector.Vote, at time.Time) string {
	if v.ExpiresAt.IsZero() {
		return "never"
	}
	return text.Duration(max(0, v.ExpiresAt.Sub(at)))
}

// modeNote names a mode that is not the usual one.
func modeNote(l *inspector.Lock) string {
	if l.Mode == "" || l.Mode == inspector.ModeExclusive {
		return ""
	}
	return ", " + string(l.Mode)
}

func countNote(h inspector.Holder) string {
	if !h.Count.Known {
		return ""
	}
	if h.Count.N == 1 {
		return "  entered once"
	}
	return fmt.Sprintf("  entered %d times", h.Count.N)
}

// endNote is the instant at which the lease is over.
func endNote(l *inspector.Lock) string {
	switch {
	case !l.ExpiresAt.IsZero():
		return ", ends " + report.Instant(l.ExpiresAt)
	case !l.LeaseEnds.IsZero():
		return ", the value says " + report.Instant(l.LeaseEnds)
	default:
		return ""
	}
}
