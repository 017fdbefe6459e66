package actions

import (
	"strings"
	"time"

	"locktop/inspector"
)

const (
	machineHex    = "0f8fad5bd9cb469fa16570867728950e"
	leasedA       = "190696e02ecc467d9d6a5a550bf6a24c:1795393048259134440"
	leasedB       = "fcd9d460656c487fafe0d1caac06681d:1795393048262449333"
	symfonyTokenA = "K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols="
	symfonyTokenB = "9f0rT2m0xkV5Yb6qg3u1hJwPzA8dC4eLsN7iQoXyZaE="
)

// ahead is a moment so far from now, in milliseconds since 1970.
func ahead(now time.Time, by time.Duration) int64 { return now.Add(by).UnixMilli() }

func init() {
	fixtures = append(fixtures,
		fixture{
			name: "symfony/lock 7.1, exclusive", key: "lock:report", scheme: inspector.SchemeSymfony, mode: inspector.ModeExclusive,
			labels: []string{symfonyTokenA},
			setup: func(now time.Time) [][]any {
				end := ahead(now, 300*time.Second)
				return [][]any{{"ZADD", "lock:report", end, symfonyTokenA, end, "__write__"}, {"PEXPIREAT", "lock:report", end}}
			},
		},
		fixture{
			name: "symfony/lock 7.1, two readers and one whose lease is over", key: "report-lock", scheme: inspector.SchemeSymfony,
			mode: inspector.ModeRead, labels: []string{symfonyTokenA, symfonyTokenB},
			setup: func(now time.Time) [][]any {
				return [][]any{
					{"ZADD", "report-lock", ahead(now, -time.Second), strings.Replace(symfonyTokenA, "K", "L", 1)},
					{"ZADD", "report-lock", ahead(now, time.Minute), symfonyTokenA, ahead(now, 5*time.Minute), symfonyTokenB},
					{"PEXPIREAT", "report-lock", ahead(now, 5*time.Minute)},
				}
			},
		},
		fixture{
			name: "symfony/semaphore 7.0", key: "{report}:time", scheme: inspector.SchemeSymfonySemaphore, mode: inspector.ModeSemaphore,
			labels: []string{symfonyTokenA + ", weight 1", symfonyTokenB + ", weight 2"},
			setup: func(now time.Time) [][]any {
				end := float64(ahead(now, 5*time.Minute)) / 1000
				dead := strings.Replace(symfonyTokenA, "K", "L", 1)
				return [][]any{
					{"ZADD", "{report}:weight", 1, symfonyTokenA, 2, symfonyTokenB, 1, dead},
					{"ZADD", "{report}:time", end, symfonyTokenA, end + 0.25, symfonyTokenB, end - 600, dead},
					{"PEXPIREAT", "{report}:weight", ahead(now, 310*time.Second)},
					{"PEXPIREAT", "{report}:time", ahead(now, 310*time.Second)},
				}
			},
		},
		fixture{
			name: "py-redis-semaphore 0.2", key: "semaphore:api:owners", scheme: inspector.SchemeLeasedSet, mode: inspector.ModeSemaphore,
			labels: []string{leasedA, leasedB}, left: []string{"semaphore:api:fencing"},
			setup: func(now time.Time) [][]any {
				return [][]any{
					{"ZADD", "semaphore:api:owners", ahead(now, time.Minute), leasedA, ahead(now, 5*time.Minute), leasedB},
					{"SET", "semaphore:api:fencing", 2},
				}
			},
		},
		fixture{
			name: "DistributedLock.Redis 1.1, semaphore", key: "pool", scheme: inspector.SchemeDistributedSemaphore, mode: inspector.ModeSemaphore,
			labels: []string{"WEB01, process 4242", "WEB_02, process 17"},
			setup: func(now time.Time) [][]any {
				return [][]any{
					{"ZADD", "pool", ahead(now, -time.Second), "WEB03_9_" + machineHex},
					{"ZADD", "pool", ahead(now, 20*time.Second), "WEB01_4242_" + machineHex, ahead(now, 30*time.Second), "WEB_02_17_" + machineHex},
					{"PEXPIRE", "pool", 90_000},
				}
			},
		},
		fixture{
			name: "DistributedLock.Redis 1.1, readers, and a writer that waits", key: "stock.readers", scheme: inspector.SchemeDistributedRW,
			mode: inspector.ModeRead, labels: []string{"WEB01, process 4242", "WEB02, process 17"}, left: []string{"stock.writer"},
			waiters: inspector.Waiters{Count: 1, By: inspector.WaitersQueue},
			setup: func(time.Time) [][]any {
				return [][]any{
					{"SADD", "stock.readers", "WEB01_4242_" + machineHex, "WEB02_17_" + machineHex},
					{"PEXPIRE", "stock.readers", 30_000},
					{"SET", "stock.writer", "WEB03_9_" + machineHex + "_WRITERWAITING", "PX", 30_000},
				}
			},
		},
		fixture{
			name: "DistributedLock.Redis 1.1, writer", key: "stock.writer", scheme: inspector.SchemeDistributedRW,
			mode: inspector.ModeWrite, labels: []string{"WEB01, process 4242"},
			setup: func(time.Time) [][]any {
				return [][]any{{"SET", "stock.writer", "WEB01_4242_" + machineHex, "PX", 30_000}}
			},
		},
		fixture{
			name: "redis-semaphore 5.7 (npm), semaphores", key: "semaphore:pool", scheme: inspector.SchemeRedisSemaphore, mode: inspector.ModeSemaphore,
			labels: []string{"client 5b0e2f6c, permit 0", "client 5b0e2f6c, permit 1"},
			setup: func(now time.Time) [][]any {
				const client = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
				return [][]any{
					{"ZADD", "semaphore:pool", ahead(now, -3*time.Second), client + "_0", ahead(now, -3*time.Second), client + "_1"},
					{"PEXPIRE", "semaphore:pool", 7000},
				}
			},
		},
	)
}
