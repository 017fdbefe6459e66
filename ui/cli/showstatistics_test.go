package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
	"locktop/ui/report"
)

// TestShowLooksOn at a lock that changes hands and is renewed meanwhile, whatever its name is.
func TestShowLooksOn(t *testing.T) {
	for _, key := range []string{"lock:stock", `a*b?[c]\d:lock`, "default"} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			done := make(chan struct{})
			var changing sync.WaitGroup
			changing.Go(func() {
				for n := 0; ; n++ {
					server.Do("DEL", key)
					server.Do("HSET", key, fmt.Sprintf("0f4d3a52-6c1e-4b7a-8a2e-3f6d5c4b2a10:%d", n), "1")
					server.Do("PEXPIRE", key, 30_000)
					for renewal := range 5 {
						select {
						case <-done:
							return
						case <-time.After(20 * time.Millisecond):
							server.Do("PEXPIRE", key, 30_000+renewal)
						}
					}
				}
			})
			locktop := func(args ...string) (int, string, string) {
				var out, said bytes.Buffer
				code := Main(t.Context(), append(args, "-s", server.Socket), strings.NewReader(""), &out, &said)
				return code, out.String(), said.String()
			}
			code, out, said := locktop("show", key, "--for", "1s", "-o", "json")
			var shown report.Snapshot
			if err := json.Unmarshal([]byte(out), &shown); err != nil || code != exitDone || len(shown.Locks) != 1 {
				t.Fatalf("code %d, %s%s: %v", code, out, said, err)
			}
			l := shown.Locks[0]
			sum := 0
			for _, n := range l.AcquisitionsPerMinute {
				sum += n
			}
			if l.Key != key || sum < 2 || len(l.AcquisitionsPerMinute) != inspector.ChronicleMinutes {
				t.Errorf("%s was acquired %d times: %v", l.Key, sum, l.AcquisitionsPerMinute)
			}
			if h := l.HoldTimes; h == nil || h.Count < 1 || h.P50 <= 0 || h.P50 > h.P90 || h.P90 > h.P99 || h.P99 > h.Max {
				t.Errorf("hold times %+v", h)
			}
			code, out, said = locktop("show", key, "--for", "1s")
			if code != exitDone || !strings.Contains(out, "held for  p50 ") || !strings.Contains(out, "acquired  ") || !strings.Contains(out, "past      ") {
				t.Errorf("code %d, %s%s", code, out, said)
			}
			close(done)
			changing.Wait()
			code, out, said = locktop("list", "-o", "json", "--pattern", "*")
			if code != exitDone || strings.Contains(out, "per_minute") || strings.Contains(out, "hold_ms") {
				t.Errorf("a list is not to grow by what only show tells: code %d, %s%s", code, out, said)
			}
		})
	}
}

func TestShowRefusesATimeInThePast(t *testing.T) {
	if code, _, said := run(t, "show", "lock:a", "--for", "-1s"); code != exitUsage || !strings.Contains(said, "--for -1s is in the past") {
		t.Errorf("code %d, %s", code, said)
	}
}

func TestALiteralGlobNamesOneKey(t *testing.T) {
	for _, key := range []string{"lock:a", "*", `\`, `\*`, "[a-z]", "a?b", "[^a]", "^", "-]"} {
		p := keyspace.Pattern{Glob: keyspace.Escape(key)}
		if !p.Match(key) {
			t.Errorf("%q does not name %q", p.Glob, key)
		}
		for _, other := range []string{"lock:b", "a", "x", `\x`, "axb", ""} {
			if p.Match(other) {
				t.Errorf("%q names %q", p.Glob, other)
			}
		}
	}
}

func TestStatisticsInWords(t *testing.T) {
	at := time.Date(2026, 1, 2, 14, 3, 27, 0, time.UTC)
	l := &inspector.Lock{
		Renewals: 3, RenewalPeriod: 10 * time.Second, LastRenewal: at.Add(-4 * time.Second),
		History: []inspector.Hold{
			{
				Owner: "a\x1b[2J", Since: at.Add(-time.Minute), Until: at.Add(-50 * time.Second), SinceExact: true, UntilExact: true,
				Cause: inspector.CauseExpired, Lost: &inspector.Loss{At: at.Add(-50 * time.Second)},
			},
			{Since: at.Add(-45 * time.Second), Until: at.Add(-44 * time.Second), Cause: inspector.CauseUnknown},
			{Owner: "b", Since: at.Add(-40 * time.Second), SinceExact: true},
		},
	}
	var said []string
	writeStatistics(func(name, value string) { said = append(said, name+": "+value) }, l, at)
	want := []string{
		"renewals: 3, the last 4 s ago",
		"acquired: 3 times, as far as was seen; failed attempts cannot be",
		"held for: p50 10 s, p90 10 s, p99 10 s, at most 10 s (1 hold seen from begin to end)",
		`past: 2026-01-02T14:02:27.000Z  10 s  a\x1b[2J  expired, while it was at work`,
		": 2026-01-02T14:02:42.000Z  at least 1.0 s  (nobody saw whose)  unknown",
	}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("said\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
}

// TestShowOfALockThatEndsMeanwhile says how it ended and for how long it was held, also long after the end.
func TestShowOfALockThatEndsMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name string
		span string
		most time.Duration // for which it was held
		end  func(*redistest.Server)
		how  []string
	}{
		{"deleted", "2s", 2 * time.Second, func(s *redistest.Server) { s.Do("DEL", "lock:a") }, []string{"released", "freed"}},
		{"expired", "2s", 2 * time.Second, func(s *redistest.Server) { s.Do("PEXPIRE", "lock:a", 200) }, []string{"expired"}},
		{"deleted long before the end of the look", "7s", 6 * time.Second, func(s *redistest.Server) { s.Do("DEL", "lock:a") }, []string{"released", "freed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := redistest.Start(t)
			server.Do("CONFIG", "SET", "notify-keyspace-events", "Kg$hzxenls")
			for _, output := range []string{"text", "json"} {
				server.Do("SET", "lock:a", "worker-7", "PX", 600_000)
				server.Do("CONFIG", "RESETSTAT") // a read of the round before is no sign that this one has begun
				var ending sync.WaitGroup
				ending.Go(func() {
					redistest.Eventually(t, 10*time.Second, func() (bool, string) {
						clients := fmt.Sprint(server.Do("CLIENT", "LIST"))
						return listening.MatchString(clients) && stringReads.MatchString(fmt.Sprint(server.Do("INFO", "commandstats"))), clients
					})
					c.end(server)
				})
				var out, said bytes.Buffer
				code := Main(t.Context(), []string{"show", "lock:a", "--for", c.span, "-o", output, "-s", server.Socket}, strings.NewReader(""), &out, &said)
				ending.Wait()
				if code != exitDone {
					t.Fatalf("code %d, %s", code, said.String())
				}
				if output == "json" {
					var s report.Snapshot
					if err := json.Unmarshal(out.Bytes(), &s); err != nil {
						t.Fatal(err)
					}
					l := s.Locks[0]
					if l.State != "freed" || l.TTL == nil || *l.TTL != 0 || !slices.Contains(c.how, l.FreedBy) || l.FreedAt == "" || l.Held == nil || *l.Held >= c.most.Milliseconds() || l.Commands != nil {
						t.Errorf("%s", out.String())
					}
					continue
				}
				ended := regexp.MustCompile(`\n  ended     (` + strings.Join(c.how, "|") + `) at 20\S+Z, after at least \d+(\.\d)? m?s\n`)
				if !ended.MatchString(out.String()) || strings.Contains(out.String(), "never") || strings.Contains(out.String(), "\n  held  ") || strings.Contains(out.String(), "commands") {
					t.Errorf("it does not say how it ended:\n%s", out.String())
				}
			}
		})
	}
}
