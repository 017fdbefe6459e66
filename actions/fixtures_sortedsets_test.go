package actions

import (
	"strings"
	"time"

	"locktop/inspector"
)

const (
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
					{"ZADD", "report-lock", ahead(now, -time.Second), strings.Replace(symfonyTokenA, "K", "L", 1),
						ahead(now, time.Minute), symfonyTokenA, ahead(now, 5*time.Minute), symfonyTokenB},
					{"PEXPIREAT", "report-lock", ahead(now, 5*time.Minute)},
				}
			},
		},
	)
}
