package actions

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

func TestRecentActions(t *testing.T) {
	client := redistest.Start(t).Client()
	audit := openAudit(t)
	here := NewOperator(OneServer(client), Options{Audit: audit, Where: "redis://user:secret@here:6379/0"})
	there := NewOperator(OneServer(client), Options{Audit: audit, Where: "there:6379/0"})
	here.Do(t.Context(), Request{Verb: VerbRelease, Owner: "A", Lock: heldLock(t, client, "lock:1", "A"), Reason: "INC-1"})
	there.Do(t.Context(), Request{Verb: VerbRelease, Owner: "A", Lock: heldLock(t, client, "lock:2", "A")})
	gone := heldLock(t, client, "lock:3", "A")
	client.Del(t.Context(), "lock:3")
	here.Do(t.Context(), Request{Verb: VerbRelease, Owner: "A", Lock: gone})
	lost := newLine("lost", "redis://here:6379/0", Request{Verb: VerbForceExpire, Owner: "A", Lock: gone}, time.Now())
	lost.Phase, lost.At, lost.Actor.PID = PhaseIntent, time.Now(), 1
	if err := audit.write(lost); err != nil {
		t.Fatal(err)
	}
	file := must(os.OpenFile(audit.Path(), os.O_APPEND|os.O_WRONLY, 0))(t)
	if _, err := file.WriteString("no json\n{\"id\":\"x\",\"phase\":\"later\",\"where\":\"redis://here:6379/0\"}\n{\"half"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	lines := must(here.Recent(10))(t)
	if len(lines) != 3 {
		t.Fatalf("%d lines: %+v", len(lines), lines)
	}
	if l := lines[0]; l.ID != "lost" || l.Phase != PhaseIntent || l.Own() {
		t.Errorf("the newest is %+v", l)
	}
	if l := lines[1]; l.Key != "lock:3" || l.Outcome != ResultGone || !l.Own() {
		t.Errorf("the next is %+v", l)
	}
	if l := lines[2]; l.Key != "lock:1" || l.Outcome != ResultReleased || l.Asked.Reason != "INC-1" {
		t.Errorf("the oldest is %+v", l)
	}
	if lines := must(here.Recent(1))(t); len(lines) != 1 {
		t.Errorf("%d lines, want 1", len(lines))
	}
	if lines := must(audit.Recent("", 10))(t); len(lines) != 4 {
		t.Errorf("%d lines of all servers, want 4", len(lines))
	}
	if lines, err := NewOperator(OneServer(client), Options{}).Recent(5); err != nil || lines != nil {
		t.Errorf("without an audit: %v, %v", lines, err)
	}
}

func TestRecentReadsABoundedTail(t *testing.T) {
	audit := openAudit(t)
	long := Request{Verb: VerbRelease, Owner: strings.Repeat("o", 1<<16), Lock: &inspector.Lock{}}
	for i := range 40 {
		line := newLine(strings.Repeat("i", i+1), "here", long, time.Now())
		line.Phase = PhaseOutcome
		if err := audit.write(line); err != nil {
			t.Fatal(err)
		}
	}
	lines := must(audit.Recent("here", 100))(t)
	if len(lines) < 10 || len(lines) >= 32 || len(lines[0].ID) != 40 {
		t.Errorf("%d lines of a file of 2.5 MiB, of which 2 are read", len(lines))
	}
	if err := os.Remove(audit.Path()); err != nil {
		t.Fatal(err)
	}
	if lines, err := audit.Recent("here", 1); err != nil || lines != nil {
		t.Errorf("a file that was moved away: %v, %v", lines, err)
	}
}

// TestAuditOfSession: of a file that many processes have written, only what this one did since a time is read, whatever else is there.
func TestAuditOfSession(t *testing.T) {
	audit := openAudit(t)
	now := time.Now()
	for _, line := range []AuditLine{
		{ID: "old", Phase: PhaseOutcome, At: now.Add(-time.Hour), Actor: actor()},
		{ID: "others", Phase: PhaseOutcome, At: now, Actor: AuditActor{User: "somebody", PID: 1}},
		{ID: "ours", Phase: PhaseIntent, At: now, Actor: actor()},
		{ID: "ours", Phase: PhaseOutcome, At: now, Actor: actor()},
		{ID: "lost", Phase: PhaseIntent, At: now, Actor: actor()},
	} {
		if err := audit.write(line); err != nil {
			t.Fatal(err)
		}
	}
	long := append(bytes.Repeat([]byte(strings.Repeat("x", 1023)+"\n"), recentBytes/1024), must(os.ReadFile(audit.Path()))(t)...)
	if err := os.WriteFile(audit.Path(), append(long, "{half"...), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, err := audit.OfSession(now.Add(-time.Minute))
	if err != nil || len(lines) != 2 || lines[0].ID != "ours" || lines[0].Phase != PhaseOutcome || lines[1].ID != "lost" {
		t.Errorf("%+v, %v", lines, err)
	}
	if err := os.Remove(audit.Path()); err != nil {
		t.Fatal(err)
	}
	if _, err := audit.OfSession(now); err == nil {
		t.Error("a file that is not there is no error")
	}
}
