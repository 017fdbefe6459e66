package inspector

import (
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// corpus is what applications keep in Redis besides locks: keys as they are found on servers, one or more of each kind.
func corpus() map[string][]keyspace.Record {
	const (
		uuid   = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
		hex32  = "594730fb989a42f9c4b373d423b32f22"
		hex40  = hex32 + "594730fb"
		b64    = "KWfupndwb+Lq1x80C8oRdlwF"
		jwt    = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.c2ln"
		minute = time.Minute
		hour   = time.Hour
		day    = 24 * time.Hour
	)
	text := stringRecord
	hash := hashRecord
	of := elements
	return map[string][]keyspace.Record{
		"sessions": {
			text("session:"+uuid, `{"user":7}`, hour), text("spring:session:sessions:expires:"+uuid, "", 30*minute),
			hash("spring:session:sessions:"+uuid, 30*minute, "creationTime", "1767323000000", "maxInactiveInterval", "1800"),
			of(keyspace.TypeSet, "spring:session:expirations:1767323040000", hour, "expires:"+uuid, ""),
			text("PHPREDIS_SESSION:"+hex32, `user|s:1:"7";`, 24*minute), text("sess:"+hex32, hex32, hour),
			text("connect.sid:"+b64, uuid, hour), text("laravel_session:"+hex40, `a:1:{s:6:"_token";s:1:"x";}`, 2*hour),
			text("flask:session:"+uuid, "\x80\x04\x95\x10\x00\x00\x00", hour), text("django.contrib.sessions.cache"+hex32, "\x80\x05\x95", day),
			hash("sess_"+hex32, hour, "data", "x", "lock", "0", "wait", "0"),
		},
		"one-time passwords and tokens": {
			text("otp:+491701234567", "482913", 5*minute), text("2fa:7", "482913", minute), text("totp:last:7", "58910766", minute),
			text("verify:email:"+uuid, "ada@example.org", day), text("password-reset:"+hex40, "7", hour),
			text("magic_link:"+uuid, uuid, 15*minute), text("oauth:state:"+b64, uuid, 10*minute), text("refresh_token:7", hex40, 30*day),
			text("jwt:blacklist:"+uuid, "1", hour), text("access_token:7", jwt, hour), text("csrf:"+hex32, hex32, hour),
			text("invite:"+uuid, "42", 7*day), text("pin:lockscreen:7", "1234", 0), text("nonce:"+uuid, "1", 5*minute),
		},
		"idempotency keys": {
			text("idempotency:"+uuid, "processing", day), text("idempotency:payment:"+uuid, uuid, day),
			text("dedup:"+hex40, "1", hour), text("processed:event:"+uuid, "1767323000", 7*day), text("msgid:"+uuid, "", hour),
			text("webhook:seen:"+uuid, "1", day),
		},
		"counters and statistics": {
			text("views:article:17", "88231", 0), text("likes:7", "12", 0), text("counter:visits", "1767323045", 0),
			text("stats:2026-01-02:signups", "17", 0), text("stat:processed:2026-01-02", "8812", 0), text("stat:failed", "17", 0),
			text("id:orders", "1000231", 0), text("seq:invoice", "7731", 0), text("hits:/index.html", "7", minute),
			text("online:count", "512", 0), text("downloads:linux-amd64", "31337", 0), text("deadlocks_total", "3", 0),
			text("@simple-redis-mutex:fencing-tokens", "17", 0), text("mutex:orders:token", "17", 0), text("lock:sequence", "8812", 0),
			text("orders-lock:fence", "17", 0), text("locks:fencing:orders", "17", time.Hour),
			text("lock_contention_total", "381", 0), text("lock:wait:ms:sum", "12345", 0), text("metrics:locks:held", "12", 0),
			text("asynq:{default}:processed:2026-01-02", "17", 90*day), hash("stats:locks", 0, "acquired", "17", "failed", "2"),
			of(keyspace.TypeZSet, "leaderboard:weekly", 0, "anna", "17", "bert", "12"), of(keyspace.TypeZSet, "locks:by_duration", 0, "orders", "12.5"),
		},
		"caches": {
			text("cache:user:7", `{"id":7}`, hour), text("cache:page:/blocks/7", "<html></html>", minute), text("views.decorators.cache."+hex32, "\x80\x04\x95", minute),
			text("orders_lock_report", "{\"ct\": 1767323045.25, \"v\": 2}|\x80\x05\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07value-1\x94.", hour),
			text("lock:report", "{\"ct\": 1767323045.25, \"v\": 2}|\x80\x02K\x07.", 0), text("lock:report", `{"ct": 1767323045.25, "v": 2}|7`, 0),
			text("lock:page", "!\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07value-1\x94.", hour),
			text("cache:etag:/a", hex32, hour), text("laravel_cache:config", `a:0:{}`, 0), text("laravel_database_laravel_cache_user_7", `i:7;`, hour),
			text("product:7:price", "19.99", hour), text("fx:EURUSD", "1.0842", minute), text("geo:ip:10.0.0.7", "DE", day),
			text("i18n:en:unlock", "Unlock", 0), text("thumb:"+hex40, "\x89PNG\r\n", day),
			text("article:17:html", strings.Repeat("<p>", 400), hour), hash("user:7", 0, "name", "Ada", "locked", "0"),
			hash("books", hour, "7", `{"title":"x"}`), text("wordpress:posts:17", `O:8:"WP_Post":0:{}`, hour), text("rails:cache:views/17", "\x04\x08o:", hour),
			of(keyspace.TypeZSet, "cache:index:orders", 0, "17", "1767323000"),
		},
		"rate limits": {
			text("ratelimit:7:1767323040", "12", minute), text("rl:api:10.0.0.7", "3", minute), text("throttle:login:7", "5", 15*minute),
			text("lockout:7", "1", 15*minute), text("login:attempts:7", "3", 15*minute), text("account:7:lockout_until", "1767323945", 15*minute),
			hash("bucket:7", minute, "tokens", "12", "last", "1767323044"), of(keyspace.TypeZSet, "rate:7", minute, uuid, "1767323044123", uuid+"x", "1767323044200"),
			text("laravel_cache:"+hex40+":timer", "1767323105", minute), text("quota:7:2026-01", "812", 31*day), text("circuit:payments:open", "1", 30*time.Second),
			text("cooldown:email:7", "1", hour), text("blocked:ip:10.0.0.7", "1", hour), text("blocklist:ip:10.0.0.7", "spam", day),
		},
		"feature flags and settings": {
			text("feature:new-checkout", "true", 0), hash("features", 0, "lock_screen", "1", "dark", "0"), text("flag:block_signups", "0", 0),
			text("maintenance:mode", "off", 0), text("config:lock_timeout", "30", 0), text("setting:autolock", "5m", 0), text("app:version", "1.2.3", 0),
			text("schema:version", "20260102030405", 0), text("deploy:sha", hex40, 0), text("lock_ttl_seconds", "30", 0), text("kill-switch:orders", "false", 0),
		},
		"queues": {
			of(keyspace.TypeList, "queue:default", 0, `{"jid":"x"}`, ""), of(keyspace.TypeSet, "queues", 0, "default", ""),
			of(keyspace.TypeZSet, "schedule", 0, `{"jid":"x"}`, "1767323000.5"), of(keyspace.TypeZSet, "retry", 0, `{"jid":"x"}`, "1767323000.5"),
			of(keyspace.TypeList, "bull:mails:wait", 0, "17", ""), hash("bull:mails:17", 0, "name", "mail", "data", "{}"), hash("bull:mails:meta", 0, "opts.maxLenEvents", "10000"),
			of(keyspace.TypeSet, "bull:mails:stalled", 0, "17", ""), text("bull:mails:stalled-check", "1767323000000", 30*time.Second), text("bull:mails:id", "17", 0),
			of(keyspace.TypeZSet, "bull:mails:completed", 0, "17", "1767323000000"), of(keyspace.TypeStream, "bull:mails:events", 0),
			hash("celery-task-meta-"+uuid, day, "status", "SUCCESS"), text("celery-task-meta-"+uuid, `{"status":"SUCCESS"}`, day), of(keyspace.TypeList, "celery", 0, "{}", ""),
			hash("unacked", 0, uuid, "[]"), of(keyspace.TypeZSet, "unacked_index", 0, uuid, "1767323000.1"), hash("rq:job:"+uuid, 0, "status", "queued"),
			of(keyspace.TypeZSet, "rq:wip:default", 0, uuid, "1767323000"), text("rq:worker:"+hex32+":heartbeat", "1767323000", 7*minute),
			hash("resque:stat", 0, "processed", "17"), of(keyspace.TypeZSet, "asynq:{default}:lease", 0, uuid, "1767323075"), of(keyspace.TypeList, "horizon:pending_jobs", 0, "x", ""),
			of(keyspace.TypeStream, "orders:stream", 0), text("{hangfire}:job:17:state", "Succeeded", day), hash("{hangfire}:job:17", day, "Type", "x", "CreatedAt", "1767323000"),
			of(keyspace.TypeList, "{hangfire}:queue:default:dequeued", 0, uuid, ""), text("{hangfire}:stats:succeeded", "17", 0), text("sidekiq:quiet", "true", 0),
			hash("host:4711:"+hex32[:12], minute, "busy", "2", "beat", "1767323044.1"), text("uniquejobs:reaper", "1767323044", hour),
		},
		"presence and places": {
			text("presence:7", "online", 30*time.Second), text("heartbeat:web-1", "1767323044", 30*time.Second), text("alive:web-1:4711", "1", 10*time.Second),
			hash("instances:web-1", 30*time.Second, "ip", "10.0.0.7", "port", "8080"), text("typing:room:7", "anna", 5*time.Second), of(keyspace.TypeSet, "room:7:members", 0, "anna", "", "bert", ""),
			of(keyspace.TypeZSet, "geo:drivers", 0, "7", "3479099956230698"), text("cart:"+uuid, `{"items":[]}`, day), hash("cart:7", day, uuid, "2"), text("locker:berlin:7", "open", 0),
			text("clock:skew:web-1", "12", hour), text("block:000000000019d668", hex32+hex32, 0), text("deadlock:report:7", "x waits for y", day), text("flock:7", "12 sheep", 0),
		},
	}
}

// TestCorpus: none of what else is kept in Redis is taken for a lock.
func TestCorpus(t *testing.T) {
	total := 0
	for kind, records := range corpus() {
		for _, r := range records {
			total++
			if l, is := Rules(nil).Inspect(r, schemeNow); is {
				t.Errorf("%s: %s %q = %.60q %v is taken for a lock: %s, %q", kind, r.Type, r.Key, r.Value.Text, r.Value.Fields, l.Scheme, l.Evidence)
			}
			if Rules(nil).Follow(r) {
				t.Errorf("%s: %s %q is followed", kind, r.Type, r.Key)
			}
		}
	}
	if total < 130 {
		t.Errorf("the corpus has %d keys only; with those of TestLookAlikes there are to be 200 at least", total)
	}
}

// Their names alone make look-alikes of these, and nothing tells them from locks: they are shown with the evidence that says so.
func TestOnlyTheirNamesSpeakForThem(t *testing.T) {
	for _, r := range []keyspace.Record{
		stringRecord("lock:counter:orders:lock", "17", time.Minute), stringRecord("app:lock", "v2", time.Hour),
		stringRecord("cache_lock", "warm", time.Hour), stringRecord("user:7:lock", "yes", 0), stringRecord("door_lock", "shut", 0),
		stringRecord("semaphore", "green", 0), stringRecord("phone:lock", "77", 0),
		stringRecord("translation:de:lock", "Schloss", 0),
	} {
		l, is := Rules(nil).Inspect(r, schemeNow)
		if is && l.Evidence[len(l.Evidence)-1] != evidenceNameOnly {
			t.Errorf("%q = %q is taken for %s by %q", r.Key, r.Value.Text, l.Scheme, l.Evidence)
		}
	}
}
