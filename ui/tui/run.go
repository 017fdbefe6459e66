// Package tui is the dashboard: the only importer of Bubble Tea.
//
// One goroutine, Bubble Tea's, owns the model. Snapshots reach it by one blocking command that is armed anew each time, so
// that the latest wins and no event of Redis ever costs a message of its own; a local clock counts TTLs down without any
// traffic. Everything that may block (the source, an action, a sort of many rows, the clipboard) runs in a command. All
// text of Redis is escaped before it is drawn. However the dashboard ends, the terminal is as it was before.
package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// ErrInterrupted is what [Run] returns after ctrl-c, or SIGINT from outside.
var ErrInterrupted = errors.New("interrupted")

// Source is where snapshots come from; *inspector.Inspector is one.
type Source interface {
	Next(ctx context.Context, after uint64) (*inspector.Snapshot, error)
	Note(e inspector.Event)
}

// Operator is who acts; *actions.Operator is one.
type Operator interface {
	ReadOnly() bool
	Do(ctx context.Context, r actions.Request) actions.Outcome
}

// Recorder is who records what the dashboard sees; *recording.Recorder is one.
type Recorder interface {
	// Status is how many bytes were written, and why nothing is recorded any more; nil: it is. It does not block.
	Status() (bytes int64, err error)
}

// Config is what the dashboard needs to run.
type Config struct {
	Source   Source
	Operator Operator
	// Off is why no action is possible although nobody asked for that; empty: they are, or somebody did.
	Off string
	// Where names the server in the header, without a secret ("127.0.0.1:6379/0", "embedded demo server").
	Where string
	// Play is the demo that runs below the dashboard, or the recording that is the source of it; nil: there is neither.
	Play Play
	// Prober listens to who asks for a lock, where Probe lets it; nil: it cannot be had.
	Prober Prober
	Probe  ProbePolicy
	// Recorder records what the source gives; nil: nobody does.
	Recorder Recorder
	// Report writes an incident report, and says where; nil: it cannot be written.
	Report func(ctx context.Context, i Incident) (path string, err error)
	// Profile is the name of the profile that is used; empty: none. In a production one destructive actions need a name to be typed.
	Profile    string
	Production bool
	// Settings is how the dashboard begins; Save keeps other ones for the profile, and says where. Nil: they cannot be kept.
	Settings Settings
	Save     func(Settings) (where string, err error)
	// Keys are other keys for the bindings of these names, which [BindingNames] has; nil: those of the program.
	Keys map[string][]string
	// Clock is what the time is; nil: the system's.
	Clock func() time.Time
	// NoColor comes from NO_COLOR. ASCII draws with nothing else than ASCII. Mouse is on from the beginning.
	NoColor, ASCII, Mouse bool
	// FPS caps writes to the terminal; zero: 30. Sync brackets frames in synchronized output (DEC mode 2026).
	FPS  int
	Sync bool
}

// defaultFPS is plenty for a screen whose snapshots come ten times a second.
const defaultFPS = 30

// Run shows the dashboard until the user quits or ctx ends, and leaves the terminal as it was. It returns nil after a
// quit, ErrInterrupted after ctrl-c, and a *PanicError where the dashboard itself broke. SIGTERM, SIGHUP, SIGQUIT and the
// end of ctx are a quit. Nothing may write to the terminal meanwhile, so whoever logs must log elsewhere.
func Run(ctx context.Context, c Config) error {
	if err := c.Settings.Check(); err != nil {
		return err
	}
	dark := c.NoColor || !isDefaultTheme(c.Settings.Theme) || darkGround(os.Stdin, os.Stdout)
	t, err := newTheme(forGround(c.Settings.Theme, dark), c.NoColor)
	if err != nil {
		return err
	}
	text.SetASCII(c.ASCII)
	ctx, stop := withSignals(ctx)
	defer stop()
	if c.FPS <= 0 {
		c.FPS = defaultFPS
	}
	out := &output{File: os.Stdout, sync: c.Sync}
	m := newModel(ctx, c, t)
	if err := m.keys.remap(c.Keys); err != nil {
		return err
	}
	m.copy = out.copy
	// Bubble Tea's own handler of signals hangs where SIGTERM meets the last frame, and knows no SIGHUP. Its WithContext
	// closes the input while it is being read (v1.3.10), so that the end of ctx is a quit like any other.
	mouse, late := &mouseFilter{clock: time.Now}, &lateAnswer{}
	filter := func(of tea.Model, msg tea.Msg) tea.Msg {
		if late.drop(msg) {
			return nil
		}
		return mouse.pass(of, msg)
	}
	program := tea.NewProgram(m, tea.WithoutSignalHandler(), tea.WithAltScreen(), tea.WithOutput(out), tea.WithFPS(c.FPS),
		tea.WithFilter(filter))
	defer context.AfterFunc(ctx, program.Quit)()
	_, err = program.Run()
	m.finish()
	switch {
	case m.fatal != nil:
		return m.fatal
	case m.interrupted || errors.Is(context.Cause(ctx), ErrInterrupted):
		return ErrInterrupted
	case ctx.Err() != nil: // a terminal that hung up has no more to say
		return nil
	case err != nil:
		return fmt.Errorf("run the dashboard: %w", err)
	}
	return nil
}

// withSignals is a context that ends with the signals that end the dashboard; its cause is ErrInterrupted after SIGINT.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	done := make(chan struct{})
	notify(signals)
	go func() {
		defer close(done)
		select {
		case s := <-signals:
			if s == os.Interrupt {
				cancel(ErrInterrupted)
			} else {
				cancel(fmt.Errorf("signal: %v", s))
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(context.Canceled)
		<-done
		signal.Stop(signals)
	}
}
