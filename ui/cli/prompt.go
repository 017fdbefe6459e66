package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// errNobody says that there is no person to ask.
var errNobody = errors.New("the standard input is not a terminal")

// confirm asks a question on the terminal; everything but yes is no.
func (a *app) confirm(ctx context.Context, question string) (bool, error) {
	if !isTerminal(a.stdin) {
		return false, errNobody
	}
	out, done := a.screen()
	defer done()
	fmt.Fprintf(out, "%s [y/N] ", question)
	line, err := await(ctx, func() (string, error) { return readLine(a.stdin) })
	if err != nil {
		fmt.Fprintln(out)
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		return false, err
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", nil
}

// askPassword reads a password without showing it, or a line of the standard input where that is no terminal.
func (a *app) askPassword(ctx context.Context) (string, error) {
	file, ok := a.stdin.(*os.File)
	if !ok || !isTerminal(file) {
		line, err := await(ctx, func() (string, error) { return readLine(a.stdin) })
		if errors.Is(err, io.EOF) && line != "" {
			err = nil
		}
		return strings.TrimRight(line, "\r\n"), err
	}
	out, done := a.screen()
	defer done()
	state, err := term.GetState(int(file.Fd()))
	if err != nil {
		return "", err
	}
	fmt.Fprint(out, "Password: ")
	password, err := await(ctx, func() (string, error) {
		b, err := term.ReadPassword(int(file.Fd()))
		return string(b), err
	})
	if ctx.Err() != nil { // ReadPassword still waits, with the echo off
		err = errors.Join(err, term.Restore(int(file.Fd()), state))
	}
	fmt.Fprintln(out)
	return password, err
}

// await waits for a person's answer, or for the end of the context. In the second case the read goes on, but the program
// is about to end, and nothing else reads the terminal.
func await[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		line T
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		line, err := read()
		answers <- answer{line, err}
	}()
	select {
	case got := <-answers:
		return got.line, got.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// screen is where a question is shown: the standard error, or where that is redirected the terminal itself.
func (a *app) screen() (io.Writer, func()) {
	if !isTerminal(a.stderr) {
		if tty, err := os.OpenFile(terminalDevice, os.O_WRONLY, 0); err == nil {
			return tty, func() { _ = tty.Close() } // what was written is on the screen
		}
	}
	return a.stderr, func() {}
}

// readLine reads one line and not a byte more; the rest is for whoever reads next.
func readLine(r io.Reader) (string, error) {
	one := bufio.NewReaderSize(byteByByte{r}, 16)
	return one.ReadString('\n')
}

// byteByByte hands out a byte a read.
type byteByByte struct{ r io.Reader }

func (b byteByByte) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return b.r.Read(p[:1])
}
