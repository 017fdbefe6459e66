package tui

import (
	"strings"
	"testing"
)

// TestHelpScrolls: every key can be found in a low window too.
func TestHelpScrolls(t *testing.T) {
	for _, size := range [][2]int{{45, 12}, {80, 15}, {200, 14}} {
		h := withFixture(t, size[0], size[1], "default")
		h.keys("?")
		h.wantSeen("Look", "more lines", "↑↓ scroll", "esc back")
		h.keys("G")
		h.wantSeen("≥ at least")
		h.wantUnseen("more lines", "Look")
		last := h.screen()
		h.keys("j")
		if h.screen() != last {
			t.Error("it scrolls beyond its end")
		}
		h.keys("k", "pgup", "g")
		h.wantSeen("Look")
		h.keys("pgdown", "esc", "?")
		h.wantSeen("Look")
	}
}

// TestHelpIsWhole: a page after the other shows every line of every group, and a large window shows all at once.
func TestHelpIsWhole(t *testing.T) {
	for name, start := range map[string]func() *harness{
		"plain":  func() *harness { return withFixture(t, 120, 40, "mono") },
		"demo":   func() *harness { return withDemo(t, 120, 40, "mono") },
		"replay": func() *harness { return withReel(t, 120, 40, "mono") },
	} {
		for _, size := range [][2]int{{45, 20}, {60, 15}, {80, 24}, {120, 40}, {200, 50}} {
			h := start()
			h.m.width, h.m.height = size[0], size[1]
			h.keys("?")
			if large := size[0] >= 120; large == strings.Contains(h.screen(), "more lines") {
				t.Errorf("%s, %v: all at once: %v\n%s", name, size, !large, h.screen())
			}
			all := h.screen()
			for page := 0; strings.Contains(h.screen(), "more lines") && page < 20; page++ {
				h.keys("pgdown")
				all += h.screen()
			}
			for _, g := range h.m.keys.groups() {
				if !strings.Contains(all, g.title) {
					t.Errorf("%s, %v: no %s", name, size, g.title)
				}
				for _, line := range g.lines {
					var keys []string
					for _, b := range line {
						keys = append(keys, b.Help().Key)
					}
					if want := strings.Join(keys, " ") + " "; !strings.Contains(all, want) {
						t.Errorf("%s, %v: no %q", name, size, want)
					}
				}
			}
		}
	}
}
