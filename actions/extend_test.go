package actions

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
)

// redisMutexUnlock is how redis-mutex (Ruby) 4 releases: it deletes the key where the value is the
// one that it wrote.
const redisMutexUnlock = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`

// An extension of a lock whose value is the end of its lease rewrites that value. Where the holder
// compares it on release, it could not release the lock any more: that takes force.
func TestAnExtensionDoesNotKeepTheHolderFromReleasing(t *testing.T) {
	s := newFixtureServer(t)
	seconds := strconv.FormatFloat(float64(time.Now().Add(10*time.Second).UnixMilli())/1000, 'f', 3, 64)
	millis := strconv.FormatInt(time.Now().Add(10*time.Second).UnixMilli(), 10)
	for name, c := range map[string]struct {
		key, value  string
		px          int64 // 0: no TTL
		discouraged bool
		says        string
	}{
		"redis-mutex":                    {"RedisMutex:orders", seconds, 0, true, "a lock of redis-mutex (Ruby)"},
		"redis-mutex behind a namespace": {"app:RedisMutex:orders", seconds, 0, true, "a lock of redis-mutex (Ruby)"},
		"maybe redis-mutex":              {"lock:orders", seconds, 0, true, "If it is a lock of redis-mutex (Ruby)"},
		"jedis-lock":                     {"lock:orders", uuidOfHabits + ":" + millis, 0, false, ""},
		"unknown":                        {"lock:orders", millis, 10_000, false, "It is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			set := []any{"SET", c.key, c.value}
			if c.px > 0 {
				set = append(set, "PX", c.px)
			}
			f := fixture{name: name, key: c.key, setup: func(time.Time) [][]any { return [][]any{set} }}
			s.leave(t, f)
			r := Request{Verb: VerbExtend, Lock: s.see(t, f), TTL: time.Hour}
			r.Owner = r.Lock.Holders[0].Owner
			effect := EffectOf(r)
			if effect.Discouraged != c.discouraged || !strings.Contains(effect.Does, "changes its value") ||
				!strings.Contains(strings.Join(effect.Warnings, " "), c.says) || c.says == "" && len(effect.Warnings) > 0 {
				t.Errorf("before it is said that %+v", effect)
			}
			out := s.operator().Do(t.Context(), r)
			if c.discouraged {
				if out.Result != ResultDiscouraged || s.client.Get(t.Context(), c.key).Val() != c.value {
					t.Fatalf("without force: %s", out.Sentence(r))
				}
				if n := s.client.Eval(t.Context(), redisMutexUnlock, []string{c.key}, c.value).Val(); n != int64(1) {
					t.Fatal("the holder cannot release it any more")
				}
				s.leave(t, f)
				r.Lock, r.Force = s.see(t, f), true
				out = s.operator().Do(t.Context(), r)
			}
			now := s.client.Get(t.Context(), c.key).Val()
			if out.Result != ResultExtended || now == c.value || out.Holder != now || !strings.Contains(out.Sentence(r), now) {
				t.Errorf("%s; the value is %q", out.Sentence(r), now)
			}
			next := Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: out.Holder}
			if next.Lock == nil {
				t.Fatalf("%q is no lock any more", now)
			}
			if out := s.operator().Do(t.Context(), next); out.Result != ResultReleased {
				t.Errorf("the next action with the value that was said: %s", out.Sentence(next))
			}
		})
	}
}

// A lock that never ends is not given an end by an extension, whatever its scheme.
func TestALockWithoutATTLIsNotExtended(t *testing.T) {
	s := newFixtureServer(t)
	const redisson, rw = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:1", "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:1:write"
	for name, f := range map[string]fixture{
		"setnx":     {key: "lock:a", setup: func(time.Time) [][]any { return [][]any{{"SET", "lock:a", "worker-7"}} }},
		"redisson":  {key: "lock:a", setup: func(time.Time) [][]any { return [][]any{{"HSET", "lock:a", redisson, "1"}} }},
		"reentrant": {key: "lock:a", setup: func(time.Time) [][]any { return [][]any{{"HSET", "lock:a", "worker-7:1", "1"}} }},
		"read-write": {
			key: "lock:a", setup: func(time.Time) [][]any { return [][]any{{"HSET", "lock:a", "mode", "write", rw, "1"}} },
		},
		"a set of readers": {
			key: "lock:a.readers", rules: []string{"*=distributedlock-rw"},
			setup: func(time.Time) [][]any {
				return [][]any{{"SADD", "lock:a.readers", "WEB01_1_0f8fad5bd9cb469fa16570867728950e"}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.leave(t, f)
			lock := s.see(t, f)
			if lock == nil || len(lock.Holders) != 1 {
				t.Fatalf("it is seen as %+v", lock)
			}
			r := Request{Verb: VerbExtend, Lock: lock, Owner: lock.Holders[0].Owner, TTL: 10 * time.Minute}
			if effect := EffectOf(r); !strings.Contains(effect.Does, "Not possible: it has no TTL") {
				t.Errorf("%s: before it is said that %+v", lock.Scheme, effect)
			}
			for _, force := range []bool{false, true} {
				r.Force = force
				out := s.operator().Do(t.Context(), r)
				if out.Result != ResultUnsupported || !strings.Contains(out.Sentence(r), "to give it an end, force-expire it with a delay") {
					t.Errorf("%s: %s", lock.Scheme, out.Sentence(r))
				}
			}
			if left := s.client.PTTL(t.Context(), f.key).Val(); left != -1 {
				t.Errorf("%s ends in %v now", lock.Scheme, left)
			}
			r = Request{Verb: VerbForceExpire, Lock: lock, Owner: r.Owner, TTL: 10 * time.Minute}
			if out := s.operator().Do(t.Context(), r); out.Result != ResultExpired || s.client.PTTL(t.Context(), f.key).Val() < 9*time.Minute {
				t.Errorf("%s: %s", lock.Scheme, out.Sentence(r))
			}
		})
	}
}

// A lease of its own that a lock keeps in its content can be extended though the key has no TTL,
// which stays so.
func TestALeaseInTheContentIsExtended(t *testing.T) {
	s := newFixtureServer(t)
	ends := time.Now().Add(20 * time.Second).UnixMilli()
	f := fixture{key: "lock:a", rules: []string{"lock:a=symfony"}, setup: func(time.Time) [][]any {
		return [][]any{{"ZADD", "lock:a", ends, "token-1", ends, "__write__"}}
	}}
	s.leave(t, f)
	lock := s.see(t, f)
	if lock == nil || lock.Scheme != inspector.SchemeSymfony {
		t.Fatalf("it is seen as %+v", lock)
	}
	r := Request{Verb: VerbExtend, Lock: lock, Owner: lock.Holders[0].Owner, TTL: 10 * time.Minute}
	if out := s.operator().Do(t.Context(), r); out.Result != ResultExtended || s.client.PTTL(t.Context(), f.key).Val() != -1 {
		t.Errorf("%s", out.Sentence(r))
	}
}
