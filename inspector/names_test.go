package inspector

import (
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	strong := nameEvidence{grade: nameStrong, numbers: true}
	word := nameEvidence{grade: nameWord, numbers: true}
	part := nameEvidence{grade: namePart, numbers: true}
	plural := nameEvidence{grade: nameWord}
	for key, want := range map[string]nameEvidence{
		"lock:orders": strong, "orders:lock": strong, "orders_lock": strong, "orderLock": strong, "LOCK": strong,
		"ORDERS_LOCK": strong, "lock.orders": strong, "orders~lock": strong, "{orders}lock": strong, "lock1": strong,
		"DBLock": strong, "RedisMutex:7": strong, "redlock:7": strong, "mutex-7": strong, "orders/lease": strong,
		"cronlock": strong, "joblock:7": strong, "订单lock": strong, "rueidislock:0:x": strong, "lock:queue:mails": strong,
		"job-lock:default:mails": word, "a:lock:b": part, "a:mutex:b": part, "a:lock7:b": word, "lock:config:reload": strong, "gitlab:exclusive_lease:x": word,
		"locks:orders": plural, "locks": plural, "a:leases:b": plural,
		"semaphore:x":             {grade: nameStrong},
		"lock:count":              {grade: nameStrong, numbers: true, aside: true},
		"count:lock:x":            {grade: namePart, numbers: true, aside: true},
		"config:lock:x":           {grade: namePart, numbers: true, aside: true},
		"lock:count:x":            {grade: nameStrong, numbers: true, aside: true},
		"lock_version:order:5":    {grade: nameStrong, numbers: true, aside: true},
		"lock_wait_ms":            {grade: nameStrong, numbers: true, aside: true},
		"lock:queue":              {grade: nameStrong, numbers: true, aside: true},
		"redisson_lock_queue:{x}": {companion: true},
		"lock-signal:x":           {companion: true},
		"uniquejobs:5d41402abc4b2a76b9719d911017c592":     part,
		"uniquejobs:5d41402abc4b2a76b9719d911017c592:RUN": part,
		"asynq:{q}:unique:t:5d4":                          part,
		"rq:clean_registries:default":                     part,
		"huey.r.mail.mail.lock.nightly":                   part,
		"app:orders-fairlock":                             strong,
		"unfairlock:7":                                    strong,
		"synclock:7":                                      strong,
		"_lockuser:7":                                     {grade: nameWord, aside: true},
		"uniquejobs:digests":                              {}, "asynq:{q}:pending": {companion: true},
		"clock": {}, "block:1": {}, "blocklist": {}, "flock": {}, "locker:1": {}, "locale": {}, "release": {}, "please": {},
		"unlocked": {}, "iBlock": {}, "stopClock": {}, "lockout:7": {}, "": {}, ":::": {}, "\xff\xfe": {}, "sherlock:7": {},
		"releaseNotes": {}, "blöck": {}, "roadblock:7": {}, "airlock:7": {}, "lockdown:city": {}, "lockers": {}, "rq:job:7": {},
		"huey.r.mail.other.lock.nightly": word,
	} {
		got := nameOf(key)
		if want.grade == nameSilent && !want.companion {
			got.aside, want.aside = false, false // It does not matter there.
		}
		if got != want {
			t.Errorf("%q: %+v, want %+v", key, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string][]string{
		"orderLock:7":      {"order", "lock"},
		"HTTPLockServer":   {"http", "lock", "server"},
		"a_b-c.d/e":        {"a", "b", "c", "d", "e"},
		"ORDERS_LOCK":      {"orders", "lock"},
		"x2y":              {"x", "y"},
		"\x00lock\x00":     {"lock"},
		"schloß":           {"schloß"},
		"{orders}:lock~17": {"orders", "lock"},
	} {
		var got []string
		for word, rest := nextWord(name); word != ""; word, rest = nextWord(rest) {
			got = append(got, word)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestDefaultPatterns(t *testing.T) {
	matches := func(key string) bool {
		for _, p := range DefaultPatterns() {
			if p.Match(key) {
				return true
			}
		}
		return false
	}
	for _, key := range []string{
		"lock:orders", "ORDERS_LOCK", "orderLock", "RedisMutex:7", "exclusive_lease:7", "SEMAPHORE:x", "redlock:x",
		"uniquejobs:5d41402abc4b2a76b9719d911017c592", "asynq:{q}:unique:t:5d4", "{hangfire}:queue:q:dequeued:lock", "huey.results.mail",
		"huey.r.mail.mail.lock.nightly", "rq:clean_registries:default", "rq:scheduler-lock:default", "_lockuser:7", "app:fairLock:7",
		"laravel_cache_framework/schedule-5d41402abc4b2a76b9719d911017c5925d414021",
	} {
		if !matches(key) {
			t.Errorf("no default pattern names %q", key)
		}
	}
	for _, key := range []string{"session:7", "cart:7"} {
		if matches(key) {
			t.Errorf("a default pattern names %q", key)
		}
	}
}
