// Package cli is the commands of locktop, one file a verb, and plain output.
//
// What it guarantees: results go to the standard output and nothing else does; everything that is said to a person goes
// to the standard error; text from Redis is escaped before it is written to either; a password is never written to any.
// Whatever a session changed or opened is undone and closed on every way out, also after a signal and when the reader of
// a pipe has gone.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"locktop/ui/text"
)

// app is what every command works with.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	lookup         func(variable string) (string, bool)
	// fromEnv maps the name of a flag to the environment variable that set it.
	fromEnv map[string]string
	configured
	// judge says what is wrong with the flags of the program as they stand.
	judge func() error
}

// Main runs a command line and returns the exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := withSignals(ctx)
	defer stop()
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, lookup: os.LookupEnv, fromEnv: map[string]string{}}
	root := a.newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return a.exit(ctx, root.ExecuteContext(ctx))
}

// say writes one line to the standard error. That nobody reads it is no reason to stop.
func (a *app) say(format string, args ...any) {
	_, _ = fmt.Fprintf(a.stderr, "locktop: "+format+"\n", args...)
}

// underlying is the stream that what is written to this one ends up in.
func underlying(stream any) any {
	if w, ok := stream.(*text.ASCIIWriter); ok {
		return w.Writer
	}
	return stream
}

// isTerminal says whether a stream is one.
func isTerminal(stream any) bool {
	f, ok := underlying(stream).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
