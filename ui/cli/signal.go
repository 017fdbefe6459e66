package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted is the end by ctrl-c in the dashboard, where it is a key and no signal.
var errInterrupted = errors.New("interrupted")

// signalError is the cause of a context that a signal ended.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return e.signal.String() }

// withSignals ends the context at the first signal that asks for the end; a second one then kills the process, as it
// would have without us. Signals that were ignored when we started stay ignored: nohup, and a shell's background jobs.
func withSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	ends := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(ends, s)
		}
	}
	// Asked for, SIGPIPE makes the write fail instead of killing us before anything is restored.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	go func() {
		select {
		case s := <-ends:
			signal.Stop(ends)
			cancel(&signalError{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(ends)
		signal.Stop(pipe)
		cancel(nil)
	}
}

// signalled says whether a signal ended the context.
func signalled(ctx context.Context) bool {
	s := (*signalError)(nil)
	return errors.As(context.Cause(ctx), &s)
}
