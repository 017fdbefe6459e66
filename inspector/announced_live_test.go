package inspector_test

import (
	"fmt"
	"slices"
	"testing"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// TestLibrariesAnnounceReleases releases locks as their libraries do, by the scripts that they send, and then with a bare DEL.
func TestLibrariesAnnounceReleases(t *testing.T) {
	const registry = "8f4c2a16-7b0d-4c5e-9a1f-3d2e6b7c8d90"
	rules := inspector.Rules{{Pattern: keyspace.Pattern{Glob: "orders-locks:*"}, Scheme: inspector.SchemeSpringIntegration}}
	for _, test := range []struct {
		library, key string
		acquire      []any
		release      string // a script; KEYS[1] is the key
		channel      string
	}{
		{
			"simple-redis-mutex 3.0.0", "@simple-redis-mutex:lock-orders",
			[]any{"SET", "@simple-redis-mutex:lock-orders", "0.6075864698125371", "PX", 60000},
			`redis.call("DEL", KEYS[1]) redis.call("PUBLISH", KEYS[2], string.format('{ "key": "%s", "value": "%s" }', KEYS[1], "0.6075864698125371"))`,
			inspector.SimpleMutexChannel,
		},
		{
			"ioredfour 1.4, redfour 1.0", "lock:orders",
			[]any{"HSET", "lock:orders", "index", 17},
			`redis.call("DEL", KEYS[1]) redis.call("PUBLISH", KEYS[2], KEYS[1])`, "lock-release",
		},
		{
			"Redisson 4.7, forceUnlock", "orders:lock",
			[]any{"HSET", "orders:lock", "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42", 1},
			`if redis.call("del", KEYS[1]) == 1 then redis.call("publish", KEYS[2], "0") end`, "redisson_lock__channel:{orders:lock}",
		},
		{
			"Spring Integration 7.2, PUB_SUB", "orders-locks:7",
			[]any{"SET", "orders-locks:7", registry, "PX", 60000},
			`redis.call("UNLINK", KEYS[1]) redis.call("PUBLISH", KEYS[2], KEYS[1])`, "orders-locks-channel:orders-locks:7",
		},
		{
			"an application's own channel", "lock:job",
			[]any{"SET", "lock:job", "594730fb989a42f9c4b373d423b32f22", "PX", 60000},
			`redis.call("DEL", KEYS[1]) redis.call("PUBLISH", KEYS[2], "free")`, "lock:job:released",
		},
		{
			"python-redis-lock 4.0.1", "lock:report",
			[]any{"SET", "lock:report", "H5sSVNMPKGyyXHYvLcDbJvLw", "PX", 60000},
			`redis.call("del", KEYS[2]) redis.call("lpush", KEYS[2], 1) redis.call("pexpire", KEYS[2], 1000) redis.call("del", KEYS[1])`,
			"lock-signal:report",
		},
	} {
		t.Run(test.library, func(t *testing.T) {
			t.Parallel()
			s := redistest.Start(t, "--notify-keyspace-events", "KA")
			i := start(t, s, inspector.Options{Rules: rules})
			for _, announced := range []bool{true, false} {
				s.Do(test.acquire...)
				s.Do("PEXPIRE", test.key, 60000)
				lock(t, i, test.key, func(l *inspector.Lock) bool { return l.State != inspector.StateFreed && !l.ExpiresAt.IsZero() })
				want := inspector.CauseFreed
				if announced {
					want = inspector.CauseReleased
					s.Do("EVAL", test.release, 2, test.key, test.channel)
				} else {
					s.Do("DEL", test.key)
				}
				l := lock(t, i, test.key, func(l *inspector.Lock) bool { return l.State == inspector.StateFreed })
				if l.FreedBy != want {
					t.Errorf("freed by %q, want %q", l.FreedBy, want)
				}
				if got := events(i, test.key); !slices.Contains(got, fmt.Sprintf("released %s< %s", l.History[len(l.History)-1].Owner, want)) {
					t.Errorf("the events are %q", got)
				}
			}
		})
	}
}
