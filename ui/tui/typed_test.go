package tui

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

func TestPasteIsNeverACommand(t *testing.T) {
	h := withFixture(t, 120, 30, "default")
	paste := func(s string) { h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s), Paste: true}) }
	paste("q")
	paste("r")
	if h.m.quitting || h.m.dialog != nil {
		t.Fatal("pasted text was taken for a key")
	}
	h.keys("/")
	paste("cart:1")
	if got := h.m.order.filter.text; got != "cart:1" {
		t.Errorf("the filter is %q", got)
	}
	h.keys("esc", "r")
	paste("\t\n")
	if h.m.dialog == nil || h.m.dialog.focus != controlCancel {
		t.Error("pasted text moved the focus")
	}
}

func TestLettersReadAtOnceAreSeveralKeys(t *testing.T) {
	h := withFixture(t, 120, 30, "default")
	h.keys("jjj")
	wantIndex(t, h, 3)
	h.keys("/cart")
	if got := h.m.order.filter.text; got != "cart" {
		t.Errorf("the filter is %q", got)
	}
	h.keys("esc", "rrq")
	if h.m.dialog == nil || h.m.quitting {
		t.Error("a dialog ends the burst")
	}
	before := h.m.table.index
	h.keys("esc", "jjjjjjjjjjjjjjjjjq")
	if wantIndex(t, h, before); h.m.quitting {
		t.Error("a paste was taken for keys")
	}
	h.keys("1q")
	if !h.m.quitting {
		t.Error("the second letter was lost")
	}
}

func TestKeysOfOtherViewsAreFree(t *testing.T) {
	h := withFixture(t, 120, 30, "default")
	before := h.m.View()
	h.keys("B")
	if h.m.View() != before {
		t.Error("a key without a meaning changed the screen")
	}
}
