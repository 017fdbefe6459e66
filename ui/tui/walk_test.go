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
	acted, probed := 0, 0
	for end := time.Now().Add(span); time.Now().Before(end) || (acted == 0 || probed == 0) && !time.Now().After(end.Add(5*span)); seed++ {
		a, p := walk(t, seed)
		acted, probed = acted+a, probed+p
	}
	t.Logf("%d actions, %d probes", acted, probed)
	if acted == 0 || probed == 0 {
		t.Error("no walk has ever come to an action and to a probe, so that nothing was proved")
	}
}

// walk is one run of the program, until the user quits or has pressed enough; it returns how often something was done.
func walk(t *testing.T, seed uint64) (acted, probed int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 7))
	width, height := windowOf(random)
	profile := profiles[random.IntN(len(profiles))]
	w := newWalker(t, profile, Themes()[random.IntN(len(Themes()))], width, height, random)
	keys := boundKeys(w.m.keys)
	fail := func(err error) {
		if err != nil {
			t.Fatalf("%v: -walk.seed %d, %s, keys %q\n%s", err, seed, profile, w.pressed, w.screen())
		}
	}
	for range 400 {
		if d := w.m.dialog; d != nil && d.focus == controlTyped && random.IntN(2) == 0 {
			fail(w.typeName())
		}
		fail(w.press(likely(w.m, random, keys)))
		if w.m.quitting {
			break
		}
		if random.IntN(5) == 0 {
			fail(w.disturb())
		}
	}
	return w.acted, w.probed
}

// likely is mostly any key, and else one of those that lead to an action or confirm it, or a walk would seldom get far.
func likely(m *model, random *rand.Rand, keys []string) string {
	of := keys
	switch n := random.IntN(10); {
	case m.asks() && n < 6:
		of = []string{"tab", "tab", "tab", "shift+tab", "enter", "enter"}
	case m.overlaid():
	case n < 2:
		of = []string{"r", "r", "x", "e", "m", "m", "P", "P", "1", "2"}
	}
	return of[random.IntN(len(of))]
}

// windowOf is mostly a window of some use, and sometimes one of none.
func windowOf(random *rand.Rand) (width, height int) {
	if random.IntN(6) == 0 {
		return random.IntN(20), random.IntN(8)
	}
	return 30 + random.IntN(180), 8 + random.IntN(50)
}

// boundKeys are the keys of all bindings, and some that are none; those that quit come more seldom.
func boundKeys(k keyMap) []string {
	keys := []string{"a", "锁", "\u202e", "backspace", "*", "10s"}
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
