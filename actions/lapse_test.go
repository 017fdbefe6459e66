package actions

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// heldLock sets a token lock and observes it.
func heldLock(t *testing.T, client *redis.Client, key, owner string) *inspector.Lock {
	t.Helper()
	if err := client.Set(t.Context(), key, owner, time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	return observe(t.Context(), t, client, inspector.SchemeToken, key)
}

func TestWritingLapsesAndIsArmedAgain(t *testing.T) {
	server := redistest.Start(t)
	client := server.Client()
	audit := openAudit(t)
	o := NewOperator(OneServer(client), Options{Audit: audit, Where: "here/0", WriteFor: time.Hour})
	t.Cleanup(func() { _ = o.Close() })
	r := Request{Verb: VerbRelease, Owner: "A", Lock: heldLock(t, client, "lock:a", "A")}
	if out := o.Do(t.Context(), r); out.Result != ResultReleased {
		t.Fatalf("%+v", out)
	}
	r.Lock = heldLock(t, client, "lock:a", "A")
	o.lapse.mu.Lock()
	o.lapse.until = time.Now().Add(-time.Millisecond)
	o.lapse.mu.Unlock()
	for _, dry := range []bool{true, false} {
		r.DryRun = dry
		out := o.Do(t.Context(), r)
		if out.Result != ResultLapsed || !out.Result.Refused() || out.Sentence(r) != "lock:a was not released: writing has lapsed" {
			t.Fatalf("%+v: %s", out, out.Sentence(r))
		}
	}
	if client.Get(t.Context(), "lock:a").Val() != "A" {
		t.Fatal("the lock was released after writing had lapsed")
	}
	until, err := o.Rearm()
	if err != nil || time.Until(until) < 59*time.Minute || !until.Equal(o.WritableUntil()) {
		t.Fatalf("armed until %v: %v", until, err)
	}
	if out := o.Do(t.Context(), r); out.Result != ResultReleased {
		t.Fatalf("%+v", out)
	}
	var said []string
	for _, line := range auditLines(t, audit) {
		if line.Phase != PhaseIntent {
			said = append(said, string(line.Verb)+" "+string(line.Outcome))
		}
	}
	want := []string{"release released", "lapse ", "release refused: lapsed", "release refused: lapsed", "rearm ", "release released"}
	if len(said) != len(want) {
		t.Fatalf("the audit has %q", said)
	}
	for i := range want {
		if said[i] != want[i] {
			t.Errorf("line %d is %q, want %q", i, said[i], want[i])
		}
	}
}

func TestLapseIsNotedByItself(t *testing.T) {
	audit := openAudit(t)
	o := NewOperator(OneServer(nil), Options{Audit: audit, WriteFor: 5 * time.Millisecond})
	redistest.Eventually(t, 20*time.Second, func() (bool, string) {
		lines := auditLines(t, audit)
		return len(lines) == 1 && lines[0].Verb == SessionLapse && lines[0].At.Equal(o.WritableUntil().Round(0)), "the lapse is on record"
	})
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyIsNeverArmed(t *testing.T) {
	o := NewOperator(OneServer(nil), Options{ReadOnly: true, WriteFor: time.Hour})
	if _, err := o.Rearm(); !errors.Is(err, errReadOnly) || o.WriteFor() != 0 || !o.WritableUntil().IsZero() {
		t.Errorf("armed: %v", err)
	}
	if _, err := NewOperator(OneServer(nil), Options{}).Rearm(); !errors.Is(err, errNeverLapses) {
		t.Errorf("what never lapses was armed: %v", err)
	}
}

// TestLapseByEitherClock: a machine that slept has a monotonic clock that did not go on.
func TestLapseByEitherClock(t *testing.T) {
	until := time.Now().Add(time.Minute)
	if hasLapsed(until, time.Now()) || !hasLapsed(until, until) || !hasLapsed(until, until.Round(0).Add(time.Second)) || hasLapsed(time.Time{}, time.Now()) {
		t.Error("the end is not heeded")
	}
}

func TestUnrecordedRearmDoesNotHold(t *testing.T) {
	audit := openAudit(t)
	o := NewOperator(OneServer(nil), Options{Audit: audit, WriteFor: time.Hour})
	t.Cleanup(func() { _ = o.Close() })
	before := o.WritableUntil()
	if err := audit.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Rearm(); err == nil || !o.WritableUntil().Equal(before) {
		t.Errorf("armed without a record: %v", err)
	}
}
