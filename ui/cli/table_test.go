package cli

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// someLocks are a plain lock, a stuck one with a hostile name, a lapsed one and a key of the wrong type.
func someLocks() []*inspector.Lock {
	plain := fullLock()
	plain.Findings = nil
	return []*inspector.Lock{
		plain,
		{
			Ref: keyspace.Ref{Node: "n", Key: "锁\x1b[2J" + strings.Repeat("x", 80)}, Scheme: inspector.SchemeSetNX, State: inspector.StateStuck,
			Holders: []inspector.Holder{{Owner: "worker\n7"}}, HeldSince: noon.Add(-3 * time.Second), HeldExact: true,
			Findings: []inspector.Finding{{Code: inspector.CodeNoTTL, Severity: inspector.SeverityCritical}},
		},
		{
			Ref: keyspace.Ref{Node: "n", Key: "b_lock"}, Scheme: inspector.SchemeTimestamp, State: inspector.StateLapsed,
			Holders: []inspector.Holder{{Owner: "1"}}, LeaseEnds: noon.Add(-time.Minute),
			Findings: []inspector.Finding{{Code: inspector.CodeLapsed, Severity: inspector.SeverityWarning}},
		},
		{Ref: keyspace.Ref{Node: "n", Key: "a_lock"}, Scheme: inspector.SchemeUnknown, State: inspector.StateWrong},
		{Ref: keyspace.Ref{Node: "n", Key: "gone"}, State: inspector.StateFreed},
	}
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	if err := writeTable(&out, present(someLocks()), noon, false); err != nil {
		t.Fatal(err)
	}
	want := `
STATE   KEY                                                           SCHEME     HOLDER                      N  TTL             HELD   WAITERS  FINDINGS
stuck   锁\x1b[2Jxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…  setnx      worker\n7                   ?  never           3.0 s  -        no-ttl
lapsed  b_lock                                                        timestamp  1                           ?  over for 1m00s  -      -        lapsed
wrong   a_lock                                                        unknown    -                           -  -               -      -        -
held    orders:checkout                                               redisson   client 0f4d3a52, thread 42  3  22 s            ≥41 s  ≥2       -
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("got%swant%s", got, want)
	}
}

func TestWideTableIsWhole(t *testing.T) {
	var out bytes.Buffer
	if err := writeTable(&out, someLocks(), noon, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{strings.Repeat("x", 80), "0f4d3a52:42", "client 0f4d3a52, thread 42", "2026-01-02T12:00:23.078Z", "127.0.0.1:6379  3\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	harmlessText(t, out.String())
}

// harmlessText fails where a terminal would be told more than to draw characters.
func harmlessText(t *testing.T, s string) {
	t.Helper()
	for line := range strings.Lines(s) {
		if line = strings.TrimSuffix(line, "\n"); !text.Printable(line) {
			t.Errorf("%q holds what a terminal would obey", line)
		}
	}
}

func TestCSV(t *testing.T) {
	locks := someLocks()[:2]
	locks[0].Holders = append(locks[0].Holders, inspector.Holder{Owner: "second,\"owner\""})
	var out bytes.Buffer
	if err := writeCSV(&out, locks, noon); err != nil {
		t.Fatal(err)
	}
	harmlessText(t, out.String())
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{
		csvHead,
		{"orders:checkout", "127.0.0.1:6379", "3", "redisson", "exclusive", "held", "0f4d3a52:42", "3", "22400", "2026-01-02T12:00:23.078Z", "41000", "false", "2", ""},
		{"orders:checkout", "127.0.0.1:6379", "3", "redisson", "exclusive", "held", `second,"owner"`, "", "22400", "2026-01-02T12:00:23.078Z", "41000", "false", "2", ""},
		{`锁\x1b[2J` + strings.Repeat("x", 80), "n", "0", "setnx", "", "stuck", `worker\n7`, "", "-1", "", "3000", "true", "", "no-ttl"},
	}
	if len(rows) != len(want) {
		t.Fatalf("got %d rows, want %d", len(rows), len(want))
	}
	for i := range want {
		if strings.Join(rows[i], "|") != strings.Join(want[i], "|") {
			t.Errorf("row %d: got %q, want %q", i, rows[i], want[i])
		}
	}
}

func TestEventLine(t *testing.T) {
	at := noon.Local().Format("2006-01-02 15:04:05.000")
	ref := keyspace.Ref{Node: "n", Key: "k\n"}
	for _, c := range []struct {
		event inspector.Event
		want  string
	}{
		{
			inspector.Event{
				At: noon, Ref: ref, Kind: inspector.EventHandedOver, Owner: "b", PreviousOwner: "a", Cause: inspector.CauseTakenOver,
				Count: inspector.Count{N: 2, Known: true}, TTL: time.Minute, TTLKnown: true, Held: 7 * time.Second,
			},
			`  handed-over  k\n  b  was a  count 2  taken over  ttl 1m00s  held at least 7 s`,
		},
		{
			inspector.Event{At: noon, Ref: ref, Kind: inspector.EventExpired, PreviousOwner: "a\x1b", Cause: inspector.CauseExpired, Held: 7 * time.Second, HeldExact: true},
			`  expired      k\n  was a\x1b  held 7 s`,
		},
		{inspector.Event{At: noon, Ref: ref, Kind: inspector.EventReleased, Owner: "b", Cause: inspector.CauseFreed}, `  freed        k\n  b`},
		{inspector.Event{At: noon, Ref: ref, Kind: inspector.EventReleased, Owner: "b", Cause: inspector.CauseReleased}, `  released     k\n  b`},
		{inspector.Event{At: noon, Ref: ref, Kind: inspector.EventReleased, Owner: "b", Cause: inspector.CauseOperator}, `  released     k\n  b  operator`},
		{inspector.Event{At: noon, Ref: ref, Kind: inspector.EventAcquired, Owner: "b", Label: "client b", TTL: -1, TTLKnown: true}, `  acquired     k\n  client b  no TTL`},
		{inspector.Event{At: noon, Ref: keyspace.Ref{Node: "n"}, Kind: inspector.EventGap, Text: "restarted"}, `  gap          n  restarted`},
	} {
		if got := eventLine(c.event); got != at+c.want {
			t.Errorf("got %q, want %q", got, at+c.want)
		}
	}
}

func TestFailOn(t *testing.T) {
	if err := fail(someLocks(), []string{"long-lease"}); err != nil {
		t.Errorf("got %v", err)
	}
	err := fail(someLocks(), []string{"no-ttl", "lapsed", "no-ttl"})
	if err == nil || err.Error() != "--fail-on found lapsed 1, no-ttl 1" {
		t.Fatalf("got %v", err)
	}
	if code := (&app{stderr: &bytes.Buffer{}}).exit(t.Context(), err); code != exitFound {
		t.Errorf("exit code %d", code)
	}
}
