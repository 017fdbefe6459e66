// Package ui_test proves the drawing in the README: which room may import which.
package ui_test

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
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
	"locktop":                      {"locktop/ui/cli"},
	"locktop/ui/cli":               {"locktop/ui/tui", "locktop/ui/report", "locktop/ui/settings", "locktop/ui/text", "locktop/demo", "locktop/actions", "locktop/inspector/recording", "locktop/inspector", "locktop/keyspace"},
	"locktop/ui/tui":               {"locktop/ui/tui/unasked", "locktop/ui/text", "locktop/actions", "locktop/inspector", "locktop/keyspace"},
	"locktop/ui/tui/unasked":       {},
	"locktop/ui/report":            {"locktop/ui/text", "locktop/actions", "locktop/inspector", "locktop/keyspace"},
	"locktop/ui/settings":          {"locktop/ui/text", "locktop/inspector", "locktop/keyspace"},
	"locktop/ui/text":              {"locktop/keyspace"},
	"locktop/demo":                 {"locktop/demo/servers", "locktop/actions", "locktop/inspector", "locktop/keyspace"},
	"locktop/demo/servers":         {"locktop/demo/embedded", "locktop/keyspace"},
	"locktop/demo/embedded":        {"locktop/demo/embedded/script"},
	"locktop/demo/embedded/script": {},
	"locktop/actions":              {"locktop/inspector", "locktop/keyspace"},
	"locktop/inspector":            {"locktop/keyspace"},
	"locktop/inspector/recording":  {"locktop/inspector", "locktop/keyspace"},
	"locktop/keyspace":             {},
	"locktop/keyspace/redistest":   {},
	"locktop/ui":                   {},
	"locktop/ui/e2e":               {},
}

// onlyIn says which rooms alone may import a library, in tests too.
var onlyIn = map[string][]string{
	"github.com/charmbracelet/bubbletea": {"locktop/ui/tui"},
	"github.com/charmbracelet/lipgloss":  {"locktop/ui/tui"},
	"github.com/charmbracelet/bubbles":   {"locktop/ui/tui"},
	"github.com/redis/go-redis/v9":       {"locktop/keyspace", "locktop/actions", "locktop/demo"},
	"github.com/spf13/cobra":             {"locktop/ui/cli"},
	"github.com/yuin/gopher-lua":         {"locktop/demo/embedded/script"},
	"github.com/alicebob/miniredis/v2":   {"locktop/demo/embedded", "locktop/actions"}, // actions runs its scripts there, in tests
}

// listeners are the files that open a port or a socket, and what keeps other users out of it. Whatever listens and is not named
// here is forbidden, so that somebody has to think about it first.
var listeners = map[string]string{
	"demo/embedded/listen.go":     "Options.listen refuses a port without a password, and a socket in a directory that others may enter",
	"demo/servers/process.go":     "freeAddress closes what it opens before anybody can connect; the server itself gets a password",
	"demo/servers/relay.go":       "the relay leads to a server that asks for a random password",
	"keyspace/redistest/link.go":  "in tests only: leads to a server of the test",
	"keyspace/redistest/ports.go": "in tests only: looks for a free port, and closes it at once",
}

// listening are the functions that open something others can connect to, by the name that follows the dot.
var listening = []string{
	"Listen", "ListenConfig", "ListenTCP", "ListenUnix", "ListenUnixgram", "ListenUDP", "ListenIP", "ListenMulticastUDP", "ListenPacket",
	"ListenAndServe", "ListenAndServeTLS", "FileListener", "FilePacketConn", "Serve", "ServeTLS", "NewListener",
}

// TestWhatListens finds every file outside of tests that listens.
func TestWhatListens(t *testing.T) {
	found := map[string]bool{}
	for _, p := range listPackages(t) {
		for _, name := range p.GoFiles {
			file := path.Join(strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "locktop"), "/"), name)
			tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is && slices.Contains(listening, s.Sel.Name) {
					if room, is := s.X.(*ast.Ident); is && slices.Contains([]string{"net", "tls", "http", "syscall", "unix", "windows"}, room.Name) {
						found[file] = true
					}
				}
				return true
			})
		}
	}
	for file := range found {
		if listeners[file] == "" {
			t.Errorf("%s listens: say in listeners what keeps other users out", file)
		}
	}
	for file := range listeners {
		if !found[file] {
			t.Errorf("%s does not listen any more: take it from listeners", file)
		}
	}
}

type listedPackage struct {
	ImportPath   string
	GoFiles      []string // of every system, without tests
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
		listed = append(listed, listedPackage{importPath, append(found.GoFiles, found.IgnoredGoFiles...), found.Imports, found.TestImports, found.XTestImports})
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
