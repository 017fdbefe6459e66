package inspector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// noon is the local time of all tests that need none of their own.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// lease is a TTL in a table: none, or so long.
const none = time.Duration(0)

func stringAt(key, value string, ttl time.Duration) keyspace.Record {
	r := keyspace.Record{
		Ref: keyspace.Ref{Node: "127.0.0.1:6379", Key: key}, Type: keyspace.TypeString, Size: int64(len(value)), ReadAt: noon,
		Value: keyspace.Value{Text: value[:min(len(value), keyspace.MaxText)]}, Truncated: len(value) > keyspace.MaxText,
	}
	if ttl != none {
		r.ExpiresAt = noon.Add(ttl)
	}
	return r
}

func hashAt(key string, ttl time.Duration, fields ...string) keyspace.Record {
	r := stringAt(key, "", ttl)
	r.Type, r.Size = keyspace.TypeHash, int64(len(fields)/2)
	for i := 0; i < len(fields); i += 2 {
		r.Value.Fields = append(r.Value.Fields, keyspace.Field{Name: fields[i], Value: fields[i+1]})
	}
	return r
}

func typeAt(key string, t keyspace.Type, size int64, ttl time.Duration) keyspace.Record {
	r := stringAt(key, "", ttl)
	r.Type, r.Size = t, size
	return r
}

const (
	uuid4     = "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11"
	redisson1 = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"
)

// TestSchemes shows the bytes that libraries really write.
func TestSchemes(t *testing.T) {
	future := fmt.Sprint(noon.Add(30 * time.Second).UnixMilli())
	for _, c := range []struct {
		library string
		record  keyspace.Record
		scheme  Scheme
		state   State
		label   string // empty: the owner itself
		count   int64  // 0: unknown
	}{
		{"redsync", stringAt("orders-mutex", "n4L/2ZlftbtoJhoNxYjXOg==", 8*time.Second), SchemeToken, StateHeld, "", 0},
		{"bsm/redislock", stringAt("lock:42", "KeGMyQQgoqooveng-HF-Rg", time.Second), SchemeToken, StateHeld, "", 0},
		{"bsm/redislock with metadata", stringAt("lock:42", "KeGMyQQgoqooveng-HF-Rghost=web1", time.Second), SchemeToken, StateHeld, "", 0},
		{"rueidislock", stringAt("rueidislock:0:jobs", "\x01\xff\x80abcdefghijklmnopqrst\x00", 5*time.Second), SchemeToken, StateHeld, "", 0},
		{"rslock", stringAt("my_lock", "\x01\xff\x80abcdefghijklmnop\x00", 5*time.Second), SchemeToken, StateHeld, "", 0},
		{"go-zero", stringAt("lock:stock", "x8Qm2Zt7LbWc4RpA", 3500*time.Millisecond), SchemeToken, StateHeld, "", 0},
		{"asynq", stringAt("asynq:{default}:unique:email:0cc175b9c0f1b6a831c399e269772661", uuid4, time.Hour), SchemeToken, StateHeld, "", 0},
		{"npm redlock", stringAt("locks:account:322456", "594730fb989a82f9c4b373d423b32f22", 5*time.Second), SchemeToken, StateHeld, "", 0},
		{"redis-semaphore mutex", stringAt("mutex:key", uuid4, 10*time.Second), SchemeToken, StateHeld, "", 0},
		{"BullMQ", stringAt("bull:mail:17:lock", uuid4+":0", 30*time.Second), SchemeToken, StateHeld, "worker a0e252f4, lock 0", 0},
		{"errorception", stringAt("lock.job", future, 30*time.Second), SchemeTimestamp, StateHeld, "", 0},
		{"redis-py", stringAt("job-lock", "2bc90076e4f811f1967002fc00000001", 10*time.Second), SchemeToken, StateHeld, "", 0},
		{"redis-py without timeout", stringAt("job-lock", "2bc90076e4f811f1967002fc00000001", none), SchemeSetNX, StateStuck, "", 0},
		{"python-redis-lock", stringAt("lock:name", "KWfupndwb+Lq1x80C8oRdlwF", none), SchemeSetNX, StateStuck, "", 0},
		{"pottery", stringAt("redlock:printer", uuid4, 10*time.Second), SchemeToken, StateHeld, "", 0},
		{"redlock-py", stringAt("resource_lock", "GmZ0aT3rLq9XbV2sYw7KpE", time.Second), SchemeToken, StateHeld, "", 0},
		{"RedBeat", stringAt("redbeat::lock", "2bc90076e4f811f1967002fc00000001", 1500*time.Second), SchemeToken, StateHeld, "", 0},
		{"celery-singleton", stringAt("SINGLETONLOCK_0cc175b9c0f1b6a831c399e269772661", uuid4, none), SchemeSetNX, StateStuck, "", 0},
		{"RQ", stringAt("rq:scheduler-lock:default", "web1.4242", 61*time.Second), SchemeToken, StateHeld, "", 0},
		{"RedLock.net", stringAt("redlock:resource", uuid4, 30*time.Second), SchemeToken, StateHeld, "", 0},
		{"DistributedLock", stringAt("MyLock", "WEB01_4242_0f8fad5bd9cb469fa16570867728950e", 30*time.Second), SchemeToken, StateHeld, "host WEB01, process 4242", 0},
		{"FreeRedis", stringAt("RedisClientLock:stock", uuid4, 10*time.Second), SchemeToken, StateHeld, "", 0},
		{"Hangfire", stringAt("{hangfire}:queue:default:dequeued:lock", uuid4, 30*time.Second), SchemeToken, StateHeld, "", 0},
		{"Laravel", stringAt("laravel_database_laravel_cache_order-lock", "x8Qm2Zt7LbWc4RpA", 10*time.Second), SchemeToken, StateHeld, "", 0},
		{"Laravel, serialised by PHP", stringAt("laravel_cache_order-lock", `s:16:"x8Qm2Zt7LbWc4RpA";`, 10*time.Second), SchemeToken, StateHeld, "x8Qm2Zt7LbWc4RpA", 0},
		{"Laravel, JSON string", stringAt("laravel_cache_order-lock", `"x8Qm2Zt7LbWc4RpA"`, 10*time.Second), SchemeToken, StateHeld, "x8Qm2Zt7LbWc4RpA", 0},
		{"Laravel unique job", stringAt("app_database_laravel_unique_job:App\\Jobs\\Mail:7", "x8Qm2Zt7LbWc4RpA", time.Hour), SchemeToken, StateHeld, "", 0},
		{"Symfony <= 5.1", stringAt("invoice-lock", "4sXcS8sX0RzGm0v2mF6mPz0c1o6cB7Kk6T0Jk1b2c3Q=", 300*time.Second), SchemeToken, StateHeld, "", 0},
		{"redlock-php", stringAt("my_lock", "5f3e9a1b2c3d4", time.Second), SchemeToken, StateHeld, "", 0},
		{"php-lock", stringAt("php-malkusch-lock:x", strings.Repeat("a1b2c3d4", 8), 365*24*time.Hour), SchemeToken, StateHeld, "", 0},
		{"cheprasov", stringAt("Lock:foo", "4242:0.123 1234567890:99", 10*time.Second), SchemeToken, StateHeld, "", 0},
		{"phpredis session", stringAt("PHPREDIS_SESSION:abc_LOCK", "vm|1594", none), SchemeSetNX, StateStuck, "host vm, process 1594", 0},
		{"ShedLock", stringAt("job-lock:default:nightly", "ADDED:2026-11-21T11:59:00.123Z@web1:"+uuid4, time.Minute), SchemeToken, StateHeld, "host web1", 0},
		{"Spring cache", stringAt("books~lock", "", none), SchemeSetNX, StateStuck, "", 0},
		{"Spring Integration", stringAt("locks:inventory", uuid4, time.Minute), SchemeToken, StateHeld, "", 0},
		{"lock4j", stringAt("lock4j:order#7", strings.ReplaceAll(uuid4, "-", ""), 30*time.Second), SchemeToken, StateHeld, "", 0},
		{"GitLab", stringAt("gitlab:exclusive_lease:project:7", uuid4, time.Hour), SchemeToken, StateHeld, "", 0},
		{"activejob-uniqueness", stringAt("activejob_uniqueness:mail_job:no_arguments", uuid4, 24*time.Hour), SchemeToken, StateHeld, "", 0},
		{"sidekiq-unique-jobs", stringAt("uniquejobs:0cc175b9c0f1b6a831c399e269772661", "b1a2c3d4e5f60718293a4b5c", none), SchemeSetNX, StateStuck, "", 0},
		{"redis-objects 2", stringAt("cart:7:checkout_lock", "", time.Second), SchemeToken, StateHeld, "", 0},
		{"Elixir redlock", stringAt("resource.lock", strings.Repeat("0123456789", 8), time.Second), SchemeToken, StateHeld, "", 0},
		{"own, EX 1", stringAt("lock:report", "1", 30*time.Second), SchemeToken, StateHeld, "", 0},
		{"own, host", stringAt("deployLock", "web-7", 30*time.Second), SchemeToken, StateHeld, "", 0},
		{"own, SETNX 1", stringAt("lock:report", "1", none), SchemeSetNX, StateStuck, "", 0},
		{"own, SETNX true", stringAt("import.lock", "true", none), SchemeSetNX, StateStuck, "", 0},
		{"own, time of the acquisition", stringAt("lock:x", fmt.Sprint(noon.Unix()), 30*time.Second), SchemeToken, StateHeld, "", 0},
		{"own pattern, UUID", stringAt("jobs:running:7", uuid4, 30*time.Second), SchemeToken, StateHeld, "", 0},

		{"jedis-lock", stringAt("orders_lock", uuid4+":"+future, none), SchemeTimestamp, StateHeld, uuid4, 0},
		{"jedis-lock, lapsed", stringAt("orders_lock", uuid4+":1795000000000", none), SchemeTimestamp, StateLapsed, uuid4, 0},
		{"jedis-lock, older", stringAt("orders_lock", future, none), SchemeTimestamp, StateHeld, "", 0},
		{"jedis-lock, any name", stringAt("orders", uuid4+":"+future, none), SchemeTimestamp, StateHeld, uuid4, 0},
		{"redis-mutex", stringAt("RedisMutex:Order:7", "1795262430.1234567", none), SchemeTimestamp, StateHeld, "", 0},
		{"seconds", stringAt("lock:x", "1795262430", none), SchemeTimestamp, StateHeld, "", 0},
		{"seconds, lapsed", stringAt("lock:x", "1795262399", none), SchemeTimestamp, StateLapsed, "", 0},

		{"Redisson", hashAt("orders:checkout", 30*time.Second, redisson1, "3"), SchemeRedisson, StateHeld, "client 0f4d3a52, thread 42", 3},
		{"Redisson, no TTL", hashAt("orders:checkout", none, redisson1, "1"), SchemeRedisson, StateStuck, "client 0f4d3a52, thread 42", 1},
		{"Redisson under a trap", hashAt("block:7", 30*time.Second, redisson1, "1"), SchemeRedisson, StateHeld, "client 0f4d3a52, thread 42", 1},
		{"texts", hashAt("lock:orders", 10*time.Second, "worker-7:12", "2"), SchemeReentrant, StateHeld, "", 2},
		{"texts, any name", hashAt("orders", 10*time.Second, uuid4, "1"), SchemeReentrant, StateHeld, "", 1},
		{"texts, stuck", hashAt("lock:orders", none, "worker-7", "1"), SchemeReentrant, StateStuck, "", 1},

		{"list", typeAt("lock:orders", keyspace.TypeList, 3, none), SchemeUnknown, StateWrong, "", 0},
		{"set", typeAt("orders:lock", keyspace.TypeSet, 3, none), SchemeUnknown, StateWrong, "", 0},
		{"sorted set", typeAt("orders_lock", keyspace.TypeZSet, 3, none), SchemeUnknown, StateWrong, "", 0},
		{"stream", typeAt("mutex:orders", keyspace.TypeStream, 3, none), SchemeUnknown, StateWrong, "", 0},
		{"other hash", hashAt("lock:orders", none, "owner", "w1", "at", "12:00"), SchemeUnknown, StateWrong, "", 0},
		{"module", typeAt("lock:orders", "ReJSON-RL", 1, none), SchemeUnknown, StateWrong, "", 0},
	} {
		t.Run(c.library, func(t *testing.T) {
			l, is := Inspect(c.record, noon)
			if !is {
				t.Fatal("not taken for a lock")
			}
			if l.Scheme != c.scheme || l.State != c.state {
				t.Fatalf("scheme %s, state %s; want %s, %s\n%s", l.Scheme, l.State, c.scheme, c.state, strings.Join(l.Evidence, "\n"))
			}
			if !Follow(c.record) {
				t.Error("a lock that is not followed")
			}
			if len(l.Evidence) < 2 {
				t.Errorf("evidence %q", l.Evidence)
			}
			if c.scheme == SchemeUnknown {
				return
			}
			h := l.Holders[0]
			label := c.label
			if label == "" {
				label = h.Owner
			}
			if h.Label != label || h.Count.N != c.count || h.Count.Known != (c.count > 0) {
				t.Errorf("holder %+v; want the label %q, the count %d", h, label, c.count)
			}
			if c.record.Type == keyspace.TypeString && h.Owner != c.record.Value.Text {
				t.Errorf("owner %q is not the value's bytes", h.Owner)
			}
		})
	}
}
