package inspector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// A counter under a lock's name may be taken for a lock. It is counted up without an alarm, and shown as a look at it alone would.
func TestACounterIsNoLock(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.text("17", time.Time{}).must(StateStuck)
	c.expect("acquired 17")
	for n := range 3 {
		c.after(time.Second).hints("incrby").text(fmt.Sprint(18+n), time.Time{}).must(StateStuck)
	}
	c.after(time.Minute).text("20", time.Time{}) // a pass reads it again
	c.expect("edited 18<17")
	if l := c.lock(); !strings.Contains(strings.Join(l.Evidence, ";"), "changed in place (incrby)") {
		t.Errorf("evidence %q", l.Evidence)
	}
	c.hints("del").gone()
	c.hints("new", "set").text("1", time.Time{}).must(StateStuck)
	c.expect("released 20 freed", "acquired 1")
}

// TestEditedInPlace changes a part of the value of a lock that is held: the lock stays, with one event for all edits of a hold.
func TestEditedInPlace(t *testing.T) {
	for _, event := range []string{"append", "setrange", "incrby", "incrbyfloat"} {
		c := newScene(t, keyspace.FeedPush)
		c.hints("new", "set").text("worker-7", c.in(lease)).expect("acquired worker-7")
		c.after(time.Second).hints(event).text("worker-7x", c.in(lease-time.Second)).must(StateHeld)
		c.after(time.Second).hints(event, event).text("worker-7xyz", c.in(lease-2*time.Second)).must(StateHeld)
		c.expect("edited worker-7x<worker-7")
		if l := c.lock(); l.holder().Owner != "worker-7xyz" || len(l.History) != 1 || l.History[0].Owner != "worker-7xyz" || !l.HeldExact {
			t.Errorf("%s: %+v", event, l)
		}
		c.hints("set").text("worker-8", c.in(lease))
		c.expect("lost worker-7xyz taken over", "handed-over worker-8<worker-7xyz taken over")
		c.hints(event).text("worker-8x", c.in(lease)).expect("edited worker-8x<worker-8") // it is another hold
		c.hints("del", "new", "set", event).text("worker-9x", c.in(lease))
		c.expect("released worker-8x freed", "acquired worker-9x<worker-8x freed")
	}
}

// TestAnEndAsALock says why the row goes of a key that stays.
func TestAnEndAsALock(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "hincrby", "expire").entry("w", 1, c.in(lease)).expect("acquired w")
	c.after(time.Second).hints("hset").read(keyspace.Record{
		Type: keyspace.TypeHash, Size: 1, ExpiresAt: c.in(lease),
		Value: keyspace.Value{Fields: []keyspace.Field{{Name: "name", Value: "Ada"}}},
	})
	events := c.store.log.tail(1)
	if e := events[0]; e.Kind != EventDeleted || e.Text != "its key is still there, and is no lock any more" {
		t.Errorf("%+v", e)
	}
}

// What is no lock, though its name, its value or its type resembles one.
func TestLookAlikes(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	const hex = "594730fb989a42f9c4b373d423b32f22"
	const thread = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"
	const machine = "WEB01_4242_0f8fad5bd9cb469fa16570867728950e"
	const value = "4Zr0IIXHwTtrhPGoQbxGlA"
	const minute = time.Minute
	text := func(key, value string, ttl time.Duration) keyspace.Record { return stringRecord(key, value, ttl) }
	cut := hashRecord("lock:orders", minute, thread, "1")
	cut.Truncated = true
	for name, records := range map[string][]keyspace.Record{
		"sessions and one-time secrets": {
			text("session:"+uuid, uuid, minute),
			text("sess:"+hex, hex, 30*minute),
			text("otp:7", "482913", minute),
			text("otp:lock:7", "482913", minute),
			text("token:reset:7", hex, minute),
			text("idempotency:"+uuid, uuid, minute),
			text("csrf:7", "KWfupndwb+Lq1x80C8oRdlwF", minute),
			text("locker:7:pin", "1234", 0),
			text("lock:7:pin", "1234", 0),
			text("door:lock:code", "4711", minute),
		},
		"counters and limits": {
			text("lock:count", "5", 0),
			text("lock:count:orders", "17", 0),
			text("login:lockout:count", "3", minute),
			text("login:lockout:7", "1", minute),
			text("lock:attempts", "3", minute),
			text("ratelimit:lock:7", "12", minute),
			text("metrics:lock_wait_count", "99", 0),
			text("user:7:locks", "3", 0),
			text("user:7:locks", "3", minute),
			text("shop:stock-lock:item", "3", minute),
			text("semaphore:orders", "3", 0),
			text("semaphore:orders", "3", minute),
			text("locks_total", "8812", 0),
			text("lock:orders", "0", 0),
			text("lock:hits", "1532", 0),
			text("lock:acquired", "1532", 0),
			text("cache_lock:misses", "123456", 0),
			text("lock:orders:fail", "3", 0),
			text("lock_version:order:5", "5", 0),
			text("lock_wait_ms", "120", 0),
			text("lock:login:attempts", "3", minute),
		},
		"flags and settings": {
			text("feature:lock_screen", "true", 0),
			text("lock_enabled", "true", 0),
			text("lock:settings", "strict", 0),
			text("app:config:lock", "on", 0),
			text("lock:timeout", "30", 0),
			text("lock:version", "2.1", 0),
			text("lock:orders", "false", 0),
			text("lock:orders", "unlocked", 0),
			text("lock:orders", "OFF", minute),
			text("door:lock:state", "open", 0),
		},
		"words that only sound like a lock": {
			text("clock", "1767323045", 0),
			text("system:clock", "1767323045123", 0),
			text("clock:offset", "17", 0),
			text("block:1", "1", 0),
			text("block:1", uuid, minute),
			text("blockchain:head", hex, 0),
			text("user:7:blocked", "1", minute),
			text("unlock:7", "1", minute),
			text("unlocked_at", "1767323045", 0),
			text("achievement:unlocked:7", "1", 0),
			text("flock:sheep", "12", 0),
			text("locker:7", "open", 0),
			text("locale", "en", 0),
			text("user:locale:7", "de", minute),
			text("release", "v1.2.3", 0),
			text("please:wait", "1", minute),
			text("locket:7", "gold", 0),
			text("deadlock:last", "orders", 0),
			text("padlock:7", "steel", 0),
			text("sherlock:index", "1", 0),
			text("lockdown:city", "1", 0),
		},
		"times": {
			text("lock:orders:created_at", "1767323000", 0),
			text("lock:last_seen_at", "1767323000.5", 0),
			text("updated", "1767323000000", 0),
			text("user:7:last_login", "1767323000", 0),
			text("orders", "web-1:1767323055123", 0),
			text("semaphore", "1767323000", 0),
			text("orders", uuid+":1767323055123", minute),
		},
		"data": {
			text("lock:orders", `{"owner":"a"}`, minute),
			text("lock:orders", `["a"]`, 0),
			text("lock:orders", "<html><body>locked</body></html>", minute),
			text("lock:orders", "first\nsecond", minute),
			text("lock:orders", "this text is a whole sentence about it", minute),
			text("lock:orders", `a:1:{i:0;s:1:"x";}`, minute),
			text("lock:orders", `O:8:"stdClass":0:{}`, 0),
			text("lock:orders", "\xac\xed\x00\x05sr\x00\x11java.util.HashMap", minute),
			text("lock:orders", "\x80\x04\x95\x10\x00\x00\x00\x00", minute),
			text("lock:orders", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff", minute),
			text("lock:orders", "HYLL\x01\x00\x00\x00", 0),
			text("lock:orders", "https://example.org/", minute),
			text("lock:orders", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.abc", minute),
			text("lock:orders", "\x00\x01", minute),
			text("lock:orders", strings.Repeat("a", maxToken+1), minute),
			text("lock:orders", strings.Repeat("a", 5<<20), minute),
			text("lock:x", strings.Repeat("\x00", 100<<20), 0),
			text("shop:stock-lock:item", "", minute),
			text("shop:stock-lock:item", "", 0),
			text("lock:script:sha", hex[:8]+"-", 0),
		},
		"keys beside a lock": {
			text("redisson_lock_token:{orders}", "2", 0),
			text("redisson_unlock_latch:{lock:orders}:"+hex, "1", minute),
			text("{orders_lock}:"+thread+":rwlock_timeout:1", "1", minute),
			recordOf(keyspace.TypeList, "redisson_lock_queue:{lock}", 0),
			recordOf(keyspace.TypeZSet, "redisson_lock_timeout:{orders:lock}", 0),
			recordOf(keyspace.TypeList, "lock-signal:orders", minute),
			recordOf(keyspace.TypeZSet, "rql:lock_queue:orders", 0),
			recordOf(keyspace.TypeList, "uniquejobs:"+hex+":QUEUED", 0),
			recordOf(keyspace.TypeZSet, "uniquejobs:digests", 0),
			text("uniquejobs:reaper", "1767323000", minute),
			text("uniquejobs:"+hex+":INFO", `{"worker":"W"}`, minute),
			text("asynq:{default}:processed:2026-01-02", "17", minute),
			text("SEMAPHORE:orders:EXISTS", "1", 0),
			recordOf(keyspace.TypeList, "SEMAPHORE:orders:AVAILABLE", 0),
			text("SEMAPHORE:orders:VERSION", "1", 0),
		},
		"almost a scheme of Python or Ruby": {
			text("lock-signal:orders", "KWfupndwb+Lq1x80C8oRdlwF", minute),
			text("orders", "KWfupndwb+Lq1x80C8oRdlwF", minute*60*48),
			hashRecord("SEMAPHORE:orders:GRABBED", 0, "0", "yes"),
			hashRecord("SEMAPHORE:orders:GRABBED", 0, "0", "17.5"),
			hashRecord("SEMAPHORE:orders:GRABBED", 0, "0", "1767323000.5", "1", "NaN"),
			hashRecord("semaphore:orders:grabbed", 0, "0", "1767323000.5"),
			hashRecord("SEMAPHORE:GRABBED", 0, "0", "1767323000.5"),
			text("SEMAPHORE:orders:GRABBED", "1767323000.5", 0),
			hashRecord("uniquejobs:"+hex+":LOCKED", 0, "b4a577edbccf1d805744efa9", "1"),
			hashRecord("uniquejobs:"+hex+":locked", 0, "b4a577edbccf1d805744efa9", "1767323000.123"),
			hashRecord("uniquejobs:digest:LOCKED", 0, "b4a577edbccf1d805744efa9", "1767323000.123"),
			hashRecord("uniquejobs:"+hex+":INFO", 0, "b4a577edbccf1d805744efa9", "1767323000.123"),
			recordOf(keyspace.TypeList, "uniquejobs:"+hex+":RUN:PRIMED", 0),
			hashRecord("rql:lock:orders", minute, "acq_id", "rql:acq:1/2/3/4/ab", "ts", "now", "ini_ttl", "5000"),
			hashRecord("rql:lock:orders", minute, "acq_id", "", "ts", "1767323000.5", "ini_ttl", "5000"),
			hashRecord("lock:orders", minute, "acq_id", "rql:acq:1/2/3/4/ab", "ts", "1767323000.5", "ini_ttl", "5000"),
			hashRecord("rql:swarm:hsts", 0, "rql:hst:1/2/3/ab", "1767323000.5"),
			recordOf(keyspace.TypeZSet, "rql:lock_queue:orders:write", 0),
			hashRecord("huey.results.mail", 0, "5b0e2f6c", "\x80\x04K\x01."),
			hashRecord("huey.results.mail", 0, "mail.lock.", "1"),
			hashRecord("huey.results.mail", 0, "other.lock.nightly", "1"),
			hashRecord("huey.results.mail", 0, "mail.lock.nightly", "0"),
			hashRecord("huey.counters.mail", 0, "mail.lock.nightly", "7"),
			text("lock:orders", "\x90", minute), // suo, when nobody holds it
			text("orders", suoValue("n4L/2ZlftbtoJhoNxYjXOg=="), 0),
		},
		"other types": {
			recordOf(keyspace.TypeSet, "blocklist", 0),
			recordOf(keyspace.TypeSet, "ip:blocklist:v4", 0),
			recordOf(keyspace.TypeList, "lock:queue", 0),
			recordOf(keyspace.TypeZSet, "locks:waiting", 0),
			recordOf(keyspace.TypeSet, "locks", 0),
			recordOf(keyspace.TypeZSet, "locks:orders", 0),
			recordOf(keyspace.TypeStream, "lock:events", 0),
			recordOf(keyspace.TypeZSet, "semaphore:orders", minute), // npm redis-semaphore keeps holders there
			recordOf(keyspace.TypeList, "shop:stock-lock:item", 0),
			recordOf(keyspace.TypeSet, "clock", 0),
			recordOf("ReJSON-RL", "lock:orders", minute),
		},
		"hashes": {
			hashRecord("cart:7", 30*minute, uuid, "2"),
			hashRecord("cart:8", minute, uuid, "2"),
			hashRecord("sess_7", minute, "lock", "1"),
			hashRecord("user:7", 0, "name", "a", "age", "7"),
			hashRecord("lock:orders", minute, "owner", "web-1", "since", "1767323000"),
			hashRecord("lock:orders", minute, "a", "1", "b", "1"),
			hashRecord("lock:orders", minute, "a", "0"),
			hashRecord("lock:orders", minute, "a", "-1"),
			hashRecord("lock:orders", minute, "a", "10001"),
			hashRecord("lock:orders", minute, "a", "1.5"),
			hashRecord("lock:orders", minute, "a", "01"),
			hashRecord("lock:orders", minute, "a", "one"),
			hashRecord("lock:orders", minute, "", "1"),
			hashRecord("lock:orders", minute, `{"a":1}`, "1"),
			hashRecord("shop:stock-lock:item", 0, "a", "1"),
			hashRecord("lock:count", 0, "orders", "7"),
			hashRecord("orders", minute, "worker", "1"),
			hashRecord("orders", time.Hour, "web-1:4711", "1"),
			hashRecord("orders", 0, "web-1:4711", "1"),
			// A read-write lock of Redisson has a mode that it knows, and no writer without one.
			hashRecord("lock:orders", minute, "mode", "fast", thread, "1"),
			hashRecord("orders", minute, thread, "1", "mode", "write"),
			hashRecord("orders", minute, "mode", "read"),
			hashRecord("orders", minute, "mode", "read", thread, "0"),
			hashRecord("orders", minute, "mode", "read", thread, "1", "name", "x"),
			// A faster multi-lock of Redisson has three fields a value, and no others.
			hashRecord("orders", minute, value, thread),
			hashRecord("orders", minute, value, thread, value+":"+thread+":expire_time", "1767323055123"),
			hashRecord("orders", minute, value, thread, value+":"+thread+":expire_time", "1767323055123", value+":"+thread+":lock_count", "0"),
			hashRecord("orders", minute, value, thread, value+":"+thread+":expire_time", "soon", value+":"+thread+":lock_count", "1"),
			hashRecord("orders", minute, value, "web-1", value+":web-1:expire_time", "1767323055123", value+":web-1:lock_count", "1"),
			hashRecord("orders", minute, value[1:], thread, value[1:]+":"+thread+":expire_time", "1767323055123", value[1:]+":"+thread+":lock_count", "1"),
			hashRecord("orders", minute, value, thread, value+":"+thread+":expire_time", "1767323055123", value+":"+thread+":lock_count", "1", "name", "x"),
			hashRecord("orders", minute, value+":"+thread+":expire_time", "1", value+":"+thread+":lock_count", "1", value[1:]+"a:"+thread+":lock_count", "1"),
			hashRecord("orders", minute, thread, "0"),
			hashRecord("orders", minute, thread, "x"),
			hashRecord("orders", minute, thread, "1", "b", "1"),
			hashRecord("orders", minute, uuid+":", "1"),
			hashRecord("orders", minute),
			cut,
		},
		"sorted sets and sets": {
			zsetOf("leaderboard", 0, symfonyA, "1200", symfonyB, "900"),
			zsetOf("sessions:seen", time.Hour, symfonyA, ms(-time.Minute), symfonyB, ms(-time.Hour)),
			zsetOf("sessions:ends", time.Hour, symfonyA, ms(time.Minute), "7", ms(time.Hour)),
			zsetOf("sessions:ends", time.Hour, symfonyA[:43]+"!", ms(time.Minute)),
			zsetOf("report", time.Hour, "__write__", "not a time", symfonyA, ms(time.Minute)),
			zsetOf("report", time.Hour, "__write__", ms(time.Minute)),
			zsetOf("{report}:time", time.Hour, symfonyA, inSeconds(time.Minute)), // no weights
			with(zsetOf("{report}:time", time.Hour, symfonyA, "17"), zsetOf("{report}:weight", time.Hour, symfonyA, "1")),
			zsetOf("{lock:report}:weight", time.Hour, symfonyA, "1"),
			zsetOf("workers", 0, machine, "17"),
			zsetOf("workers", 0, machine, ms(time.Minute), "web-1", ms(time.Minute)),
			zsetOf("semaphore:pool", 0, uuid, ms(0)),
			zsetOf("semaphore:pool", minute, uuid, "17"),
			zsetOf("semaphore:pool", minute, uuid, ms(30*24*time.Hour)),
			zsetOf("semaphore:pool", minute, uuid, ms(-48*time.Hour)),
			zsetOf("semaphore:pool", minute, uuid, ms(0), "waiting", ms(0)),
			zsetOf("sessions:seen", minute, uuid, ms(-time.Second)),
			elements(keyspace.TypeSet, "book.readers", 0, "ada", "", "bob", ""),
			elements(keyspace.TypeSet, "workers", 0, machine, ""),
			text("book.writer", "ada", 0),
			text("stock.writer", machine+"_WRITERWAITING", minute),
			text("stock.readers", machine, 0),
		},
	} {
		for _, r := range records {
			if l, ok := Rules(nil).Inspect(r, schemeNow); ok {
				t.Errorf("%s: %s %q = %.60q %v is taken for a lock: %s, %q",
					name, r.Type, r.Key, r.Value.Text, r.Value.Fields, l.Scheme, l.Evidence)
			}
			if Rules(nil).Follow(r) {
				t.Errorf("%s: %s %q is followed", name, r.Type, r.Key)
			}
		}
	}
}

// TestAClockThatIsSetRenewsNothing reads a key again after the server's clock was set back: it ends at the same time by that clock.
func TestAClockThatIsSetRenewsNothing(t *testing.T) {
	for _, feed := range []keyspace.Feed{keyspace.FeedPush, keyspace.FeedPoll} {
		c := newScene(t, feed)
		held := func(in time.Duration, serverTime int64) keyspace.Record {
			return keyspace.Record{
				Type: keyspace.TypeString, Size: 8, Value: keyspace.Value{Text: "worker-7"}, ExpiresAt: c.in(in), ExpireTime: serverTime,
			}
		}
		const ends = 1_900_000_000_000
		c.hints("new", "set").read(held(lease, ends)).expect("acquired worker-7")
		later := held(lease+time.Minute, ends) // the clock was set back by a minute
		c.after(time.Second).read(later).expect()
		if l := c.lock(); !l.ExpiresAt.Equal(later.ExpiresAt) {
			t.Errorf("%s: it ends at %v, want %v", feed, l.ExpiresAt, later.ExpiresAt)
		}
		c.after(time.Second).hints("expire").read(held(lease+2*time.Minute, ends+61_000)).expect("extended worker-7")
	}
}

// TestLateNewsOfAnAcquisition counts a hold once whose value was read before its beginning was announced.
func TestLateNewsOfAnAcquisition(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "set").text("worker-1", c.in(lease)).expect("acquired worker-1")
	c.hints("expired").text("worker-2", c.in(lease)) // "new" and "set" are still on their way
	c.late("new", "set").hints("del", "new", "set").text("worker-1", c.in(lease))
	c.expect("expired worker-1 expired", "acquired worker-2<worker-1 expired", "released worker-2 freed", "acquired worker-1<worker-2 freed")
	l := c.lock()
	if n, times := l.AcquisitionsPerMinute(c.now).Last(ChronicleMinutes), l.HoldTimes(); n != 3 || times.Count != 2 {
		t.Errorf("%d acquisitions, %+v", n, times)
	}
}
