package actions

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

// TestAuditOfSession: of a file that many processes have written, only what this one did since a time is read, whatever else is there.
func TestAuditOfSession(t *testing.T) {
	audit := openAudit(t)
	now := time.Now()
	for _, line := range []AuditLine{
		{ID: "old", At: now.Add(-time.Hour), Actor: actor()},
		{ID: "others", At: now, Actor: AuditActor{User: "somebody", PID: 1}},
		{ID: "ours", At: now, Actor: actor()},
	} {
		if err := audit.write(line); err != nil {
			t.Fatal(err)
		}
	}
	long := append(bytes.Repeat([]byte(strings.Repeat("x", 1023)+"\n"), auditTail/1024), must(os.ReadFile(audit.Path()))(t)...)
	if err := os.WriteFile(audit.Path(), append(long, "{half"...), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, err := audit.OfSession(now.Add(-time.Minute))
	if err != nil || len(lines) != 1 || lines[0].ID != "ours" {
		t.Errorf("%+v, %v", lines, err)
	}
	if err := os.Remove(audit.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.OfSession(now); err == nil {
		t.Error("a file that is not there is no error")
	}
}
