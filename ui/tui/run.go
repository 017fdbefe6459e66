// Package tui is the dashboard: the only importer of Bubble Tea and Lip Gloss.
package tui

import (
	"context"

	"locktop/actions"
	"locktop/inspector"
)

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

// Config is what the dashboard needs to run.
type Config struct {
	Source   Source
	Operator Operator
	// Where names the server in the header, without a secret ("127.0.0.1:6379/0", "embedded demo server").
	Where string
	// Narration, where set, gives the demo's latest sentence.
	Narration func() string
	// Theme is "default", "light", "mono"; NoColor comes from NO_COLOR.
	Theme   string
	NoColor bool
	// FPS caps writes to the terminal; zero: 30. Sync brackets frames in synchronized output (DEC mode 2026).
	FPS  int
	Sync bool
}

// Run shows the dashboard until the user quits or ctx ends, and leaves the terminal as it was. It returns nil after a
// quit, ErrInterrupted after ctrl-c, and a *PanicError where the dashboard itself broke.
func Run(ctx context.Context, c Config) error { return nil }
