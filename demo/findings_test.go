package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// inspect watches a demo as the dashboard does, on all of its servers.
func inspect(t *testing.T, d *Demo) *inspector.Inspector {
	t.Helper()
	servers, err := keyspace.Dial(t.Context(), d.Place())
	if err != nil {
		t.Fatal(err)
	}
	observation, err := servers.Observe(t.Context(), keyspace.ObserveOptions{
		Patterns: inspector.DefaultPatterns(), Follow: inspector.Rules(nil).Follow, Nudge: true, Companions: inspector.Rules(nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	i := inspector.Start(t.Context(), observation, inspector.Options{
		Interval: 20 * time.Millisecond, Thresholds: d.Thresholds(), Masters: servers.Masters(),
	})
	t.Cleanup(func() { // The test's context has ended by now.
		for range observation.Updates() { // closed after the feed's last goroutine
		}
		if err := servers.Close(); err != nil {
			t.Error(err)
		}
	})
	return i
}

// sight is what a scenario must show.
type sight struct {
	key    string
	scheme inspector.Scheme
	code   inspector.Code
}

func TestFindingsAppear(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string][]sight{
		"contention": {{nightlyReports, inspector.SchemeToken, inspector.CodeLongLease}},
		"reentrant":  {{leakyLock, inspector.SchemeReentrant, inspector.CodeCountLeak}},
		"crash":      {{stuckLock, inspector.SchemeSetNX, inspector.CodeNoTTL}},
		"repair":     {{bareLock, inspector.SchemeSetNX, inspector.CodeNoTTL}},
		"renewal": {
			{hungLock, inspector.SchemeToken, inspector.CodeRenewedForever},
			{lapsingLock, inspector.SchemeToken, inspector.CodeAboutToLapse},
			{lapsingLock, inspector.SchemeToken, inspector.CodeLostWhileHeld},
		},
		"timestamp": {
			{getSetLock, inspector.SchemeTimestamp, inspector.CodeLapsed},
			{deleteLock, inspector.SchemeTimestamp, inspector.CodeLapsed},
			{scriptLock, inspector.SchemeTimestamp, inspector.CodeLapsed},
			{skewedLock, inspector.SchemeTimestamp, inspector.CodeLongLease},
			{skewedLock, inspector.SchemeTimestamp, inspector.CodeLostWhileHeld},
		},
		"pause": {
			{fencedLock, inspector.SchemeRedisson, inspector.CodeLostWhileHeld},
			{unfencedLock, inspector.SchemeToken, inspector.CodeLostWhileHeld},
			{recheckedLock, inspector.SchemeToken, inspector.CodeAboutToLapse},
		},
		"redlock": {
			{survivingLock, inspector.SchemeToken, inspector.CodeDegradedQuorum},
			{patientLock, inspector.SchemeToken, inspector.CodeMinority},
			{forgottenLock, inspector.SchemeToken, inspector.CodeSplit},
			{forgottenLock, inspector.SchemeToken, inspector.CodeDegradedQuorum},
		},
	} {
		t.Run(scenario, func(t *testing.T) {
			onServers(t, func(t *testing.T, server Server) {
				t.Parallel()
				d := begin(t, Options{Scenario: scenario, Server: server, Seed: 7, Speed: testSpeed})
				i := inspect(t, d)
				began := time.Now()
				seen := map[sight]bool{}
				redistest.Eventually(t, patience, func() (bool, string) {
					for _, l := range i.Latest().Locks {
						for _, f := range l.Findings {
							seen[sight{l.Key, l.Scheme, f.Code}] = true
							seen[sight{"", l.Scheme, f.Code}] = true
						}
					}
					for _, s := range want {
						if !seen[s] {
							return false, fmt.Sprintf("%+v is missing in %+v", s, seen)
						}
					}
					return true, ""
				})
				t.Logf("all findings after %v at speed %d", time.Since(began), testSpeed)
			})
		})
	}
}

// What is sound looks sound: a late release that is refused, a count that goes up and down, a queue that is served; and a
// holder who crashed looks like one, and like nothing else.
func TestNoFalseFindings(t *testing.T) {
	t.Parallel()
	for scenario, allowed := range map[string][]sight{
		"token": nil, "reentrant": nil, "local": nil, "redisson": nil, "crash": nil,
		"repair": {{repairedLock, inspector.SchemeSetNX, inspector.CodeNoTTL}},
		"renewal": {
			{boundedLock, inspector.SchemeToken, inspector.CodeAboutToLapse},
			{boundedLock, inspector.SchemeToken, inspector.CodeLostWhileHeld},
		},
		"timestamp": {
			{scriptLock, inspector.SchemeTimestamp, inspector.CodeLapsed},
			{getSetLock, inspector.SchemeTimestamp, inspector.CodeLapsed},
		},
	} {
		t.Run(scenario, func(t *testing.T) {
			onServers(t, func(t *testing.T, server Server) {
				t.Parallel()
				d := begin(t, Options{Scenario: scenario, Server: server, Seed: 7, Speed: testSpeed})
				i := inspect(t, d)
				sound := func(key string) bool {
					return slices.ContainsFunc(d.Scenario().Variants, func(v Variant) bool { return !v.Flawed && strings.Contains(v.Shows, key) })
				}
				seen := 0
				eventually(t, "every fault is played to its end", func(context.Context) bool {
					for _, l := range i.Latest().Locks {
						if !sound(l.Key) {
							continue
						}
						seen++
						for _, f := range l.Findings {
							if s := (sight{l.Key, l.Scheme, f.Code}); !slices.Contains(allowed, s) {
								t.Fatalf("%+v: %s", s, f.Text)
							}
						}
					}
					return playedOut(d.Verdict()) && seen > 0
				})
			})
		})
	}
}
