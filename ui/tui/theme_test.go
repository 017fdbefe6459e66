package tui

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"locktop/inspector"
	"locktop/ui/text"
)

// stylesOf are all styles of a theme by their names.
func stylesOf(t *theme) map[string]style {
	out := make(map[string]style)
	of := reflect.ValueOf(t).Elem()
	for i := range of.NumField() {
		if field := of.Type().Field(i); field.Type == reflect.TypeFor[style]() {
			s := of.Field(i)
			out[field.Name] = style{s.Field(0).String(), s.Field(1).String(), s.Field(2).String()}
		}
	}
	return out
}

// loadTheme is a theme that there is.
func loadTheme(tb testing.TB, name string) *theme {
	tb.Helper()
	loaded, err := newTheme(name, false)
	if err != nil {
		tb.Fatal(err)
	}
	return loaded
}

// TestEveryStyleCanBeRead measures all styles of all themes against the ground that the theme is for, on several palettes:
// WCAG 2.1 asks for 4.5 (AA), and for 7 where contrast is what a theme is for (AAA). What lies behind a dialog takes no
// key and is shown for orientation: WCAG exempts it, and here it must not vanish at least.
func TestEveryStyleCanBeRead(t *testing.T) {
	const aa, aaa, orientation = 4.5, 7, 2.5
	grounds := map[string][]bool{ // true: light
		"default": {false}, "light": {true}, "high-contrast": {false}, "deuteranopia": {false}, "tritanopia": {false}, "mono": {false, true},
	}
	for _, name := range Themes() {
		if len(grounds[name]) == 0 {
			t.Errorf("the test does not know for which ground %s is", name)
		}
		for styleName, s := range stylesOf(loadTheme(t, name)) {
			least := aa
			switch {
			case name == "high-contrast":
				least = aaa
			case styleName == "behind":
				least = orientation
			}
			for toneName, sgr := range map[string]string{"normal": s.normal, "selected": s.selected, "dimmed": s.dimmed} {
				for _, light := range grounds[name] {
					for _, p := range palettes {
						ink, ground := p.drawn(sgr, light)
						if got := contrast(ink, ground); got < least {
							t.Errorf("%s: %s, %s, on %s (light %v): %.2f, want %.1f: %q", name, styleName, toneName, p.name, light, got, least, sgr)
						}
					}
				}
			}
		}
	}
}

// TestFaintCannotBeRead is why no theme uses it for what is to be read.
func TestFaintCannotBeRead(t *testing.T) {
	for _, light := range []bool{false, true} {
		for _, p := range palettes {
			if ink, ground := p.drawn("\x1b[2m", light); contrast(ink, ground) >= 4.5 {
				t.Errorf("faint can be read on %s (light %v)", p.name, light)
			}
		}
	}
}

// TestColoursStayApart: what a theme claims to tell apart by colour is apart for those it is for.
func TestColoursStayApart(t *testing.T) {
	const apart = 15.0
	claims := map[string]map[string]sight{
		"deuteranopia": {"common": common, "deuteranopia": deuteranopia, "protanopia": protanopia},
		"tritanopia":   {"common": common, "tritanopia": tritanopia},
	}
	for name, sights := range claims {
		loaded := loadTheme(t, name)
		meanings := map[string]style{
			"good": loaded.good, "warn": loaded.warn, "bad": loaded.bad, "odd": loaded.odd, "accent": loaded.accent,
		}
		for a, x := range meanings {
			for b, y := range meanings {
				if a >= b {
					continue
				}
				for who, s := range sights {
					p, _ := palettes[0].drawn(x.normal, false)
					q, _ := palettes[0].drawn(y.normal, false)
					if got := difference(s.of(p), s.of(q)); got < apart {
						t.Errorf("%s: %s and %s are %.1f apart for %s, want %.0f", name, a, b, got, who, apart)
					}
				}
			}
		}
	}
	// The default theme does not claim it, and the simulation must be able to say so.
	loaded := loadTheme(t, "default")
	p, _ := palettes[0].drawn(loaded.good.normal, false)
	q, _ := palettes[0].drawn(loaded.warn.normal, false)
	if got, seen := difference(p, q), difference(deuteranopia.of(p), deuteranopia.of(q)); seen >= got {
		t.Errorf("the simulation makes no difference: %.1f and %.1f", got, seen)
	}
}

// TestDifference compares with published pairs: Sharma, Wu and Dalal (2005) give 2.0425 for the first of theirs, and
// black and white are 100 apart.
func TestDifference(t *testing.T) {
	if got := difference(hex(0), hex(0xffffff)); math.Abs(got-100) > 0.01 {
		t.Errorf("black and white are %.3f apart", got)
	}
	if got := difference(hex(0xff0000), hex(0x00ff00)); math.Abs(got-86.61) > 0.1 {
		t.Errorf("red and green are %.3f apart", got)
	}
	if got := contrast(hex(0x777777), hex(0xffffff)); math.Abs(got-4.48) > 0.01 {
		t.Errorf("the contrast of #777 on white is %.3f", got)
	}
}

// everyFace are all faces of one kind of thing, which share a column.
func everyFace(t *theme) map[string][]face {
	faces := make(map[string][]face)
	known := map[string]bool{}
	for _, l := range append(fixtureLocks(noon), redlockFixture().Locks...) {
		if f := t.faceOf(l, noon); !known[f.word] {
			known[f.word] = true
			faces["state"] = append(faces["state"], f)
		}
	}
	for _, b := range []inspector.Ballot{
		inspector.BallotFor, inspector.BallotOther, inspector.BallotAbsent, inspector.BallotDown, inspector.BallotTimeout,
		inspector.BallotWrong, inspector.BallotDenied, inspector.BallotUnread,
	} {
		faces["ballot"] = append(faces["ballot"], t.ballotFace(b))
	}
	for _, s := range []inspector.Severity{inspector.SeverityCritical, inspector.SeverityWarning, inspector.SeverityInfo} {
		faces["severity"] = append(faces["severity"], t.severityFace(s))
	}
	return faces
}

// TestNoColourIsNeeded: without any colour each state has a glyph, a word, or both, that no other state has; with nothing
// but ASCII as well.
func TestNoColourIsNeeded(t *testing.T) {
	everything := everyFace(loadTheme(t, monoName))
	if n := len(everything["state"]); n < 9 { // all but the cool-down, whose glyph no other has
		t.Fatalf("the fixtures show %d states", n)
	}
	for kind, faces := range everything {
		words, glyphs, ascii := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, f := range faces {
			if words[f.word] {
				t.Errorf("%s: two of them are called %q", kind, f.word)
			}
			if look := f.glyph + f.style.normal; glyphs[look] {
				t.Errorf("%s: %q has the glyph and the style of another", kind, f.word)
			} else {
				glyphs[look] = true
			}
			text.SetASCII(true)
			twin := text.Drawable(f.glyph)
			text.SetASCII(false)
			if ascii[twin+f.style.normal] {
				t.Errorf("%s: %q has in ASCII the glyph %q and the style of another", kind, f.word, twin)
			}
			words[f.word], ascii[twin+f.style.normal] = true, true
		}
	}
}

func TestThemes(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Themes() {
		loaded := loadTheme(t, name)
		look := fmt.Sprint(stylesOf(loaded))
		if loaded.name != name || seen[look] {
			t.Errorf("the theme %s is named %s, or looks like another", name, loaded.name)
		}
		seen[look] = true
	}
	if loaded := loadTheme(t, ""); loaded.name != "default" {
		t.Errorf("without a name it is %s", loaded.name)
	}
	if _, err := newTheme("neon", false); err == nil || !strings.Contains(err.Error(), "default, light, high-contrast, deuteranopia, tritanopia, mono") {
		t.Errorf("got %v", err)
	}
	if loaded, err := newTheme("light", true); err != nil || loaded.name != monoName {
		t.Error("NO_COLOR is not mono")
	}
	for _, c := range []struct {
		name string
		dark bool
		want string
	}{{"", true, ""}, {"", false, "light"}, {"default", false, "light"}, {"mono", false, "mono"}, {"tritanopia", false, "tritanopia"}} {
		if got := forGround(c.name, c.dark); got != c.want {
			t.Errorf("forGround(%q, %v) = %q, want %q", c.name, c.dark, got, c.want)
		}
	}
}

// pressTheme goes through all themes, and round.
func pressTheme(t *testing.T, h *harness, press string) {
	t.Helper()
	for _, name := range append(Themes()[1:], Themes()[0]) {
		h.keys(press)
		h.wantSeen("theme: " + name)
		if h.m.theme.name != name {
			t.Errorf("the theme is %s, want %s", h.m.theme.name, name)
		}
	}
	h.m.config.NoColor = true
	h.keys(press)
	h.wantSeen("NO_COLOR is set: the theme stays default")
}
