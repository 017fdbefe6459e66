//go:build unix

package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A demo is recorded; the recording is played, held, stepped through and left; a report is written of both.
func TestEvidence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tape := filepath.Join(dir, "rec.jsonl.gz")
	term := openTerminal(t, 120, 36)
	term.run("demo crash --seed 7 --speed 4 --record " + tape + " --report-dir " + dir)
	term.waitFor("● REC", "stuck", "1 suspect")
	term.keys("w")
	term.waitFor("✔ report: ")
	term.keys("q")
	term.mustBeSane(0)
	if info, err := os.Stat(tape); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the recording: %v, %v", info, err)
	}
	wantReports(t, dir, 1)

	term.typeText("clear")
	term.keys("Enter")
	term.run("replay " + tape + " --report-dir " + dir)
	term.waitFor("REPLAY", "▶ 1x", "lock:", "p hold")
	term.keys("p")
	term.waitFor("‖ held", "p go on")
	term.keys("R")
	term.waitFor("▶ 1x")
	term.keys("n")
	term.waitFor("‖ held")
	term.keys(">")
	term.waitFor("■ end", "the recording ends here: locktop was ended", "stuck", "1 suspect")
	term.keys("x")
	term.waitFor("a recording cannot be acted on")
	term.keys(",")
	term.waitGone("the recording ends here")
	term.keys("3", "n")
	term.waitFor("EVENT", "acquired")
	term.keys("1", "w")
	term.waitFor("✔ report: ")
	term.keys("q")
	term.mustBeSane(0)
	wantReports(t, dir, 2)
}

// wantReports checks that there are so many reports, which only the user may read.
func wantReports(t *testing.T, dir string, want int) {
	t.Helper()
	for _, ext := range []string{".md", ".json"} {
		paths, err := filepath.Glob(filepath.Join(dir, "locktop-incident-*"+ext))
		if err != nil || len(paths) != want {
			t.Fatalf("there are %d reports (%s), want %d: %v", len(paths), ext, want, err)
		}
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
			content, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if ext == ".json" && !json.Valid(content) || ext == ".md" && !strings.HasPrefix(string(content), "# Incident report: ") {
				t.Errorf("%s holds %.200s", path, content)
			}
		}
	}
}
