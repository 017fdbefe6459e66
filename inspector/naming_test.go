package inspector

import (
	"slices"
	"strings"
	"testing"

	"locktop/keyspace"
)

func TestBesidePatterns(t *testing.T) {
	for _, test := range []struct {
		patterns, beside string
	}{
		{"orders:*", "redisson_lock_token:{orders:*} redisson_lock_token:orders:* redisson_lock_queue:{orders:*} redisson_lock_queue:orders:* " +
			"redisson_lock_timeout:{orders:*} redisson_lock_timeout:orders:* {orders:*}:*:rwlock_timeout:* {orders:*}:timeout"},
		{"orders:1", "redisson_lock_token:{orders:1} redisson_lock_queue:{orders:1} redisson_lock_timeout:{orders:1} " +
			"{orders:1}:*:rwlock_timeout:* {orders:1}:timeout"},
		{"{orders}:1", "redisson_lock_token:{orders}:1 redisson_lock_queue:{orders}:1 redisson_lock_timeout:{orders}:1 " +
			"{orders}:1:*:rwlock_timeout:* {orders}:1:timeout"},
		{"* orders:*", ""},
	} {
		var patterns []keyspace.Pattern
		for glob := range strings.FieldsSeq(test.patterns) {
			patterns = append(patterns, keyspace.Pattern{Glob: glob})
		}
		var got []string
		for _, p := range BesidePatterns(patterns) {
			got = append(got, p.Glob)
		}
		if strings.Join(got, " ") != test.beside {
			t.Errorf("%s: got  %s\nwant %s", test.patterns, strings.Join(got, " "), test.beside)
		}
	}
	for pattern, wants := range map[string][]string{
		"SEMAPHORE:mail:GRABBED": {"SEMAPHORE:mail:AVAILABLE"},
		"*:GRABBED":              {"SEMAPHORE:*:AVAILABLE"},
		"SEMAPHORE:[ab]:GRABBED": {"SEMAPHORE:*:AVAILABLE"},
		"rql:lock:mail":          {"rql:lock_queue:mail", "rql:lock_queue:mail:*"},
		"jobs:mail:*:lock":       {"jobs:mail:*"},
		"{mail}:time":            {"{mail}:weight"},
		"orders.readers":         {"orders.writer"},
		"rueidislock:0:mail":     {"rueidislock:[0-8]:mail"},
		"shop:0*":                {"shop:[0-8]:*"},
		"uniquejobs:abc:LOCKED":  {"uniquejobs:*"},
		"*[lL][oO][cC][kK]*":     {"bull:*"},
	} {
		got := BesidePatterns([]keyspace.Pattern{{Glob: pattern}})
		for _, want := range wants {
			if !slices.Contains(got, keyspace.Pattern{Glob: want}) {
				t.Errorf("%s: %v is without %s", pattern, got, want)
			}
		}
		if slices.ContainsFunc(got, func(p keyspace.Pattern) bool { return p.Glob == "*" }) {
			t.Errorf("%s: all keys are beside it: %v", pattern, got)
		}
	}
}
