package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// hintsOf are the pieces of the footer: hints are set apart by two blanks at least.
func hintsOf(h *harness) []string {
	lines := strings.Split(h.screen(), "\n")
	return regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(lines[len(lines)-1]), -1)
}

// TestHintsSurviveEveryWidth: wherever the user is, the footer says how to get out of there, help where there is any, and from
// 45 columns on at least two more things to do.
func TestHintsSurviveEveryWidth(t *testing.T) {
	t.Parallel()
	root := []string{"? help", "q quit"}
	back, asks := []string{"esc back", "? help"}, []string{"⏎ choose", "esc cancel"}
	type mode struct {
		prepare func(h *harness)
		want    []string // at any width
		more    int      // hints besides, from 45 columns on
	}
	modes := map[string]mode{
		"locks":            {func(*harness) {}, root, 2},
		"marked":           {func(h *harness) { h.keys("m", "m") }, root, 2},
		"frozen":           {func(h *harness) { h.keys(" ") }, root, 2},
		"suspects":         {func(h *harness) { h.keys("!") }, root, 2},
		"read-only":        {func(h *harness) { h.operator.readOnly = true; h.m.keys.setReadOnly(true) }, root, 2},
		"nothing":          {func(h *harness) { h.show(snapshotOf(2, noon, nil)) }, root, 2},
		"nothing filtered": {func(h *harness) { h.keys("/", "z", "z", "z", "enter") }, append([]string{"esc show all"}, root...), 1},
		"first look":       {func(h *harness) { h.show(firstLookFixture()) }, root, 2},
		"silent":           {func(h *harness) { h.show(silentFixture()) }, root, 2},
		"events":           {func(h *harness) { h.keys("3") }, root, 2},
		"trouble":          {func(h *harness) { h.keys("3", "!", "k") }, root, 2},
		"nodes":            {func(h *harness) { h.show(clusterFixture()); h.keys("4") }, root, 2},
		"map":              {func(h *harness) { h.show(redlockFixture()); h.keys("4") }, root, 2},
		"detail":           {func(h *harness) { h.keys("enter") }, back, 2},
		"detail of event":  {func(h *harness) { h.keys("3", "enter") }, back, 2},
		"holders":          {func(h *harness) { h.show(holdersFixture()); h.keys("2") }, root, 2},
		"holder":           {func(h *harness) { h.show(holdersFixture()); h.keys("2", "enter") }, back, 2},
		"detail of holder": {func(h *harness) { h.show(holdersFixture()); h.keys("2", "enter", "enter") }, back, 2},
		"probed":           {func(h *harness) { h.asksProbe(); h.started(); close(h.prober.hold); h.probed() }, back, 2},
		"replay":           {func(h *harness) { h.stageReel(fixtureReel(noon)) }, root, 2},
		"replay of events": {func(h *harness) { h.stageReel(fixtureReel(noon)); h.keys("3") }, root, 2},
		"production":       {func(h *harness) { h.m.config.Production, h.m.config.Profile = true, "prod-eu" }, root, 2},
		"lapsed":           {func(h *harness) { h.operator.until = noon }, root, 2},
		"typing":           {func(h *harness) { h.keys("/", "a") }, []string{"⏎ keep", "esc clear"}, 0},
	}
	for name, prepare := range overlays {
		mode := mode{prepare, asks, 1}
		switch name {
		case "bulk run":
			mode.want, mode.more = []string{"esc stop the rest"}, 0
		case "probe runs":
			mode.want, mode.more = []string{"esc end the probe"}, 0
		case "bulk report", "actions", "help", "help there":
			mode.want = []string{"esc back"}
		case "columns":
			mode.want = []string{"␣ shows or hides", "esc close"}
		}
		modes[name] = mode
	}
	demo := map[string]bool{"locks": true, "events": true, "nodes": true}
	for name, mode := range modes {
		for _, inDemo := range []bool{false, true} {
			if inDemo && !demo[name] {
				continue
			}
			t.Run(fmt.Sprintf("%s/demo=%v", name, inDemo), func(t *testing.T) {
				t.Parallel()
				h := withFixture(t, 80, 24, "mono")
				if inDemo {
					h = withDemo(t, 80, 24, "mono")
				}
				mode.prepare(h)
				checkHints(t, h, mode.want, mode.more)
			})
		}
	}
	t.Run("demo", func(t *testing.T) {
		h := withDemo(t, 80, 24, "mono")
		h.keys("5")
		checkHints(t, h, root, 2)
	})
}

func checkHints(t *testing.T, h *harness, want []string, more int) {
	t.Helper()
	for width := 30; width <= 200; width++ {
		for _, height := range []int{heightFooter, 15, 24, 50} {
			h.m.width, h.m.height = width, height
			h.send(tickMsg{})
			hints := hintsOf(h)
			shown := strings.Join(hints, "  ")
			for _, w := range want {
				if !strings.Contains(shown, w) {
					t.Fatalf("%dx%d: no %q in %q", width, height, w, hints)
				}
			}
			if width >= 45 && len(hints) < len(want)+more {
				t.Fatalf("%dx%d: only %q", width, height, hints)
			}
			for i, hint := range hints {
				if strings.ContainsAny(hint, "…") || hint == "" {
					t.Fatalf("%dx%d: hint %d of %q is cut", width, height, i, hints)
				}
			}
		}
	}
}
