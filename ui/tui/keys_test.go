package tui

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// keyTests say what every key does; TestEveryBindingIsTested sees to it that none is left out.
var keyTests = map[string]func(t *testing.T, h *harness, press string){
	"Up": func(t *testing.T, h *harness, press string) {
		h.keys("j", "j", press)
		wantIndex(t, h, 1)
	},
	"Down": func(t *testing.T, h *harness, press string) {
		h.keys(press, press)
		wantIndex(t, h, 2)
	},
	"HalfUp": func(t *testing.T, h *harness, press string) {
		h.keys("G", press)
		wantIndex(t, h, len(h.m.table.rows)-1-h.m.table.height/2)
	},
	"HalfDown": func(t *testing.T, h *harness, press string) {
		h.keys(press)
		wantIndex(t, h, h.m.table.height/2)
	},
	"PageUp": func(t *testing.T, h *harness, press string) {
		h.keys("G", press)
		wantIndex(t, h, len(h.m.table.rows)-1-h.m.table.height)
	},
	"PageDown": func(t *testing.T, h *harness, press string) {
		h.keys(press)
		wantIndex(t, h, h.m.table.height)
	},
	"Top": func(t *testing.T, h *harness, press string) {
		h.keys("G", press)
		wantIndex(t, h, 0)
	},
	"Bottom": func(t *testing.T, h *harness, press string) {
		h.keys(press)
		wantIndex(t, h, len(h.m.table.rows)-1)
	},
	"Locks": func(_ *testing.T, h *harness, press string) {
		h.keys("3", press)
		h.wantSeen("STATE", "KEY")
	},
	"Holders": func(_ *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("CLIENT", "HOLDER", "LOCKS", "? unknown", "0f4d3a52 thread 42")
	},
	"Events": func(_ *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("EVENT", "handed-over", "the subscription was lost for 1.2 s")
	},
	"Nodes": func(_ *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("NODE", "127.0.0.1:6379", "48,211 keys seen")
	},
	"Open": func(_ *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("never ends: the key has no TTL", "Findings", "no-ttl (critical)", "→ Make sure that worker-7 is dead")
	},
	"Back": func(t *testing.T, h *harness, press string) {
		h.keys("enter", press)
		if h.m.detail != nil {
			t.Error("the detail is still open")
		}
		h.keys("/", "c", "a", "r", "t", "enter", "!", "m")
		h.keys(press)
		h.wantUnseen("/cart")
		h.wantSeen("SUSPECTS ONLY")
		h.keys(press)
		h.wantUnseen("SUSPECTS ONLY")
	},
	"Probe": func(t *testing.T, h *harness, press string) {
		h.keys(press)
		if h.m.probe == nil || h.m.probe.lock != h.m.table.rows[0] || h.m.probe.focus != controlCancel {
			t.Errorf("%+v", h.m.probe)
		}
		h.keys("enter")
		h.wantUnseen("[ Cancel ]")
	},
	"Filter": func(_ *testing.T, h *harness, press string) {
		h.keys(press, "o", "r", "d", "e", "r", "s", "enter")
		h.wantSeen("/orders", "1 row", "orders:checkout")
		h.wantUnseen("cart:100")
	},
	"Suspects": func(_ *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("SUSPECTS ONLY", "lock:invoice:7731")
		h.wantUnseen("cart:100")
		h.keys(press)
		h.wantSeen("cart:100")
	},
	"Sort": func(t *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("by key", "KEY↓")
		if got := h.m.table.rows[0].Key; got != "cart:100" {
			t.Errorf("the first row by key is %s", got)
		}
	},
	"Reverse": func(t *testing.T, h *harness, press string) {
		h.keys("s", press)
		h.wantSeen("by key, turned", "KEY↑")
		if got := h.m.table.rows[0].Key; got != "锁:订单:42" {
			t.Errorf("the last key is first, but the first row is %s", got)
		}
	},
	"Columns": func(t *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("╭─ columns", "[x] waiters", "state         always shown")
		h.keys("j", "j", "j", "j", "j", "j", " ")
		h.wantSeen("[ ] waiters")
		h.keys("esc")
		h.wantUnseen("WAITERS", "╭─ columns")
		if h.m.hidden != 1<<columnWaiters {
			t.Errorf("hidden are %b", h.m.hidden)
		}
	},
	"Save": func(t *testing.T, h *harness, press string) {
		var saved []Settings
		h.m.config.Save = func(s Settings) (string, error) {
			saved = append(saved, s)
			return "views.toml", nil
		}
		h.keys("s", "I", press)
		h.answer()
		h.wantSeen("saved: view, columns, orders, filters and theme, in views.toml")
		if len(saved) != 1 || saved[0].Sort != "key" || !saved[0].Reverse || saved[0].View != "locks" {
			t.Errorf("saved %+v", saved)
		}
	},
	"Freeze": func(t *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("FROZEN 14:03:27")
		h.now = h.now.Add(10 * time.Second)
		h.show(snapshotOf(2, h.now, manyLocks(1, h.now)))
		h.wantSeen("lock:invoice:7731", "FROZEN 14:03:27", "14:03:37")
		h.keys(press)
		h.wantSeen("lock:0000000")
		h.wantUnseen("FROZEN", "lock:invoice:7731")
		if h.m.at != h.now {
			t.Error("the screen's clock does not go on")
		}
	},
	"Mark": func(t *testing.T, h *harness, press string) {
		h.keys(press, press)
		h.wantSeen("+2 marked")
		wantIndex(t, h, 2)
		h.keys("y")
		h.answer()
		if len(h.copied) != 1 || h.copied[0] != "lock:invoice:7731\nmutex:queue" {
			t.Errorf("copied %q", h.copied)
		}
	},
	"Theme": pressTheme,
	"Mouse": pressMouse,
	"Copy": func(t *testing.T, h *harness, press string) {
		h.keys("/", "e", "v", "i", "l", "enter", press)
		h.answer()
		if want := `evil\x1b[2J\x1b]0;pwned\x07\u202ekcol`; len(h.copied) != 1 || h.copied[0] != want {
			t.Errorf("copied %q, want %q", h.copied, want)
		}
		h.wantSeen("copied the key evil")
	},
	"CopyCommand": func(t *testing.T, h *harness, press string) {
		h.keys(press)
		h.answer()
		if len(h.copied) == 1 && !strings.Contains(h.copied[0], "redis-cli") {
			t.Errorf("copied %q", h.copied[0])
		}
		if len(h.copied) != 1 {
			h.wantSeen("no redis-cli command")
		}
	},
	"Release": func(_ *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("release lock:invoice:7731", "✖ stuck, held for at least 3h12m", "[ Cancel ]", "[ Release ]")
	},
	"Extend": func(_ *testing.T, h *harness, press string) {
		h.keys("/", "o", "r", "d", "enter", press)
		h.wantSeen("extend orders:checkout", "for      30s", "[ Extend ]")
	},
	"Expire": func(_ *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("force-expire lock:invoice:7731", "[ Force-expire ]")
	},
	"ZoomIn": func(_ *testing.T, h *harness, press string) {
		h.keys("/", "o", "r", "d", "enter", press)
		h.wantSeen("who held it in the last 30 s")
		h.keys("enter", press)
		h.wantSeen("Who held it in the last 30 s")
	},
	"ZoomOut": func(_ *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("who held it in the last 2 minutes")
	},
	"Earlier": func(_ *testing.T, h *harness, press string) {
		h.keys("/", "o", "r", "d", "enter", press)
		h.wantSeen("who held it from 14:02:12 to 14:03:12, 15 s ago; 0 returns")
	},
	"Later": func(_ *testing.T, h *harness, press string) {
		h.keys("/", "o", "r", "d", "enter", "left", "left", press)
		h.wantSeen("who held it from 14:02:12 to 14:03:12, 15 s ago; 0 returns")
		h.keys(press)
		h.wantSeen("who held it in the last 60 s")
	},
	"Now": func(_ *testing.T, h *harness, press string) {
		h.keys("/", "o", "r", "d", "enter", "left", "left", press)
		h.wantSeen("who held it in the last 60 s")
	},
	"Actions": func(t *testing.T, h *harness, press string) {
		h.keys(press)
		h.run(func() bool { return h.m.lastActions != nil && h.m.lastActions.read })
		h.wantSeen("the last actions", "nothing was done here yet")
		h.keys(press)
		if h.m.lastActions != nil {
			t.Error("the panel is still open")
		}
	},
	"Demo": func(_ *testing.T, h *harness, press string) {
		h.stage(fixtureScene(noon))
		h.keys(press)
		h.wantSeen("look for  A lock of the state stuck", "✖ flawed  setnx, then expire")
		h.keys("esc")
		h.wantSeen("STATE", "lock:invoice:7731")
	},
	"Fault": func(t *testing.T, h *harness, press string) {
		h.stage(fixtureScene(noon))
		h.keys(press)
		h.wantSeen("… fault: a holder dies")
		h.answer()
		wantControls(t, h, ControlFault)
		h.wantSeen("fault: a holder dies")
		h.wantUnseen("… fault")
	},
	"Step": func(t *testing.T, h *harness, press string) {
		h.stage(fixtureScene(noon))
		h.keys(press)
		h.control(1)
		wantControls(t, h, ControlStep)
		h.wantSeen("▶| step")
	},
	"Hold": func(t *testing.T, h *harness, press string) {
		h.stage(fixtureScene(noon))
		h.keys(press)
		h.control(1)
		h.wantSeen("‖ held", "time stands still", "p go on")
		h.keys(press)
		h.control(2)
		wantControls(t, h, ControlHold, ControlHold)
		h.wantSeen("▶ 1x", "p hold")
	},
	"Slower": func(t *testing.T, h *harness, press string) {
		h.stage(fixtureScene(noon))
		h.keys(press)
		h.control(1)
		wantControls(t, h, ControlSlower)
		h.wantSeen("▶ ½x")
	},
	"Faster": func(t *testing.T, h *harness, press string) {
		h.stage(fixtureScene(noon))
		h.keys(press)
		h.control(1)
		wantControls(t, h, ControlFaster)
		h.wantSeen("▶ 2x")
	},
	"Restart": func(t *testing.T, h *harness, press string) {
		h.stage(fixtureScene(noon))
		h.keys(press)
		h.wantSeen("… from the beginning")
		h.answer()
		wantControls(t, h, ControlRestart)
		h.wantSeen("from the beginning")
		h.wantUnseen("… from the beginning")
	},
	"Rewind":        wantReelControl(ControlBack),
	"Forward":       wantReelControl(ControlForward),
	"RewindMinute":  wantReelControl(ControlBackMinute),
	"ForwardMinute": wantReelControl(ControlForwardMinute),
	"Report": func(t *testing.T, h *harness, press string) {
		var got Incident
		h.m.config.Report = func(_ context.Context, i Incident) (string, error) {
			got = i
			return "/tmp/report.md", nil
		}
		h.keys(press)
		h.answer()
		if len(got.Locks) != 1 || got.Locks[0].Key != "lock:invoice:7731" || got.All {
			t.Errorf("the report is of %+v", got.Locks)
		}
		h.wantSeen("✔ report: /tmp/report.md")
	},
	"Help": func(_ *testing.T, h *harness, press string) {
		h.keys(press)
		h.wantSeen("half a page up, down", "copy the redis-cli command")
		h.keys(press)
		h.wantUnseen("copy the redis-cli command")
	},
	"Quit": func(t *testing.T, h *harness, press string) {
		h.keys("enter", press)
		if h.m.quitting || h.m.detail != nil {
			t.Error("in the detail it goes back, and does not quit")
		}
		h.keys(press)
		if !h.m.quitting || h.m.interrupted {
			t.Error("at the root it quits")
		}
	},
	"Suspend": func(t *testing.T, h *harness, press string) {
		_, cmd := h.m.Update(keyMsg(press))
		if cmd == nil {
			t.Fatal("no command")
		}
		if _, ok := cmd().(tea.SuspendMsg); !ok {
			t.Error("it does not suspend")
		}
	},
	"Interrupt": func(t *testing.T, h *harness, press string) {
		h.keys("x", press)
		if !h.m.quitting || !h.m.interrupted {
			t.Error("it quits from anywhere")
		}
	},
	"Next": func(t *testing.T, h *harness, press string) {
		h.keys("r", press)
		if h.m.dialog.focus != controlConfirm {
			t.Errorf("the focus is on %d", h.m.dialog.focus)
		}
	},
	"Previous": func(t *testing.T, h *harness, press string) {
		h.keys("r", "tab", press)
		if h.m.dialog.focus != controlCancel {
			t.Errorf("the focus is on %d", h.m.dialog.focus)
		}
		h.keys(press)
		if h.m.dialog.focus != controlReason {
			t.Errorf("the focus is on %d", h.m.dialog.focus)
		}
	},
	"Choose": func(t *testing.T, h *harness, press string) {
		h.keys("r", press)
		if h.m.dialog != nil {
			t.Error("on Cancel it closes the dialog")
		}
	},
	"Cancel": func(t *testing.T, h *harness, press string) {
		h.keys("r", "tab", press)
		h.run()
		if h.m.dialog != nil || len(h.operator.requests) != 0 {
			t.Error("it closes the dialog and does nothing")
		}
	},
}

func wantIndex(t *testing.T, h *harness, want int) {
	t.Helper()
	if h.m.table.index != want {
		t.Errorf("the cursor is on row %d, want %d", h.m.table.index, want)
	}
}

func TestEveryBindingIsTested(t *testing.T) {
	keys := reflect.ValueOf(newKeyMap())
	for i := range keys.NumField() {
		name := keys.Type().Field(i).Name
		test, ok := keyTests[name]
		if !ok {
			t.Errorf("no test for the key %s", name)
			continue
		}
		binding := keys.Field(i).Interface().(key.Binding)
		for _, press := range binding.Keys() {
			t.Run(name+"/"+press, func(t *testing.T) { test(t, withFixture(t, 120, 24, "default"), press) })
		}
	}
	for name := range keyTests {
		if !keys.FieldByName(name).IsValid() {
			t.Errorf("a test for the key %s, which there is not", name)
		}
	}
}

// TestHelpShowsEveryBinding compares the help with the key map.
func TestHelpShowsEveryBinding(t *testing.T) {
	k := newKeyMap()
	shown := make(map[string]bool)
	for _, g := range k.groups() {
		for _, line := range g.lines {
			for _, b := range line {
				shown[b.Help().Key+b.Help().Desc] = true
			}
		}
	}
	keys := reflect.ValueOf(k)
	for i := range keys.NumField() {
		b := keys.Field(i).Interface().(key.Binding)
		if !shown[b.Help().Key+b.Help().Desc] {
			t.Errorf("the help does not show %s", keys.Type().Field(i).Name)
		}
	}
}

// TestNoKeyIsBoundTwice: a dialog has its keys to itself, and everything else shares the rest.
func TestNoKeyIsBoundTwice(t *testing.T) {
	bound := make(map[string]string)
	keys := reflect.ValueOf(newKeyMap())
	for i := range keys.NumField() {
		name := keys.Type().Field(i).Name
		if slices.Contains([]string{"Next", "Previous", "Choose", "Cancel"}, name) {
			continue
		}
		for _, press := range keys.Field(i).Interface().(key.Binding).Keys() {
			if other, taken := bound[press]; taken {
				t.Errorf("%q is %s, and %s too", press, other, name)
			}
			bound[press] = name
		}
	}
}
