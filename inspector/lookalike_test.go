package inspector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// TestLookAlikes shows what the default patterns find, or a user's own may find, and is no lock.
func TestLookAlikes(t *testing.T) {
	const minute, hour = time.Minute, time.Hour
	jwt := "eyJhbGciOiJIUzI1NiJ9." + strings.Repeat("x", 300)
	later := fmt.Sprint(noon.Add(hour).UnixMilli())
	for _, r := range []keyspace.Record{
		// Names that have the letters, but not the word.
		stringAt("block:1", uuid4, minute),
		stringAt("blocklist:10.0.0.1", "1", hour),
		stringAt("blocked:user:7", uuid4, minute),
		stringAt("clock", "1795262430", none),
		stringAt("clock:skew", "12", none),
		stringAt("wallClock:offset", "1", minute),
		stringAt("user:7:unlocked_at", "1795262430", none),
		stringAt("unlock:code:7", "482913", 5*minute),
		stringAt("accountUnlock:7", uuid4, 5*minute),
		stringAt("locked_at", "1795262430", none),
		stringAt("user:7:locked", "1", none),
		stringAt("locker:7", "open", none),
		stringAt("lockers:7", uuid4, minute),
		stringAt("locket:7", uuid4, minute),
		stringAt("lockout:user:7", "3", 15*minute),
		stringAt("lockdown", "true", none),
		stringAt("lockscreen:wallpaper", "blue", none),
		stringAt("flock:sheep", "12", none),
		stringAt("deadlock:count", "3", none),
		stringAt("padlock:icon", "gold", none),
		stringAt("sherlock:case", uuid4, minute),
		stringAt("oclock", "12", none),
		stringAt("release:1.2", uuid4, minute),
		stringAt("release_notes", "text", none),
		stringAt("please", "1", minute),
		stringAt("BLOCKCHAIN:height", "812345", none),
		stringAt("cache:block:header", uuid4, minute),
		hashAt("blocklist:hits", hour, "10.0.0.1", "3"),
		hashAt("clock:ticks", hour, "n", "7"),
		typeAt("block:list", keyspace.TypeList, 3, none),
		typeAt("blocklist", keyspace.TypeSet, 3, none),
		typeAt("unlocked", keyspace.TypeZSet, 3, none),

		// Things about locks.
		stringAt("lock:count", "17", none),
		stringAt("lock:count", "17", hour),
		stringAt("lock_version", "3", none),
		stringAt("orders:lock_version", "1795262430", none),
		stringAt("lock:last_run", "1795262430", none),
		stringAt("lock:timeout", "30", none),
		stringAt("settings:lock_screen", "on", none),
		stringAt("door:lock:state", "open", none),
		stringAt("lock_reason:7", "fraud", none),
		stringAt("account_lock_token:7", uuid4, hour),
		stringAt("lock:attempts:7", "3", hour),
		stringAt("lock:stats", "12.5", none),
		hashAt("lock:stats", none, "total", "5"),
		hashAt("lock:stats", hour, "acquired", "5", "released", "4"),
		hashAt("lock:login", hour, "attempts", "3"),
		hashAt("locks", none, "a", "1", "b", "2"),
		typeAt("locks", keyspace.TypeList, 3, none),
		typeAt("lock:queue", keyspace.TypeList, 3, none),
		typeAt("locks:waiting", keyspace.TypeZSet, 3, none),
		typeAt("lock:history", keyspace.TypeStream, 3, none),
		typeAt("lock:events", keyspace.TypeStream, 3, none),
		typeAt("orders:lock:waiters", keyspace.TypeList, 3, none),
		typeAt("semaphore:printers", keyspace.TypeZSet, 3, 10*time.Second),
		typeAt("lock-signal:x", keyspace.TypeList, 1, time.Second),
		stringAt("semaphore:printers", "3", none),
		stringAt("semaphore:printers", "3", hour),
		stringAt("lease:42", "signed", none),
		stringAt("lease:until", later, none),
		hashAt("lease:42", none, "tenant", "7", "rent", "900"),
		typeAt("dhcp:leases", keyspace.TypeHash, 3, none),

		// Data under a lock's name.
		stringAt("lock:big", `{"a":"`+strings.Repeat("x", 5000)+`"}`, none),
		stringAt("lock:doc", `{"owner":"w1"}`, none),
		stringAt("lock:doc", `[1,2,3]`, minute),
		stringAt("lock:page", "<html></html>", minute),
		stringAt("lock:php", `a:1:{s:1:"a";i:1;}`, minute),
		stringAt("lock:java", "\xac\xed\x00\x05t\x00\x03abc", minute),
		stringAt("lock:python", "\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x03abc\x94.", minute),
		stringAt("lock:url", "https://example.org/lock", minute),
		stringAt("lock:long", strings.Repeat("x", 129), minute),
		stringAt("lock:ratio", "0.75", none),

		// Other libraries' companions.
		typeAt("redisson_lock_queue:{orders}", keyspace.TypeList, 2, none),
		typeAt("redisson_lock_timeout:{orders}", keyspace.TypeZSet, 2, none),
		stringAt("redisson_lock_token:{orders}", "7", none),
		stringAt("redisson_unlock_latch:{orders}:0cc175b9c0f1b6a831c399e269772661", "0", 16*time.Second),
		stringAt("{orders:lock}:"+redisson1+":rwlock_timeout:1", "1", 30*time.Second),
		stringAt("SEMAPHORE:x:EXISTS", "1", none),
		stringAt("uniquejobs:0cc175b9c0f1b6a831c399e269772661:INFO", `{"a":1}`, none),
		hashAt("uniquejobs:0cc175b9c0f1b6a831c399e269772661:LOCKED", none, "b1a2c3d4e5f60718293a4b5c", "1795262430.123"),
		typeAt("uniquejobs:digests", keyspace.TypeZSet, 3, none),
		hashAt("orders:lock", 30*time.Second, "mode", "read", redisson1, "1"),
		hashAt("orders:lock", 30*time.Second, "mode", "write", redisson1+":write", "1"),
		typeAt("rql:lock_queue:x", keyspace.TypeZSet, 3, none),

		// What a pattern of the user's own may name.
		stringAt("session:8f3a", uuid4, 30*minute),
		stringAt("sess:8f3a", "0cc175b9c0f1b6a831c399e269772661", 30*minute),
		stringAt("otp:+4179", "482913", 5*minute),
		stringAt("csrf:7", "n4L/2ZlftbtoJhoNxYjXOg==", hour),
		stringAt("user:token:7", jwt, hour),
		stringAt("rate:10.0.0.1", "17", minute),
		stringAt("rate_limit:login:7", "3", minute),
		stringAt("feature:dark_mode", "true", none),
		stringAt("flag:beta", "on", minute),
		stringAt("hits", "123456", none),
		stringAt("cache:user:7", "bob", hour),
		stringAt("cache:etag:7", "0cc175b9c0f1b6a831c399e269772661", hour),
		stringAt("idempotency:7", uuid4, hour),
		stringAt("orders:7", uuid4, none),
		stringAt("orders:7:due", "1795262430", none),
		stringAt("visits:today", later, hour),
		stringAt("jobs:running:7", uuid4, 30*24*hour),
		hashAt("cart:7", none, "sku-1", "2"),
		hashAt("rate:7", minute, "count", "2"),
		hashAt("session:7", hour, "u", "7"),
		hashAt("page:7", hour, "hits", "7"),
		hashAt("page:7", hour, uuid4, "99999"),
		hashAt("map:7", none, redisson1, "text"),
		hashAt("page:7", hour, "lang", "en"),
		hashAt("empty", hour),
		{Ref: keyspace.Ref{Key: "lock:gone"}, Type: keyspace.TypeNone, ReadAt: noon},
	} {
		name := fmt.Sprintf("%s %s=%.20q%v", r.Type, r.Key, r.Value.Text, r.Value.Fields)
		if l, is := Inspect(r, noon); is {
			t.Errorf("%s: taken for a lock of the scheme %s: %q", name, l.Scheme, l.Evidence)
		}
		if Follow(r) {
			t.Errorf("%s: followed", name)
		}
	}
}

func TestFollowDenied(t *testing.T) {
	denied := keyspace.Record{Ref: keyspace.Ref{Key: "lock:secret"}, Denied: "NOPERM"}
	if !Follow(denied) {
		t.Error("a lock that may not be read yet is not followed")
	}
	denied.Key = "blocklist:secret"
	if Follow(denied) {
		t.Error("a key whose name is a trap is followed")
	}
}

func TestDefaultPatterns(t *testing.T) {
	for _, key := range []string{
		"LOCK:a", "orderLock", "my_mutex", "Lease:7", "SEMAPHORE", "uniquejobs:7", "asynq:{q}:unique:a:b",
		"app_laravel_unique_job:X", "activejob_uniqueness:a",
	} {
		found := false
		for _, p := range DefaultPatterns() {
			found = found || p.Match(key)
		}
		if !found {
			t.Errorf("no default pattern names %q", key)
		}
	}
	if p := DefaultPatterns()[0]; p.Glob != "*[lL][oO][cC][kK]*" || p.Shown != "*lock*" {
		t.Errorf("the first pattern is %+v", p)
	}
}

func FuzzInspect(f *testing.F) {
	f.Add("lock:a", "1795262430123", "f", "1", int64(1000), true)
	f.Add("orders_lock", uuid4+":1795262430123", redisson1, "3", int64(0), false)
	f.Add("a|b_Lock", "s:16:\"x8Qm2Zt7LbWc4RpA\";", "mode", "read", int64(-5), false)
	f.Add("\x00lock", "\x00\x00\x00\x02\x11\x10abc", "", "-1", int64(5), true)
	f.Fuzz(func(t *testing.T, key, value, field, count string, ttl int64, hash bool) {
		r := stringAt(key, value, time.Duration(ttl))
		if hash {
			r = hashAt(key, time.Duration(ttl), field, count)
		}
		l, is := Inspect(r, noon)
		if is != Follow(r) {
			t.Fatal("Inspect and Follow do not agree")
		}
		if !is {
			return
		}
		if l.Scheme != SchemeUnknown && (len(l.Holders) == 0 || len(l.History) != 1) {
			t.Fatalf("a lock without a holder: %+v", l)
		}
		if len(l.Evidence) == 0 || l.State == "" {
			t.Fatalf("a lock without evidence or state: %+v", l)
		}
	})
}
