package settings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// maxPassword bounds the line that is taken for a password.
const maxPassword = 64 << 10

// Password runs the profile's password command, and is the first line that it prints. The program has the standard input and
// error of ours, for it may have to ask for something itself, and none of the variables in which passwords are given to us. No
// error repeats what it printed, nor its arguments.
func (f *File) Password(ctx context.Context, p *Profile, stdin io.Reader, stderr io.Writer) (string, error) {
	if f.Exposed != nil {
		return "", fmt.Errorf("password-command of the profile %s is not run: %w", p.Name, f.Exposed)
	}
	words := p.PasswordCommand
	said := func(format string, args ...any) error {
		return fmt.Errorf("password-command of the profile %s, %s: %w", p.Name, words[0], fmt.Errorf(format, args...))
	}
	var out firstLine
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, stderr, withoutSecrets(os.Environ())
	cmd.WaitDelay = time.Second // what it leaves running, such as an agent for its keys, may keep the pipe open
	if file, is := stdin.(*os.File); is {
		cmd.Stdin = file
	}
	err := cmd.Start()
	if err != nil {
		return "", said("it cannot be started: %w", cause(err))
	}
	if err = cmd.Wait(); errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	switch password := strings.TrimRight(string(out.line), "\r"); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", said("%w", err)
	case password == "":
		return "", said("the first line that it printed is empty")
	case len(password) > maxPassword:
		return "", said("the first line that it printed is too long for a password")
	default:
		return password, nil
	}
}

// firstLine keeps the first line that is written to it, and of one without an end a little more than a password can have.
type firstLine struct {
	line []byte
	over bool
}

// Write implements [io.Writer]. It takes everything, so that who writes does not fail for it.
func (f *firstLine) Write(p []byte) (int, error) {
	line, _, ends := bytes.Cut(p, []byte("\n"))
	if !f.over {
		f.line = append(f.line, line[:min(len(line), maxPassword+1-len(f.line))]...)
		f.over = ends || len(f.line) > maxPassword
	}
	return len(p), nil
}

// cause is why a program cannot be started, without its name, which is said already.
func cause(err error) error {
	if lookup := (*exec.Error)(nil); errors.As(err, &lookup) {
		return lookup.Err
	}
	if path := (*os.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// withoutSecrets is an environment without the variables in which passwords are given to us.
func withoutSecrets(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(variable string) bool {
		return strings.HasPrefix(variable, "REDIS") || strings.HasPrefix(variable, "LOCKTOP_")
	})
}
