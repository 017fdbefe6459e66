package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// auditTail is how much of the end of an audit file is read.
const auditTail = 4 << 20

// OfSession are the lines of the audit that this process has written since a time, oldest first. An old or a large file is read from
// near its end on.
func (a *Audit) OfSession(since time.Time) ([]AuditLine, error) {
	file, err := os.Open(a.Path())
	if err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if _, err := file.Seek(-auditTail, io.SeekEnd); err != nil {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("read the audit: %w", err)
		}
	}
	text, err := io.ReadAll(io.LimitReader(file, 2*auditTail))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	who := actor()
	var own []AuditLine
	for line := range bytes.Lines(text) {
		var l AuditLine
		if json.Unmarshal(line, &l) == nil && l.Actor == who && !l.At.Before(since) { // the first line may be half of one
			own = append(own, l)
		}
	}
	return own, nil
}
