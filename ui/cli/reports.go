package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/adrg/xdg"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/report"
	"locktop/ui/text"
	"locktop/ui/tui"
)

// reporter writes incident reports.
type reporter struct {
	// directory is where to; empty: the current one, or where that takes none, one in the XDG state directory.
	directory string
	// about is what every report says besides.
	about report.Incident
	// audit is where actions are kept since the session began; nil: nowhere.
	audit *actions.Audit
	began time.Time
}

// write writes a report of what the dashboard shows.
func (r *reporter) write(_ context.Context, i tui.Incident) (string, error) {
	about := r.about
	about.At, about.Snapshot, about.Locks, about.All, about.Gone, about.Events = i.At, i.Snapshot, i.Locks, i.All, i.Gone, i.Events
	if r.audit != nil {
		lines, err := r.audit.OfSession(r.began)
		if err != nil { // the rest of the report is wanted all the same
			about.AuditTrouble = err.Error()
		}
		about.Audit, about.Actions = r.audit.Path(), concerning(lines, &about)
	}
	return r.save(&about)
}

// concerning are the actions on the locks of a report; of the whole picture, all.
func concerning(lines []actions.AuditLine, i *report.Incident) []actions.AuditLine {
	return slices.DeleteFunc(lines, func(a actions.AuditLine) bool {
		return !i.All && !slices.ContainsFunc(i.Locks, func(l *inspector.Lock) bool {
			return a.Concerns(l.DB, l.Key)
		})
	})
}

// save writes both forms of a report into new files that only the user may read, and returns the path of the Markdown.
func (r *reporter) save(i *report.Incident) (string, error) {
	data, err := i.JSON()
	if err != nil {
		return "", err
	}
	name := "locktop-incident-" + i.At.UTC().Format("20060102T150405Z") + "-" + slug(i)
	directory := r.directory
	if directory == "" {
		directory = "."
	}
	path, err := saveAs(directory, name, i.Markdown(), data)
	if err != nil && r.directory == "" { // where locktop was started may be a place that takes no files
		directory = filepath.Join(xdg.StateHome, "locktop", "incidents")
		if err = os.MkdirAll(directory, 0o700); err == nil {
			path, err = saveAs(directory, name, i.Markdown(), data)
		}
	}
	if err != nil {
		return "", fmt.Errorf("write the report: %w", err)
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return path, nil
}

// saveAs writes the files NAME.md and NAME.json, or with a number behind the name where there is one already.
func saveAs(directory, name string, markdown, data []byte) (string, error) {
	for n := 1; ; n++ {
		base := filepath.Join(directory, name)
		if n > 1 {
			base += fmt.Sprintf("-%d", n)
		}
		err := saveNew(base+".md", markdown)
		if err == nil {
			if err = saveNew(base+".json", data); err == nil {
				return base + ".md", nil
			}
			_ = os.Remove(base + ".md") // it was ours, and is not to stand alone
		}
		if !errors.Is(err, fs.ErrExist) || n == 1000 {
			return "", err
		}
	}
}

// saveNew writes a file that is not there yet.
func saveNew(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(path) // half a report is none
	}
	return err
}

// slug names what a report is about, in characters that every file system takes.
func slug(i *report.Incident) string {
	switch {
	case i.All:
		return "suspects"
	case len(i.Locks) != 1:
		return fmt.Sprintf("%d-locks", len(i.Locks))
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}, text.Escape(i.Locks[0].Key))
	name = strings.Trim(name, "-")
	if len(name) > 40 {
		name = strings.Trim(name[:40], "-")
	}
	if name == "" {
		return "lock"
	}
	return name
}

// showReport prints the incident report of a snapshot of one lock, or writes it into a directory and prints its path.
func (a *app) showReport(seen *inspector.Snapshot, place keyspace.Place, directory string, once bool) error {
	i := report.Incident{
		At: seen.TakenAt, Where: where(place), Profile: a.profileName(), Environment: a.environment(), Locktop: version(),
		Snapshot: seen, Locks: seen.Locks, Once: once,
	}
	if directory == "" {
		_, err := a.stdout.Write(i.Markdown())
		return err
	}
	r := reporter{directory: directory}
	path, err := r.save(&i)
	if err != nil {
		return failed("%w", err)
	}
	_, err = fmt.Fprintln(a.stdout, text.Legible(path))
	return err
}
