package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// actOn is a harness over a real server, with a real operator and its audit.
func actOn(t *testing.T, s *redistest.Server, o actions.Options) (*harness, *inspector.Inspector) {
	t.Helper()
	servers, err := keyspace.Dial(t.Context(), placeOf(s))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	observation, err := servers.Observe(ctx, keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "lock:*"}}})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	locks := inspector.Start(context.Background(), observation, inspector.Options{})
	audit, err := actions.OpenAudit(filepath.Join(t.TempDir(), "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	o.Audit, o.Where, o.Look = audit, s.Addr, servers.Read
	operator := actions.NewOperator(servers, o)
	t.Cleanup(func() {
		stop()
		for _, end := range []func() error{operator.Close, servers.Close, audit.Close} {
			if err := end(); err != nil {
				t.Error(err)
			}
		}
	})
	h := newHarness(t, 120, 60, "mono")
	h.m.config.Operator, h.m.config.Source = operator, locks
	return h, locks
}

// reported is the line of a key in the report.
func (h *harness) reported(key string) string {
	for i := range h.m.run.deeds {
		if d := &h.m.run.deeds[i]; d.request.Lock.Key == key {
			return d.word() + ": " + d.sentence()
		}
	}
	return "not listed"
}

// TestRealBulk releases locks of a real server, half of which change between the preview and its confirmation.
func TestRealBulk(t *testing.T) {
	s := redistest.Start(t)
	readers := []string{"0f4d3a52-8c1e-4f0a-9d2b-5a6c7d8e9f01:1", "77ab01c2-8c1e-4f0a-9d2b-5a6c7d8e9f02:7"}
	keys := []string{"lock:rw"}
	for i := range 12 {
		key := fmt.Sprintf("lock:%02d", i)
		keys = append(keys, key)
		s.Do("SET", key, fmt.Sprintf("worker-%d", i), "PX", 300_000)
	}
	s.Do("HSET", "lock:rw", "mode", "read", readers[0], "2", readers[1], "1")
	s.Do("PEXPIRE", "lock:rw", 300_000)
	h, locks := actOn(t, s, actions.Options{})
	h.await(locks, "13 locks", "lock:rw", "lock:11")
	markKeys(h, keys...)
	h.keys("r")
	h.wantSeen("13 marked, 14 actions, 14 will be released")
	for i := 0; i < 12; i += 2 {
		key := keys[1+i]
		switch i {
		case 0:
			s.Do("DEL", key)
		case 2:
			s.Do("PERSIST", key)
		case 4:
			s.Do("DEL", key)
			s.Do("RPUSH", key, "x")
		default:
			s.Do("SET", key, "intruder", "PX", 300_000)
		}
	}
	h.keys("tab", "enter")
	h.finishRun()
	for key, want := range map[string]string{
		"lock:00": "gone: ", "lock:01": "released: ", "lock:02": "changed: ", "lock:03": "released: ", "lock:05": "released: ",
		"lock:06": "not holder: ", "lock:07": "released: ", "lock:08": "not holder: ", "lock:09": "released: ", "lock:10": "not holder: ", "lock:11": "released: ",
		"lock:rw": "released: ",
	} {
		if got := h.reported(key); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
		there := want != "released: " && want != "gone: "
		if s.Do("EXISTS", key) != map[bool]int64{true: 1, false: 0}[there] {
			t.Errorf("%s is there: %v, want %v", key, !there, there)
		}
	}
	// A list is no lock. It depends on which is quicker, the news of that or the guard.
	if got := h.reported("lock:04"); !strings.HasPrefix(got, "gone: ") && !strings.HasPrefix(got, "changed: ") || s.Do("EXISTS", "lock:04") != int64(1) {
		t.Errorf("lock:04: %q", got)
	}
	h.wantSeen("14 in all: 8 released")
	h.keys("esc", "A")
	h.run(func() bool { return len(h.m.lastActions.lines) == 14 })
	h.wantSeen("the last actions", "not holder: now held by", "intruder")
}

// TestRealBulkRacesWithAnother: while it runs, another client takes locks by force. Whatever he has taken stays his.
func TestRealBulkRacesWithAnother(t *testing.T) {
	s := redistest.Start(t)
	var keys []string
	for i := range 60 {
		keys = append(keys, fmt.Sprintf("lock:%02d", i))
		s.Do("SET", keys[i], "worker", "PX", 300_000)
	}
	h, locks := actOn(t, s, actions.Options{})
	h.await(locks, "60 locks", "lock:00")
	markKeys(h, keys...)
	h.keys("x", "tab")
	taken := make(chan struct{})
	client := s.Client()
	go func() {
		defer close(taken)
		for i := len(keys) - 1; i >= 0; i -= 2 {
			if err := client.Set(context.Background(), keys[i], "intruder", time.Hour).Err(); err != nil {
				t.Error(err)
			}
		}
	}()
	h.keys("enter")
	h.finishRun()
	<-taken
	for i := range keys {
		want := any("intruder")
		if i%2 == 0 {
			want = nil
		}
		if got := s.Do("GET", keys[i]); got != want {
			t.Errorf("%s is held by %v, want %v; it is reported as %s", keys[i], got, want, h.reported(keys[i]))
		}
	}
}

// TestRealBulkLapses: writing lapses while several actions are under way. What was not sent by then is refused.
func TestRealBulkLapses(t *testing.T) {
	s := redistest.Start(t)
	s.Do("SET", "lock:a", "worker", "PX", 300_000)
	h, locks := actOn(t, s, actions.Options{WriteFor: time.Second})
	h.await(locks, "lock:a")
	operator := h.m.config.Operator.(*actions.Operator)
	h.now = time.Now()
	if h.m.lapsed() {
		if _, err := operator.Rearm(); err != nil {
			t.Fatal(err)
		}
	}
	markKeys(h, "lock:a")
	h.m.openBulk(actions.VerbRelease, h.m.table.rows, "", nil)
	h.m.dialog.focus = controlConfirm
	redistest.Eventually(t, 20*time.Second, func() (bool, string) { return !time.Now().Before(operator.WritableUntil()), "writing lapses" })
	h.keys("enter") // by the harness' clock, which stands still, there is time
	h.finishRun()
	if got := h.reported("lock:a"); !strings.HasPrefix(got, "refused: lapsed: ") || s.Do("EXISTS", "lock:a") != int64(1) {
		t.Errorf("%q", got)
	}
}
