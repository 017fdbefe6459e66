package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"locktop/keyspace"
	"locktop/ui/text"
)

// The exit codes, for scripts.
const (
	exitDone        = 0
	exitError       = 1   // one line on the standard error: what failed, and the mend
	exitUsage       = 2   // the command line, or a variable of the environment, is wrong
	exitRefused     = 3   // a guard refused: changed, not held by that owner, read-only
	exitFound       = 4   // --fail-on found something
	exitInterrupted = 130 // by a signal, or ctrl-c
)

// codedError ends the program with a code. Where text is empty everything was said already.
type codedError struct {
	code int
	text string
	err  error
}

func (e *codedError) Error() string { return e.text }
func (e *codedError) Unwrap() error { return e.err }

// usage is an error of the command line.
func usage(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &codedError{code: exitUsage, text: err.Error(), err: err}
}

// failed is an error of the work itself.
func failed(format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &codedError{code: exitError, text: err.Error(), err: err}
}

// quietly ends with a code when the reason is on the standard output already.
func quietly(code int) error { return &codedError{code: code} }

// exit says what went wrong, in one line, and finds the code.
func (a *app) exit(ctx context.Context, err error) int {
	interrupted := signalled(ctx)
	switch {
	case isBrokenPipe(err): // The reader has had enough, as in "| head"; the verdict stands.
		coded := (*codedError)(nil)
		if !errors.As(err, &coded) || isBrokenPipe(coded.err) {
			return exitDone
		}
		err = coded
	case err == nil && interrupted, errors.Is(err, errInterrupted):
		return exitInterrupted
	case err == nil:
		return exitDone
	case interrupted && errors.Is(err, context.Canceled):
		return exitInterrupted
	}
	if said := oneLine(err.Error()); said != "" {
		// A server, or its certificate, may have put into it what a terminal would obey. A URL may have been given where something else
		// was asked for, and a user's password with it.
		a.say("%s", text.Legible(keyspace.HideUserInfo(said)))
	}
	if interrupted {
		return exitInterrupted
	}
	if coded := (*codedError)(nil); errors.As(err, &coded) {
		return coded.code
	}
	return exitError
}

// oneLine joins the lines of an error, as errors.Join makes them.
func oneLine(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	return strings.Join(lines, "; ")
}
