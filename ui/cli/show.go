package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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
		whose   identity
		span    time.Duration
		asked   probing
		reports string
	)
	cmd := &cobra.Command{
		Use:   "show KEY [flags]",
		Short: "print one lock in full, with findings, advice and the commands that would act on it",
		Long: `Show reads one key, whatever its name is, and prints what kind of lock it is and why, who holds it, how long it has left,
what is wrong with it, and the redis-cli commands that would act on it. It exits with 1 where the key is not there or no
lock, and says what it is.

With --for it looks on for so long, and tells what it saw: for how long the lock was held, how often it was acquired and
renewed, and by whom it was held before. If the lock ended meanwhile, it prints how and when.

With --probe it listens for that long to everything that is sent to the lock's server (MONITOR), and prints who tries to
acquire the lock, how often, and in vain. Meanwhile that costs the server about half of what it can do, and it is refused
above 20,000 commands a second unless it is forced. Of what passes only what concerns this lock is kept.

With -o json it prints a locktop.snapshot/1 of this one lock, with the additional fields "evidence" and "commands", with
--for "hold_ms", "acquisitions_per_minute" (60 of them, the running one last) and "renewal", and after a probe "sample".
With -o markdown it prints an incident report for a ticket; --report DIRECTORY writes it there, as Markdown and as JSON
(locktop.incident/1), and prints its path. The dashboard's w writes the same report, and what happened before besides.`,
		Example: `  locktop show orders:checkout
  locktop show orders:checkout --probe 2s
  locktop show orders:checkout --report /tmp
  locktop show orders:checkout -o json | jq -r '.locks[0].holders[0].owner'
  locktop show orders:checkout --for 1m    with hold times, rates and renewals of a minute
  locktop show --quoted-input 'lock:\xff\x00'`,
		Args: oneKey,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			key, err := about.unquote("KEY", args[0])
			if err := errors.Join(err, checkSpan(span)); err != nil {
				return err
			}
			if asked.span > 0 && span > 0 {
				return usage("--for looks on, and --probe listens, each for a time of its own: give one of them")
			}
			if asked.span > 0 {
				if err := a.mayProbe(); err != nil {
					return err
				}
			}
			place, err := a.place(cmd, &about.server)
			if err = errors.Join(err, whose.check()); err != nil {
				return err
			}
			s, err := connect(cmd.Context(), place)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.close()) }()
			show := func(seen *inspector.Snapshot, once bool) error {
				if seen != nil && (reports != "" || output == "markdown") {
					return a.showReport(seen, place, reports, once)
				}
				return a.show(seen, output)
			}
			if span > 0 {
				seen, err := a.watchKey(cmd.Context(), s, about.rules, whose, key, span)
				if err != nil || seen != nil {
					return errors.Join(err, show(seen, false))
				}
			}
			found, err := s.look(cmd.Context(), &about, a.limits(), key)
			if err == nil && whose.on() {
				found, err = a.identify(cmd.Context(), s, found, &about, &whose)
			}
			switch {
			case err != nil:
				return err
			case !found.record.Exists():
				return about.missing(place, key)
			case found.lock == nil:
				return about.noLock(found.record)
			}
			if asked.span > 0 {
				if found, err = a.probe(cmd.Context(), s, &about, found, asked); err != nil {
					return err
				}
			}
			return show(found.snapshot(), true)
		},
	}
	cmd.Flags().VarP(newChoice(&output, "text", "text", "json", "markdown"), "output", "o", "form of the output")
	chosen(cmd, "output", "text", "json", "markdown")
	addSpan(cmd, &span)
	cmd.Flags().Lookup("for").Usage = "look on this long before printing, such as 30s; 0: once"
	cmd.Flags().Var(&asked.span, "probe", "listen for this `TIME`, such as 2s and at most 30s, to who asks for the lock (MONITOR)")
	cmd.Flags().BoolVar(&asked.force, "force", false, "probe a server that runs more than 20,000 commands a second too")
	cmd.Flags().StringVar(&reports, "report", "", "write an incident report into this `DIRECTORY`, and print its path")
	about.add(cmd, "KEY is written")
	addGroup(cmd, groupObserving, func(set *pflag.FlagSet) { about.rules.add(set); whose.add(set) })
	whose.complete(cmd)
	return cmd
}

// show prints a snapshot of one lock; of none, nothing.
func (a *app) show(s *inspector.Snapshot, output string) error {
	switch {
	case s == nil:
		return nil
	case output == "json":
		return report.WriteJSON(a.stdout, report.NewShown(s))
	default:
		return writeLock(a.stdout, s)
	}
}

// identify joins the holders of a lock that was looked at to the clients that are connected. Where that finds one to be gone, it looks
// again: whoever has let go of the lock since may have left.
func (a *app) identify(ctx context.Context, s *session, found sight, about *target, whose *identity) (sight, error) {
	if found.lock == nil {
		return found, nil
	}
	found.roll = inspector.Identify(found.lock, s.servers.Rolls(ctx), whose.names.rules, a.limits(), time.Now())
	if !slices.ContainsFunc(found.lock.Holders, func(h inspector.Holder) bool { return h.Connection() == inspector.ConnectionGone }) {
		return found, nil
	}
	again, err := s.look(ctx, about, a.limits(), found.lock.Key)
	if err != nil || again.lock != nil && slices.EqualFunc(found.lock.Holders, again.lock.Holders, sameOwner) {
		return found, err
	}
	again.roll = found.roll
	return again, nil
}

func sameOwner(a, b inspector.Holder) bool { return a.Owner == b.Owner }

// writeLock prints a lock in full.
func writeLock(w io.Writer, s *inspector.Snapshot) error {
	l, at := s.Locks[0], s.TakenAt
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
		writeHolder(line, l, &h)
		if note := clientNote(s, h.Presence); note != "" {
			line("client", note)
		}
	}
	if l.State == inspector.StateFreed {
		line("ended", ended(l))
	} else {
		line("ttl", ttl(l, at)+endNote(l))
		if note := fieldNote(l, at); note != "" {
			line("", note)
		}
		line("held", held(l, at))
	}
	if by := l.Waiters.By; by != "" && by != inspector.WaitersNone {
		line("waiters", waiters(l)+" by "+string(by))
	}
	writeStatistics(line, l, at)
	if l.FencingToken != nil {
		line("fencing", fmt.Sprint(*l.FencingToken))
	}
	if l.Quorum != nil {
		writeVotes(line, l.Quorum, at)
	}
	for _, c := range l.CompanionKeys() {
		line("companion", text.Escape(c))
	}
	if l.Sample != nil {
		sampleLines(line, l.Sample)
		if len(l.Sample.Clients) > 0 {
			fmt.Fprintln(out)
			if err := writeAligned(out, sampleRows(l.Sample)); err != nil {
				return err
			}
		}
		if l.Sample.More > 0 {
			fmt.Fprintf(out, "and %s more\n", text.Count(int64(l.Sample.More)))
		}
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

// writeHolder prints who has the lock, and how often that client entered it.
func writeHolder(line func(name, value string), l *inspector.Lock, h *inspector.Holder) {
	switch {
	case h.Unknown():
		line("holder", h.Label)
		line("value", text.Escape(h.Owner)+", accepted by --holder")
	default:
		line("holder", text.Escape(h.Owner)+countNote(h))
		if h.Label != "" && h.Label != h.Owner {
			line("", text.Escape(h.Label))
		}
	}
	if l.CountUnknown(h) {
		line("", "entry count unknown: Redis does not store it")
	}
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

func countNote(h *inspector.Holder) string {
	if !h.Count.Known {
		return ""
	}
	return "  entered " + times(h.Count.N)
}

// ended is how a lock that is gone ended.
func ended(l *inspector.Lock) string {
	at, cause, held, exact := l.Ended()
	said := "at " + report.Instant(at) + ", after "
	if cause != inspector.CauseUnknown {
		said = string(cause) + " " + said
	}
	if !exact {
		said += "at least "
	}
	return said + text.Lag(held)
}

// fieldNote says what ends the lease if it is not the key's TTL, and that it is unknown if that is
// so.
func fieldNote(l *inspector.Lock, at time.Time) string {
	switch {
	case l.EndUnknown():
		return text.UnknownEnd
	case l.EndsByField():
		return text.FieldLease(l.KeyLeft(at))
	case l.EndAtMost():
		return text.LatestEnd
	}
	return ""
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
