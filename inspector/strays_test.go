package inspector

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// What libraries leave whose locks look like something else, byte for byte as they were found on a
// server.
func TestLocksThatLookLikeSomethingElse(t *testing.T) {
	const (
		uuid1 = "2bc90076e4f811ef967002fc00000001"
		sha1  = "5d41402abc4b2a76b9719d911017c5925d414021"
	)
	minute := time.Minute
	for _, c := range []struct {
		key, value     string
		ttl            time.Duration
		scheme         Scheme
		label, library string
	}{
		// huey 3.3 with RedisExpireHuey, by Python 3.13, 3.7 and 2.7
		{"huey.r.mail.mail.lock.nightly", "\x80\x05\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x011\x94.", 0, SchemeSetNX, UnknownHolder, "huey (Python), RedisExpireHuey"},
		{"huey.r.mail.mail.lock.nightly", "\x80\x03X\x01\x00\x00\x001q\x00.", 0, SchemeSetNX, UnknownHolder, "huey (Python), RedisExpireHuey"},
		{"huey.r.mail.mail.lock.nightly", "\x80\x02U\x011q\x01.", 0, SchemeSetNX, UnknownHolder, "huey (Python), RedisExpireHuey"},
		// RQ 1.13, and 2.6 whose schedulers have names
		{"rq:scheduler-lock:default", "4711", minute, SchemeToken, "process 4711", "RQ (Python)"},
		{"rq:scheduler-lock:default", uuid1, minute, SchemeToken, "node 02fc00000001, trying since 2025-02-07 02:06:40Z", "RQ (Python)"},
		{"rq:clean_registries:default", "1", 899 * time.Second, SchemeToken, UnknownHolder, "RQ (Python)"},
		// dogpile.cache 1.1, without and with a lock_timeout
		{"_lockuser:7", uuid1, 0, SchemeSetNX, "node 02fc00000001, trying since 2025-02-07 02:06:40Z", "dogpile.cache (Python)"},
		{"_lockuser:7", uuid1, minute, SchemeToken, "node 02fc00000001, trying since 2025-02-07 02:06:40Z", "dogpile.cache (Python)"},
		// Laravel's cache: a lock under a plain name, and a scheduled task
		{"laravel_database_laravel_cache_podcast-42", "x8Qm2Zt7LbWc4RpA", minute, SchemeToken, "x8Qm2Zt7LbWc4RpA", "Laravel"},
		{"laravel_database_laravel_cache_:podcast-42", `s:16:"x8Qm2Zt7LbWc4RpA";`, minute, SchemeToken, "x8Qm2Zt7LbWc4RpA", "Laravel"},
		{"laravel_cache_podcast-42", "x8Qm2Zt7LbWc4RpA", 48 * time.Hour, SchemeToken, "x8Qm2Zt7LbWc4RpA", "Laravel"},
		{"laravel_cache_podcast-42", "x8Qm2Zt7LbWc4RpA", 0, SchemeSetNX, "x8Qm2Zt7LbWc4RpA", "Laravel"},
		{"shop-database-shop-cache-podcast-42", "\x00\x00\x00\x02\x11\x10x8Qm2Zt7LbWc4RpA", minute, SchemeToken, "x8Qm2Zt7LbWc4RpA", "Laravel"},
		{"laravel_cache:framework/schedule-" + sha1, "b:1;", 24 * time.Hour, SchemeToken, UnknownHolder, "Laravel"},
		{"laravel_cache:framework/schedule-" + sha1, "\x00\x00\x00\x02\x05", 24 * time.Hour, SchemeToken, UnknownHolder, "Laravel"},
		// redis-promise-lock 1.0
		{"redis-promise-lock:orders", `{"lockedSince":"2026-11-22T11:13:48.324Z"}`, minute, SchemeToken, "unknown, since 2026-11-22 11:13:48Z", "redis-promise-lock (npm)"},
		{"redis-promise-lock:forever", `{"lockedSince":"2026-11-22T11:13:48.340Z"}`, 0, SchemeSetNX, "unknown, since 2026-11-22 11:13:48Z", "redis-promise-lock (npm)"},
		// others that describe themselves, by hand and ninja-mutex
		{"lock:orders", `{"locked_by": "web-1", "locked_at": "2026-11-22T11:13:48Z", "ttl": 30}`, minute, SchemeToken, "web-1, since 2026-11-22 11:13:48Z", ""},
		{"mutex:orders", `a:2:{s:3:"pid";i:4711;s:8:"hostname";s:5:"web-1";}`, 0, SchemeSetNX, "web-1, process 4711", ""},
		// @motiadev/adapter-redis-cron 0.17
		{
			"motia:cron:lock:nightly", `{"jobName":"nightly","lockId":"a9e31320-a831-4ea0-acc6-adc5e333dd00","acquiredAt":1795392080603,` +
				`"expiresAt":1795392140603,"instanceId":"motia-9ed8934f-c015-44b3-b394-9b9f4e2034a7"}`,
			minute, SchemeToken, "motia-9ed8934f-c015-44b3-b394-9b9f4e2034a7, since 2026-11-23 00:01:20Z", "",
		},
		{"lock:orders", `{"expiresAt":"2026-11-22T11:14:48Z","acquiredAt":"2026-11-22T11:13:48Z","owner":"web-1"}`, minute, SchemeToken, "web-1, since 2026-11-22 11:13:48Z", ""},
		// Django's cache.add, which pickles all but numbers
		{":1:lock-import", "\x80\x05\x88.", minute, SchemeToken, UnknownHolder, ""},
		{":1:lock-import", "\x80\x04\x95\x0e\x00\x00\x00\x00\x00\x00\x00\x8c\x0aweb-1:4711\x94.", minute, SchemeToken, "web-1, process 4711", ""},
		// a name that has "airlock" in it, and is none
		{"orders-fairlock", "594730fb989a82f9c4b373d423b32f22", minute, SchemeToken, "594730fb989a82f9c4b373d423b32f22", "maybe redlock, @sesamecare-oss/redlock (npm)"},
	} {
		l := inspected(t, stringRecord(c.key, c.value, c.ttl), c.scheme)
		if h := soleHolder(t, l); h.Owner != c.value || h.Label != c.label {
			t.Errorf("%q = %q: holder %+v, want the label %q", c.key, c.value, h, c.label)
		}
		if got := l.LibraryNames(); c.library != "" && got != c.library {
			t.Errorf("%q = %q: library %q, want %q", c.key, c.value, got, c.library)
		}
	}
}

// gocraft/work 0.5 counts how many jobs of a kind run, and beside it by which processes.
func TestCountsOfRunningJobsAreNoLocks(t *testing.T) {
	const pool = "e0020f48567bcac9535d39eb"
	info := hashRecord("work:jobs:sms:lock_info", 0, pool, "2")
	running := stringRecord("work:jobs:sms:lock", "2", 0)
	if beside := Rules(nil).Of(running).Keys; !slices.Contains(beside, info.Key) {
		t.Errorf("%q are beside it", beside)
	}
	for _, r := range []keyspace.Record{info, with(running, info), with(stringRecord("work:jobs:sms:lock", "0", 0), hashRecord(info.Key, 0, pool, "0"))} {
		if l, is := Rules(nil).Inspect(r, schemeNow); is {
			t.Errorf("%q is taken for %s, %q", r.Key, l.Scheme, l.Evidence)
		}
	}
	if why := Rules(nil).WhyNot(with(running, info)); why != "it counts running jobs, as work:jobs:sms:lock_info does for each process, and a release would reset it" {
		t.Errorf("why not: %q", why)
	}
	inspected(t, with(running, hashRecord(info.Key, 0, "owner", "web-1")), SchemeSetNX)
	if _, is := Rules(nil).Inspect(hashRecord("locks:job_info", time.Minute, pool, "2"), schemeNow); !is {
		t.Error("a hash with a TTL and a holder is no lock because of its name")
	}
}

// A value that every client writes tells no holder from the next one: petty-cache 3.5 writes "1".
func TestValuesOfNobody(t *testing.T) {
	for value, want := range map[string]bool{
		"1": true, "true": true, "b:1;": true, "Locked": true, `"locked"`: true, "petty:lock": true, "lock": true,
		"17": false, "web-1:4711": false, "594730fb989a82f9c4b373d423b32f22": false, "me": false,
	} {
		l := inspected(t, stringRecord("petty:lock", value, time.Minute), SchemeToken)
		if l.SameForAll() != want {
			t.Errorf("%q is the same for all: %v", value, !want)
		}
	}
}

// A renewal writes another end of the lease into a description, and nothing else.
func TestDescribedRenewal(t *testing.T) {
	const token = `"lockId":"a9e31320-a831-4ea0-acc6-adc5e333dd00"`
	const before = `{"jobName":"nightly",` + token + `,"acquiredAt":1795392080603,"expiresAt":1795392140603,"instanceId":"web-1"}`
	for now, want := range map[string]bool{
		strings.Replace(before, "2140603", "2170603", 1): true,
		strings.Replace(before, "web-1", "web-2", 1):     false, // another client, and the id may be the job's
		strings.Replace(before, "2080603", "2085603", 1): false, // acquired again
		strings.Replace(before, "dd00", "dd01", 1):       false,
		"web-1": false, "{": false, "": false,
	} {
		if sameDescription(before, now) != want {
			t.Errorf("%s is the same hold: %v", now, !want)
		}
	}
	for _, value := range []string{
		`{"lock":"nightly","acquiredAt":1795392080603,"owner":"web-1"}`, // the id is a name
		"{" + token + "}", "web-1", "",
	} {
		if sameDescription(value, value) {
			t.Errorf("%s has no token and time of its acquisition", value)
		}
	}
}

// What Laravel caches is no lock, nor is a random text in another cache.
func TestCachedTextsAreNoLocks(t *testing.T) {
	for _, r := range []keyspace.Record{
		stringRecord("laravel_cache_invite-7", `s:16:"x8Qm2Zt7LbWc4RpA";`, 48*time.Hour),
		stringRecord("laravel_cache_invite-7", `s:16:"x8Qm2Zt7LbWc4RpA";`, 0),
		stringRecord("laravel_cache_name-7", `s:12:"Ada Lovelace";`, time.Minute),
		stringRecord("laravel_cache_ready", "b:1;", time.Minute),
		stringRecord("shop_cache_key-7", "x8Qm2Zt7LbWc4RpA", time.Minute),
		stringRecord("user:7:lock", `{"lockedAt":"2026-11-22T11:13:48Z","reason":"too many attempts"}`, time.Minute),
		stringRecord("lock:orders", `{"items":["locked_by"]}`, time.Minute),
		stringRecord("lock:orders", `{"owner":"a"}`, time.Minute),
		stringRecord("lock:orders", `a:1:{s:4:"name";s:1:"x";}`, time.Minute),
		stringRecord("lock:orders", `a:2:{s:3:"pid";i:4711;s:8:"hostname";s:9:"web-1";}`, time.Minute),
		stringRecord("_lockers:7", "4", 0), stringRecord("_lockuser:7", "17", time.Minute),
	} {
		if l, is := Rules(nil).Inspect(r, schemeNow); is {
			t.Errorf("%q = %q is taken for %s, %q", r.Key, r.Value.Text, l.Scheme, l.Evidence)
		}
	}
}

// node-redisson 1.0 draws a UUID where the application gives no id, and else takes what it is
// given.
func TestNodeRedisson(t *testing.T) {
	const client = "4c173c10-95bb-43c1-b5a6-7b7afdceed75"
	for field, label := range map[string]string{
		client + ":d4ff2cdf-52dd-4049-9b10-d3e0757bf7d6": "client 4c173c10, id d4ff2cdf-52dd-4049-9b10-d3e0757bf7d6",
		client + ":9f3ac1": "client 4c173c10, id 9f3ac1",
	} {
		l := inspected(t, hashRecord("orders", 30*time.Second, field, "2"), SchemeRedisson)
		if h := soleHolder(t, l); h.Owner != field || h.Label != label || h.Count != (Count{N: 2, Known: true}) {
			t.Errorf("%+v", h)
		}
	}
	for _, field := range []string{client + ":worker", "worker-7", "a"} {
		listened := with(hashRecord("or{d}ers", 0, field, "1"), channelOf("redisson_lock__channel:{or{d}ers}", 2))
		if l := judged(t, listened); l.Scheme != SchemeRedisson || l.Waiters != (Waiters{Count: 2, By: WaitersSubscribers}) {
			t.Errorf("%s: %s, %+v", field, l.Scheme, l.Waiters)
		}
		alone := with(hashRecord("orders", 0, field, "1"), channelOf("redisson_lock__channel:{orders}", 0))
		if l, is := Rules(nil).Inspect(alone, schemeNow); is {
			t.Errorf("%s: nobody listens, and it is taken for %s", field, l.Scheme)
		}
	}
	company := Rules(nil).Of(hashRecord("or{d}ers", 0, client+":worker", "1"))
	for _, channel := range company.Channels {
		if owners := Rules(nil).Owners(channel); len(owners) == 0 || owners[0] != "or{d}ers" {
			t.Errorf("%s belongs to %q", channel, owners)
		}
	}
	if len(company.Channels) != 2 || company.Keys != nil {
		t.Errorf("%+v", company)
	}
}

func TestRedfour(t *testing.T) {
	l := judged(t, with(hashRecord("lock:orders", 30*time.Second, "index", "17"), channelOf("lock-release", 3)))
	h := soleHolder(t, l)
	if l.Scheme != SchemeRedfour || h.Owner != "17" || h.Label != "acquisition 17" || h.Count.Known ||
		l.FencingToken == nil || *l.FencingToken != 17 || l.Waiters != (Waiters{Count: 3, By: WaitersShared}) || !l.Waiters.AtMost() {
		t.Errorf("%+v", l)
	}
	if l := judged(t, with(hashRecord("jobs:orders", 30*time.Second, "index", "17"), channelOf("jobs-release", 1))); l.Scheme != SchemeRedfour {
		t.Errorf("%+v", l)
	}
	for name, r := range map[string]keyspace.Record{
		"a silent name":       hashRecord("jobs:orders", minuteLong, "index", "17"),
		"without a TTL":       hashRecord("lock:orders", 0, "index", "17"),
		"two fields":          hashRecord("lock:orders", minuteLong, "index", "17", "size", "3"),
		"no number":           hashRecord("lock:orders", minuteLong, "index", "a"),
		"beside a lock":       hashRecord("lock:index:ids", minuteLong, "index", "17"),
		"its counter":         stringRecord("lockindex", "17", 0),
		"its cluster counter": stringRecord("lock:{ior4_0123456789ab}:index", "17", 0),
	} {
		if l, is := Rules(nil).Inspect(r, schemeNow); is {
			t.Errorf("%s is taken for %s", name, l.Scheme)
		}
	}
}

const minuteLong = time.Minute

func TestSessionLock(t *testing.T) {
	const key = "sess_k3j4h5"
	session := func(more ...string) keyspace.Record {
		return hashRecord(key, 6*time.Hour, append([]string{"data", ":gz:x\x9c", "writes", "3", "req", "GET shop/cart"}, more...)...)
	}
	l := judged(t, session("lock", "4", "pid", "web-1|4711", "wait", "2"))
	if h := soleHolder(t, l); l.Scheme != SchemeSessionLock || h.Owner != "web-1|4711" || h.Label != "web-1, process 4711" || h.Count.Known {
		t.Errorf("%+v", l)
	}
	if want := (Waiters{Count: 2, By: WaitersCounter}); l.Waiters != want || !l.Waiters.AtMost() {
		t.Errorf("%+v", l.Waiters)
	}
	for name, r := range map[string]keyspace.Record{
		"nobody has it":  session("lock", "0", "pid", "web-1|4711", "wait", "0"),
		"never locked":   session(),
		"no process":     session("lock", "1"),
		"no number":      session("lock", "yes", "pid", "web-1|4711"),
		"something else": hashRecord("orders", minuteLong, "lock", "1", "pid", "web-1|4711"),
	} {
		if l, is := Rules(nil).Inspect(r, schemeNow); is {
			t.Errorf("%s, and it is taken for %s", name, l.Scheme)
		}
	}
}

func TestCountedReadWriteLock(t *testing.T) {
	const a, b = "lock_token:0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11", "lock_token:9c2b1e77-02a4-4f51-a1c0-5d1f3c5a7b9e"
	read := judged(t, hashRecord("stock", minuteLong, "mode", "read", "rcount", "3", "r:"+a, "2", "r:"+b, "1"))
	if read.Scheme != SchemeCountedRW || read.Mode != ModeRead || len(read.Holders) != 2 ||
		read.Holders[0] != (Holder{Owner: "r:" + a, Label: a[len("lock_token:"):], Count: Count{2, true}}) {
		t.Errorf("%+v", read)
	}
	write := judged(t, hashRecord("stock", minuteLong, "mode", "write", "rcount", "1", "r:"+a, "1", "writer", a, "wcount", "2"))
	if h := soleHolder(t, write); write.Mode != ModeWrite || h.Owner != a || h.Count != (Count{2, true}) {
		t.Errorf("%+v", write)
	}
	for name, fields := range map[string][]string{
		"another sum":        {"mode", "read", "rcount", "3", "r:" + a, "2"},
		"another mode":       {"mode", "fast", "rcount", "2", "r:" + a, "2"},
		"a field too many":   {"mode", "read", "rcount", "2", "r:" + a, "2", "size", "3"},
		"no writer":          {"mode", "write", "rcount", "2", "r:" + a, "2"},
		"no entries":         {"mode", "write", "writer", a, "wcount", "0"},
		"readers and writer": {"mode", "read", "rcount", "2", "r:" + a, "2", "writer", a},
	} {
		if l, is := Rules(nil).Inspect(hashRecord("stock", minuteLong, fields...), schemeNow); is {
			t.Errorf("%s, and it is taken for %s", name, l.Scheme)
		}
	}
}
