package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// What an error of the command line is about can be found in it, as in every other.
func TestErrorsKeepTheirCause(t *testing.T) {
	for _, err := range []error{usage("--cacert: %w", fs.ErrNotExist), failed("reading: %w", fs.ErrNotExist)} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v has lost its cause", err)
		}
	}
}

func TestExitCodes(t *testing.T) {
	running := t.Context()
	killed, cancel := context.WithCancelCause(running)
	cancel(&signalError{os.Interrupt})
	for _, c := range []struct {
		ctx  context.Context
		err  error
		code int
		said string
	}{
		{running, nil, 0, ""},
		{running, errors.New("a\nb"), 1, "locktop: a; b\n"},
		{running, failed("reading %s: %w", "k", io.EOF), 1, "locktop: reading k: EOF\n"},
		{running, usage("--x"), 2, "locktop: --x\n"},
		{running, errors.Join(usage("--x"), usage("--y")), 2, "locktop: --x; --y\n"},
		{running, quietly(exitRefused), 3, ""},
		{running, fmt.Errorf("printing: %w", brokenPipe(t)), 0, ""},
		{running, errInterrupted, 130, ""},
		{killed, nil, 130, ""},
		{killed, failed("reading: %w", context.Canceled), 130, ""},
		{killed, failed("restoring: %w", io.EOF), 130, "locktop: restoring: EOF\n"},
	} {
		var said bytes.Buffer
		if code := (&app{stderr: &said}).exit(c.ctx, c.err); code != c.code || said.String() != c.said {
			t.Errorf("%v: code %d, said %q; want %d, %q", c.err, code, said.String(), c.code, c.said)
		}
	}
}

// brokenPipe is the error of writing to a pipe that nobody reads.
func brokenPipe(t *testing.T) error {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = w.WriteString("x")
	return err
}

// forgetful is a source that has forgotten its first events when it is asked.
type forgetful struct{ asked int }

func (*forgetful) Next(context.Context, uint64) (*inspector.Snapshot, error) {
	return &inspector.Snapshot{Done: true}, nil
}

func (f *forgetful) EventsSince(seq uint64) ([]inspector.Event, uint64) {
	f.asked++
	return []inspector.Event{{Seq: seq + 4, At: noon, Ref: keyspace.Ref{Node: "n", Key: "k"}, Kind: inspector.EventAcquired}}, 3
}

func TestLostEventsAreTold(t *testing.T) {
	var out bytes.Buffer
	if err := stream(t.Context(), &forgetful{}, 0, (&app{stdout: &out}).eventJSON(), ignore); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"event":"gap"`) || !strings.Contains(lines[0], "3 events were not written") ||
		!strings.Contains(lines[1], `"event":"acquired"`) {
		t.Errorf("got %q", lines)
	}
}

func TestStreamEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := stream(ctx, endless{}, 0, func([]inspector.Event) error { return nil }, ignore); err != nil {
		t.Errorf("got %v", err)
	}
}

// endless never has anything new.
type endless struct{}

func (endless) Next(ctx context.Context, _ uint64) (*inspector.Snapshot, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
func (endless) EventsSince(uint64) ([]inspector.Event, uint64) { return nil, 0 }

func ignore(*inspector.Snapshot) {}

// A connection may break with the same error as a pipe; that is a failure, and no reader who has had enough.
func TestOnlyTheOutputBreaksAsAPipe(t *testing.T) {
	broken := os.NewSyscallError("write", syscall.EPIPE)
	a := &app{stderr: io.Discard}
	for _, test := range []struct {
		err  error
		want int
	}{
		{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, exitDone},
		{&net.OpError{Op: "write", Net: "unix", Err: broken}, exitError},
		{failed("connect: %w", &net.OpError{Op: "write", Net: "unix", Err: broken}), exitError},
		{errors.Join(&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, quietly(exitRefused)), exitRefused},
		{errors.Join(&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}, failed("unknown")), exitError},
	} {
		if got := a.exit(t.Context(), test.err); got != test.want {
			t.Errorf("%v: exit code %d, want %d", test.err, got, test.want)
		}
	}
}
