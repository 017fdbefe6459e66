package embedded_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"locktop/demo/embedded"
)

// What a MONITOR is told is what Redis tells, line for line, but for the capitals of what a script runs.
func TestMonitorTellsWhatRedisTells(t *testing.T) {
	t.Parallel()
	redisServer := startModel(t)
	ours := start(t, embedded.Options{})
	const redisson = `if (redis.call('exists', KEYS[1]) == 0) then redis.call('hincrby', KEYS[1], ARGV[2], 1); redis.call('pexpire', KEYS[1], ARGV[1]); return nil; end; return redis.call('pttl', KEYS[1]);`
	steps := [][]any{
		{"SET", "lock:a", "to\x00ken\xff\"\\\n\r\t\a\b", "NX", "PX", 30000},
		{"SET", "lock:a", "other", "NX", "PX", 30000},
		{"EVAL", redisson, 1, "lock:r", 30000, "0f4d3a52-1c2d-4e5f-8a9b-0c1d2e3f4a5b:1"},
		{"EVAL", redisson, 1, "lock:r", 30000, "77ab01c2-1c2d-4e5f-8a9b-0c1d2e3f4a5b:7"},
		{"EVALSHA", "0000000000000000000000000000000000000000", 1, "lock:a", "x"},
		{"EVAL", "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end", 1, "lock:a", "nobody"},
		{"EVAL", "return redis.pcall('hget', KEYS[1], 'f')", 1, "lock:a"},
		{"MULTI"},
		{"SETNX", "lock:m", "x"},
		{"PEXPIRE", "lock:m", 1000},
		{"EXEC"},
		{"MULTI"},
		{"SETNX", "lock:m", "x"},
		{"DISCARD"},
		{"SUBSCRIBE", "redisson_lock__channel:{lock:r}"},
		{"UNSUBSCRIBE", "redisson_lock__channel:{lock:r}"},
		{"PUBLISH", "redisson_lock__channel:{lock:r}", "0"},
		{"RPUSH", "lock:l", "x"},
		{"BLPOP", "lock:l", "other", 1},
		{"SELECT", 3},
		{"EVAL", "redis.call('select', 4) return redis.call('setnx', KEYS[1], 'v')", 1, "lock:s"},
		{"SELECT", 0},
		{"GETSET", "lock:a", "mine"},
		{"DEL", "lock:a", "lock:r"},
		{"FLUSHALL"},
		{"NOSUCH", "command"},
		{"SET", "lock:a"},
		{"CONFIG", "GET", "maxmemory"},
		{"CLIENT", "ID"},
		{"PING", "the end"},
	}
	var told [2][]string
	for i, addr := range []string{redisServer.Addr, ours.Addr()} {
		monitor, c := dialRaw(t, addr), dialRaw(t, addr)
		monitor.do(t, "MONITOR")
		for _, step := range steps {
			c.do(t, step...)
		}
		for {
			line := monitor.receive(t)
			told[i] = append(told[i], comparableLine(line))
			if strings.Contains(line, "the end") {
				break
			}
		}
	}
	if !slices.Equal(told[0], told[1]) {
		t.Errorf("Redis tells\n%s\nand this server\n%s", strings.Join(told[0], ""), strings.Join(told[1], ""))
	}
}

var (
	monitorStamp  = regexp.MustCompile(`^\+\d+\.\d{6} `)
	monitorClient = regexp.MustCompile(`^\[(\d+) (?:127\.0\.0\.1:\d+|unix:[^]]+)\]`)
)

// comparableLine is a line without what differs from run to run.
func comparableLine(line string) string {
	line = monitorStamp.ReplaceAllString(line, "")
	return monitorClient.ReplaceAllString(line, "[$1 client]")
}
