package inspector

import (
	"fmt"
	"testing"
	"time"
)

func TestTokensOfLibraries(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	const shortUUID = "5b0e2f6c90c14f0e8a572d1f3c5a7b9e"
	for _, test := range []struct{ library, key, value, label string }{
		{"redsync", "lock:orders", "n4L/2ZlftbtoJhoNxYjXOg==", ""},
		{"bsm/redislock", "orders_lock", "KeGMyQQgoqooveng-HF-Rghost=web1", "host=web1 (KeGMyQQg)"},
		{"bsm/redislock, no metadata", "orders_lock", "KeGMyQQgoqooveng-HF-Rg", ""},
		{"18 random bytes, the first 16 of which could be bsm/redislock's", "orders_lock", "gSq5Zkf2r0WmE1xVtPpLwA8c", ""},
		{"rueidislock", "rueidislock:0:orders", "\x01\x9f\xee 8a\xff\x00\x10b\xc3\x28\xa0\xa1zq\x7f\x02\x03\x04\xfa\xfb\xfc", ""},
		{"go-zero", "lock:orders", "aB3dE5gH7jK9mN1p", ""},
		{"npm redlock", "locks:orders", "594730fb989a82f9c4b373d423b32f22", ""},
		{"npm redis-semaphore", "mutex:orders", uuid, ""},
		{"Bull", "bull:mails:17:lock", uuid, ""},
		{"BullMQ", "bull:mails:17:lock", uuid + ":0", "worker 5b0e2f6c, lock 0"},
		{"redis-py", "orders-lock", "2bc90076e4f811ef967002fc00000001", "node 02fc00000001, trying since 2025-02-07 02:06:40Z"},
		{"pottery", "redlock:orders", uuid, ""},
		{"redlock-py", "orders_lock", "n4L2ZlftbtoJhoNxYjXOg1", ""},
		{"RedBeat", "redbeat::lock", shortUUID, ""},
		{"celery-singleton", "SINGLETONLOCK_5d41402abc4b2a76b9719d911017c592", uuid, ""},
		{"RQ", "rq:scheduler-lock:default", shortUUID, ""},
		{"RedLock.net", "redlock:orders", uuid, ""},
		{"DistributedLock", "orders-lock", "WEB01_4242_0f8fad5bd9cb469fa16570867728950e", "WEB01, process 4242"},
		{"FreeRedis", "RedisClientLock:orders", uuid, ""},
		{"Hangfire", "{hangfire}:queue:q:dequeued:lock", uuid, ""},
		{"Laravel", "laravel_cache_lock:import", "h3Kf9sLq2WmZx81B", ""},
		{"Laravel, PHP serialiser", "laravel_cache_lock:import", `s:16:"h3Kf9sLq2WmZx81B";`, "h3Kf9sLq2WmZx81B"},
		{"redlock-php", "orders_lock", "65937b25a1b2c", ""},
		{"php-lock", "php-malkusch-lock:orders", "a" + shortUUID + shortUUID[1:], ""},
		{"cheprasov", "orders.lock", "4711:0.12345600 1767323045:8812", "process 4711, trying since 2026-01-02 03:04:05Z"},
		{"phpredis", "PHPREDIS_SESSION:k3j4h5_LOCK", "vm|1594", "vm, process 1594"},
		{"redlock-rb", "orderLock", uuid, ""},
		{"sidekiq-unique-jobs", "uniquejobs:5d41402abc4b2a76b9719d911017c592", "b4a577edbccf1d805744efa9", ""},
		{"sidekiq-unique-jobs, running", "uniquejobs:5d41402abc4b2a76b9719d911017c592:RUN", "b4a577edbccf1d805744efa9", ""},
		{"redis-objects", "ticket:7:sell_lock", "", UnknownHolder},
		{"GitLab", "gitlab:exclusive_lease:housekeeping:7", uuid, ""},
		{"rslock", "lock:orders", "\x8f\x11\xc2\x00\xff\x01\x02zq\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a", ""},
		{"redis-plus-plus", "orders.lock", "aB3dE5gH7jK9mN1pQ2rS", ""},
		{"Elixir redlock", "lock:orders", shortUUID + shortUUID + shortUUID[:16], ""},
		{"Spring Integration", "app-lock:orders", uuid, ""},
		{"lock4j", "lock4j:orders", shortUUID, ""},
		{"asynq", "asynq:{default}:unique:mail:5d41402abc4b2a76b9719d911017c592", uuid, ""},
		{"Java serialiser", "lock:orders", "\xac\xed\x00\x05t\x00\x24" + uuid, uuid},
		{"JSON serialiser", "lock:orders", `"` + uuid + `"`, uuid},
		{"host and process", "lock:orders", "web-1:4711", "web-1, process 4711"},
		{"process at host", "lock:orders", "4711@web-1.example.org", "web-1.example.org, process 4711"},
		{"a name and a random number that has no letter", "lock:orders", "worker-2:27357439", "worker-2"},
		{"redis-py's form, drawn long ago", "orders-lock", "2bc90076e4f811e3967002fc00000001", ""},
		{"text", "shop:stock-lock:item", "worker seven", ""},
		{"one", "lock:orders", "1", ""},
		{"acquired at, not until", "lock:orders", "1767323000000", UnknownHolder},
		{"acquired at, as text", "lock:orders", "2026-01-02T03:04:01.678Z", UnknownHolder},
		{"one, under an application's name", "myapp:lock:orders", "1", ""},
		{"a process, under an application's name", "app:mutex:job", "4711", ""},
		{"a lock of statistics", "lock:metrics:rollup", "worker-7", ""},
		{"a lock of a feature", "lock:feature:import", "web-1", ""},
		{"a lock of a configuration", "lock:config:reload", "1", ""},
		{"binary name", "lock:\xff\x00\x01", uuid, ""},
		{"foreign name", "заказ:lock", uuid, ""},
	} {
		t.Run(test.library, func(t *testing.T) {
			l := inspected(t, stringRecord(test.key, test.value, 20*time.Second), SchemeToken)
			h := soleHolder(t, l)
			want := test.label
			if want == "" {
				want = test.value
			}
			if h.Owner != test.value || h.Label != want {
				t.Errorf("owner %q label %q, want %q and %q", h.Owner, h.Label, test.value, want)
			}
			if h.Count.Known {
				t.Errorf("the count %d is not in the key, yet it counts as known", h.Count.N)
			}
			if l.State != StateHeld || !l.ExpiresAt.Equal(schemeNow.Add(20*time.Second)) || !l.LeaseEnds.IsZero() {
				t.Errorf("state %s, expires %v, lease ends %v", l.State, l.ExpiresAt, l.LeaseEnds)
			}
		})
	}
}

// The value is what redis-py 8 writes: a UUID of version 1 without dashes.
func TestTokenOfRedisPyTellsNodeAndTime(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	value := timeUUIDHex(at, "02fc00000001")
	l := inspected(t, stringRecord("lock:orders", value, time.Minute), SchemeToken)
	if want := "node 02fc00000001, trying since 2026-01-02 03:04:00Z"; soleHolder(t, l).Label != want {
		t.Errorf("label %q of %s, want %q", soleHolder(t, l).Label, value, want)
	}
}

func TestTimeUUID(t *testing.T) {
	// The example of RFC 9562, appendix A.1.
	node, at, ok := timeUUID("c232ab009414" + "11ec" + "b3c89f6bdeced846")
	if want := time.Date(2022, 2, 22, 19, 22, 22, 0, time.UTC); !ok || node != "9f6bdeced846" || !at.Equal(want) {
		t.Errorf("node %s, time %v, %v, want 9f6bdeced846 and %v", node, at.UTC(), ok, want)
	}
	if _, _, ok := timeUUID("594730fb989a42f9c4b373d423b32f22"); ok {
		t.Error("a random UUID is taken for one of version 1")
	}
}

func TestTokenExpired(t *testing.T) {
	l := inspected(t, stringRecord("lock:orders", "web-1:4711", -time.Second), SchemeToken)
	if l.State != StateExpired {
		t.Errorf("state %s, want %s", l.State, StateExpired)
	}
}

// timeUUIDHex writes a moment as uuid1().hex of Python does.
func timeUUIDHex(at time.Time, node string) string {
	ticks := uint64(at.UnixNano()/100 + 122_192_928_000_000_000)
	return fmt.Sprintf("%08x%04x1%03x9670%s", uint32(ticks), uint16(ticks>>32), ticks>>48&0xfff, node)
}

func TestNamedClient(t *testing.T) {
	for value, want := range map[string]string{
		"worker-10:cbe619e6":                         "worker-10",
		"web-1:0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11": "web-1",
		"web-1@9f86d081884c7d65":                     "web-1",
		"web-1:4711":                                 "",      // a process, which has a label of its own
		"web-1:12345678":                             "web-1", // too long for a process
		"deadbeef:9f86d081":                          "",      // nothing in it is a name
		"0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11":       "",
		":9f86d081":                                  "",
		"job name:9f86d081":                          "",
	} {
		if got, ok := namedClient(value); ok != (want != "") || ok && got != want {
			t.Errorf("%q is named %q, %v; want %q", value, got, ok, want)
		}
	}
}
