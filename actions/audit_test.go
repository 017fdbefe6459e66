package actions

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/adrg/xdg"
	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func openAudit(t *testing.T) *Audit {
	t.Helper()
	audit := must(OpenAudit(filepath.Join(t.TempDir(), "new", "audit.jsonl")))(t)
	t.Cleanup(func() { _ = audit.Close() }) // a test may have closed it already
	return audit
}

func auditLines(t *testing.T, a *Audit) []AuditLine {
	t.Helper()
	var lines []AuditLine
	for text := range bytes.Lines(must(os.ReadFile(a.Path()))(t)) {
		if len(text) == 1 {
			continue // another process was in the midst of a line
		}
		var line AuditLine
		if err := json.Unmarshal(text, &line); err != nil || !bytes.HasSuffix(text, []byte("\n")) {
			t.Fatalf("%q: %v", text, err)
		}
		lines = append(lines, line)
	}
	return lines
}

func TestAudit(t *testing.T) {
	server := redistest.Start(t)
	server.Do("CONFIG", "SET", "requirepass", "hunter2")
	client := server.Client(func(o *redis.Options) { o.Password = "hunter2" })
	audit := openAudit(t)
	o := NewOperator(OneServer(client), Options{Audit: audit, Where: "redis://user:hunter2@db.example:6379/0"})
	ctx := t.Context()

	key, owner := "lock:\xff\n", "A\xfe"
	client.HSet(ctx, key, owner, 3)
	lock := observe(ctx, t, client, inspector.SchemeReentrant, key)
	r := Request{Verb: VerbRelease, Owner: owner, Entries: 1, Lock: lock, Reason: "the \"job\" hangs\n"}
	if out := o.Do(ctx, r); out.Result != ResultEntryReleased || out.Detail != "" {
		t.Fatalf("%+v", out)
	}
	lines := auditLines(t, audit)
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	intent, outcome := lines[0], lines[1]
	if intent.Phase != PhaseIntent || outcome.Phase != PhaseOutcome || intent.ID == "" || intent.ID != outcome.ID ||
		intent.Outcome != "" || outcome.Outcome != ResultEntryReleased || outcome.By != "script" || outcome.At.Before(intent.At) {
		t.Errorf("phases: %+v, %+v", intent, outcome)
	}
	for _, line := range lines {
		if line.Schema != AuditSchema || line.Verb != VerbRelease || line.Scheme != "reentrant" || line.Asked != (AuditRequest{Entries: 1, Reason: r.Reason}) {
			t.Errorf("what was asked: %+v", line)
		}
		if line.Key != `lock:\xff\n` || line.Key64 != base64.StdEncoding.EncodeToString([]byte(key)) ||
			line.Saw.Owner != `A\xfe` || line.Saw.Owner64 != base64.StdEncoding.EncodeToString([]byte(owner)) {
			t.Errorf("bytes that are no text: %+v", line)
		}
		if line.Saw.Count == nil || *line.Saw.Count != 3 || line.Saw.TTL != -1 || line.Saw.Type != "hash" || !line.Saw.ReadAt.Equal(lock.Observed.ReadAt) {
			t.Errorf("what was seen: %+v", line.Saw)
		}
		if line.Actor.PID != os.Getpid() || line.Actor.Host == "" || line.Actor.User == "" || line.Where != "redis://db.example:6379/0" {
			t.Errorf("who and where: %+v, %q", line.Actor, line.Where)
		}
	}
	if outcome.CountLeft == nil || *outcome.CountLeft != 2 || outcome.Woken != nil {
		t.Errorf("what came of it: %+v", outcome)
	}
	if text := must(os.ReadFile(audit.Path()))(t); bytes.Contains(text, []byte("hunter2")) {
		t.Errorf("the password is in the audit: %s", text)
	}
	if info := must(os.Stat(audit.Path()))(t); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
}

// TestAuditOfRefusals: what was refused before anything was sent leaves one line, what a guard refused leaves two.
func TestAuditOfRefusals(t *testing.T) {
	client := embeddedClient(t)
	r := seeded(t, client, inspector.SchemeToken, Request{Verb: VerbRelease})
	client.Set(t.Context(), "lock", "B", time.Minute)
	audit := openAudit(t)
	NewOperator(OneServer(client), Options{Audit: audit, ReadOnly: true}).Do(t.Context(), r)
	o := NewOperator(OneServer(client), Options{Audit: audit})
	o.Do(t.Context(), Request{Verb: VerbRelease})
	r.DryRun = true
	o.Do(t.Context(), r)
	r.DryRun = false
	o.Do(t.Context(), r)
	var got []string
	for _, line := range auditLines(t, audit) {
		got = append(got, strings.Join([]string{line.Phase, string(line.Outcome), line.Holder}, ","))
	}
	want := "outcome,refused: read-only, outcome,failed, outcome,not holder,B intent,, outcome,not holder,B"
	if strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", strings.Join(got, " "), want)
	}
}

// TestAuditFails: what cannot be put on record is not done, and what was done and cannot be put on record is said.
func TestAuditFails(t *testing.T) {
	client := embeddedClient(t)
	r := seeded(t, client, inspector.SchemeToken, Request{Verb: VerbRelease})
	audit := openAudit(t)
	o := NewOperator(OneServer(client), Options{Audit: audit})
	if err := audit.Close(); err != nil {
		t.Fatal(err)
	}
	if out := o.Do(t.Context(), r); out.Result != ResultFailed || !strings.Contains(out.Detail, "could not be put on record") || client.Get(t.Context(), "lock").Val() != "A" {
		t.Errorf("%+v", out)
	}
	out := o.record(AuditLine{}, attempt{out: Outcome{Result: ResultReleased, Detail: "it was long"}, by: "script"})
	if out.Result != ResultReleased || out.Err == nil || !strings.Contains(out.Detail, "it was long; the outcome could not be put on record") {
		t.Errorf("%+v", out)
	}
	if _, err := OpenAudit(filepath.Join(audit.Path(), "below")); err == nil {
		t.Error("an audit was opened below a file")
	}
}

func TestAuditByDefault(t *testing.T) {
	t.Cleanup(xdg.Reload) // after the variable has been put back
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	audit := must(OpenAudit(""))(t)
	defer audit.Close()
	if audit.Path() != filepath.Join(xdg.StateHome, "locktop", "audit.jsonl") {
		t.Errorf("the audit is at %s", audit.Path())
	}
	if runtime.GOOS == "windows" {
		return
	}
	// One that others may read is closed to them.
	if err := os.Chmod(audit.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	again := must(OpenAudit(""))(t)
	defer again.Close()
	if info := must(os.Stat(again.Path()))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
}

// TestAuditTogether writes from several goroutines and through several files, and wants every line whole.
func TestAuditTogether(t *testing.T) {
	first := openAudit(t)
	second := must(OpenAudit(first.Path()))(t)
	defer second.Close()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				if err := []*Audit{first, second}[i%2].write(AuditLine{Detail: strings.Repeat("x", 1+1000*i)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := len(auditLines(t, first)); n != 800 {
		t.Errorf("%d lines", n)
	}
}

func TestWithoutSecret(t *testing.T) {
	for where, want := range map[string]string{
		"127.0.0.1:6379":                    "127.0.0.1:6379",
		"unix:/run/redis.sock":              "unix:/run/redis.sock",
		"unix:/run/a@b.sock":                "unix:/run/a@b.sock",
		"redis://:p@host:1/2":               "redis://host:1/2",
		"rediss://u:p@host":                 "rediss://host",
		"u:p@host:6379":                     "host:6379",
		"redis://u:p%zz@host":               "host",
		"prod-cache (redis://u:p@host:1/0)": "host:1/0)",
	} {
		if got := withoutSecret(where); got != want {
			t.Errorf("%q: %q, want %q", where, got, want)
		}
	}
}

// TestAuditAfterHalfALine writes after what a full disk has left of a line.
func TestAuditAfterHalfALine(t *testing.T) {
	audit := openAudit(t)
	line := newLine("first", "redis://db", Request{Verb: VerbRelease, Reason: "a\u009b31m\u202e\x7f\u2028z"}, time.Now())
	line.Phase = PhaseIntent
	if err := audit.write(line); err != nil {
		t.Fatal(err)
	}
	file := must(os.OpenFile(audit.Path(), os.O_APPEND|os.O_WRONLY, 0))(t)
	must(file.WriteString(`{"schema":"locktop.audit/1","id":"half","pha`))(t)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	line.ID = "second"
	if err := audit.write(line); err != nil {
		t.Fatal(err)
	}
	text := string(must(os.ReadFile(audit.Path()))(t))
	if !keyspace.Printable(strings.ReplaceAll(text, "\n", "")) || !strings.Contains(text, `a\u009b31m\u202e\u007f\u2028z`) {
		t.Errorf("characters that control a terminal are in the file as they are: %q", text)
	}
	lines := must(audit.Recent("", 10))(t)
	if len(lines) != 2 || lines[0].ID != "second" || lines[1].ID != "first" || lines[1].Asked.Reason != "a\u009b31m\u202e\x7f\u2028z" {
		t.Errorf("%+v", lines)
	}
}

// TestAuditOfManyProcesses has several audits write to one file and leave half lines in it.
func TestAuditOfManyProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var writers sync.WaitGroup
	for range 4 {
		audit := must(OpenAudit(path))(t)
		t.Cleanup(func() { _ = audit.Close() })
		writers.Go(func() {
			for range 100 {
				if err := audit.write(AuditLine{ID: rand.Text(), Phase: PhaseOutcome}); err != nil {
					t.Error(err)
				}
				if _, err := audit.file.WriteString(`{"id":"half`); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	audit := must(OpenAudit(path))(t)
	defer audit.Close()
	lines := must(audit.Recent("", 1000))(t)
	seen := map[string]bool{}
	for _, line := range lines {
		seen[line.ID] = true
	}
	if len(seen) != 400 {
		t.Errorf("%d of 400 lines can be read", len(seen))
	}
}

// TestAuditRefusesAPipe does not wait for somebody to read from it.
func TestAuditRefusesAPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // it has no named pipes among its files
	}
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if out, err := exec.Command("mkfifo", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if audit, err := OpenAudit(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%v, %v", audit, err)
	}
	if _, err := tailOf(path, 10); err == nil {
		t.Error("a pipe was read")
	}
	audit := must(OpenAudit(os.DevNull))(t)
	if err := errors.Join(audit.write(AuditLine{}), audit.Close()); err != nil {
		t.Error(err)
	}
}
