package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
)

// TestActionsOfOtherProcesses: what another process put into the audit file is noted once, if it ended a hold on these servers.
func TestActionsOfOtherProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	audit, err := actions.OpenAudit(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := audit.Close(); err != nil {
			t.Error(err)
		}
	}()
	notes := make(chan inspector.Event, 10)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		noteOthers(ctx, audit, "here", func(e inspector.Event) { notes <- e })
	}()
	line := func(id, where string, outcome actions.Result, delay int64) string {
		l := actions.AuditLine{
			Schema: actions.AuditSchema, ID: id, Phase: actions.PhaseOutcome, At: time.Now().Add(time.Second), Where: where, DB: 3,
			Actor: actions.AuditActor{User: "ann", Host: "box\x1b", PID: 1}, Verb: actions.VerbRelease, Key: "lock\\xff", Key64: "bG9ja/8=",
			Saw: actions.AuditObserved{Owner: "worker-7"}, Asked: actions.AuditRequest{TTL: delay}, Outcome: outcome,
		}
		out, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		return string(out) + "\n"
	}
	write := func(text string) {
		t.Helper()
		file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = file.WriteString(text)
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write("no line of an audit\n" + line("1", "elsewhere", actions.ResultReleased, 0) + line("2", "here", actions.ResultNotHolder, 0) +
		line("3", "here", actions.ResultExpired, 5000) + line("4", "here", actions.ResultReleased, 0))
	next := func() inspector.Event {
		t.Helper()
		select {
		case e := <-notes:
			return e
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was noted")
			return inspector.Event{}
		}
	}
	e := next()
	if e.Key != "lock\xff" || e.DB != 3 || e.Owner != "worker-7" || e.Cause != inspector.CauseOperator || e.Kind != inspector.EventOperator ||
		e.Text != `ann@box\x1b: release of lock\xff: released` {
		t.Errorf("%+v", e)
	}
	write(line("5", "here", actions.ResultExpired, 0))
	if e = next(); e.Text != `ann@box\x1b: release of lock\xff: force-expired` {
		t.Errorf("%+v", e)
	}
	cancel()
	<-ended
	if len(notes) > 0 {
		t.Errorf("noted twice: %+v", <-notes)
	}
}
