package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/report"
)

func incidentOf(keys ...string) *report.Incident {
	i := &report.Incident{At: noon, Where: "prod-cache", Snapshot: &inspector.Snapshot{TakenAt: noon}}
	for _, key := range keys {
		i.Locks = append(i.Locks, &inspector.Lock{Ref: keyspace.Ref{Key: key}, State: inspector.StateHeld})
	}
	return i
}

func TestReportsAreNewFiles(t *testing.T) {
	dir := t.TempDir()
	r := reporter{directory: dir}
	var paths []string
	for range 3 {
		path, err := r.save(incidentOf("orders:checkout"))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Base(path))
	}
	want := "locktop-incident-20260102T120000Z-orders-checkout"
	if got := strings.Join(paths, " "); got != want+".md "+want+"-2.md "+want+"-3.md" {
		t.Errorf("the reports are %s", got)
	}
	// A name of which one form is taken is not used for the other.
	if err := os.Remove(filepath.Join(dir, want+".md")); err != nil {
		t.Fatal(err)
	}
	if path, err := r.save(incidentOf("orders:checkout")); err != nil || !strings.HasSuffix(path, "-4.md") {
		t.Errorf("the next one is %s, %v", path, err)
	}
	if _, err := os.Stat(filepath.Join(dir, want+".md")); err == nil {
		t.Error("half a report was left")
	}
}

func TestReportsGoWhereTheyMay(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	xdg.Reload()
	defer xdg.Reload()
	gone := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Skipf("the current directory cannot be taken away here: %v", err)
	}
	path, err := (&reporter{}).save(incidentOf("a"))
	if err != nil || filepath.Dir(path) != filepath.Join(state, "locktop", "incidents") {
		t.Errorf("the report is %q, %v", path, err)
	}
	if _, err := (&reporter{directory: filepath.Join(state, "missing")}).save(incidentOf("a")); err == nil {
		t.Error("a directory that the user names, and that is not there, is passed over")
	}
}

func TestNamesOfReports(t *testing.T) {
	for want, i := range map[string]*report.Incident{
		"orders-checkout":       incidentOf("orders:checkout"),
		"2-locks":               incidentOf("a", "b"),
		"0-locks":               incidentOf(),
		"lock":                  incidentOf("../.."),
		"etc-passwd":            incidentOf("../../etc/passwd"),
		"x1b-2J-n":              incidentOf("\x1b[2J\n"),
		strings.Repeat("a", 40): incidentOf(strings.Repeat("a", 100)),
	} {
		if got := slug(i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	all := incidentOf("a")
	all.All = true
	if got := slug(all); got != "suspects" {
		t.Errorf("%q", got)
	}
}
