package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/inspector"
	"locktop/ui/report"
	"locktop/ui/text"
)

// listStates are the states that "list" can show. A lock that is gone is shown where something is wrong with it.
var listStates = []string{
	string(inspector.StateHeld), string(inspector.StateStuck), string(inspector.StateLapsed), string(inspector.StateExpired),
	string(inspector.StateWrong), string(inspector.StateCooldown), string(inspector.StateMinority), string(inspector.StateSplit),
	string(inspector.StateFreed),
}

// listCodes are the findings of this version. Those that a single look can show come first.
var (
	codesAtOnce = []string{
		string(inspector.CodeNoTTL), string(inspector.CodeLapsed), string(inspector.CodeLongLease), string(inspector.CodeWrongType), string(inspector.CodeUncheckedRelease), string(inspector.CodeStaleWaiters),
		string(inspector.CodeSplit), string(inspector.CodeMinority), string(inspector.CodeDegradedQuorum),
	}
	codesInTime = []string{
		string(inspector.CodeCountLeak), string(inspector.CodeResurrects), string(inspector.CodeCooldown),
		string(inspector.CodeAboutToLapse), string(inspector.CodeRenewedForever), string(inspector.CodeLostWhileHeld),
		string(inspector.CodeDoubleMajority), string(inspector.CodeOrphaned), string(inspector.CodeOverrun),
		string(inspector.CodeLostInFailOver), string(inspector.CodeLostWakeUp),
	}
)

// The words of --fail-on that are no codes.
const (
	failOnAny      = "any"
	failOnWarning  = string(inspector.SeverityWarning)
	failOnCritical = string(inspector.SeverityCritical)
)

var graveness = []string{failOnCritical, failOnWarning, failOnAny}

// meant says whether a finding is one that --fail-on names: by its code, or by how grave it is.
func meant(asked string, f inspector.Finding) bool {
	switch asked {
	case failOnAny:
		return true
	case failOnWarning:
		return f.Severity == inspector.SeverityWarning || f.Severity == inspector.SeverityCritical
	case failOnCritical:
		return f.Severity == inspector.SeverityCritical
	default:
		return asked == string(f.Code)
	}
}

// listing is what "list" is told.
type listing struct {
	output string
	states []string
	failOn []string
	quiet  bool
	span   time.Duration
	named  bool // how owners are made of their connections' names is declared
}

// newList prints one snapshot.
func (a *app) newList() *cobra.Command {
	var (
		server connecting
		look   observing
		list   listing
	)
	cmd := &cobra.Command{
		Use:   "list [flags]",
		Short: "print all locks once",
		Long: `List looks at all keys once and prints the locks among them, the gravest first.

With -o json it prints one locktop.snapshot/1. Its states are held, stuck, lapsed, expired, cooldown (released, and kept on
purpose until its TTL is over), "wrong" for a key of a type that no lock has, and of a Redlock that nobody holds minority
(its owner has too few votes) and split (several owners have some). A lock that is gone is listed as freed, without
holders, as long as it has a finding (lost-in-failover, lost-wakeup).
Absent fields are omitted. ttl_ms is -1 without a TTL. expires_at is the end of the TTL; without a TTL it is the end
that the value states. expire_time_ms is the end of the TTL by the server's clock (PEXPIRETIME). ends_by is "field" if
the lease ends with the TTL of the holder's field in a hash: ttl_ms, expires_at and expire_time_ms (HPEXPIRETIME) are
then that one's, and key_ttl_ms is the key's. ttl_ms is null if the key has no TTL and those of its fields could not be
read. count is null if the lock does not store it. Text that is not UTF-8 or has control characters is escaped, and
key_base64, owner_base64 and so on hold its bytes. library is the one that certainly wrote the lock; candidates are
those that may have. waiters.count is exact, a lower bound (by subscribers) or an upper bound (by blocked clients, by
shared-channel: one channel for all locks of a library, by counter: one that the library keeps); it is null if waiters
cannot be seen. held_with are other locks of the same owner. votes are those of a Redlock's masters. If the key does not
name its holder, label is unknown and owner is the key's value. release, extend and expire accept one lock object with
--from. With -o csv there is a line a holder.

--fail-on takes codes of findings, or critical, warning (which is at least that) and any. Where a listed lock has such
a finding the exit code is 4. With --quiet nothing is printed unless that is so, and then only the locks that have it,
as cron likes it.

Some findings need time to be seen:
` + strings.Join(codesInTime[:5], ", ") + `,
` + strings.Join(codesInTime[5:], ", ") + `.
Give --for, to look that long; --owner-name shows orphaned locks at once.

holders[].client is the connection of a holder, where its name or address tells whose it is: alive, gone, or unknown.`,
		Example: `  locktop list
  locktop list -o json | jq -r '.locks[] | select(.ttl_ms == -1) | .key'
  locktop list -o json | jq -c '.locks[0]' | locktop release --from - --dry-run
  locktop list --state stuck,lapsed -o wide
  locktop list --fail-on no-ttl,lapsed >/dev/null || alert   exits with 4 where there is one
  locktop list --quiet --fail-on warning --for 30s           for cron: silence where all is well`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(look.check(), list.check()); err != nil {
				return err
			}
			place, err := a.place(cmd, &server)
			if err != nil {
				return err
			}
			s, err := connect(cmd.Context(), place)
			if err != nil {
				return err
			}
			snapshot, err := a.look(cmd.Context(), s, &look, list.span)
			if err = errors.Join(err, s.close()); err != nil {
				return err
			}
			if cmd.Context().Err() != nil {
				return context.Cause(cmd.Context())
			}
			list.named = len(look.whose.names.rules) > 0
			return a.list(snapshot, &list)
		},
	}
	cmd.Flags().VarP(newChoice(&list.output, "table", "table", "wide", "json", "csv"), "output", "o", "form of the output")
	cmd.Flags().StringSliceVar(&list.states, "state", nil, "only locks in one of these `STATES`: "+strings.Join(listStates, ", "))
	cmd.Flags().StringSliceVar(&list.failOn, "fail-on", nil, "exit with 4 if a listed lock has one of these findings (`CODES`), or one that is critical, at least a warning, or any")
	cmd.Flags().BoolVar(&list.quiet, "quiet", false, "print nothing unless --fail-on finds something, and then only that")
	addSpan(cmd, &list.span)
	cmd.Flags().Lookup("for").Usage = "look this long before printing, such as 30s; 0: once over all keys"
	chosen(cmd, "output", "table", "wide", "json", "csv")
	chosen(cmd, "state", listStates...)
	chosen(cmd, "fail-on", slices.Concat(codesAtOnce, codesInTime, graveness)...)
	server.add(cmd)
	look.add(cmd)
	return cmd
}

// check refuses what does not exist.
func (l *listing) check() error {
	for _, state := range l.states {
		if !slices.Contains(listStates, state) {
			return usage("--state %q is none: there are %s", state, strings.Join(listStates, ", "))
		}
	}
	if l.failOn != nil && len(l.failOn) == 0 { // a variable that is not set, perhaps: an alert that never comes
		return usage("--fail-on names nothing: give codes, critical, warning or any")
	}
	if l.quiet && len(l.failOn) == 0 {
		return usage("--quiet prints what --fail-on finds: add it, such as --fail-on warning")
	}
	codes := slices.Concat(codesAtOnce, codesInTime, graveness)
	for _, code := range l.failOn {
		if !slices.Contains(codes, code) {
			return usage("--fail-on %q is no finding of this version: there are %s", code, strings.Join(codes, ", "))
		}
	}
	return checkSpan(l.span)
}

// look takes a snapshot: after one pass, or after a while.
func (a *app) look(ctx context.Context, s *session, look *observing, span time.Duration) (*inspector.Snapshot, error) {
	return a.lookOn(ctx, s, look, span, func(*inspector.Snapshot) {})
}

// lookOn is look, and gives each snapshot from the first complete one on.
func (a *app) lookOn(ctx context.Context, s *session, look *observing, span time.Duration, each func(*inspector.Snapshot)) (*inspector.Snapshot, error) {
	if err := a.observe(ctx, s, look, span == 0); err != nil {
		return nil, err
	}
	latest, err := complete(ctx, s.locks)
	if err != nil || latest == nil {
		return latest, err
	}
	if each(latest); span == 0 {
		return latest, nil
	}
	watching, cancel := context.WithTimeout(ctx, span)
	defer cancel()
	for !latest.Done {
		next, err := s.locks.Next(watching, latest.Seq)
		if watching.Err() != nil {
			break
		}
		if err != nil {
			return nil, failed("%w", err)
		}
		latest = next
		each(latest)
	}
	return latest, nil
}

// list prints the snapshot, and judges it.
func (a *app) list(s *inspector.Snapshot, l *listing) error {
	locks := present(s.Locks)
	if len(l.states) > 0 {
		locks = slices.DeleteFunc(locks, func(lock *inspector.Lock) bool { return !slices.Contains(l.states, string(lock.State)) })
	}
	shown := locks
	if l.quiet {
		shown = slices.DeleteFunc(slices.Clone(locks), func(lock *inspector.Lock) bool {
			return !slices.ContainsFunc(lock.Findings, func(f inspector.Finding) bool {
				return slices.ContainsFunc(l.failOn, func(asked string) bool { return meant(asked, f) })
			})
		})
	}
	var err error
	if !l.quiet || len(shown) > 0 {
		err = a.printLocks(s, shown, l.output)
	}
	for _, n := range s.Nodes {
		if n.Err != "" {
			more := ""
			if n.Denied > 0 {
				more = "; locktop check says what is missing"
			}
			server := ""
			if !strings.Contains(n.Err, string(n.Node)) {
				server = text.Escape(string(n.Node)) + ": "
			}
			a.say("%s%s%s", server, text.Escape(n.Err), more)
		}
	}
	for _, wrong := range wrongNames(s) {
		a.say("note: %s", text.Escape(wrong))
	}
	if l.span == 0 {
		for _, code := range l.failOn {
			switch {
			case code == string(inspector.CodeOrphaned) && l.named:
			case code == string(inspector.CodeOrphaned):
				a.say("note: --fail-on %s needs time to be seen: add --for 30s, or --owner-name, which says what holders' connections are called", code)
			case slices.Contains(codesInTime, code):
				a.say("note: --fail-on %s needs time to be seen: add --for 30s", code)
			}
		}
	}
	return errors.Join(err, verdict(s, locks, l.failOn))
}

// verdict is the error of --fail-on: something was found, or could not be looked for.
func verdict(s *inspector.Snapshot, locks []*inspector.Lock, failOn []string) error {
	if found := fail(locks, failOn); found != nil || len(failOn) == 0 {
		return found
	}
	for _, n := range s.Nodes {
		if !n.Connected {
			return failed("--fail-on has found nothing, but not every server answers: %s", text.Escape(n.Err))
		}
		if n.Denied > 0 {
			return failed("--fail-on has found nothing, but %d keys may not be read: see locktop check", n.Denied)
		}
	}
	return unlisted(s, failOn)
}

// printLocks writes locks in one of the forms.
func (a *app) printLocks(s *inspector.Snapshot, locks []*inspector.Lock, output string) error {
	switch output {
	case "json":
		return report.WriteJSON(a.stdout, report.NewSnapshot(s, locks))
	case "csv":
		return writeCSV(a.stdout, locks, s.TakenAt)
	}
	if len(locks) == 0 {
		a.say("%s", nothing(s))
		return nil
	}
	return writeTable(a.stdout, locks, s.TakenAt, output == "wide")
}

// nothing says where no lock was found.
func nothing(s *inspector.Snapshot) string {
	if len(s.Nodes) == 0 {
		return "no such locks"
	}
	var (
		names            []string
		scanned, matched int64
	)
	for _, n := range s.Nodes {
		names = append(names, fmt.Sprintf("%s/%d", text.Escape(string(n.Node)), n.DB))
		scanned, matched = scanned+n.LastPass.Scanned, matched+n.LastPass.Matched
	}
	return fmt.Sprintf("no such locks on %s: %s keys, %s of them match %s", strings.Join(names, ", "), text.Count(scanned),
		text.Count(matched), text.Escape(strings.Join(s.Nodes[0].Patterns, " ")))
}

// present are the locks that are there, and those that are gone and with which something is wrong, sorted.
func present(locks []*inspector.Lock) []*inspector.Lock {
	all := slices.DeleteFunc(sorted(locks), func(l *inspector.Lock) bool { return l.State == inspector.StateFreed && len(l.Findings) == 0 })
	for i, l := range all {
		if l.State == inspector.StateFreed { // what it had last is not what it has
			gone := *l
			gone.Holders, gone.HeldSince = nil, time.Time{}
			all[i] = &gone
		}
	}
	return all
}

// fail says what --fail-on has found.
func fail(locks []*inspector.Lock, failOn []string) error {
	var found []string
	for _, asked := range slices.Compact(slices.Sorted(slices.Values(failOn))) {
		n := 0
		for _, l := range locks {
			for _, f := range l.Findings {
				if meant(asked, f) {
					n++
				}
			}
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%s %d", asked, n))
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &codedError{code: exitFound, text: "--fail-on found " + strings.Join(found, ", ")}
}
