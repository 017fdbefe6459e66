package cli

import (
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/report"
)

// TestALockThatIsGoneAndMissed is listed, without what it had last; one with which nothing is wrong
// is not.
func TestALockThatIsGoneAndMissed(t *testing.T) {
	freed := func(key string, findings ...inspector.Finding) *inspector.Lock {
		return &inspector.Lock{
			Ref: keyspace.Ref{Node: "n", Key: key}, Scheme: inspector.SchemeRedisson, State: inspector.StateFreed, Findings: findings,
			Holders: []inspector.Holder{{Owner: "a"}}, HeldSince: noon.Add(-time.Minute), FreedAt: noon, FreedBy: inspector.CauseFreed,
		}
	}
	sleepers := inspector.Finding{Code: inspector.CodeLostWakeUp, Severity: inspector.SeverityWarning, Text: "2 listen", Advice: "wake them"}
	all := []*inspector.Lock{freed("gone"), freed("missed", sleepers)}
	listed := present(all)
	if len(listed) != 1 || listed[0].Key != "missed" || len(all[1].Holders) != 1 {
		t.Fatalf("%+v", listed)
	}
	got := jsonOf(t, report.NewLock(listed[0], noon))
	for _, want := range []string{`"state":"freed"`, `"holders":[]`, `"ttl_ms":0`, `"code":"lost-wakeup"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if strings.Contains(got, "held_ms") { // nobody saw it held
		t.Error(got)
	}
	var out strings.Builder
	if err := writeTable(&out, listed, noon, false); err != nil || !strings.Contains(out.String(), "lost-wakeup") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
