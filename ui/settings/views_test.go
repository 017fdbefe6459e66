package settings

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/adrg/xdg"
)

// ownState gives the test directories of its own.
func ownState(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	t.Cleanup(xdg.Reload)
}

func TestAViewComesBack(t *testing.T) {
	ownState(t)
	if got, err := LoadView("prod"); err != nil || got.Sort != "" {
		t.Fatalf("before anything was kept: %+v, %v", got, err)
	}
	kept := View{View: "events", Columns: []string{"state", "key"}, Sort: "held", Reverse: true, Filter: "a\"b\\c\x1b[2J", Suspects: true, Theme: "light", HoldersSort: "oldest", HoldersReverse: true, Trouble: true}
	for i, fields := 0, reflect.ValueOf(kept); i < fields.NumField(); i++ {
		if fields.Field(i).IsZero() {
			t.Fatalf("%s is not tried", fields.Type().Field(i).Name)
		}
	}
	path, err := SaveView("prod", kept)
	if err != nil {
		t.Fatal(err)
	}
	other := View{Sort: "key"}
	for _, name := range []string{DefaultView, DemoView, "a.b [c]"} {
		if _, err := SaveView(name, other); err != nil {
			t.Fatal(err)
		}
	}
	got, err := LoadView("prod")
	if err != nil || !reflect.DeepEqual(got, kept) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := LoadView("a.b [c]"); err != nil || got.Sort != "key" || got.Reverse {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := SaveView("prod", View{}); err != nil {
		t.Fatal(err)
	}
	if got, err := LoadView("prod"); err != nil || got.Sort != "" || got.Columns != nil {
		t.Errorf("what was given up came back: %+v, %v", got, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || path != ViewsPath() {
		t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestABrokenFileOfViewsIsSaidAndLeft(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{"[default]\nsort = \"key\"\nsort = \"ttl\"\n", "views.toml:3: the views cannot be read"},
		{"[default]\nsort = 3\n", "views.toml: the views cannot be read"},
		{"default = 3\n", "views.toml: the views cannot be read"},
	} {
		ownState(t)
		if err := os.MkdirAll(filepath.Dir(ViewsPath()), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(ViewsPath(), []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadView(DefaultView)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "left as it is") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", c.content, err)
		}
		if strings.HasPrefix(c.want, "views.toml:3") {
			if _, err := SaveView(DefaultView, View{Sort: "held"}); err == nil {
				t.Errorf("%q was written over", c.content)
			}
			if left, err := os.ReadFile(ViewsPath()); err != nil || string(left) != c.content {
				t.Errorf("%q became %q, %v", c.content, left, err)
			}
		}
	}
}

func TestWhatOthersKeepStays(t *testing.T) {
	ownState(t)
	if err := os.MkdirAll(filepath.Dir(ViewsPath()), 0o700); err != nil {
		t.Fatal(err)
	}
	// A later version may keep more than this one knows.
	if err := os.WriteFile(ViewsPath(), []byte("[prod]\nzoom = 3\nsort = \"key\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := SaveView(DefaultView, View{Theme: "mono"}); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadFile(ViewsPath())
	if err != nil || !strings.Contains(string(left), "zoom = 3") || !strings.Contains(string(left), "[default]") {
		t.Errorf("got %q, %v", left, err)
	}
	if got, err := LoadView("prod"); err != nil || got.Sort != "key" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestALinkStaysOne(t *testing.T) {
	ownState(t)
	behind := filepath.Join(t.TempDir(), "mine.toml")
	if err := os.WriteFile(behind, []byte("[prod]\nsort = \"key\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(ViewsPath()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(behind, ViewsPath()); err != nil {
		t.Skipf("SKIPPED, NOT PASSED: %v", err)
	}
	if _, err := SaveView(DefaultView, View{Sort: "held"}); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(behind); err != nil || !strings.Contains(string(content), "held") {
		t.Errorf("got %q, %v", content, err)
	}
}
