package inspector

import (
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// What libraries write, and what may be said of it.
func TestLibraries(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	const hex4 = "5b0e2f6c90c14f0e8a572d1f3c5a7b9e"
	const hex = "594730fb989a82f9c4b373d423b32f22"
	const hex1 = "2bc90076e4f811ef967002fc00000001"
	for _, c := range []struct{ key, value, want string }{
		{"asynq:{default}:unique:mail:5d41402abc4b2a76b9719d911017c592", uuid, "asynq (Go), unique tasks"},
		{"SINGLETONLOCK_5d41402abc4b2a76b9719d911017c592", uuid, "celery-singleton (Python)"},
		{"redbeat::lock", hex1, "RedBeat (Python)"},
		{"rq:scheduler-lock:default", hex4, "RQ (Python)"},
		{"{hangfire}:lock:recurring-job:x", uuid, "Hangfire.Redis.StackExchange (.NET)"},
		{"orders-lock", "WEB01_4242_0f8fad5bd9cb469fa16570867728950e", "DistributedLock.Redis (.NET)"},
		{"RedisClientLock:orders", uuid, "FreeRedis, CSRedisCore (.NET)"},
		{"CSRedisClientLock:orders", uuid, "FreeRedis, CSRedisCore (.NET)"},
		{"laravel_database_laravel_cache_framework/schedule-" + hex + hex[:8], "x8Qm2Zt7LbWc4RpA", "Laravel"},
		{"laravel-database-laravel-cache-lock:orders", `s:16:"x8Qm2Zt7LbWc4RpA";`, "Laravel"},
		{"laravel_database_laravel_cache_lock:orders", "\x00\x00\x00\x02\x11\x10x8Qm2Zt7LbWc4RpA", "Laravel"},
		{"php-malkusch-lock:orders", "a" + hex4 + hex4[1:], "php-lock/lock"},
		{"PHPREDIS_SESSION:k3j4h5_LOCK", "vm|1594", "phpredis session lock"},
		{"gitlab:exclusive_lease:housekeeping:7", uuid, "GitLab exclusive lease"},
		{"activejob_uniqueness:mail_job:no_arguments", uuid, "activejob-uniqueness (Ruby)"},
		{"lock4j:orders", hex4, "lock4j (Java)"},
		{"books~lock", "", "Spring Data cache lock"},
		{"orders.lock", "4711:0.12345600 1767323045:8812", "php-redis-lock (cheprasov)"},

		{"lock:orders", hex1, "maybe redis-py"},
		{"lock:orders", hex, "maybe redlock, @sesamecare-oss/redlock (npm)"},
		{"lock:orders", "n4L/2ZlftbtoJhoNxYjXOg==", "maybe redsync (Go)"},
		{"lock:orders", "KeGMyQQgoqooveng-HF-Rghost=web1", "maybe bsm/redislock (Go)"},
		{"lock:orders", "KeGMyQQgoqooveng-HF-Rg", "maybe bsm/redislock (Go)"},
		{"lock:orders", "n4L2ZlftbtoJhoNxYjXOg1", "maybe redlock-py"},
		{"lock:orders", "x8Qm2Zt7LbWc4RpA", "one of Laravel, go-zero, or written by hand"},
		{"lock:orders", "aB3dE5gH7jK9mN1pQ2rS", "maybe redis-plus-plus (C++)"},
		{"lock:orders3", "aB3dE5gH7jK9mN1pQ2rS", "one of Laravel Redis::funnel, redis-plus-plus (C++), or written by hand"},
		{"redlock:orders", uuid, "one of RedLock.net, pottery (Python), or written by hand"},
		{"mutex:orders", uuid, "one of redis-semaphore (npm), mutex, Spring Integration, redlock-rb (Ruby), aioredlock (Python), or written by hand"},
		{"lock:orders", hex4 + hex4 + hex4[:16], "maybe redlock (Elixir)"},
		{"lock:orders", hex4, ""},
		{"lock:orders", "019ab3c5d7e97f0182a3b4c5d6e7f809", ""},
		{"lock:orders", "65937b25a1b2c", "maybe redlock-php (ronnylt)"},
		{"lock:orders", "\x8f\x11\xc2\x00\xff\x01\x02zq\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a", "maybe rslock (Rust)"},
		{"ticket:7:sell_lock", "", "maybe redis-objects (Ruby)"},
		{"lock:orders", "gY0Qe3nIvP1mX2bT4rWz5sLc7dKf8hJa9uEoNqSiVt0=", "maybe Symfony Lock up to 5.1"},
		{"lock:orders", "worker seven", ""},
		{"lock:orders", "web-1:4711", ""},
		{"lock:orders", "3f0c7a3e-1b1a-11f0-be56-0242ac120002", ""},             // version 1
		{"lock:orders", "01941f29-7c00-7aaa-8bbb-0123456789ab", ""},             // version 7
		{"redlock:orders", "3f0c7a3e-1b1a-11f0-be56-0242ac120002", ""},          // RedLock.net and pottery draw version 4
		{"lock:orders", "checkoutworker17", ""},                                 // of one case
		{"orders:lock", "K8kAduT4EfCWcAL8AAAAAQ==", "node-redis-warlock (npm)"}, // the bytes of a version 1
		{"orders:lock", "n4L/2ZlftbtoJhoNxYjXOg==", "maybe redsync (Go)"},
		{"lock:orders", "17", ""},
		{"bull:mails:17:lock", uuid, "one of Bull (Node), Spring Integration, redlock-rb (Ruby), aioredlock (Python), or written by hand"},
	} {
		l, is := Rules(nil).Inspect(stringRecord(c.key, c.value, 20*time.Second), schemeNow)
		if !is {
			t.Errorf("%q = %q is taken for no lock", c.key, c.value)
			continue
		}
		if got := l.LibraryNames(); got != c.want {
			t.Errorf("%q = %q: %q, want %q", c.key, c.value, got, c.want)
		}
		candidates, surely := l.Libraries()
		if surely && len(candidates) != 1 {
			t.Errorf("%q: surely one of %d", c.key, len(candidates))
		}
		for _, library := range candidates {
			if library.Discouraged && library.Consequence == "" {
				t.Errorf("%s does not say what happens", library.Name)
			}
		}
	}
}

// The hash of its job proves the lock of a queue; what it holds does not matter.
func TestTheJobProvesTheLockOfAQueue(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	for value, want := range map[string]string{uuid: "Bull (Node)", uuid + ":3": "BullMQ (Node)"} {
		r := stringRecord("bull:mails:17:lock", value, 20*time.Second)
		r.Companions = []keyspace.Record{{Ref: keyspace.Ref{Key: "bull:mails:17"}, Type: keyspace.TypeHash, Size: 9}}
		if got := inspected(t, r, SchemeToken).LibraryNames(); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
		r.Companions[0].Type = keyspace.TypeString
		if got := inspected(t, r, SchemeToken).LibraryNames(); strings.Contains(got, "Bull") {
			t.Errorf("%q beside a string: %q", value, got)
		}
	}
}

func TestLibrariesOfTimestamps(t *testing.T) {
	for _, c := range []struct {
		key, value string
		ttl        time.Duration
		want       string
	}{
		{"orders_lock", "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e:1767323055123", 0, "jedis-lock (Java)"},
		{"orders_lock", "1767323055123", 0, "maybe jedis-lock (Java)"},
		{"RedisMutex:Order:7", "1767323055.123", 0, "redis-mutex (Ruby)"},
		{"lock.orders", "1767323055123", 10 * time.Second, "maybe redis-lock (npm, errorception)"},
	} {
		if got := inspected(t, stringRecord(c.key, c.value, c.ttl), SchemeTimestamp).LibraryNames(); got != c.want {
			t.Errorf("%q = %q: %q, want %q", c.key, c.value, got, c.want)
		}
	}
}

// What is known by its name alone says so.
func TestWeakEvidenceSaysSo(t *testing.T) {
	for value, weak := range map[string]bool{
		"17": true, "worker seven": true, "1": true, "": true,
		"n4L/2ZlftbtoJhoNxYjXOg==": false, "web-1:4711": false,
	} {
		l, is := Rules(nil).Inspect(stringRecord("lock:orders", value, time.Minute), schemeNow)
		if !is {
			t.Fatalf("%q is no lock", value)
		}
		if got := l.Evidence[len(l.Evidence)-1] == evidenceNameOnly; got != weak {
			t.Errorf("%q: evidence %q", value, l.Evidence)
		}
	}
}

// php-lock sets a thousand years where it is given no timeout: such a lock never ends, and nothing is wrong with that.
func TestAThousandYearsAreNoTTL(t *testing.T) {
	r := stringRecord("php-malkusch-lock:orders", "a5b0e2f6c90c14f0e8a572d1f3c5a7b9e5b0e2f6c90c14f0e8a572d1f3c5a7b9", 0)
	r.ExpiresAt = schemeNow.AddDate(1000, 0, 0)
	if l := judged(t, r); l.State != StateHeld || !l.ExpiresAt.IsZero() || hasCode(l, CodeNoTTL) || l.Severity() != SeverityInfo || l.LibraryNames() != "php-lock/lock" {
		t.Errorf("%s until %v, %v, %s", l.State, l.ExpiresAt, codes(l), l.LibraryNames())
	}
}
