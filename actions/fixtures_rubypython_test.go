package actions

import (
	"time"

	"locktop/inspector"
)

func init() {
	fixtures = append(fixtures,
		fixture{
			name: "python-redis-lock 4.0.1", key: "lock:orders",
			setup: func(time.Time) [][]any {
				return [][]any{{"SET", "lock:orders", "KWfupndwb+Lq1x80C8oRdlwF", "NX", "EX", 60}}
			},
			scheme: inspector.SchemePythonRedisLock, mode: inspector.ModeExclusive, labels: []string{"KWfupndwb+Lq1x80C8oRdlwF"},
			waiters: inspector.Waiters{Exact: true, By: inspector.WaitersBlocked}, passing: []string{"lock-signal:orders"},
		},
		fixture{
			name: "python-redis-lock 4.0.1 without expire, after another release", key: "lock:orders",
			setup: func(time.Time) [][]any {
				return [][]any{
					{"LPUSH", "lock-signal:orders", 1},
					{"PEXPIRE", "lock-signal:orders", 1000},
					{"SET", "lock:orders", "KWfupndwb+Lq1x80C8oRdlwF", "NX"},
				}
			},
			scheme: inspector.SchemePythonRedisLock, mode: inspector.ModeExclusive, labels: []string{"KWfupndwb+Lq1x80C8oRdlwF"},
			waiters: inspector.Waiters{Exact: true, By: inspector.WaitersBlocked}, passing: []string{"lock-signal:orders"},
		},
		fixture{
			name: "redis-semaphore (Ruby) 0.3.1, two of two tokens", key: "SEMAPHORE:orders:GRABBED",
			setup: func(time.Time) [][]any {
				return [][]any{
					{"SET", "SEMAPHORE:orders:EXISTS", "1"},
					{"SET", "SEMAPHORE:orders:VERSION", "1"},
					{"HSET", "SEMAPHORE:orders:GRABBED", "0", "1767323000.5", "1", "1767323001.25"},
				}
			},
			scheme: inspector.SchemeRubySemaphore, mode: inspector.ModeSemaphore,
			labels:  []string{"token 0, since 2026-01-02 03:03:20Z", "token 1, since 2026-01-02 03:03:21Z"},
			waiters: inspector.Waiters{Exact: true, By: inspector.WaitersBlocked},
			left:    []string{"SEMAPHORE:orders:AVAILABLE", "SEMAPHORE:orders:EXISTS", "SEMAPHORE:orders:VERSION"},
		},
		fixture{
			name: "sidekiq-unique-jobs 8.1.0", key: uniqueDigest + ":LOCKED",
			setup: func(time.Time) [][]any {
				return [][]any{
					{"SET", uniqueDigest, jobA},
					{"HSET", uniqueDigest + ":LOCKED", jobA, "1767323000.1229999"},
					{"SET", uniqueDigest + ":INFO", `{"worker":"MailJob"}`},
					{"ZADD", "uniquejobs:digests", "1767323000.123", uniqueDigest},
				}
			},
			scheme: inspector.SchemeUniqueJobs, mode: inspector.ModeExclusive, labels: []string{"job " + jobA + ", since 2026-01-02 03:03:20Z"},
			waiters: inspector.Waiters{Exact: true, By: inspector.WaitersQueue}, passing: []string{uniqueDigest + ":QUEUED"},
		},
		fixture{
			name: "sidekiq-unique-jobs 8.1.0, a limit of two, with lock_ttl, until expired", key: uniqueDigest + ":LOCKED",
			setup: func(time.Time) [][]any {
				return [][]any{
					{"SET", uniqueDigest, jobB, "PX", 60000},
					{"LPUSH", uniqueDigest + ":PRIMED", "ffffffffffffffffffffffff"},
					{"HSET", uniqueDigest + ":LOCKED", jobA, "1767323000.1229999", jobB, "1767323001.5"},
					{"PEXPIRE", uniqueDigest + ":LOCKED", 60000},
					{"ZADD", "uniquejobs:expiring_digests", "1767383000.123", uniqueDigest},
				}
			},
			scheme: inspector.SchemeUniqueJobs, mode: inspector.ModeSemaphore,
			labels:  []string{"job " + jobB + ", since 2026-01-02 03:03:21Z", "job " + jobA + ", since 2026-01-02 03:03:20Z"},
			waiters: inspector.Waiters{Count: 1, Exact: true, By: inspector.WaitersQueue}, passing: []string{uniqueDigest + ":QUEUED"},
		},
		fixture{
			name: "sidekiq-unique-jobs 9.0.0.alpha2", key: uniqueDigest + ":RUN:LOCKED",
			setup: func(time.Time) [][]any {
				return [][]any{
					{"HSET", uniqueDigest + ":RUN:LOCKED", jobA, `{"worker":"MailJob","time":1767323000.5}`},
					{"ZADD", "uniquejobs:digests", "1767323000.5", uniqueDigest + ":RUN"},
				}
			},
			scheme: inspector.SchemeUniqueJobs, mode: inspector.ModeExclusive, labels: []string{"job " + jobA},
		},
		fixture{
			name: "redis_queued_locks 1.16.2", key: "rql:lock:orders",
			setup: func(time.Time) [][]any {
				return [][]any{
					{"HSET", "rql:lock:orders", "acq_id", "rql:acq:4711/2340/2360/2380/93b1a0c2d4e5f607", "hst_id", "rql:hst:4711/2340/2380/93b1a0c2d4e5f607", "ts", "1767323044.5", "ini_ttl", "5000", "spc_cnt", "1"},
					{"PEXPIRE", "rql:lock:orders", 60000},
					{"ZADD", "rql:lock_queue:orders", "1767323045.25", "rql:acq:4712/2340/2360/2380/0a1b2c3d4e5f6071"},
				}
			},
			scheme: inspector.SchemeRQL, mode: inspector.ModeExclusive, labels: []string{"process 4711, thread 2340, since 2026-01-02 03:04:04Z"},
			waiters: inspector.Waiters{Count: 1, Exact: true, By: inspector.WaitersQueue}, left: []string{"rql:lock_queue:orders"},
		},
		fixture{
			name: "suo 0.4.0, two resources", key: "lock:orders",
			setup: func(time.Time) [][]any {
				return [][]any{{"SET", "lock:orders", "\x92" + suoHold("n4L/2ZlftbtoJhoNxYjXOg==") + suoHold("aB3/E5gH7jK9mN1pQ2rS4t==")}}
			},
			scheme: inspector.SchemeSuo, mode: inspector.ModeSemaphore,
			labels: []string{"n4L/2ZlftbtoJhoNxYjXOg==, since 2026-01-02 03:03:20Z", "aB3/E5gH7jK9mN1pQ2rS4t==, since 2026-01-02 03:03:20Z"},
			left:   []string{"lock:orders"}, // nobody is in it
		},
		fixture{
			name: "huey", key: "huey.results.mymail",
			setup: func(time.Time) [][]any {
				return [][]any{
					{"HSET", "huey.results.mymail", "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e", "\x80\x04K\x01."},
					{"HSETNX", "huey.results.mymail", "my-mail.lock.nightly", "1"},
					{"HSETNX", "huey.results.mymail", "my-mail.lock.weekly", "1"},
				}
			},
			scheme: inspector.SchemeHuey, mode: inspector.ModeExclusive, labels: []string{"nightly", "weekly"},
			left: []string{"huey.results.mymail"}, // with the result
		},
	)
}

// suoHold is a time and a token of 24 bytes in MessagePack.
func suoHold(token string) string { return "\x92\xcb\x41\xda\x55\xcd\x5e\x20\x00\x00\xb8" + token }

const (
	uniqueDigest = "uniquejobs:5d41402abc4b2a76b9719d911017c592"
	jobA         = "b4a577edbccf1d805744efa9"
	jobB         = "0c2d0e9f1b5a4d3c2b1a0f9e"
)
