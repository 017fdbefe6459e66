package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/text"
)

// TestNarrationKeepsItsHeight: whatever is told, the table stays where it is.
func TestNarrationKeepsItsHeight(t *testing.T) {
	scenes := map[string]func(s *Scene){
		"nothing": func(s *Scene) { *s = Scene{} },
		"short":   func(s *Scene) { s.Now.Text = "short" },
		"long":    func(s *Scene) { s.Now.Text = strings.Repeat("a long sentence ", 20) },
		"held":    func(s *Scene) { s.Held = true },
		"step":    func(s *Scene) { s.Stepping = true },
		"hostile": func(s *Scene) { *s = hostileScene("\x1b[2J\n\n\r\u202e\xff") },
	}
	for _, size := range [][2]int{{45, 20}, {60, 15}, {80, 12}, {80, 24}, {120, 40}, {200, 50}} {
		h := withDemo(t, size[0], size[1], "default")
		want := h.m.layout().titles.top
		for name, change := range scenes {
			h.play.scene = fixtureScene(noon)
			change(&h.play.scene)
			h.send(tickMsg{})
			lines := strings.Split(h.screen(), "\n")
			if !strings.Contains(lines[want], "STATE") {
				t.Errorf("%v: with %s the titles are not on line %d:\n%s", size, name, want, h.screen())
			}
		}
	}
}

func TestNarrationIsWrapped(t *testing.T) {
	sentence := strings.TrimSpace(strings.Repeat("worker-4 died ", 10)) // 139 cells
	long := strings.Repeat(sentence+" ", 2) + "the end"
	for _, width := range []int{80, 120, 159, 160, 200} {
		h := withDemo(t, width, 24, "default")
		h.play.scene.Now = Sentence{Text: sentence}
		h.send(tickMsg{})
		if got := strings.Count(h.screen(), "worker-4 died"); got != 10 {
			t.Errorf("%d wide, %d of 10 are told:\n%s", width, got, h.screen())
		}
	}
	h := withDemo(t, 80, 24, "default")
	h.play.scene.Now = Sentence{Text: long}
	h.play.scene.Told = []Sentence{h.play.scene.Now}
	h.keys("5", "G")
	narration := strings.Join(strings.Split(h.screen(), "\n")[4:6], "\n")
	if strings.Contains(narration, "the end") || !strings.HasSuffix(strings.TrimSpace(narration), text.Ellipsis) {
		t.Errorf("a sentence of %d cells is told as\n%s", text.Width(long), narration)
	}
	h.wantSeen("the end") // in the view
}

func TestNarrationIsEscaped(t *testing.T) {
	h := withDemo(t, 100, 30, "default")
	h.play.scene = hostileScene("evil\x1b[2J\u202e")
	h.send(tickMsg{})
	if err := checkFrame(h.m.View(), 100, 30); err != nil {
		t.Error(err)
	}
	h.wantSeen(`▸ 14:03:27 evil\x1b[2J\u202e`)
}

func TestTempo(t *testing.T) {
	for want, s := range map[string]Scene{
		"▶ 1x": {Rate: 1}, "▶ ½x": {Rate: 0.5}, "▶ ¼x": {Rate: 0.25}, "▶ ⅛x": {Rate: 0.125}, "▶ 0.0625x": {Rate: 0.0625},
		"▶ 8x": {Rate: 8}, "▶ 1.5x": {Rate: 1.5}, "‖ held": {Rate: 2, Held: true}, "▶| step": {Held: true, Stepping: true},
	} {
		if got := s.tempoText(); got != want {
			t.Errorf("%+v is %q, want %q", s, got, want)
		}
	}
}

func TestScore(t *testing.T) {
	loaded, err := newTheme("default", false)
	if err != nil {
		t.Fatal(err)
	}
	sound, broken := Lane{Acquisitions: 1000}, Lane{Acquisitions: 1, Faults: 2}
	flawed := Lane{Acquisitions: 84, Faults: 3, Flawed: true}
	for _, c := range []struct {
		lanes []Lane
		want  string
		alarm bool // something went wrong that was not to
	}{
		{nil, "", false},
		{[]Lane{sound}, "1,000 acquisitions, no faults", false},
		{[]Lane{broken}, "1 acquisition, 2 faults", true},
		{[]Lane{flawed}, "84 acquisitions|flawed: 3 faults", false},
		{[]Lane{flawed, sound}, "1,084 acquisitions|flawed: 3 faults|sound: none", false},
		{[]Lane{{Flawed: true}, sound, broken}, "1,001 acquisitions|flawed: no faults|sound: 2 faults", true},
	} {
		var said []string
		alarm := false
		for _, s := range scoreSegments(loaded, c.lanes) {
			var b strings.Builder
			for _, p := range s.parts {
				b.WriteString(p.text)
				alarm = alarm || p.style == loaded.bad
			}
			said = append(said, b.String())
		}
		if got := strings.Join(said, "|"); got != c.want || alarm != c.alarm {
			t.Errorf("%+v is %q (alarm: %v), want %q", c.lanes, got, alarm, c.want)
		}
	}
}

func TestWrapWords(t *testing.T) {
	for _, c := range []struct {
		sentence string
		width    int
		want     string
	}{
		{"", 10, ""},
		{"a b", 0, ""},
		{"one two three", 7, "one two|three"},
		{"it is worker-4", 13, "it is|worker-4"}, // not torn at its hyphen
		{"abcdefgh", 3, "abc|def|gh"},
		{"a abcdefgh i", 3, "a|abc|def|gh|i"},
		{"a  b", 10, "a  b"},
		{"锁锁锁 锁", 4, "锁锁|锁|锁"},
		{"  ", 10, ""},
	} {
		got := wrapWords(c.sentence, c.width)
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q in %d cells is %q, want %q", c.sentence, c.width, got, c.want)
		}
		for _, line := range got {
			if text.Width(line) > c.width {
				t.Errorf("%q in %d cells has the line %q", c.sentence, c.width, line)
			}
		}
	}
}

func TestDemoPageScrolls(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 20}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			h := withDemo(t, size[0], size[1], "default")
			h.keys("5")
			h.wantSeen("▌ crash", "more lines")
			h.keys("G")
			h.wantSeen("14:02:29 · worker-1 took orders:checkout")
			h.wantUnseen("▌ crash", "more lines")
			end := h.screen()
			h.keys("j", "pgdown")
			if h.screen() != end {
				t.Error("it scrolls beyond its end")
			}
			h.keys("k", "g", "k", "j", "j")
			if h.m.demo.offset != 2 {
				t.Errorf("two lines from the top it is at %d", h.m.demo.offset)
			}
			h.keys("enter", "/", "!", "s", "m", "r")
			if h.m.typing || h.m.order.suspects || h.m.dialog != nil || h.m.detail != nil {
				t.Error("a key of a list did something")
			}
		})
	}
}

func TestDemoPageOfHostileTexts(t *testing.T) {
	for _, hostile := range []string{"", "\x1b[2J\n", strings.Repeat("锁", 200), strings.Repeat("a b ", 300)} {
		h := withDemo(t, 80, 24, "default")
		h.play.scene = hostileScene(hostile)
		h.keys("5")
		for width := 0; width < 220; width += 7 {
			for _, height := range []int{0, 1, 3, 12, 20, 50} {
				h.send(tea.WindowSizeMsg{Width: width, Height: height})
				if err := checkFrame(h.m.View(), width, height); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
