package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"syscall"
	"time"
)

// recentBytes is how much of the end of an audit file is read: some thousands of actions, however long the file has become.
const recentBytes = 2 << 20

// Recent returns the last actions on a server, newest first, at most n of them: of each its outcome, or where none was written
// its intent. An empty name stands for all servers.
func (a *Audit) Recent(where string, n int) ([]AuditLine, error) {
	where = withoutSecret(where)
	lines, err := a.last(n, func(l *AuditLine) bool { return where == "" || l.Where == where })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // somebody has moved it away: there is nothing to tell
	}
	return lines, err
}

// OfSession are what this process has done since a time, oldest first: of each action its outcome, or where none was written its
// intent.
func (a *Audit) OfSession(since time.Time) ([]AuditLine, error) {
	own, err := a.last(math.MaxInt, func(l *AuditLine) bool { return l.Own() && !l.At.Before(since) })
	slices.Reverse(own)
	return own, err
}

// last are the last actions that are wanted, newest first. It reads a bounded part of the file's end; lines that are no lines of an
// audit are passed over, for the file outlives versions of this program.
func (a *Audit) last(n int, wanted func(*AuditLine) bool) ([]AuditLine, error) {
	text, err := tailOf(a.Path(), recentBytes)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	var lines []AuditLine
	answered := make(map[string]bool)
	for _, raw := range slices.Backward(slices.Collect(bytes.Lines(text))) {
		if len(lines) >= n {
			break
		}
		var line AuditLine
		if json.Unmarshal(raw, &line) != nil || line.ID == "" || !wanted(&line) {
			continue
		}
		switch line.Phase {
		case PhaseOutcome:
			answered[line.ID] = true
		case PhaseIntent:
			if answered[line.ID] {
				continue
			}
		case PhaseSession:
		default:
			continue
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// Recent returns the last actions on the operator's servers, as the audit has them; none where no audit is kept.
func (o *Operator) Recent(n int) ([]AuditLine, error) {
	if o.options.Audit == nil {
		return nil, nil
	}
	return o.options.Audit.Recent(o.options.Where, n)
}

// Own says whether this very process wrote the line.
func (l AuditLine) Own() bool { return l.Actor == actor() }

// tailOf reads the end of a file, from the beginning of a line on.
func tailOf(path string, most int64) (_ []byte, err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a named pipe in its place would wait
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file, and cannot be read from its end", path)
	}
	from := max(info.Size()-most, 0)
	text := make([]byte, info.Size()-from)
	read, err := file.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) { // it may have been cut since
		return nil, err
	}
	text = text[:read]
	if from > 0 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text, nil
}
