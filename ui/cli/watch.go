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

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// newWatch prints events.
func (a *app) newWatch() *cobra.Command {
	var (
		server connecting
		look   observing
		output string
		span   time.Duration
	)
	cmd := &cobra.Command{
		Use:   "watch [flags]",
		Short: "print events as they happen, one a line",
		Long: `Watch prints what happens to locks as it happens, one event a line: acquired, reentered, renewed, extended, released,
expired, deleted, handed-over, lost, gap, operator. A gap says that events may have been missed; none are lost silently.

With -o json each line is a locktop.event/1. Absent fields are omitted; ttl_ms is -1 without a TTL.`,
		Example: `  locktop watch                            until ctrl-c
  locktop watch -o json --for 30s          half a minute, for a program
  locktop watch -o json | jq 'select(.event=="lost")'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err := errors.Join(look.check(), checkSpan(span)); err != nil {
				return err
			}
			o, err := a.options(cmd, &server)
			if err != nil {
				return err
			}
			ctx, cancel := limit(cmd.Context(), span)
			defer cancel()
			s, err := connect(ctx, o)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, s.close()) }()
			if err := a.observe(ctx, s, &look, false); err != nil {
				return err
			}
			write := a.eventText()
			if output == "json" {
				write = a.eventJSON()
			}
			first, err := complete(ctx, s.locks)
			if err != nil || first == nil {
				return err
			}
			a.sayHow(first)
			return stream(ctx, s.locks, 0, write)
		},
	}
	cmd.Flags().VarP(newChoice(&output, "text", "text", "json"), "output", "o", "form of the output")
	chosen(cmd, "output", "text", "json")
	addSpan(cmd, &span)
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
	return batched(a.stdout, func(w io.Writer, e inspector.Event) error { return writeJSON(w, newEventJSON(e)) })
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

// stream writes all events after a sequence number until the context or the source ends. Events that were forgotten
// before we came to write them are told as a gap.
func stream(ctx context.Context, locks eventSource, seen uint64, write func([]inspector.Event) error) error {
	var snapshot uint64
	for {
		latest, nextErr := locks.Next(ctx, snapshot)
		events, lost := locks.EventsSince(seen)
		if lost > 0 {
			events = append([]inspector.Event{lostEvents(lost, time.Now())}, events...)
		}
		if n := len(events); n > 0 {
			if err := write(events); err != nil {
				return err
			}
			seen = max(seen+lost, events[n-1].Seq)
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

// sayHow tells on the standard error how the server is seen, and by which patterns.
func (a *app) sayHow(s *inspector.Snapshot) {
	for _, n := range s.Nodes {
		line := fmt.Sprintf("%s/%d, %s %s, by %s", text.Escape(string(n.Node)), n.DB, text.Escape(n.Software), text.Escape(n.Version), seenBy(n))
		if len(n.Patterns) > 0 {
			line += "; keys " + text.Escape(strings.Join(n.Patterns, " "))
		}
		if n.Err != "" {
			line += "; " + text.Escape(n.Err)
		}
		a.say("%s", line)
	}
}

// seenBy is the feed in words.
func seenBy(n keyspace.Status) string {
	if n.FeedReason == "" {
		return string(n.Feed)
	}
	return string(n.Feed) + " (" + text.Escape(n.FeedReason) + ")"
}
