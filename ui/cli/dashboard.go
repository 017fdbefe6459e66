package cli

import (
	"context"
	"errors"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/report"
	"locktop/ui/text"
	"locktop/ui/tui"
)

// face is what the dashboard says of where it looks.
type face struct {
	where string
	play  tui.Play      // nil: no demo runs below
	span  time.Duration // for how long; 0: until the user quits
}

// dashboard opens the dashboard, or prints what it would show where there is no terminal for it. The demo comes through
// here as well as production does.
func (a *app) dashboard(ctx context.Context, place keyspace.Place, look *observing, draw *screen, shown face) (err error) {
	began := time.Now()
	s, err := connect(ctx, place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := a.observe(ctx, s, look, false); err != nil {
		return err
	}
	recorder, err := a.record(ctx, s, &draw.record, a.recordingOf(shown.where, look))
	if err != nil {
		return err
	}
	ctx, cancel := limit(ctx, shown.span) // from now on: to connect may take some time
	defer cancel()
	if !a.hasScreen() {
		return a.printAll(ctx, s)
	}
	off := ""
	if err := s.mayAct(place, look.readOnly != readOnlyOff, draw.writeFor); err != nil { // One can still look.
		if look.readOnly == readOnlyOff { // else they are off as was asked for
			off = err.Error()
		}
		a.say("actions are off, as with --read-only: %v", err)
		s.operate(actions.Options{ReadOnly: true, Where: where(place)})
	}
	if s.audit != nil {
		others := s.followOthers(ctx, place)
		defer others.Wait() // after ctx has ended, before the audit is closed
		defer cancel()
	}
	noColor, _ := a.lookup("NO_COLOR")
	begin, save := a.views(draw, shown.play != nil)
	config := tui.Config{
		Source: s.locks, Operator: s.operator, Off: off, Where: shown.where, Play: shown.play,
		Profile: a.profileName(), Production: a.profile.Production(), Settings: begin, Save: save, Keys: a.otherKeys(),
		NoColor: noColor != "", ASCII: text.ASCII(), Mouse: draw.mouse,
		FPS: draw.fps, Sync: !draw.noSync,
		Prober: inspector.NewProber(s.servers, look.ruling(), s.locks), Probe: tui.ProbePolicy(draw.probe),
	}
	reports := reporter{
		directory: draw.reports, audit: s.audit, began: began,
		about: report.Incident{Where: shown.where, Profile: a.profileName(), Environment: a.environment(), Locktop: version()},
	}
	config.Report = reports.write
	if recorder != nil { // an interface that holds nothing would be something
		config.Recorder = recorder
	}
	return a.runScreen(ctx, config)
}

// runScreen shows the dashboard until it ends, and says how.
func (a *app) runScreen(ctx context.Context, config tui.Config) error {
	err := tui.Run(ctx, config)
	if errors.Is(err, tui.ErrInterrupted) {
		return errInterrupted
	}
	if broken := (*tui.PanicError)(nil); errors.As(err, &broken) {
		_, _ = a.stderr.Write(broken.Stack)
	}
	if err != nil {
		return failed("%w", err)
	}
	return nil
}

// hasScreen says whether the dashboard can be drawn on the standard output.
func (a *app) hasScreen() bool {
	kind, _ := a.lookup("TERM")
	return isTerminal(a.stdout) && kind != "dumb"
}

// printAll is the dashboard without a screen: one table, then events.
func (a *app) printAll(ctx context.Context, s *session) error {
	a.say("the standard output is no terminal that a dashboard can be drawn on: one table, then events until the end " +
		"(locktop list and locktop watch print either alone)")
	first, err := complete(ctx, s.locks)
	if err != nil || first == nil {
		return err
	}
	if err := writeTable(a.stdout, present(first.Locks), first.TakenAt, false); err != nil {
		return err
	}
	var seen uint64
	if n := len(first.Events); n > 0 {
		seen = first.Events[n-1].Seq
	}
	return stream(ctx, s.locks, seen, a.eventText(), a.newTeller().tell)
}

// patience is how long a server may be lost before the first complete snapshot. A feed never gives up; a command does.
const patience = 10 * time.Second

// complete waits for the first complete snapshot; nil: the context ended before.
func complete(ctx context.Context, locks *inspector.Inspector) (*inspector.Snapshot, error) {
	var seen uint64
	for {
		snapshot, err := locks.Next(ctx, seen)
		switch {
		case ctx.Err() != nil:
			return nil, nil
		case err != nil:
			return nil, failed("%w", err)
		case snapshot.Done && snapshot.Err != nil:
			return nil, failed("%w", snapshot.Err)
		case snapshot.Complete || snapshot.Done:
			return snapshot, nil
		}
		for _, n := range snapshot.Nodes {
			if !n.Connected && snapshot.TakenAt.Sub(n.StaleSince) > patience {
				return nil, failed("%s", n.Err)
			}
		}
		seen = snapshot.Seq
	}
}
