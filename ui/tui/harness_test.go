package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"locktop/inspector"
)

// harness drives the model as Bubble Tea would, with a clock of its own and without a terminal. Commands are not run but
// kept, except those that a test asks for.
type harness struct {
	t        testing.TB
	m        *model
	now      time.Time
	source   *fakeSource
	operator *fakeOperator
	prober   *fakeProber
	play     *fakePlay // nil: there is no demo
	copied   []string
	pending  []tea.Cmd
	answers  chan tea.Msg // of a probe
}

func newHarness(t testing.TB, width, height int, themeName string) *harness {
	t.Helper()
	h := &harness{t: t, now: noon, source: &fakeSource{next: make(chan *inspector.Snapshot, 1)}, operator: &fakeOperator{}, prober: &fakeProber{}, answers: make(chan tea.Msg, 64)}
	loaded, err := newTheme(themeName, false)
	if err != nil {
		t.Fatal(err)
	}
	h.m = newModel(t.Context(), Config{Source: h.source, Operator: h.operator, Prober: h.prober, Where: "prod-cache"}, loaded)
	h.m.clock = func() time.Time { return h.now }
	h.m.copy = func(s string) error {
		h.copied = append(h.copied, s)
		return nil
	}
	h.send(tea.WindowSizeMsg{Width: width, Height: height})
	return h
}

// withFixture is a harness that has got the fixture's snapshot.
func withFixture(t testing.TB, width, height int, themeName string) *harness {
	h := newHarness(t, width, height, themeName)
	h.show(fixture())
	return h
}

func (h *harness) send(msg tea.Msg) {
	h.t.Helper()
	_, cmd := h.m.Update(msg)
	if h.m.fatal != nil {
		h.t.Fatalf("panic at %T: %v\n%s", msg, h.m.fatal, h.m.fatal.Stack)
	}
	if cmd != nil {
		h.pending = append(h.pending, cmd)
	}
}

func (h *harness) show(s *inspector.Snapshot) {
	h.t.Helper()
	h.m.table.took = 0 // sorts are timed by the real clock, and rationed by ours, which may stand still
	h.send(snapshotMsg{snapshot: s})
}

// run runs the commands that are pending, until what a test waits for has come; without a condition, until none of them
// has answered for a while, since some wait for the source or the clock.
func (h *harness) run(until ...func() bool) {
	h.t.Helper()
	results := make(chan tea.Msg, 256)
	patience := 50 * time.Millisecond
	if len(until) > 0 {
		patience = 20 * time.Second
	}
	for len(until) == 0 || !until[0]() {
		for _, cmd := range h.pending {
			go func() { results <- cmd() }()
		}
		h.pending = nil
		select {
		case msg := <-results:
			switch msg := msg.(type) {
			case tea.BatchMsg:
				h.pending = append(h.pending, msg...)
			case nil, tea.QuitMsg:
			default:
				h.send(msg)
			}
		case <-time.After(patience):
			if len(until) > 0 {
				h.t.Fatal("what was waited for has not come")
			}
			return
		}
	}
}

// answer runs the commands until one of them has answered with a toast, as actions and copies do.
func (h *harness) answer() {
	h.t.Helper()
	h.run(func() bool { return h.m.toast.text != "" && !strings.HasPrefix(h.m.toast.text, "…") })
}

// keys types keys, named as Bubble Tea names them.
func (h *harness) keys(names ...string) {
	h.t.Helper()
	for _, name := range names {
		h.send(keyMsg(name))
	}
}

func keyMsg(name string) tea.KeyMsg {
	for _, k := range []tea.KeyType{
		tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight, tea.KeyEnter, tea.KeyEsc, tea.KeyTab, tea.KeyShiftTab,
		tea.KeyPgUp, tea.KeyPgDown, tea.KeyHome, tea.KeyEnd, tea.KeyBackspace, tea.KeyCtrlC, tea.KeyCtrlZ, tea.KeyCtrlU,
		tea.KeyCtrlD, tea.KeyCtrlB, tea.KeyCtrlF, tea.KeySpace,
	} {
		if (tea.Key{Type: k}).String() == name {
			if k == tea.KeySpace {
				return tea.KeyMsg{Type: k, Runes: []rune{' '}}
			}
			return tea.KeyMsg{Type: k}
		}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// screen is the frame without its styles.
func (h *harness) screen() string { return ansi.Strip(h.m.View()) }

func (h *harness) wantSeen(texts ...string) {
	h.t.Helper()
	for _, s := range texts {
		if !strings.Contains(h.screen(), s) {
			h.t.Errorf("the screen does not show %q:\n%s", s, h.screen())
		}
	}
}

func (h *harness) wantUnseen(texts ...string) {
	h.t.Helper()
	for _, s := range texts {
		if strings.Contains(h.screen(), s) {
			h.t.Errorf("the screen shows %q:\n%s", s, h.screen())
		}
	}
}

// checkFrame says what is wrong with a frame; nil: it has exactly the window's height, no line is wider than the window,
// and nothing but our own styles escapes.
func checkFrame(frame string, width, height int) error {
	if width <= 0 || height <= 0 {
		if frame != "" {
			return fmt.Errorf("a frame for a window of %dx%d", width, height)
		}
		return nil
	}
	lines := strings.Split(frame, "\n")
	if len(lines) != height {
		return fmt.Errorf("%d lines in a window of %dx%d", len(lines), width, height)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			return fmt.Errorf("line %d is %d wide in a window of %dx%d: %q", i, w, width, height, line)
		}
		rest := line
		for {
			before, after, found := strings.Cut(rest, "\x1b")
			for _, r := range before {
				if r < 0x20 || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u200b' {
					return fmt.Errorf("line %d holds %U: %q", i, r, line)
				}
			}
			if !found {
				break
			}
			end := strings.IndexByte(after, 'm')
			if !strings.HasPrefix(after, "[") || end < 0 || strings.Trim(after[1:end], "0123456789;") != "" {
				return fmt.Errorf("line %d holds a sequence that is no style: %q", i, line)
			}
			rest = after[end+1:]
		}
	}
	return nil
}
