package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/text"
)

// withMouse is a harness whose mouse is on, and whose toasts have gone.
func withMouse(t testing.TB, width, height int) *harness {
	t.Helper()
	h := withDemo(t, width, height, "default")
	h.keys("M")
	h.m.toast = toast{}
	h.send(tickMsg{})
	return h
}

func (h *harness) click(x, y int) {
	h.t.Helper()
	h.send(tea.MouseMsg{X: x, Y: y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
}

// clickOn clicks on the first place at which the screen shows a text.
func (h *harness) clickOn(wanted string) {
	h.t.Helper()
	for y, line := range strings.Split(h.screen(), "\n") {
		if before, _, found := strings.Cut(line, wanted); found {
			h.click(text.Width(before), y)
			return
		}
	}
	h.t.Fatalf("the screen does not show %q:\n%s", wanted, h.screen())
}

func (h *harness) turn(b tea.MouseButton) {
	h.t.Helper()
	h.send(tea.MouseMsg{X: 1, Y: 9, Button: b, Action: tea.MouseActionPress})
}

func TestMouseSelectsSortsAndOpens(t *testing.T) {
	h := withMouse(t, 120, 40)
	h.clickOn("cart:137")
	if got := h.m.table.current().Key; got != "cart:137" {
		t.Errorf("the click selected %s", got)
	}
	h.clickOn("KEY")
	h.wantSeen("KEY↓", "by key")
	if got := h.m.table.current().Key; got != "cart:137" {
		t.Errorf("after the sort the cursor is on %s", got)
	}
	h.now = h.now.Add(time.Second)
	h.clickOn("KEY")
	h.wantSeen("KEY↑")
	h.clickOn("HELD")
	h.wantSeen("HELD↓")
	h.turn(tea.MouseButtonWheelDown)
	h.turn(tea.MouseButtonWheelUp)
	// The second click opens what the first one has selected, also where another row has come under the pointer.
	h.clickOn("cart:174")
	at := h.m.mouse
	h.keys("s", "I")
	h.click(at.x, at.y)
	if h.m.detail == nil || h.m.detail.lock.Key != "cart:174" {
		t.Fatal("two clicks do not open the lock")
	}
	before := h.m.View()
	h.click(5, 8)
	if h.m.View() != before {
		t.Error("a click in the detail does something")
	}
	h.clickOn("esc back")
	if h.m.detail != nil {
		t.Error("a click on the hint does not go back")
	}
}

func TestMouseInOtherViews(t *testing.T) {
	h := withMouse(t, 170, 40)
	h.clickOn("3 events")
	h.clickOn("lost")
	if e := h.m.events.current(filter{}); e.Seq != 4 {
		t.Errorf("the click selected the event %d", e.Seq)
	}
	h.clickOn("EVENT") // no order but time's
	h.show(clusterFixture())
	h.keys("4")
	h.clickOn(string(h.m.shownNodes()[2].Node))
	if h.m.nodes.index != 2 {
		t.Errorf("the click selected the node %d", h.m.nodes.index)
	}
	h.keys("1", "5")
	h.turn(tea.MouseButtonWheelDown)
	h.click(10, 10)
	h.show(redlockFixture())
	h.keys("4")
	h.clickOn("orders:checkout-1")
	if got := h.m.table.current().Key; got != "orders:checkout-1" {
		t.Errorf("the click selected %s", got)
	}
	h.clickOn("STATE")
	h.clickOn("VALID") // nothing to sort by
	h.wantUnseen("by valid")
	// What a toast hides cannot be selected.
	h.m.toast = infoToast("something", h.now)
	h.send(tickMsg{})
	selected := h.m.table.index
	h.clickOn("something")
	if h.m.table.index != selected {
		t.Error("a click on a toast selected what is behind it")
	}
}

// TestMouseNeverActs clicks everywhere on every screen, twice: nothing is done, and no dialog is opened or confirmed.
func TestMouseNeverActs(t *testing.T) {
	t.Parallel()
	for _, begin := range [][]string{nil, {"3"}, {"4"}, {"5"}, {"enter"}, {"?"}, {"/", "a"}, {"r"}, {"e"}, {"x", "tab"}} {
		t.Run(strings.Join(begin, " "), func(t *testing.T) {
			t.Parallel()
			const width, height = 80, 24
			h := withMouse(t, width, height)
			h.keys(begin...)
			dialog := h.m.dialog != nil
			for y := range height {
				for x := 0; x < width; x += 4 {
					h.pending = nil
					h.click(x, y)
					h.click(x, y)
					if h.m.dialog != nil && !dialog || h.m.quitting || len(h.play.controls) > 0 {
						t.Fatalf("a click at %d,%d acts:\n%s", x, y, h.screen())
					}
					if dialog && h.m.dialog == nil { // Cancel
						h.settle()
						h.keys(begin...)
					}
				}
			}
			h.settle()
			if len(h.operator.requests) > 0 {
				t.Fatal("the mouse has acted")
			}
		})
	}
}

func TestMouseInADialogOnlyCancels(t *testing.T) {
	h := withMouse(t, 100, 30)
	h.keys("r", "tab")
	before := h.m.View()
	h.clickOn("[ Release ]")
	h.turn(tea.MouseButtonWheelDown)
	if h.m.View() != before {
		t.Error("the mouse did something in the dialog")
	}
	h.clickOn("[ Cancel ]")
	if h.m.dialog != nil || len(h.operator.requests) > 0 {
		t.Error("a click on Cancel does not cancel")
	}
}

// TestMousePressesOtherKeys: a hint whose key has another name presses that one, and not its letters.
func TestMousePressesOtherKeys(t *testing.T) {
	h := withMouse(t, 160, 40)
	if err := h.m.keys.remap(map[string][]string{"help": {"ctrl+r"}, "holders": {"f2"}, "filter": {"alt+c"}}); err != nil {
		t.Fatal(err)
	}
	h.send(tickMsg{})
	h.clickOn("^r help")
	if !h.m.help || h.m.dialog != nil {
		t.Fatal("a click on the hint of the help does not open it")
	}
	h.clickOn("esc back")
	h.clickOn("f2 holders")
	if h.m.view != viewHolders {
		t.Error("a click on the hint of the holders does not show them")
	}
	h.clickOn("M-c filter")
	if !h.m.typing || h.m.chooser != nil {
		t.Error("a click on the hint of the filter does not begin it")
	}
}

func TestMouseIsOffUnlessAskedFor(t *testing.T) {
	h := withFixture(t, 120, 40, "default")
	before := h.m.View()
	h.clickOn("cart:137")
	h.turn(tea.MouseButtonWheelDown)
	if h.m.View() != before {
		t.Error("the mouse is off, and does something")
	}
	if cmd := h.m.resumeMouse(); cmd != nil {
		t.Error("the mouse is off, and is asked for")
	}
	h.keys("M")
	_, cmd := h.m.Update(tea.ResumeMsg{})
	if cmd == nil || cmd() != tea.EnableMouseCellMotion() {
		t.Error("after a suspension the mouse is not asked for again")
	}
}

func TestMouseFilter(t *testing.T) {
	h := withMouse(t, 100, 30)
	now := noon
	f := &mouseFilter{clock: func() time.Time { return now }}
	pass := func(msg tea.Msg) bool { return f.pass(h.m, msg) != nil }
	wheel := tea.MouseMsg{Button: tea.MouseButtonWheelDown, Action: tea.MouseActionPress}
	if !pass(wheel) || pass(wheel) {
		t.Error("the wheel is not slowed down")
	}
	now = now.Add(wheelPace)
	if !pass(wheel) {
		t.Error("the wheel stands still")
	}
	if pass(tea.MouseMsg{Button: tea.MouseButtonLeft, Action: tea.MouseActionMotion}) || pass(tea.MouseMsg{Action: tea.MouseActionRelease}) {
		t.Error("a frame is made for nothing")
	}
	typed := func(s string) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)} }
	bracket := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'['}, Alt: true}
	for _, torn := range [][]tea.KeyMsg{
		{bracket, typed("<0;40"), typed(";12M")},
		{bracket, typed("<0;40;12m")},
		{typed("[<0;3;"), typed("4"), typed("m")},
	} {
		for _, part := range torn {
			if pass(part) {
				t.Errorf("%q of a report was taken for a key", string(part.Runes))
			}
		}
		if !pass(typed("m")) || !pass(typed("3")) {
			t.Error("the key after a report was lost")
		}
	}
	if pass(bracket) || !pass(typed("j")) || !pass(typed("m")) {
		t.Error("a key that is none of a report was lost")
	}
	h.keys("M")
	for _, key := range []tea.KeyMsg{bracket, typed("m")} {
		if !pass(key) {
			t.Errorf("the mouse is off, and %q was lost", key)
		}
	}
}

// TestHarmlessHintsAreSeen: what the mouse may press is what the footer shows, and nothing that acts.
func TestHarmlessHintsAreSeen(t *testing.T) {
	h := withMouse(t, 200, 50)
	var shown []string
	for _, hint := range h.m.mouse.hints {
		h.wantSeen(hint.shown)
		shown = append(shown, hint.shown)
	}
	for _, want := range []string{"⏎ detail", "? help", "3 events"} {
		if !slices.Contains(shown, want) {
			t.Errorf("%q cannot be clicked; these can: %q", want, shown)
		}
	}
	h.keys("r")
	if hints := h.m.mouse.hints; len(hints) != 1 || hints[0].shown != "esc cancel" {
		t.Errorf("in a dialog these hints can be clicked: %v", hints)
	}
	h.keys("esc")
	for _, b := range h.m.keys.harmless() {
		for _, acts := range [][]string{
			h.m.keys.Release.Keys(), h.m.keys.Extend.Keys(), h.m.keys.Expire.Keys(), h.m.keys.Choose.Keys()[1:], h.m.keys.Quit.Keys(),
			h.m.keys.Fault.Keys(), h.m.keys.Restart.Keys(), h.m.keys.Mark.Keys(),
		} {
			if slices.ContainsFunc(b.Keys(), func(k string) bool { return slices.Contains(acts, k) }) {
				t.Errorf("%v is no harmless key", b.Keys())
			}
		}
	}
	h.wantSeen("mouse on, M off")
}

// pressMouse asks for the mouse, and gives it back.
func pressMouse(t *testing.T, h *harness, press string) {
	t.Helper()
	on, off := tea.EnableMouseCellMotion(), tea.DisableMouse()
	for _, want := range []tea.Msg{on, off} {
		_, cmd := h.m.Update(keyMsg(press))
		if cmd == nil || cmd() != want {
			t.Errorf("the terminal is not told %T", want)
		}
		if h.m.mouse.on != (want == on) || strings.Contains(h.screen(), "mouse on, M off") != h.m.mouse.on {
			t.Errorf("the screen does not say what the mouse does:\n%s", h.screen())
		}
	}
}
