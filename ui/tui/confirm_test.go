package tui

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
)

// settle carries out, at once and one after another, what keys have begun. None of it may wait for the source or the clock.
func (h *harness) settle() {
	h.t.Helper()
	for len(h.pending) > 0 {
		cmd := h.pending[0]
		h.pending = h.pending[1:]
		switch msg := cmd().(type) {
		case tea.BatchMsg:
			for _, one := range msg {
				if one != nil {
					h.pending = append(h.pending, one)
				}
			}
		case nil, tea.QuitMsg, tea.SuspendMsg:
		default:
			h.send(msg)
		}
	}
}

// confirmation is what the key that comes next would confirm: nothing, unless it is Enter on the button of a dialog that may be
// confirmed. It is found out from what the dialog shows, and not as the dialog does.
func confirmation(h *harness, name string) (locks []*inspector.Lock, rearm bool) {
	d := h.m.dialog
	if d == nil || name != "enter" || d.focus != controlConfirm {
		return nil, false
	}
	if h.m.config.Production && (d.rearm > 0 || d.verb != actions.VerbExtend) {
		want := "prod-eu"
		if d.lock != nil {
			want = visibleKey(d.lock)
		}
		if d.typed.Value() != want {
			return nil, false
		}
	}
	if d.rearm > 0 {
		return nil, true
	}
	if until := h.operator.until; !until.IsZero() && !h.now.Before(until) {
		return nil, false
	}
	if d.lock != nil {
		return []*inspector.Lock{d.lock}, false
	}
	for i := range d.bulk.items {
		locks = append(locks, d.bulk.items[i].lock)
	}
	return locks, false
}

// visibleKey is a key as the fixture's screens show it.
func visibleKey(l *inspector.Lock) string {
	if l.Key == "evil\x1b[2J\x1b]0;pwned\a\u202ekcol" {
		return `evil\x1b[2J\x1b]0;pwned\x07\u202ekcol`
	}
	return l.Key
}

// TestNoKeysActWithoutAConfirmation types at random, with a liking for what leads to an action: whatever is typed, nothing reaches the
// operator but what a dialog has listed, confirmed by Enter on its button, with the name typed where it is demanded, and in time.
func TestNoKeysActWithoutAConfirmation(t *testing.T) {
	t.Parallel()
	likely := []string{"r", "e", "x", "tab", "tab", "shift+tab", "enter", "enter", "enter", "m", "m", "esc", "A", "j", "1", "0", " ", "backspace", "right"}
	for name, configure := range map[string]func(h *harness){
		"plain":      func(*harness) {},
		"production": func(h *harness) { h.m.config.Production, h.m.config.Profile = true, "prod-eu" },
		"lapsing":    func(h *harness) { h.operator.until = noon.Add(time.Minute) },
		"both": func(h *harness) {
			h.m.config.Production, h.m.config.Profile = true, "prod-eu"
			h.operator.until = noon.Add(time.Minute)
		},
		"read-only": func(h *harness) { h.operator.readOnly = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acted, armed := 0, 0
			for seed := range uint64(5) {
				random := rand.New(rand.NewPCG(seed, 7))
				h := withFixture(t, 100, 40, "default")
				configure(h)
				h.pending = nil
				for range 300 {
					typed := likely[random.IntN(len(likely))]
					if random.IntN(4) == 0 {
						typed = everyKey[random.IntN(len(everyKey))]
					}
					if typed == "q" {
						continue
					}
					if d := h.m.dialog; d != nil && d.focus == controlTyped && random.IntN(2) == 0 {
						d.typed.SetValue("")
						want := d.demand
						if random.IntN(3) == 0 {
							want = want[:len(want)-1]
						}
						for _, r := range want {
							h.keys(string(r))
						}
					}
					listed, arms := confirmation(h, typed)
					before, armedBefore := len(h.operator.requests), h.operator.rearmed
					h.keys(typed)
					h.settle()
					for _, r := range h.operator.requests[before:] {
						if !slices.Contains(listed, r.Lock) {
							t.Fatalf("seed %d: %q did %s %s, which nobody confirmed", seed, typed, r.Verb, r.Lock.Key)
						}
						acted++
					}
					if h.operator.rearmed > armedBefore && !arms {
						t.Fatalf("seed %d: %q armed it, which nobody confirmed", seed, typed)
					}
					armed = max(armed, h.operator.rearmed)
					switch random.IntN(40) {
					case 0:
						h.now = h.now.Add(time.Duration(random.IntN(20)) * time.Second)
					case 1:
						h.show(snapshotOf(h.m.sequence+1, h.now, fixtureLocks(h.now)))
						h.pending = nil
					case 2:
						h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("lock:invoice:7731\r"), Paste: true})
					}
				}
			}
			if may := name != "read-only"; (acted > 0) != may {
				t.Errorf("%d actions", acted)
			}
			if lapsing := name == "lapsing" || name == "both"; (armed > 0) != lapsing {
				t.Errorf("it was armed %d times", armed)
			}
		})
	}
}
