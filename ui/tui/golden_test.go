package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"locktop/inspector"
	"locktop/ui/text"
)

// TestGolden compares whole screens with those in testdata; -update writes them anew. A colour golden keeps its escape
// sequences readable as \x1b.
func TestGolden(t *testing.T) {
	sizes := [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 50}, {45, 20}}
	screens := map[string]struct {
		shown func() *inspector.Snapshot
		keys  []string
	}{
		"locks":    {fixture, nil},
		"detail":   {fixture, []string{"/", "o", "r", "d", "enter", "enter"}},
		"events":   {fixture, []string{"3"}},
		"lost":     {lostFixture, nil},
		"back":     {lostFixture, []string{"Z", "left", "left"}},
		"rates":    {lostFixture, []string{"enter", "ctrl+d"}},
		"help":     {fixture, []string{"?"}},
		"release":  {fixture, []string{"/", "o", "r", "d", "enter", "r"}},
		"filter":   {fixture, []string{"/", "c", "a", "r", "t"}},
		"frozen":   {fixture, []string{"!", " "}},
		"columns":  {fixture, []string{"c", "j", "j", " ", "j"}},
		"trouble":  {fixture, []string{"3", "!", "k"}},
		"nothing":  {nothingFixture, nil},
		"first":    {firstLookFixture, nil},
		"silent":   {silentFixture, nil},
		"cluster":  {clusterFixture, nil},
		"nodes":    {clusterFixture, []string{"4", "j", "j"}},
		"sentinel": {sentinelFixture, nil},
		"replica":  {replicaFixture, nil},
		"redlock":  {redlockFixture, nil},
		"map":      {redlockFixture, []string{"4"}},
		"votes":    {redlockFixture, []string{"j", "j", "enter"}},
		"split":    {redlockFixture, []string{"r"}},
		"holders":  {holdersFixture, []string{"2"}},
		"holder":   {holdersFixture, []string{"2", "enter"}},
		"orphaned": {holdersFixture, []string{"2", "enter", "enter"}},
	}
	for name, screen := range screens {
		for _, size := range sizes {
			for _, look := range looksAt(size, name == "locks") {
				t.Run(fmt.Sprintf("%s-%dx%d-%s", name, size[0], size[1], look), func(t *testing.T) {
					h := newHarness(t, size[0], size[1], themeOf(t, look))
					h.show(screen.shown())
					h.keys(screen.keys...)
					frame := h.m.View()
					if err := checkFrame(frame, size[0], size[1]); err != nil {
						t.Error(err)
					}
					compareGolden(t, frame)
				})
			}
		}
	}
}

// asciiLook is no theme, but mono with nothing else than ASCII.
const asciiLook = "ascii"

// looksAt are the looks in which screens are compared in a window: in colour and without, in ASCII where most people have
// it, and one of the screens there in every theme.
func looksAt(size [2]int, everyTheme bool) []string {
	switch {
	case size[0] != 80:
		return []string{"default", monoName}
	case everyTheme:
		return append(Themes(), asciiLook)
	}
	return []string{"default", monoName, asciiLook}
}

// themeOf is the theme of a look, whose alphabet it sets for the test.
func themeOf(t testing.TB, look string) string {
	t.Helper()
	if look != asciiLook {
		return look
	}
	text.SetASCII(true)
	t.Cleanup(func() { text.SetASCII(false) })
	return monoName
}

// TestASCIIKeepsTheLayout compares the screens in ASCII with those without colour: everything is where it was, but on lines
// with foreign text that had to be escaped, or with one of the few signs whose twin is a word.
func TestASCIIKeepsTheLayout(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("testdata", "*-80x24-"+asciiLook+".golden"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d screens, %v", len(paths), err)
	}
	read := func(path string) []string {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(regexp.MustCompile(`\\x1b\[[0-9;]*m`).ReplaceAllString(string(raw), ""), "\n")
	}
	for _, path := range paths {
		ascii, mono := read(path), read(strings.TrimSuffix(path, asciiLook+".golden")+monoName+".golden")
		text.SetASCII(true)
		for i, line := range mono {
			if strings.ContainsAny(line, "⏎␣⇥⇤½¼⅛锁工") {
				continue
			}
			if twin := text.Drawable(line); i >= len(ascii) || ascii[i] != twin {
				t.Errorf("%s, line %d is %q, want %q", path, i, ascii[i], twin)
			}
		}
		text.SetASCII(false)
		if len(ascii) != len(mono) {
			t.Errorf("%s has %d lines, want %d", path, len(ascii), len(mono))
		}
	}
}

func compareGolden(t *testing.T, frame string) {
	t.Helper()
	if text.ASCII() && strings.ContainsFunc(frame, func(r rune) bool { return r > unicode.MaxASCII }) {
		t.Error("there is more than ASCII in the frame")
	}
	got := strings.ReplaceAll(frame, "\x1b", `\x1b`) + "\n"
	path := filepath.Join("testdata", filepath.Base(t.Name())+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("the screen differs from %s; after a wanted change run the test with -update. It is now:\n%s", path,
			strings.ReplaceAll(frame, "\x1b[0m", ""))
	}
}
