// Package ui_test proves the drawing in the README: which room may import which.
package ui_test

import (
	"errors"
	"go/build"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowedRooms says which packages of this module each room may import, besides those below its own path. Whatever is not
// named here is forbidden, so that a new room has to be drawn before it can be built.
var allowedRooms = map[string][]string{
	"locktop":                     {"locktop/ui/cli"},
	"locktop/ui/cli":              {"locktop/ui/tui", "locktop/ui/report", "locktop/ui/settings", "locktop/ui/text", "locktop/demo", "locktop/actions", "locktop/inspector/recording", "locktop/inspector", "locktop/keyspace"},
	"locktop/ui/tui":              {"locktop/ui/tui/unasked", "locktop/ui/text", "locktop/actions", "locktop/inspector", "locktop/keyspace"},
	"locktop/ui/tui/unasked":      {},
	"locktop/ui/report":           {"locktop/ui/text", "locktop/actions", "locktop/inspector", "locktop/keyspace"},
	"locktop/ui/settings":         {"locktop/ui/text", "locktop/inspector", "locktop/keyspace"},
	"locktop/ui/text":             {"locktop/keyspace"},
	"locktop/demo":                {"locktop/demo/servers", "locktop/actions", "locktop/inspector", "locktop/keyspace"},
	"locktop/demo/servers":        {"locktop/demo/embedded", "locktop/keyspace"},
	"locktop/demo/embedded":       {},
	"locktop/actions":             {"locktop/inspector", "locktop/keyspace"},
	"locktop/inspector":           {"locktop/keyspace"},
	"locktop/inspector/recording": {"locktop/inspector", "locktop/keyspace"},
	"locktop/keyspace":            {},
	"locktop/keyspace/redistest":  {},
	"locktop/ui":                  {},
	"locktop/ui/e2e":              {},
}

// onlyIn says which rooms alone may import a library, in tests too.
var onlyIn = map[string][]string{
	"github.com/charmbracelet/bubbletea": {"locktop/ui/tui"},
	"github.com/charmbracelet/lipgloss":  {"locktop/ui/tui"},
	"github.com/charmbracelet/bubbles":   {"locktop/ui/tui"},
	"github.com/redis/go-redis/v9":       {"locktop/keyspace", "locktop/actions", "locktop/demo"},
	"github.com/spf13/cobra":             {"locktop/ui/cli"},
	"github.com/alicebob/miniredis/v2":   {"locktop/demo/embedded", "locktop/actions"}, // actions runs its scripts there, in tests
}

type listedPackage struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestImportsRunDownwards(t *testing.T) {
	listed := listPackages(t)
	if len(listed) < 8 {
		t.Fatalf("found %d packages; the rooms are not all there", len(listed))
	}
	for _, p := range listed {
		allowed, drawn := allowedRooms[p.ImportPath]
		if !drawn {
			t.Errorf("%s is a room that the drawing does not have", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if inModule(imported) && !slices.Contains(allowed, imported) {
				t.Errorf("%s imports %s, which is not below it", p.ImportPath, imported)
			}
		}
		for _, imported := range slices.Concat(p.Imports, p.TestImports) {
			for library, rooms := range onlyIn {
				if isBelow(imported, library) && !slices.ContainsFunc(rooms, func(room string) bool {
					return isBelow(p.ImportPath, room)
				}) {
					t.Errorf("%s imports %s, which only %s may", p.ImportPath, imported, strings.Join(rooms, ", "))
				}
			}
		}
	}
}

// TestTopLevel holds the top of the tree to the entries that the project has agreed on.
func TestTopLevel(t *testing.T) {
	agreed := []string{"go.mod", "go.sum", "main.go", "ui", "inspector", "actions", "keyspace", "demo", "README.md"}
	out, err := exec.Command("git", "ls-files", "--full-name", "..").Output()
	if err != nil {
		t.Skipf("not a git checkout, so nothing says what belongs to the tree: %v", err)
	}
	for name := range strings.Lines(string(out)) {
		top, _, _ := strings.Cut(strings.TrimSpace(name), "/")
		if !strings.HasPrefix(top, ".") && !slices.Contains(agreed, top) {
			t.Errorf("%s is outside the agreed top level", name)
		}
	}
}

// listPackages reads the module's packages itself: what another program reads, "go test" does not count among what its kept
// results depend on.
func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	var listed []listedPackage
	err := filepath.WalkDir("..", func(dir string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return err
		case entry.Name() == "testdata", strings.HasPrefix(entry.Name(), ".") && dir != "..":
			return filepath.SkipDir
		}
		found, err := build.ImportDir(dir, 0)
		if none := (*build.NoGoError)(nil); errors.As(err, &none) {
			return nil
		}
		importPath := path.Join("locktop", filepath.ToSlash(strings.TrimPrefix(dir, "..")))
		listed = append(listed, listedPackage{importPath, found.Imports, found.TestImports, found.XTestImports})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return listed
}

func inModule(path string) bool { return isBelow(path, "locktop") }

// isBelow says whether path is the package root or one below it.
func isBelow(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
