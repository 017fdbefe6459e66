//go:build unix

package e2e_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The README's pictures are real screens of `locktop demo`, taken by:
//
//	go test ./ui/e2e -run 'TestPictures|TestThemes|TestADeadClientsLocksAreReleased' -timeout 20m -args -pictures ../../.github
var pictures = flag.String("pictures", "", "write the screens to SVG files in this `directory`")

// Every picture of the README is taken each time, only less patiently where it is not written: what the README shows can
// be seen.
func TestPictures(t *testing.T) {
	const width, height = 120, 30
	if *pictures != "" {
		patience = 2 * time.Minute
	}
	for name, take := range map[string]struct {
		arguments string
		pose      func(term *terminal)
	}{
		"dashboard": {"demo --seed 7", poseDashboard},
		"crash":     {"demo crash --seed 7", poseCrash},
		"token":     {"demo token --seed 7 --variant bare-del", poseToken},
		"pause":     {"demo pause --seed 7 --variant fenced", posePause},
		"timeline":  {"demo pause --seed 7 --variant unfenced", poseTimeline},
		"redlock":   {"demo redlock --seed 7 --server embedded --variant restart", poseRedlock},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := openTerminal(t, width, height)
			term.run(take.arguments)
			take.pose(term)
			var s sheet
			s.screen(term.tmux("capture-pane", "-e", "-p"), 0, 0, width, height, dark)
			s.keep(t, name)
			term.keys("C-c")
			term.mustBeSane(130)
		})
	}
}

// poseDashboard selects the most wanted lock, and lets a minute of history fill its swim-lane.
func poseDashboard(term *terminal) {
	term.waitFor("held", "worker-", "lock:orders:checkout")
	// The filter finds the lock, and the selection stays on it when the filter is gone.
	term.keys("/")
	term.waitFor("⏎ keep") // what is read at once with the key would be taken for a paste
	term.typeText("checkout")
	term.keys("Enter")
	term.waitFor("/checkout", "1 row")
	term.escape("/checkout")
	term.waitFor("lock:orders:checkout · who held it", "lock:reports")
	if *pictures != "" {
		term.waitUntil("a swim-lane that is full", func(screen string) bool { return strings.Count(screen, "╱") < 10 })
	}
}

// poseCrash opens the dialog that breaks a stuck lock.
func poseCrash(term *terminal) {
	term.waitFor("f a holder dies")
	term.keys("f")
	term.waitFor("✖ stuck", "died")
	term.keys("g", "x")
	term.waitFor("force-expire", "Cancel", "no TTL")
}

// poseToken waits until a bare DEL has let two in, and looks at what was told of it.
func poseToken(term *terminal) {
	term.waitFor("f a holder is late")
	term.keys("f", "5")
	term.waitFor("mutual exclusion violated", "inside together")
}

// posePause waits until a late write was refused.
func posePause(term *terminal) {
	term.waitFor("f a holder stands still")
	term.keys("f", "5")
	term.waitFor("refused, a higher one", "no update was lost")
}

// poseTimeline shows the lanes and figures of a lock that was lost while it was held.
func poseTimeline(term *terminal) {
	term.waitFor("f a holder stands still")
	term.keys("f")
	term.waitFor("╳")
	if *pictures != "" {
		term.waitUntil("two losses", func(screen string) bool { return strings.Count(screen, "✖") > 2 }) // one in the legend
	}
	term.keys("Enter")
	term.waitFor("Who held it", "✖ lost while held")
	term.keys("C-d")
	term.waitFor("Acquisitions per minute", "╳")
}

// poseRedlock opens the map of locks and masters at the moment at which two workers have a majority.
func poseRedlock(term *terminal) {
	term.waitFor("redlock", "lock:invoices:send")
	term.keys("4")
	term.waitFor("≠ split")
	term.keys("p")
	term.waitFor("‖ held")
}

// keep writes the sheet to its file, if that is wanted.
func (s *sheet) keep(t *testing.T, name string) {
	t.Helper()
	svg := s.svg()
	if !strings.Contains(svg, "worker-") || !strings.HasSuffix(svg, "</svg>\n") {
		t.Errorf("the picture does not show the screen:\n%s", svg)
	}
	if *pictures == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*pictures, name+".svg"), []byte(svg), 0o600); err != nil {
		t.Fatal(err)
	}
}
