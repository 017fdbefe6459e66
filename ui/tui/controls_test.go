package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// told is the controls that the demo was given so far.
func (f *fakePlay) told() []Control {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.controls)
}

// control runs the commands until the demo was given so many controls, and has answered all of them.
func (h *harness) control(count int) {
	h.t.Helper()
	h.run(func() bool { return len(h.play.told()) >= count && len(h.m.controls) == 0 })
}

func wantControls(t *testing.T, h *harness, want ...Control) {
	t.Helper()
	if got := h.play.told(); !slices.Equal(got, want) {
		t.Errorf("the demo was told %q, want %q", got, want)
	}
}

var controlKeys = []string{"f", "n", "p", "-", "+", "=", "R"}

func TestControlsWorkInEveryView(t *testing.T) {
	for name, there := range map[string][]string{
		"locks": nil, "events": {"3"}, "nodes": {"4"}, "demo": {"5"}, "detail": {"enter"}, "frozen": {" "},
	} {
		t.Run(name, func(t *testing.T) {
			h := withDemo(t, 100, 30, "default")
			h.keys(there...)
			h.keys(controlKeys...)
			h.control(len(controlKeys))
			wantControls(t, h, ControlFault, ControlStep, ControlHold, ControlSlower, ControlFaster, ControlFaster, ControlRestart)
		})
	}
}

func TestControlsWorkWhereNothingElseIsToBeDone(t *testing.T) {
	h := withDemo(t, 100, 30, "default")
	h.operator.readOnly = true
	h.m.keys.setReadOnly(true)
	h.keys("p")
	h.control(1)
	h.wantSeen("‖ held", "READ-ONLY")
}

func TestControlsLeaveDialogsAlone(t *testing.T) {
	for name, there := range map[string][]string{"dialog": {"r"}, "filter": {"/"}, "help": {"?"}} {
		t.Run(name, func(t *testing.T) {
			h := withDemo(t, 100, 40, "default")
			h.keys(there...)
			h.keys(controlKeys...)
			h.keys("5")
			h.run()
			wantControls(t, h)
			if h.m.view != viewLocks {
				t.Error("the view has changed")
			}
		})
	}
}

func TestNoControlsWithoutADemo(t *testing.T) {
	h := withFixture(t, 100, 40, "default")
	before := h.m.View()
	h.keys(controlKeys...)
	h.keys("5")
	if len(h.pending) > 1 || h.m.View() != before { // the snapshot's own command is pending
		t.Errorf("a key of a demo did something:\n%s", h.screen())
	}
	h.keys("?")
	h.wantUnseen("Demo", "demo", "slower", "1 3 4 5")
	h.wantSeen("3 4 ")
}

func TestControlsKeepTheirOrder(t *testing.T) {
	h := withDemo(t, 100, 30, "default")
	h.keys("+++n")
	for range 3 * maxControls {
		h.keys("-")
	}
	if len(h.m.controls) != maxControls {
		t.Errorf("%d controls wait", len(h.m.controls))
	}
	h.control(maxControls)
	wantControls(t, h, ControlFaster, ControlFaster, ControlFaster, ControlStep,
		ControlSlower, ControlSlower, ControlSlower, ControlSlower)
}

func TestControlsThatFail(t *testing.T) {
	h := withDemo(t, 100, 30, "default")
	h.play.err = errors.New("the servers\x1b[2J are gone")
	h.keys("R")
	h.answer()
	h.wantSeen(`✖ could not begin anew: the servers\x1b[2J are gone`)
	h.keys("esc", "+")
	h.answer()
	h.wantSeen("✖ could not go faster: ", "▶ 1x")
}

func TestNoFaultToLetHappen(t *testing.T) {
	h := withDemo(t, 100, 30, "default")
	h.play.scene.Fault = ""
	h.keys("f")
	h.run()
	wantControls(t, h)
	h.wantSeen("there is no fault to let happen in this scenario")
	h.wantUnseen("f a holder dies")
}

// TestLowWindowsTellOfControls: what the narration has no room to show is told in a toast.
func TestLowWindowsTellOfControls(t *testing.T) {
	for _, c := range []struct {
		height int
		press  string
		said   string // in a toast; empty: there is none
	}{
		{24, "-", ""},
		{15, "-", "▶ ½x"},
		{15, "p", ""},
		{10, "p", "‖ held"},
		{10, "n", "▶| step"},
	} {
		h := withDemo(t, 80, c.height, "default")
		h.keys(c.press)
		h.control(1)
		if got := h.m.toast.text; got != c.said {
			t.Errorf("%d lines high, after %s: %q, want %q", c.height, c.press, got, c.said)
		}
	}
}

func TestSceneIsAskedForOnceAMessage(t *testing.T) {
	h := withDemo(t, 100, 30, "default")
	for _, msg := range []tea.Msg{tickMsg{}, keyMsg("5"), keyMsg("f"), keyMsg(" "), keyMsg("?"), tea.WindowSizeMsg{Width: 90, Height: 20}} {
		before := h.play.looked
		h.send(msg)
		if asked := h.play.looked - before; asked != 1 {
			t.Errorf("%v: the scene was asked for %d times", msg, asked)
		}
	}
}

func TestFreezeLeavesTheNarration(t *testing.T) {
	h := withDemo(t, 200, 50, "default")
	h.keys("5", " ")
	h.play.scene.Now = Sentence{At: noon, Text: "something new has happened"}
	h.play.scene.Told = append(h.play.scene.Told, h.play.scene.Now)
	h.play.scene.Held = true
	h.send(tickMsg{})
	h.wantSeen("FROZEN", "‖ held")
	if got := strings.Count(h.screen(), "something new has happened"); got != 1 {
		t.Errorf("frozen, it is told %d times", got)
	}
	h.keys(" ")
	if got := strings.Count(h.screen(), "something new has happened"); got != 2 {
		t.Errorf("live again, it is told %d times", got)
	}
}
