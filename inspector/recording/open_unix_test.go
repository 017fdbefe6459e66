//go:build unix

package recording

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes into is refused at once: to open it would wait for ever, and not even ctrl-c would end that.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	go func() {
		_, err := Open(path)
		opened <- err
	}()
	select {
	case err := <-opened:
		if err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for somebody who writes")
	}
}

// TestRecordingFollowsNoDanglingLink makes no file that nobody named, and does not wait for the reader of a pipe.
func TestRecordingFollowsNoDanglingLink(t *testing.T) {
	dir := t.TempDir()
	link, target, pipe := filepath.Join(dir, "link"), filepath.Join(dir, "target"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.Symlink(target, link), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(link, Header{}, 0); err == nil || !strings.Contains(err.Error(), "a symbolic link to") {
		t.Errorf("%v", err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the target of the link: %v", err)
	}
	if _, err := Create(pipe, Header{}, 0); err == nil {
		t.Error("a pipe without a reader was taken")
	}
	if err := os.WriteFile(target, nil, 0o644); err != nil { // as mktemp leaves it
		t.Fatal(err)
	}
	w, err := Create(link, Header{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 || w.Close("done") != nil {
		t.Errorf("%v, %v", info, err)
	}
}
