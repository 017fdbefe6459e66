package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/actions"
	"locktop/inspector"
	"locktop/inspector/recording"
	"locktop/ui/report"
	"locktop/ui/settings"
	"locktop/ui/text"
	"locktop/ui/tui"
)

// replaying is what "replay" is told.
type replaying struct {
	draw     screen
	speed    float64
	at       string
	span     time.Duration
	snapshot bool
	output   string
}

// newReplay shows what was recorded.
func (a *app) newReplay() *cobra.Command {
	var r replaying
	cmd := &cobra.Command{
		Use:   "replay FILE [flags]",
		Short: "the dashboard over what --record has recorded, with no Redis needed",
		Long: `Replay opens the dashboard over a recording, which locktop, locktop demo and locktop watch make with --record FILE.
Every view works, and nothing can be acted on. p holds the time or lets it go on, n goes to the next event, the comma
and the full stop go 10 s back and forward, < and > a minute, - and + change the tempo, R begins anew.

With -o text or json it prints the events instead, from --at on and for as long as --for says, as locktop watch does. With
--snapshot it prints all locks at one moment, that of --at or the last one, as locktop list does.

Theme, keys and the view that was saved are those of your own profile, not of the one that was recorded. No server is
asked anything.

A recording whose end is damaged, or that is still being written, is good up to there.`,
		Example: `  locktop replay night.jsonl.gz
  locktop replay night.jsonl.gz --at 03:12 --speed 4
  locktop replay night.jsonl.gz -o json | jq 'select(.event=="lost")'
  locktop replay night.jsonl.gz --snapshot --at 03:12:30 -o json`,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return errors.New("which file? It is missing")
			case 1:
				return nil
			default:
				return fmt.Errorf("one file at a time, not %d", len(args))
			}
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.replay(cmd, &r, args[0]) },
	}
	flags := cmd.Flags()
	flags.Float64Var(&r.speed, "speed", 1, "`FACTOR`; 2 is twice as fast as it was, from 0.125 to 128")
	flags.StringVar(&r.at, "at", "", "`TIME` to begin at: 15:04, 15:04:05, with a date before it, as 2006-01-02T15:04:05Z, or since its beginning, as +90s")
	flags.DurationVar(&r.span, "for", 0, "end after this long, such as 30s; 0: never. Of events, the recording's time")
	flags.BoolVar(&r.snapshot, "snapshot", false, "print the locks of one moment, as locktop list does")
	flags.VarP(newChoice(&r.output, "screen", "screen", "text", "json", "table", "wide", "csv"), "output", "o",
		"the dashboard; or events as text or json; or, of --snapshot, table, wide, json or csv")
	chosen(cmd, "output", "screen", "text", "json", "table", "wide", "csv")
	r.draw.addLooks(cmd)
	a.addProfile(cmd)
	return cmd
}

// check refuses what cannot be meant.
func (r *replaying) check() error {
	ofSnapshot, ofEvents := r.output != "text", r.output == "text" || r.output == "json" || r.output == "screen"
	switch {
	case math.IsNaN(r.speed) || r.speed < recording.Slowest || r.speed > recording.Fastest:
		return usage("--speed %v: give %v to %v", r.speed, recording.Slowest, recording.Fastest)
	case r.snapshot && !ofSnapshot:
		return usage("-o %s is of events: a snapshot is a table, wide, json or csv", r.output)
	case !r.snapshot && !ofEvents:
		return usage("-o %s is of one moment: add --snapshot", r.output)
	}
	return errors.Join(r.draw.check(), checkSpan(r.span))
}

// wordless is how long a large file is read before that is said.
const wordless = time.Second

func (a *app) replay(cmd *cobra.Command, r *replaying, path string) (err error) {
	if err := r.check(); err != nil {
		return err
	}
	slow := time.AfterFunc(wordless, func() { a.say("reading %s …", text.Legible(path)) })
	tape, err := recording.OpenContext(cmd.Context(), path)
	slow.Stop()
	if err != nil {
		return failed("%w", err)
	}
	closed := tape.Close
	defer func() { err = errors.Join(err, closed()) }()
	at, err := momentIn(tape, r.at)
	if err != nil {
		return err
	}
	if tape.Trouble != "" {
		a.say("%s: %s; it is shown up to there", text.Legible(path), text.Legible(tape.Trouble))
	}
	switch {
	case r.snapshot:
		return a.replaySnapshot(tape, at, r)
	case r.output == "screen" && a.hasScreen():
		player := recording.NewPlayer(tape, at, r.speed)
		closed = player.Close
		ctx, cancel := limit(cmd.Context(), r.span)
		defer cancel()
		return a.replayScreen(ctx, player, tape.Header, r, path)
	case r.output == "screen":
		a.say("the standard output is no terminal that a dashboard can be drawn on: the events of the recording")
	}
	return a.replayEvents(cmd.Context(), tape, at, r)
}

// replayScreen opens the dashboard over a recording.
func (a *app) replayScreen(ctx context.Context, player *recording.Player, h recording.Header, r *replaying, path string) error {
	reports := reporter{
		directory: r.draw.reports,
		about:     report.Incident{Where: h.Where, Locktop: version(), Profile: h.Profile, Environment: h.Environment, Recording: filepath.Base(path)},
	}
	noColor, _ := a.lookup("NO_COLOR")
	begin, save := a.views(&r.draw, false)
	return a.runScreen(ctx, tui.Config{
		Source: player, Operator: refusing{}, Where: h.Where, Play: reel{player}, Clock: player.Clock, Report: reports.write,
		Profile: h.Profile, Production: h.Environment == settings.Production, Settings: begin, Save: save, Keys: a.otherKeys(),
		NoColor: noColor != "", ASCII: text.ASCII(), Mouse: r.draw.mouse, FPS: r.draw.fps, Sync: !r.draw.noSync,
	})
}

// replaySnapshot prints the locks of one moment.
func (a *app) replaySnapshot(tape *recording.Recording, at time.Time, r *replaying) error {
	if r.at == "" {
		at = tape.Last()
	}
	s, err := tape.Snapshot(tape.FrameAt(at))
	if err != nil {
		return failed("%w", err)
	}
	if r.output == "screen" {
		r.output = "table"
	}
	return a.list(s, &listing{output: r.output, span: time.Nanosecond})
}

// replayEvents prints events from a time on.
func (a *app) replayEvents(ctx context.Context, tape *recording.Recording, at time.Time, r *replaying) error {
	write := a.eventText()
	if r.output == "json" {
		write = a.eventJSON()
	}
	if r.at == "" {
		at = time.Time{}
	}
	last := uint64(0)
	for frame := tape.FrameAt(at); frame < tape.Len() && ctx.Err() == nil; frame++ {
		s, err := tape.Snapshot(frame)
		if err != nil {
			return failed("%w", err)
		}
		if frame >= tape.Len() { // what follows is damaged
			break
		}
		var fresh []inspector.Event
		for _, e := range s.Events {
			if e.Seq <= last || e.At.Before(at) {
				continue
			}
			if r.span > 0 && e.At.Sub(at) > r.span && !at.IsZero() || r.span > 0 && at.IsZero() && e.At.Sub(tape.First()) > r.span {
				return write(fresh)
			}
			if last > 0 && e.Seq > last+1 {
				fresh = append(fresh, lostEvents(e.Seq-last-1, e.At))
			}
			fresh, last = append(fresh, e), e.Seq
		}
		if err := write(fresh); err != nil {
			return err
		}
	}
	return nil
}

// refusing is the operator of a recording.
type refusing struct{}

func (refusing) ReadOnly() bool { return true }

func (refusing) Do(context.Context, actions.Request) actions.Outcome {
	return actions.Outcome{Result: actions.ResultReadOnly, Woken: -1, Detail: "a recording cannot be acted on"}
}

// reel is a recording that is played, as the dashboard sees it.
type reel struct{ player *recording.Player }

func (r reel) Scene() tui.Scene {
	p := r.player.Progress()
	end := p.Why
	if p.Trouble != "" {
		end = p.Trouble
	}
	return tui.Scene{
		Rate: p.Speed, Held: p.Held,
		Reel: &tui.Reel{First: p.First, Last: p.Last, At: p.At, Ended: p.Ended, End: end},
	}
}

func (r reel) Control(_ context.Context, c tui.Control) error {
	switch c {
	case tui.ControlStep:
		r.player.Step()
	case tui.ControlHold:
		r.player.Hold()
	case tui.ControlSlower:
		r.player.Slower()
	case tui.ControlFaster:
		r.player.Faster()
	case tui.ControlRestart:
		r.player.Restart()
	case tui.ControlBack:
		r.player.Jump(-10 * time.Second)
	case tui.ControlForward:
		r.player.Jump(10 * time.Second)
	case tui.ControlBackMinute:
		r.player.Jump(-time.Minute)
	case tui.ControlForwardMinute:
		r.player.Jump(time.Minute)
	case tui.ControlFault:
	}
	return nil
}

// momentIn is the time in a recording that is meant. A time of day is the first one in it.
func momentIn(tape *recording.Recording, written string) (time.Time, error) {
	first, last := tape.First(), tape.Last()
	at, err := parseMoment(written, first)
	switch {
	case err != nil:
		return time.Time{}, err
	case at.Before(first.Truncate(time.Second)) || at.After(last.Add(time.Second)):
		return time.Time{}, usage("--at %s is not in the recording, which is from %s to %s", written, first.Format(time.DateTime), last.Format(time.DateTime))
	}
	return at, nil
}

func parseMoment(written string, first time.Time) (time.Time, error) {
	if written == "" {
		return first, nil
	}
	if since, is := strings.CutPrefix(written, "+"); is {
		d, err := time.ParseDuration(since)
		if err != nil {
			return time.Time{}, usage("--at %q: give a time since the beginning such as +90s", written)
		}
		return first.Add(d), nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		if at, err := time.ParseInLocation(layout, written, first.Location()); err == nil {
			return at, nil
		}
	}
	for _, layout := range []string{"15:04:05", "15:04"} {
		if at, err := time.Parse(layout, written); err == nil {
			y, m, d := first.Date()
			day := time.Date(y, m, d, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), first.Location())
			if day.Before(first.Truncate(time.Minute)) {
				day = time.Date(y, m, d+1, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), first.Location())
			}
			if day.Before(first) && first.Sub(day) < time.Minute {
				day = first
			}
			return day, nil
		}
	}
	return time.Time{}, usage("--at %q is no time: write 15:04:05, with a date before it, as 2006-01-02T15:04:05Z, or since the beginning, as +90s", written)
}
