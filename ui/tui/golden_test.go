package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locktop/inspector"
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
		"cluster":  {clusterFixture, nil},
		"nodes":    {clusterFixture, []string{"4", "j", "j"}},
		"sentinel": {sentinelFixture, nil},
		"replica":  {replicaFixture, nil},
		"redlock":  {redlockFixture, nil},
		"map":      {redlockFixture, []string{"4"}},
		"votes":    {redlockFixture, []string{"j", "j", "enter"}},
		"split":    {redlockFixture, []string{"r"}},
	}
	for name, screen := range screens {
		for _, size := range sizes {
			for _, themeName := range []string{"default", "mono"} {
				if themeName == "mono" && size[0] != 80 && !slices.Contains([]string{"locks", "lost", "back", "rates"}, name) {
					continue
				}
				t.Run(fmt.Sprintf("%s-%dx%d-%s", name, size[0], size[1], themeName), func(t *testing.T) {
					h := newHarness(t, size[0], size[1], themeName)
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

func compareGolden(t *testing.T, frame string) {
	t.Helper()
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
