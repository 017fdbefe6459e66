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
					{"LPUSH", "lock-signal:orders", 1}, {"PEXPIRE", "lock-signal:orders", 1000},
					{"SET", "lock:orders", "KWfupndwb+Lq1x80C8oRdlwF", "NX"},
				}
			},
			scheme: inspector.SchemePythonRedisLock, mode: inspector.ModeExclusive, labels: []string{"KWfupndwb+Lq1x80C8oRdlwF"},
			waiters: inspector.Waiters{Exact: true, By: inspector.WaitersBlocked}, passing: []string{"lock-signal:orders"},
		},
	)
}
