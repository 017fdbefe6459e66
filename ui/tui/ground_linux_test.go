package tui

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"
)

// openPTY opens a pseudo-terminal: the side of the program, and the side of the terminal emulator.
func openPTY(t *testing.T) (terminal, screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return terminal, screen
}

// TestDarkGround asks terminals that answer, and one that never does.
func TestDarkGround(t *testing.T) {
	for _, c := range []struct {
		name, answer, term, colours string
		dark                        bool
	}{
		{"dark", "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "xterm-256color", "", true},
		{"light", "\x1b]11;rgb:ffff/fafa/f0f0\x1b\\", "xterm-256color", "", false},
		{"light, two digits, ended by a bell", "\x1b]11;rgb:ff/fa/f0\a", "xterm", "", false},
		{"light, after a key", "x\x1b]11;rgba:ffff/ffff/ffff/ffff\a", "xterm", "", false},
		{"blue", "\x1b]11;rgb:0000/0000/8080\a", "xterm", "", true},
		{"no answer", "", "xterm-256color", "", true},
		{"nonsense", "\x1b]11;rgb:zz/zz/zz\x1b\\", "xterm-256color", "", true},
		{"the environment knows: light", "", "xterm", "0;15", false},
		{"the environment knows: dark", "", "xterm", "15;default;0", true},
		{"a multiplexer is not asked", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "screen-256color", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TERM", c.term)
			t.Setenv("COLORFGBG", c.colours)
			terminal, screen := openPTY(t)
			before, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				var asked strings.Builder
				for buffer := make([]byte, 64); ; {
					n, err := screen.Read(buffer)
					if err != nil {
						return
					}
					asked.Write(buffer[:n])
					if strings.HasSuffix(asked.String(), askGround) {
						_, _ = screen.WriteString(c.answer)
					}
				}
			}()
			begin := time.Now()
			if dark := darkGround(terminal, terminal); dark != c.dark {
				t.Errorf("dark is %v", dark)
			}
			if took := time.Since(begin); took > 4*time.Second {
				t.Errorf("it waited for %v", took) // the library would wait for five seconds
			}
			after, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
			if err != nil || *after != *before {
				t.Errorf("the terminal is not as it was: %+v, %+v, %v", before, after, err)
			}
		})
	}
}

// TestLateAnswer presses no key where the terminal answers late.
func TestLateAnswer(t *testing.T) {
	runes := func(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }
	begin, st := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("]"), Alt: true}, tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(`\`), Alt: true}
	for _, answer := range [][]tea.Msg{
		{begin, runes("11;rgb:1e1e/1e1e/1e1e"), st},
		{begin, runes("1"), runes("1;r"), runes("g"), runes("b:1e1e/1e1e/1e1e"), st},
		{begin, runes("11;rgb:1e1e/1e1e/1e1e"), tea.KeyMsg{Type: tea.KeyCtrlG}},
	} {
		var l lateAnswer
		if l.drop(runes("r")) || l.drop(tea.WindowSizeMsg{}) {
			t.Error("something was dropped before the answer")
		}
		for _, msg := range answer {
			if !l.drop(msg) {
				t.Errorf("%v, of %v, is a key", msg, answer)
			}
		}
		if l.drop(runes("r")) || l.drop(tea.KeyMsg{Type: tea.KeyCtrlG}) {
			t.Errorf("a key after %v was dropped", answer)
		}
	}
	l := lateAnswer{}
	if !l.drop(begin) || l.drop(runes("x")) || l.drop(runes("1")) {
		t.Error("a key that is no part of an answer does not end it")
	}
}
