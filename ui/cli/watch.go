package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/report"
	"locktop/ui/text"
)

// newWatch prints events.
func (a *app) newWatch() *cobra.Command {
	var (
		server connecting
		look   observing
		output string
		span   time.Duration
		record recordFlags
	)
	cmd := &cobra.Command{
		Use:   "watch [flags]",
		Short: "print events as they happen, one a line",
		Long: `Watch prints what happens to locks as it happens, one event a line: acquired, reentered, renewed, extended, released,
expired, deleted, handed-over, lost, edited, gap, operator. "operator" is an action of another locktop of yours on this
machine; the end of the hold is then an event of its own, "freed". A gap says that events may have been missed. Not even
a gap tells of a lock that nobody had seen, and that was gone again before it could be read once; locktop check says how
changes are seen. "edited" means that a part of the value was changed in place (APPEND, SETRANGE, INCR); only the first
time in a hold is printed. "repaired" means that a lock without a TTL was given one. "freed" means that the key was
deleted, and nothing proves that its holder did it; "released" is proven.

With -o json each line is a locktop.event/1. Absent fields are omitted; ttl_ms is -1 without a TTL. "repaired" is the event
"renewed" with "repaired": true; "freed" is the event "released" with "proven": false.`,
		Example: `  locktop watch                            until ctrl-c
  locktop watch -o json --for 30s          half a minute, for a program
  locktop watch -o json | jq 'select(.event=="lost")'`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := errors.Join(look.check(), checkSpan(span)); err != nil {
				return err
			}
			place, err := a.place(cmd, &server)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			s, err := connect(ctx, place)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.close()) }()
			if err := a.observe(ctx, s, &look, false); err != nil {
				return err
			}
			if _, err := a.record(ctx, s, &record, a.recordingOf(shortly(place), &look)); err != nil {
				return err
			}
			ctx, cancel := limit(ctx, span) // from now on: to connect may take some time
			defer cancel()
			if s.audit, err = actions.OpenAudit(""); err != nil {
				a.say("releases by your other locktop processes are shown as freed, because the audit file cannot be opened: %v", err)
			} else {
				s.atEnd(s.audit.Close)
				others := s.followOthers(ctx, place)
				defer others.Wait() // after ctx has ended, before the audit is closed
				defer cancel()
			}
			write := a.eventText()
			if output == "json" {
				write = a.eventJSON()
			}
			return stream(ctx, s.locks, 0, write, a.newTeller().tell)
		},
	}
	cmd.Flags().VarP(newChoice(&output, "text", "text", "json"), "output", "o", "form of the output")
	chosen(cmd, "output", "text", "json")
	addSpan(cmd, &span)
	record.define(cmd.Flags())
	server.add(cmd)
	look.add(cmd)
	return cmd
}

// eventText prints an event a line for people.
func (a *app) eventText() func([]inspector.Event) error {
	return batched(a.stdout, func(w io.Writer, e inspector.Event) error {
		_, err := fmt.Fprintln(w, eventLine(e))
		return err
	})
}

// eventJSON prints an event a line for programs.
func (a *app) eventJSON() func([]inspector.Event) error {
	return batched(a.stdout, func(w io.Writer, e inspector.Event) error { return report.WriteJSON(w, report.NewEvent(e)) })
}

// batched writes all events that are at hand with one write, so that a line is on its way as soon as it is made.
func batched(w io.Writer, one func(io.Writer, inspector.Event) error) func([]inspector.Event) error {
	buffer := bufio.NewWriterSize(w, 64<<10)
	return func(events []inspector.Event) error {
		for _, e := range events {
			if err := one(buffer, e); err != nil {
				return err
			}
		}
		return buffer.Flush()
	}
}

// eventSource is where events come from; *inspector.Inspector is one.
type eventSource interface {
	Next(ctx context.Context, after uint64) (*inspector.Snapshot, error)
	EventsSince(seq uint64) (events []inspector.Event, lost uint64)
}

// stream writes all events after a sequence number until the context or the source ends, and shows each snapshot to look.
// Events that were forgotten before we came to write them are told as a gap.
func stream(ctx context.Context, locks eventSource, after uint64, write func([]inspector.Event) error, look func(*inspector.Snapshot)) error {
	var snapshot uint64
	for {
		latest, nextErr := locks.Next(ctx, snapshot)
		if nextErr == nil {
			look(latest)
		}
		events, lost := locks.EventsSince(after)
		if lost > 0 {
			events = append([]inspector.Event{lostEvents(lost, time.Now())}, events...)
		}
		if n := len(events); n > 0 {
			if err := write(events); err != nil {
				return err
			}
			after = max(after+lost, events[n-1].Seq)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case nextErr != nil:
			return failed("%w", nextErr)
		case latest.Done && latest.Err != nil:
			return failed("%w", latest.Err)
		case latest.Done:
			return nil
		}
		snapshot = latest.Seq
	}
}

// lostEvents is the gap that stands for events that nobody can tell of any more.
func lostEvents(lost uint64, at time.Time) inspector.Event {
	return inspector.Event{
		At: at, Kind: inspector.EventGap,
		Text: fmt.Sprintf("%d events were not written: locks change faster than this output is read", lost),
	}
}

// teller tells on the standard error how the servers are seen, and when that changes.
type teller struct {
	a    *app
	last map[keyspace.Node]string
}

func (a *app) newTeller() *teller { return &teller{a, map[keyspace.Node]string{}} }

// tell says what is new. The first moments, in which the feed still finds out what it can have, are passed over.
func (t *teller) tell(s *inspector.Snapshot) {
	for _, n := range s.Nodes {
		if unsettled(n) {
			continue
		}
		if line := seen(n); line != t.last[n.Node] {
			t.last[n.Node] = line
			t.a.say("%s", line)
		}
	}
}

// unsettled says whether a feed still finds out what it can have: one that polls says why.
func unsettled(n keyspace.Status) bool {
	return n.Connected && n.Feed == keyspace.FeedPoll && n.FeedReason == ""
}

// seen says how a node is seen, and by which patterns.
func seen(n keyspace.Status) string {
	line := fmt.Sprintf("%s/%d, %s %s", text.Escape(string(n.Node)), n.DB, text.Escape(n.Software), text.Escape(n.Version))
	if n.Connected {
		line += ", by " + seenBy(n)
	} else {
		line += ", no answer"
	}
	if n.Err != "" {
		line += ": " + text.Escape(n.Err)
	}
	if len(n.Patterns) > 0 {
		line += "; keys " + text.Escape(strings.Join(n.Patterns, " "))
	}
	return line
}

// seenBy is the feed in words.
func seenBy(n keyspace.Status) string {
	if n.FeedReason == "" {
		return string(n.Feed)
	}
	return string(n.Feed) + " (" + text.Escape(n.FeedReason) + ")"
}
