package actions

import (
	"time"

	"locktop/inspector"
)

// The locks of libraries that look like something else, as they were found on a server.
func init() {
	const (
		node   = "4c173c10-95bb-43c1-b5a6-7b7afdceed75:d4ff2cdf-52dd-4049-9b10-d3e0757bf7d6"
		tokenA = "lock_token:0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11"
		tokenB = "lock_token:9c2b1e77-02a4-4f51-a1c0-5d1f3c5a7b9e"
		pickle = "\x80\x05\x95\x05\x00\x00\x00\x00\x00\x00\x00\x8c\x011\x94."
	)
	commands := func(all ...[]any) func(time.Time) [][]any {
		return func(time.Time) [][]any { return all }
	}
	exclusive := func(name, key string, scheme inspector.Scheme, label string, setup ...[]any) fixture {
		return fixture{name: name, key: key, scheme: scheme, mode: inspector.ModeExclusive, labels: []string{label}, setup: commands(setup...)}
	}
	listening := inspector.Waiters{By: inspector.WaitersSubscribers}
	nodeRedisson := exclusive("node-redisson 1.0.4", "orders", inspector.SchemeRedisson, "client 4c173c10, id d4ff2cdf-52dd-4049-9b10-d3e0757bf7d6",
		[]any{"HSET", "orders", node, 1}, []any{"PEXPIRE", "orders", 30000})
	nodeRedisson.waiters = listening
	ioredfour := exclusive("ioredfour 1.4.3", "lock:orders", inspector.SchemeRedfour, "acquisition 17",
		[]any{"SET", "lockindex", 17}, []any{"HSET", "lock:orders", "index", 17}, []any{"PEXPIRE", "lock:orders", 30000})
	ioredfour.waiters, ioredfour.left = inspector.Waiters{Exact: true, By: inspector.WaitersShared}, []string{"lockindex"}
	hueyPickled := exclusive("huey 3.3", "huey.results.mail", inspector.SchemeHuey, "nightly",
		[]any{"HSETNX", "huey.results.mail", "mail.lock.nightly", pickle},
		[]any{"HSET", "huey.results.mail", "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e", "\x80\x05K\x01."})
	hueyPickled.left = []string{"huey.results.mail"}
	magento := exclusive("Cm_RedisSession 3.0", "sess_k3j4h5", inspector.SchemeSessionLock, "web-1, process 4711",
		[]any{"HSET", "sess_k3j4h5", "data", ":gz:x\x9c", "writes", 3, "lock", 4, "pid", "web-1|4711", "wait", 2, "req", "GET shop/cart"},
		[]any{"EXPIRE", "sess_k3j4h5", 21600})
	magento.waiters, magento.left = inspector.Waiters{Count: 2, By: inspector.WaitersCounter}, []string{"sess_k3j4h5"}
	entered := exclusive("jefferyjob/go-redislock 1.7, entered twice", "{orders}", inspector.SchemeGoRedislock, "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11",
		[]any{"SET", "{orders}", tokenA, "PX", 30000}, []any{"SET", "{orders}:count:" + tokenA, 2, "PX", 30000})
	fair := exclusive("jefferyjob/go-redislock 1.7, fair", "{orders}", inspector.SchemeGoRedislock, "request-1",
		[]any{"SET", "{orders}", "request-1", "PX", 30000}, []any{"ZADD", "{orders}:queue", 1767323044000, "request-1", 1767323045000, "request-2"})
	fair.waiters, fair.left = inspector.Waiters{Count: 1, Exact: true, By: inspector.WaitersQueue}, []string{"{orders}:queue"}
	fixtures = append(fixtures, nodeRedisson, ioredfour, hueyPickled, magento, entered, fair,
		exclusive("huey 3.3, RedisExpireHuey", "huey.r.mail.mail.lock.nightly", inspector.SchemeSetNX, "unknown",
			[]any{"SETNX", "huey.r.mail.mail.lock.nightly", pickle}),
		exclusive("RQ 1.13 scheduler", "rq:scheduler-lock:default", inspector.SchemeToken, "process 4711",
			[]any{"SET", "rq:scheduler-lock:default", "4711", "NX", "EX", 61}),
		exclusive("RQ 1.13 cleaner", "rq:clean_registries:default", inspector.SchemeToken, "unknown",
			[]any{"SET", "rq:clean_registries:default", "1", "NX", "EX", 899}),
		exclusive("dogpile.cache 1.1", "_lockuser:7", inspector.SchemeSetNX, "2bc90076e4f811ef967002fc00000001",
			[]any{"SET", "_lockuser:7", "2bc90076e4f811ef967002fc00000001", "NX"}),
		exclusive("Laravel 12, a plain name", "laravel_database_laravel_cache_podcast-42", inspector.SchemeToken, "x8Qm2Zt7LbWc4RpA",
			[]any{"SET", "laravel_database_laravel_cache_podcast-42", "x8Qm2Zt7LbWc4RpA", "EX", 60, "NX"}),
		exclusive("Laravel 8 scheduler", "laravel_cache:framework/schedule-5d41402abc4b2a76b9719d911017c5925d414021", inspector.SchemeToken, "unknown",
			[]any{"SET", "laravel_cache:framework/schedule-5d41402abc4b2a76b9719d911017c5925d414021", "b:1;", "EX", 86400}),
		exclusive("redis-promise-lock 1.0.4", "redis-promise-lock:orders", inspector.SchemeToken, "unknown, since 2026-11-22 11:13:48Z",
			[]any{"SETNX", "redis-promise-lock:orders", `{"lockedSince":"2026-11-22T11:13:48.324Z"}`}, []any{"EXPIRE", "redis-promise-lock:orders", 30}),
		fixture{
			name: "jefferyjob/go-redislock 1.7, read lock", key: "stock", scheme: inspector.SchemeCountedRW, mode: inspector.ModeRead,
			labels: []string{"0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11", "9c2b1e77-02a4-4f51-a1c0-5d1f3c5a7b9e"},
			setup: commands([]any{"HSET", "stock", "mode", "read", "rcount", 3, "r:" + tokenA, 2, "r:" + tokenB, 1},
				[]any{"PEXPIRE", "stock", 30000}),
		},
		fixture{
			name: "jefferyjob/go-redislock 1.7, write lock", key: "stock", scheme: inspector.SchemeCountedRW, mode: inspector.ModeWrite,
			labels: []string{"0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11"},
			setup:  commands([]any{"HSET", "stock", "mode", "write", "writer", tokenA, "wcount", 2}, []any{"PEXPIRE", "stock", 30000}),
		},
	)
}
