package tui

import "testing"

// TestHelpScrolls: every key can be found in a low window too.
func TestHelpScrolls(t *testing.T) {
	for _, size := range [][2]int{{45, 12}, {80, 15}, {200, 14}} {
		h := withFixture(t, size[0], size[1], "default")
		h.keys("?")
		h.wantSeen("Move", "more lines", "↑↓ scroll", "esc back")
		h.keys("G")
		h.wantSeen("≥ at least")
		h.wantUnseen("more lines", "Move")
		last := h.screen()
		h.keys("j")
		if h.screen() != last {
			t.Error("it scrolls beyond its end")
		}
		h.keys("k", "pgup", "g")
		h.wantSeen("Move")
		h.keys("pgdown", "esc", "?")
		h.wantSeen("Move")
	}
}
