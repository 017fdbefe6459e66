package report

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// incident is a report of a stuck lock with everything that there may be.
func incident() *Incident {
	at := func(seconds int) time.Time { return noon.Add(-time.Duration(seconds) * time.Second) }
	count := int64(2)
	l := &inspector.Lock{
		Ref:    keyspace.Ref{Node: "10.0.0.1:6379", Key: "orders:checkout"},
		Scheme: inspector.SchemeRedisson, Mode: inspector.ModeExclusive, State: inspector.StateHeld,
		Holders: []inspector.Holder{{
			Owner: "0f4d3a52-8c1e-4f0a-9d2b-5a6c7d8e9f01:42", Label: "client 0f4d3a52, thread 42", Count: inspector.Count{N: 2, Known: true},
			Presence: &inspector.Presence{
				Connection: inspector.ConnectionGone, Name: "orders", By: "the connection's name begins the token", Since: at(30), Seen: at(31),
				Clients: []keyspace.Client{{ID: 7, Name: "orders", Addr: "10.0.0.7:51234", Age: time.Hour, Idle: time.Minute, Library: "redisson", LibraryVersion: "3.50"}},
			},
		}},
		ExpiresAt: noon.Add(22 * time.Second), HeldSince: at(41), Waiters: inspector.Waiters{Count: 2, By: inspector.WaitersSubscribers},
		Renewals: 4, RenewalPeriod: 10 * time.Second, LastRenewal: at(8),
		Findings: []inspector.Finding{{Code: inspector.CodeLongLease, Severity: inspector.SeverityWarning, Text: "The lease had 5 min left.", Advice: "Prefer a short lease."}},
		Evidence: []string{"every field has the form uuid:thread"},
		History: []inspector.Hold{
			{
				Owner: "worker-9", Label: "worker-9", Since: at(90), SinceExact: true, Until: at(60), UntilExact: true, Cause: inspector.CauseExpired,
				Lost: &inspector.Loss{At: at(60), Until: at(58), Text: "worker-9 lost it at 12:59:00.000 (its lease ran out); client 0f4d3a52, thread 42 has it now."},
			},
			{Owner: "0f4d3a52-8c1e-4f0a-9d2b-5a6c7d8e9f01:42", Label: "client 0f4d3a52, thread 42", Since: at(41), Renewals: 4},
		},
		Observed: keyspace.Record{Type: keyspace.TypeHash, ReadAt: at(1)},
		Sample: &inspector.Sample{
			From: at(20), To: at(18), Ended: keyspace.ProbeTime, Sampled: inspector.Sampled{Attempts: 12, Failed: 11, Acquired: 1}, Waiting: 2, More: 1, Lines: 900, Bytes: 70_000,
			Clients: []inspector.SampledClient{
				{Addr: "10.0.0.8:50114", Connections: 1, Name: "orders-b", User: "app", Library: "redisson", LibraryVersion: "3.50", Owner: "77ab:7", Owners: 1, Sampled: inspector.Sampled{Attempts: 8, Failed: 8, Waits: 1}, First: at(20), Last: at(18), Waiting: true},
				{Addr: "10.0.0.9:41022", Connections: 3, Owners: 4, Sampled: inspector.Sampled{Attempts: 4, Failed: 3, Acquired: 1}, First: at(19), Last: at(18)},
			},
			Nodes: []inspector.SampledNode{{Node: "10.0.0.1:6379", Lines: 900, Bytes: 70_000, LoadKnown: true, OpsBefore: 500, OpsDuring: 510, CPU: 0.05}},
		},
	}
	var perMinute [inspector.ChronicleMinutes]uint16
	perMinute[58], perMinute[59] = 2, 1
	l.Keep(inspector.Kept{
		Libraries: []string{"Redisson RLock"}, Gaps: []time.Duration{9_900 * time.Millisecond, 10 * time.Second, 10_400 * time.Millisecond},
		Chronicle: &inspector.KeptChronicle{Minute: noon.Unix() / 60, Acquisitions: perMinute, Waiters: perMinute, Waiting: 2},
	})
	return &Incident{
		At: noon, Where: "prod-cache", Locktop: "locktop 1.2.3", Profile: "prod", Environment: "production",
		Snapshot: &inspector.Snapshot{TakenAt: noon, Unseen: []inspector.Unseen{
			{Node: "10.0.0.1:6379", To: at(600), Why: "locktop was not looking yet"}, {Node: "10.0.0.1:6379", From: at(300), To: at(295), Why: "the connection was lost"},
		}, Locks: []*inspector.Lock{l}, Nodes: []keyspace.Status{{
			Node: "10.0.0.1:6379", Software: "redis", Version: "7.0.15", Role: "master", Feed: keyspace.FeedPush, Connected: true,
			Lag: 300 * time.Microsecond, ClockOffset: -40 * time.Millisecond, Gaps: 1, LastGap: at(300), LastGapWhy: "the connection was lost",
			LastPass: keyspace.Pass{Ended: at(12)},
		}}},
		Locks: []*inspector.Lock{l},
		Events: []inspector.Event{
			{Seq: 1, At: at(60), Ref: l.Ref, Kind: inspector.EventExpired, PreviousOwner: "worker-9", Held: 30 * time.Second, HeldExact: true, Cause: inspector.CauseExpired},
			{Seq: 2, At: at(41), Ref: l.Ref, Kind: inspector.EventAcquired, Owner: l.Holders[0].Owner, Label: l.Holders[0].Label},
		},
		Actions: []actions.AuditLine{{
			Phase: actions.PhaseOutcome, At: at(5), Actor: actions.AuditActor{User: "ann", Host: "bastion", PID: 1}, Verb: actions.VerbExtend,
			Key: l.Key, Saw: actions.AuditObserved{Owner: l.Holders[0].Owner, Count: &count}, Asked: actions.AuditRequest{Reason: "the batch is late"}, Outcome: actions.ResultExtended,
		}, {
			Phase: actions.PhaseIntent, At: at(4), Actor: actions.AuditActor{User: "ann", Host: "bastion", PID: 1}, Verb: actions.VerbRelease,
			Key: l.Key, Saw: actions.AuditObserved{Owner: l.Holders[0].Owner, Count: &count},
		}},
		Audit: "/home/ann/.local/state/locktop/audit.jsonl",
	}
}

func TestReport(t *testing.T) {
	i := incident()
	page := string(i.Markdown())
	before, _, _ := strings.Cut(page, "### Commands")
	_, after, _ := strings.Cut(page, "## Events")
	compare(t, "incident.md", before+"## Events"+after)
	data, err := i.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	lock := back["locks"].([]any)[0].(map[string]any)
	delete(lock, "commands")
	indented, err := json.MarshalIndent(back, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "incident.json", string(indented)+"\n")
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("%s is another; after a wanted change run the test with -update. It is now:\n%s", path, got)
	}
}

// poison puts a text in the place of every string below a value.
func poison(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem(), s)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			poison(v.Index(i), s)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && v.Type().Field(i).Name != "Phase" {
				poison(v.Field(i), s)
			}
		}
	default:
	}
}

var hostile = []string{
	"`", "``", "```\n# EVIL", "|EVIL|", `\|EVIL`, `\`, "`EVIL`", "<script>EVIL</script>", "![EVIL](http://evil/x.png)", "[EVIL](javascript:x)",
	"EVIL\n\n# EVIL", "EVIL\r\n- EVIL", "EVIL http://evil.example EVIL", "www.evil.example", "@EVIL", "#1", "&lt;EVIL&gt;", "*EVIL*", "_EVIL_", "~~EVIL~~",
	"\x1b[2JEVIL", "EVIL\u202e", "\xff\xfe", " EVIL ", "", "    EVIL", "<!-- EVIL", "$EVIL$", ":EVIL:", "a`b|c\\", "EVIL\u2028EVIL", "1. EVIL", "+ EVIL", "- EVIL", "> EVIL",
}

// TestMarkdownCannotBeBrokenOutOf puts hostile texts everywhere: outside of code spans and blocks there is nothing of them, and a row of
// a table has as many cells as its head.
func TestMarkdownCannotBeBrokenOutOf(t *testing.T) {
	for _, s := range hostile {
		checkMarkdown(t, s)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range append(slices.Clone(hostile), "www", "www.a.example") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkMarkdown(t, s) })
}

// autolink is what GitHub makes a link of without any markup: a name has to follow the dot.
var autolink = regexp.MustCompile(`www\.[\pL\d_-]`)

func checkMarkdown(t *testing.T, s string) {
	t.Helper()
	i := incident()
	poison(reflect.ValueOf(i).Elem(), s)
	cells := 0
	for n, line := range strings.Split(string(i.Markdown()), "\n") {
		where := fmt.Sprintf("%q, line %d: %q", s, n+1, line)
		if !keyspace.Printable(line) {
			t.Fatalf("%s moves a terminal", where)
		}
		if strings.HasPrefix(line, "    ") { // a block of code
			continue
		}
		parts := strings.Split(line, "`")
		if len(parts)%2 == 0 {
			t.Fatalf("%s has a code span without an end", where)
		}
		outside := ""
		for p := 0; p < len(parts); p += 2 {
			outside += parts[p]
		}
		if strings.HasPrefix(line, "|") {
			if cells == 0 {
				cells = strings.Count(line, "|")
			}
			if got := strings.Count(line, "|"); got != cells {
				t.Fatalf("%s has %d pipes, and its head %d", where, got, cells)
			}
		} else {
			cells = 0
		}
		for _, evil := range []string{"<", "&", "[", "](", "@", "://", "~", "_", "\\", "$", "{"} {
			if strings.Contains(outside, evil) {
				t.Fatalf("%s has %q outside of code", where, evil)
			}
		}
		if autolink.MatchString(outside) {
			t.Fatalf("%s has a link outside of code", where)
		}
	}
	data, err := i.JSON()
	if err != nil || !json.Valid(data) || !keyspace.Printable(strings.TrimSuffix(string(data), "\n")) {
		t.Fatalf("%q: the JSON is %s, %v", s, data, err)
	}
}

func TestReportIsBounded(t *testing.T) {
	i := incident()
	for len(i.Locks) < 1000 {
		i.Locks = append(i.Locks, i.Locks[0])
	}
	for len(i.Events) < 5000 {
		i.Events = append(i.Events, i.Events[0])
	}
	i.All = true
	page := string(i.Markdown())
	for _, want := range []string{"# Incident report: 1000 suspects", "800 more locks are left out", "The last 2000; 3000 before them are left out"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if len(page) > 4<<20 {
		t.Errorf("the report has %d bytes", len(page))
	}
}
