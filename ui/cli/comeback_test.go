package cli

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// renewing renews a lock as aioredlock's watchdog does, which makes the key again where it is gone,
// until it is stopped.
func renewing(t *testing.T, s *redistest.Server, key, token string) (stop func()) {
	t.Helper()
	const set = `local is = redis.call('get', KEYS[1])
		if not is or is == ARGV[1] then return redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) end`
	ctx, cancel := context.WithCancel(t.Context())
	c := newContender(t, keyspace.Options{Addr: s.Addr}, "watchdog")
	var working sync.WaitGroup
	working.Go(func() {
		every := time.NewTicker(300 * time.Millisecond)
		defer every.Stop()
		for ctx.Err() == nil {
			_, _ = c.do("EVAL", set, 1, key, token, 2000)
			select {
			case <-ctx.Done():
			case <-every.C:
			}
		}
	})
	return func() { cancel(); working.Wait() }
}

// A holder re-creates its lock after the release: the question warns of that before, and it is
// reported afterwards.
func TestALockThatComesBackIsTold(t *testing.T) {
	s := redistest.Start(t)
	const key, token = "resource_lock", "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11"
	at := []string{"-u", "redis://" + s.Addr, "--holder", token, "--yes"}
	do := func(args ...string) (int, string, string) { return run(t, append(args, at...)...) }
	s.Do("SET", key, token, "PX", 2000)
	if code, stdout, _ := do("release", key, "--dry-run"); code != exitDone || !strings.Contains(stdout, "It may come back: clients of") ||
		!strings.Contains(stdout, "aioredlock (Python)") {
		t.Errorf("dry run: %d: %s", code, stdout)
	}
	stop := renewing(t, s, key, token)
	defer func() { stop() }()
	for _, verb := range []string{"release", "expire"} {
		redistest.Eventually(t, 5*time.Second, func() (bool, string) { return s.Do("EXISTS", key) == int64(1), "it is not held" })
		code, stdout, stderr := do(verb, key)
		if code != exitError || !strings.Contains(stdout, key) || !strings.Contains(stderr, "checking for up to") ||
			!strings.Contains(stderr, key+" came back ") {
			t.Errorf("%s: %d: %s%s", verb, code, stdout, stderr)
		}
	}
	var out struct {
		Done     bool  `json:"done"`
		CameBack *bool `json:"came_back"`
	}
	code, stdout, _ := do("release", key, "-o", "json")
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != exitError || !out.Done || out.CameBack == nil || !*out.CameBack {
		t.Errorf("%d, %v: %s", code, err, stdout)
	}
	stop()
	stop = func() {}
	s.Do("SET", key, token, "PX", 1000)
	code, stdout, stderr := do("release", key, "-o", "json")
	if err := json.Unmarshal([]byte(stdout), &out); err != nil || code != exitDone || out.CameBack == nil || *out.CameBack {
		t.Errorf("%d, %v: %s%s", code, err, stdout, stderr)
	}
	s.Do("SET", key, "594730fb989a82f9c4b373d423b32f22", "PX", 60_000) // of a library that makes no key again
	code, stdout, stderr = run(t, "release", key, "-u", "redis://"+s.Addr, "--holder", "594730fb989a82f9c4b373d423b32f22", "--yes")
	if code != exitDone || stderr != "" {
		t.Errorf("%d: %s%s", code, stdout, stderr)
	}
}

// The tombstone for RedLock.net is declined by a flag: clients of pottery, which leaves the same
// bytes, need not wait for its end.
func TestATombstoneIsDeclined(t *testing.T) {
	s := redistest.Start(t)
	const key, token = "redlock:orders", "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11"
	release := func(more ...string) (int, string, string) {
		s.Do("SET", key, token, "PX", 2000)
		return run(t, append([]string{"release", key, "-u", "redis://" + s.Addr, "--holder", token, "--yes"}, more...)...)
	}
	if code, stdout, stderr := release(); code != exitDone || !strings.Contains(stdout, "a tombstone keeps its place for") || s.Do("EXISTS", key) != int64(1) || stderr != "" {
		t.Errorf("%d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr := release("--no-tombstone")
	if code != exitDone || strings.Contains(stdout, "tombstone") || !strings.Contains(stderr, "the lock has not come back") || s.Do("EXISTS", key) != int64(0) {
		t.Errorf("%d: %s%s", code, stdout, stderr)
	}
}

// A release of a Redlock leaves a tombstone on each master and reports it once.
func TestATombstoneOnSeveralMasters(t *testing.T) {
	const key, token = "redlock:orders", "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11"
	args := []string{"release", key, "--holder", token, "--yes"}
	masters := redistest.StartMasters(t, 3)
	for _, m := range masters {
		m.Do("SET", key, token, "PX", 20_000)
		args = append(args, "-u", "redis://"+m.Addr)
	}
	code, stdout, stderr := run(t, args...)
	if code != exitDone || strings.Count(stdout, "a tombstone keeps its place for") != 1 || !strings.Contains(stdout, "on 3 of 3 masters") || stderr != "" {
		t.Errorf("%d: %s%s", code, stdout, stderr)
	}
	for _, m := range masters {
		if left, ok := m.Do("PTTL", key).(int64); !ok || left > 11_000 || left < 8_000 {
			t.Errorf("on %s the tombstone stays for %d ms", m.Addr, left)
		}
	}
}
