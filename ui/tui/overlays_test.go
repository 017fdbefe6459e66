package tui

import (
	"maps"
	"slices"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
)

// overlays opens every overlay, in each of its states. The harness shows the fixture or the demo, in a window that is large enough.
var overlays = map[string]func(h *harness){
	"release":      func(h *harness) { h.keys("r") },
	"extend":       func(h *harness) { h.keys("/", "o", "r", "d", "enter", "e") },
	"force-expire": func(h *harness) { h.keys("x") },
	"guarded":      func(h *harness) { h.m.config.Production, h.m.config.Profile = true, "prod-eu"; h.keys("r") },
	"bulk":         func(h *harness) { h.keys("m", "m", "m", "m", "r") },
	"bulk guarded": func(h *harness) {
		h.m.config.Production, h.m.config.Profile = true, "prod-eu"
		h.keys("m", "m", "m", "m", "x")
	},
	"bulk run":    func(h *harness) { h.keys("m", "m", "m", "m", "r", "tab", "enter") },
	"bulk report": func(h *harness) { h.keys("m", "m", "m", "m", "r", "tab", "enter"); h.finishRun() },
	"re-arm":      func(h *harness) { h.operator.until = noon; h.keys("e") },
	"actions": func(h *harness) {
		h.operator.lines = fixtureActions(noon)
		h.keys("A")
		h.run(func() bool { return h.m.lastActions.read })
	},
	"probe":      func(h *harness) { h.asksProbe() },
	"probe runs": func(h *harness) { h.asksProbe(); h.started() },
	"help":       func(h *harness) { h.keys("?") },
	"columns":    func(h *harness) { h.keys("c") },
	"help there": func(h *harness) { h.keys("c", "?") },
}

// asksProbe opens the dialog of a probe, and waits until it says what the probe costs.
func (h *harness) asksProbe() {
	h.t.Helper()
	h.prober.cost = inspector.ProbeCost{Known: true, Ops: 612, Busiest: 612, Masters: 1}
	h.prober.sample = aSample(h.m.table.rows[0].Ref)
	h.keys("P")
	h.run(func() bool { return h.m.probe.cost != nil })
}

// behind is what no overlay may change of the dashboard behind it.
type behind struct {
	view          view
	detail        *detail
	index, marks  int
	order         arrangement
	frozen, typed bool
	theme         string
	requests      int
	asked         int
	overlaid      bool
}

func (h *harness) behind() behind {
	return behind{
		h.m.view, h.m.detail, h.m.table.index, len(h.m.table.marks), h.m.order, h.m.frozen, h.m.typing, h.m.theme.name,
		len(h.operator.requests), len(h.prober.asked), h.m.overlaid(),
	}
}

// TestOverlaysKeepToThemselves: what is typed, pasted or done with the mouse while an overlay is open is for the overlay, and for nothing
// behind it; and the screen stands still for those that ask, and for no others.
func TestOverlaysKeepToThemselves(t *testing.T) {
	t.Parallel()
	asking := []string{"release", "extend", "force-expire", "guarded", "bulk", "bulk guarded", "re-arm", "probe"}
	for _, name := range slices.Sorted(maps.Keys(overlays)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := withMouse(t, 120, 40)
			overlays[name](h)
			before := h.behind()
			if !before.overlaid {
				t.Fatal("nothing is open")
			}
			check := func(after string) {
				t.Helper()
				if now := h.behind(); now != before {
					t.Fatalf("after %s: %+v, and it was %+v", after, now, before)
				}
			}
			if h.m.paused() != slices.Contains(asking, name) {
				t.Error("whether the screen stands still")
			}
			for _, key := range []string{"1", "2", "3", "4", "5", "/", "!", "s", "I", "m", "t", "r", "x", "P", "w", "R", "0"} {
				h.keys(key)
				check(key)
			}
			h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("3!mrx")})
			check("a burst")
			h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("3!mrx\r"), Paste: true})
			check("a paste")
			for y := 0; y < h.m.layout().footer.top; y += 2 { // but for Cancel
				for x := 4; x < 120; x += 37 {
					if shownAt(h.m.frame, tea.MouseMsg{X: x, Y: y}, "[ Cancel ]") {
						continue
					}
					h.click(x, y)
					h.click(x, y)
					check("a click")
				}
			}
			h.turn(tea.MouseButtonWheelDown)
			h.turn(tea.MouseButtonWheelUp)
			check("the wheel")
			for _, hint := range h.m.mouse.hints {
				if slices.Contains(h.m.keys.Choose.Keys(), hint.press.String()) {
					t.Errorf("%q can be clicked", hint.shown)
				}
			}
			h.keys("ctrl+c")
			if !h.m.quitting {
				t.Error("ctrl+c does not quit")
			}
		})
	}
}

// TestMouseClosesOverlays: a click on the hint that leads back does what its key does.
func TestMouseClosesOverlays(t *testing.T) {
	for name, hint := range map[string]string{
		"release": "esc cancel", "bulk": "esc cancel", "re-arm": "esc cancel", "probe": "esc cancel", "bulk report": "esc back",
		"actions": "esc back", "help": "esc back", "columns": "esc close",
	} {
		t.Run(name, func(t *testing.T) {
			h := withMouse(t, 120, 40)
			overlays[name](h)
			h.clickOn(hint)
			if h.m.overlaid() {
				t.Errorf("it is open still:\n%s", h.screen())
			}
		})
	}
	h := withMouse(t, 120, 40)
	h.asksProbe()
	h.clickOn("[ Cancel ]")
	if h.m.overlaid() || len(h.prober.asked) > 0 {
		t.Error("a click on Cancel does not cancel a probe")
	}
	h.asksProbe()
	h.started()
	h.clickOn("esc end the probe")
	h.probed()
	if !h.prober.wasEnded() {
		t.Error("the probe went on")
	}
	// The second of two clicks does not reach what the first has brought to light.
	h = withMouse(t, 120, 40)
	h.keys("/", "a")
	h.clickOn("cart:137")
	h.click(h.m.mouse.x, h.m.mouse.y)
	if h.m.detail == nil || h.m.typing {
		t.Error("a lock is not opened while the filter is being typed")
	}
}
