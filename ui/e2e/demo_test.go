//go:build unix

package e2e_test

import (
	"strings"
	"testing"
)

// The keys of a demo, as a presenter uses them: hold, step, let the fault happen, change the tempo, look at the account,
// restart, and leave with a verdict.
func TestDemoIsConducted(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"embedded", "redis"} {
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			term := openTerminal(t, 120, 36)
			term.run("demo --seed 7 --server " + server)
			term.waitFor("contention", "▶ 1x", "lock:", "held", "f a holder dies")
			term.keys("p")
			held := term.waitFor("‖ held", "time stands still")
			term.keys("n")
			term.waitUntil("another sentence, and held again", func(screen string) bool {
				return strings.Contains(screen, "‖ held") && sentence(screen) != "" && sentence(screen) != sentence(held)
			})
			term.keys("p")
			term.waitFor("▶ 1x")
			term.keys("-")
			term.waitFor("▶ ½x")
			term.keys("+", "+")
			term.waitFor("▶ 2x")
			term.keys("f")
			term.waitFor("died at work")
			term.keys("5")
			term.waitFor("look for", "VARIANT", "What was told", "flawed")
			term.keys("1", "R")
			term.waitFor("from the beginning")
			term.keys("?")
			term.waitFor("Demo", "let the fault happen now")
			term.escape("In a dialog")
			term.resize(60, 15)
			term.waitFor("lock:", "q quit")
			term.keys("q")
			screen := term.waitFor("contention with --seed 7: ", "acquisition")
			if !strings.Contains(screen, "sound") || !strings.Contains(screen, "flawed") {
				t.Errorf("the verdict does not tell of each variant:\n%s", screen)
			}
			term.mustBeSane(0)
		})
	}
}

// sentence is what the narration says on a screen.
func sentence(screen string) string {
	for line := range strings.Lines(screen) {
		if told, is := strings.CutPrefix(strings.TrimRight(line, " \n"), " ‖ "); is {
			return told
		}
	}
	return ""
}
