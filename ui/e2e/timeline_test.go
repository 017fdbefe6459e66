//go:build unix

package e2e_test

import (
	"regexp"
	"strings"
	"testing"
)

// lossInRed is a loss on the lane as a terminal is told to show it.
var lossInRed = regexp.MustCompile(`\x1b\[[0-9;]*[39]1m╳`)

// TestTheTimelineShowsWhatWasLost in a demo whose holder stands still for longer than its lease: in red and by glyphs of its own, in
// the pane and in the detail, and there with the figures. Then it is zoomed and scrolled.
func TestTheTimelineShowsWhatWasLost(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 100, 32)
	term.run("demo pause --variant unfenced --seed 7 --speed 4 --server embedded")
	term.waitFor("lock:stock:sku-4711", "who held it in the last 60 s", "╱", "not seen", "now")
	term.keys("f")
	term.waitFor("╳", "✖", "may be inside still")
	term.waitUntil("a loss in red", func(string) bool { return lossInRed.MatchString(term.tmux("capture-pane", "-p", "-e")) })
	term.keys("Space")
	term.waitFor("FROZEN")
	term.keys("Enter")
	term.waitFor("Who held it", "✖ lost while held")
	term.keys("C-d")
	term.waitFor("Acquisitions", "per minute", "are seen by the probe only (P)")
	term.keys("C-u", "C-u", "z", "z")
	term.waitFor("in the last 10 s")
	term.keys("Left", "h")
	term.waitFor("0 returns", "ago")
	term.keys("0")
	term.waitFor("in the last 10 s")
	term.keys("Z", "Z", "Z")
	term.waitFor("in the last 2 minutes")
	term.resize(45, 20)
	term.waitFor("embedded demo ser…") // the key is for the narrow window
	term.keys("0")                     // brings it into sight
	term.waitUntil("the timeline in a narrow window", func(screen string) bool {
		return strings.Contains(screen, "2 minutes") && strings.Contains(screen, "╳") && strings.Contains(screen, "? help")
	})
	term.escape("Who held it")
	term.keys("q")
	term.waitFor("unfenced")
	term.mustBeSane(0)
}

func TestTheTimelineTellsByGlyphsAlone(t *testing.T) {
	t.Parallel()
	term := openTerminal(t, 80, 24, "NO_COLOR=1")
	term.run("demo pause --variant unfenced --seed 7 --speed 4 --server embedded")
	term.waitFor("lock:stock:sku-4711", "who held it")
	term.keys("f")
	term.waitFor("╳", "✖")
	if colours := regexp.MustCompile(`\x1b\[[0-9;]*3[0-7]m`).FindString(term.tmux("capture-pane", "-p", "-e")); colours != "" {
		t.Errorf("NO_COLOR, and still %q", colours)
	}
	term.keys("q")
	term.mustBeSane(0)
}
