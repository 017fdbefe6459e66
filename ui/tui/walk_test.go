package tui

import (
	"flag"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

var (
	walkFor  = flag.Duration("walk", 0, "for how long TestWalk types; 0: some seconds, or a minute where CI=true")
	walkSeed = flag.Uint64("walk.seed", 0, "what it draws its keys from; 0: another one each time")
)

// TestWalk is a user who presses anything at any time, in windows of any size, while the locks change: whatever is shown
// fits the window exactly, nothing breaks, and nothing is done to a lock but by Enter on a button that said so on the screen.
func TestWalk(t *testing.T) {
	t.Parallel()
	span, seed := *walkFor, *walkSeed
	if span == 0 {
		span = 4 * time.Second
		if os.Getenv("CI") == "true" {
			span = time.Minute
		}
	}
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-walk.seed %d", seed)
	acted := 0
	for end := time.Now().Add(span); time.Now().Before(end) || acted == 0 && !time.Now().After(end.Add(span)); seed++ {
		acted += walk(t, seed)
	}
	if acted == 0 {
		t.Error("no walk has ever come to an action, so that nothing was proved")
	}
}

// walk is one run of the program, until the user quits or has pressed enough; it returns how often something was done.
func walk(t *testing.T, seed uint64) (acted int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 7))
	start := withFixture
	if random.IntN(3) == 0 {
		start = withDemo
	}
	width, height := windowOf(random)
	h := start(t, width, height, Themes()[random.IntN(len(Themes()))])
	keys := boundKeys(h.m.keys)
	var pressed []string
	for len(pressed) < 400 {
		name := keys[random.IntN(len(keys))]
		confirms := name == "enter" && confirmFocused(h.m)
		pressed = append(pressed, name)
		before := len(h.operator.requests)
		h.pending = nil
		h.keys(name)
		if confirms || random.IntN(20) == 0 {
			h.run()
		}
		if done := len(h.operator.requests) - before; done > 0 && !confirms {
			t.Fatalf("%d actions without a confirmation: -walk.seed %d, keys %q", done, seed, pressed)
		} else {
			acted += done
		}
		if h.m.quitting {
			return acted
		}
		switch random.IntN(15) {
		case 0:
			width, height = windowOf(random)
			h.send(tea.WindowSizeMsg{Width: width, Height: height})
		case 1:
			h.now = h.now.Add(time.Duration(random.IntN(5000)) * time.Millisecond)
			locks := fixtureLocks(h.now)
			random.Shuffle(len(locks), func(i, j int) { locks[i], locks[j] = locks[j], locks[i] })
			h.show(snapshotOf(h.m.sequence+1, h.now, locks[:random.IntN(len(locks)+1)]))
		case 2:
			h.now = h.now.Add(time.Second)
			h.send(tickMsg{})
		}
		if err := checkFrame(h.m.View(), width, height); err != nil {
			t.Fatalf("%v: -walk.seed %d, keys %q", err, seed, pressed)
		}
	}
	return acted
}

// windowOf is mostly a window of some use, and sometimes one of none.
func windowOf(random *rand.Rand) (width, height int) {
	if random.IntN(6) == 0 {
		return random.IntN(20), random.IntN(8)
	}
	return 30 + random.IntN(180), 8 + random.IntN(50)
}

// boundKeys are the keys of all bindings, and some that are none. Those that act and that confirm come more often, or a walk would
// seldom get far; those that quit more seldom.
func boundKeys(k keyMap) []string {
	keys := []string{"a", "锁", "\u202e", "backspace", "*", "10s", "left", "right", "enter", "enter", "enter", "tab", "tab", "tab", "down", "j", "m", "r", "x"}
	value := reflect.ValueOf(k)
	for i := range value.NumField() {
		b, is := value.Field(i).Interface().(key.Binding)
		if !is {
			continue
		}
		for _, name := range b.Keys() {
			if name != "ctrl+c" && name != "q" && name != "ctrl+z" {
				keys = append(keys, name)
			}
		}
	}
	return append(keys, "q")
}

// confirmFocused says whether the screen shows a button other than Cancel as the one that Enter presses.
func confirmFocused(m *model) bool {
	for _, s := range []style{m.theme.buttonDanger, m.theme.buttonOn} {
		for _, after := range strings.Split(m.frame, s.normal+"[ ")[1:] {
			if !strings.HasPrefix(after, "Cancel") {
				return true
			}
		}
	}
	return false
}
