//go:build unix

// Package e2e_test drives the real program in a real terminal (tmux) against real servers, as a person would: it types
// keys, and polls the screen until it shows what it must. Nothing here sleeps for a fixed time.
package e2e_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"locktop/keyspace/redistest"
	"locktop/ui/cli"
)

// binary is the program under test: this test's own executable under the program's name, so that "go test" knows when a
// result that it has kept is of an older program.
var binary string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "locktop" {
		os.Exit(cli.Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "locktop-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "locktop")
		self, err := os.Executable()
		if err == nil {
			err = os.Symlink(self, binary)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		// The tests wait more than they work. Who says -parallel has the last word.
		if err = flag.Set("test.parallel", "4"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// patience is how long a screen may take to become what a test waits for, on a loaded machine.
var patience = 20 * time.Second

var terminals atomic.Int64

// terminal is a shell in a tmux server of its own.
type terminal struct {
	t      *testing.T
	socket string
}

// openTerminal starts a shell in a window of the given size; env are more variables for it ("NO_COLOR=1").
func openTerminal(t *testing.T, width, height int, env ...string) *terminal {
	t.Helper()
	redistest.Require(t, "tmux")
	home := t.TempDir()
	term := &terminal{t: t, socket: fmt.Sprintf("locktop-e2e-%d-%d", os.Getpid(), terminals.Add(1))}
	args := []string{
		"-f", os.DevNull, "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height),
		"env", "-u", "NO_COLOR", "-u", "REDIS_URL", "-u", "XDG_CONFIG_HOME", "-u", "CI", "HOME=" + home, "XDG_STATE_HOME=" + home, "PS1=ready> ",
		"LANG=C.UTF-8", "LC_ALL=C.UTF-8",
	}
	args = append(args, env...)
	term.tmux(append(args, "sh")...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen at the end:\n%s", term.screen())
		}
		_ = exec.Command("tmux", "-L", term.socket, "kill-server").Run() // it is gone already where the shell ended
	})
	term.tmux("set-option", "-g", "escape-time", "0")
	term.waitFor("ready>")
	return term
}

func (term *terminal) tmux(args ...string) string {
	term.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-L", term.socket}, args...)...).CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// run types a command line with the program's name before it; the shell then says how it ended, for [terminal.mustBeSane].
func (term *terminal) run(arguments string) {
	term.t.Helper()
	term.typeText(binary + " " + arguments + "; echo exit=$?")
	term.keys("Enter")
}

// keys presses keys by tmux' names: "j", "Enter", "Escape", "C-c".
func (term *terminal) keys(keys ...string) {
	term.t.Helper()
	term.tmux(append([]string{"send-keys"}, keys...)...)
}

// escape presses Escape and waits until a text is gone: a key that followed at once would be read as alt and that key.
func (term *terminal) escape(gone string) {
	term.t.Helper()
	term.keys("Escape")
	term.waitGone(gone)
}

// typeText types text as it is.
func (term *terminal) typeText(text string) {
	term.t.Helper()
	term.tmux("send-keys", "-l", text)
}

// screen is the text that the window shows, without trailing blanks.
func (term *terminal) screen() string {
	out, err := exec.Command("tmux", "-u", "-L", term.socket, "capture-pane", "-p").CombinedOutput()
	if err != nil {
		return fmt.Sprintf("(no screen: %v %s)", err, out)
	}
	return string(out)
}

// resize makes the window another size, as dragging its corner does.
func (term *terminal) resize(width, height int) {
	term.t.Helper()
	term.tmux("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

// waitFor polls until the screen shows every one of the texts, and returns that screen.
func (term *terminal) waitFor(texts ...string) string {
	term.t.Helper()
	return term.waitUntil(fmt.Sprintf("all of %q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// waitGone polls until the screen shows none of the texts.
func (term *terminal) waitGone(texts ...string) string {
	term.t.Helper()
	return term.waitUntil(fmt.Sprintf("none of %q", texts), func(screen string) bool {
		for _, text := range texts {
			if strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

func (term *terminal) waitUntil(what string, ok func(screen string) bool) string {
	term.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		screen := term.screen()
		if ok(screen) {
			return screen
		}
		if time.Now().After(deadline) {
			term.t.Fatalf("not within %v: %s; the screen:\n%s", patience, what, screen)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// mustBeSane checks that the program has ended with this exit code, and that the shell has its terminal back: the main
// screen, echo, line mode, signals, a visible cursor, no mouse.
func (term *terminal) mustBeSane(exitCode int) {
	term.t.Helper()
	term.waitFor(fmt.Sprintf("exit=%d", exitCode))
	term.typeText("clear; echo flags=$(stty -a | tr ' ;' '\\n\\n' | grep -cx -e icanon -e echo -e isig -e opost)")
	term.keys("Enter")
	term.waitFor("flags=4")
	modes := strings.TrimSpace(term.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}"))
	if modes != "0 1 0" {
		term.t.Errorf("alternate screen, cursor, mouse = %q, want \"0 1 0\"", modes)
	}
}
