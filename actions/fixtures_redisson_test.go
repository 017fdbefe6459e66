package actions

import (
	"encoding/hex"
	"time"

	"locktop/inspector"
)

// The clients and threads of Redisson's locks here.
const (
	threadA = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:1"
	threadB = "9c2b1e77-02a4-4f51-a1c0-5d1f3c5a7b9e:7"
	labelA  = "client 0f4d3a52, thread 1"
	labelB  = "client 9c2b1e77, thread 7"
)

func init() {
	listening := inspector.Waiters{By: inspector.WaitersSubscribers}
	fixtures = append(fixtures,
		fixture{
			name: "Redisson 4.7 read lock", key: "rwL", setup: leaveReaders,
			scheme: inspector.SchemeRedissonRW, mode: inspector.ModeRead, labels: []string{labelA, labelB}, waiters: listening,
		},
		fixture{
			name: "Redisson 4.7 write lock", key: "rwL", setup: leaveWriter,
			scheme: inspector.SchemeRedissonRW, mode: inspector.ModeWrite, labels: []string{labelA}, waiters: listening,
		},
		fixture{
			name: "Redisson 4.7 faster multi-lock", key: "class_100", setup: leaveValues,
			scheme: inspector.SchemeRedissonMulti, mode: inspector.ModeExclusive, waiters: listening,
			labels: []string{labelA + ", value " + valueA, labelB + ", value " + valueB},
		},
		fixture{
			name: "Redisson 4.7 permit-expirable semaphore", key: "permits", setup: leavePermits,
			scheme: inspector.SchemeRedissonPermits, mode: inspector.ModeSemaphore, waiters: listening,
			labels: []string{"permit " + hex.EncodeToString([]byte(permitA)), "permit " + hex.EncodeToString([]byte(permitB))}, left: []string{"permits"},
		},
		fixture{
			name: "Redisson 4.7 semaphore", key: "pool", setup: leaveNumber("pool", 3), rules: []string{"pool=redisson-semaphore"},
			scheme: inspector.SchemeRedissonSemaphore, mode: inspector.ModeSemaphore, waiters: listening,
			labels: []string{"3 permits are free"}, left: []string{"pool"}, counted: true,
		},
		fixture{
			name: "Redisson 4.7 count-down latch", key: "latch", setup: leaveNumber("latch", 5), rules: []string{"latch=redisson-latch"},
			scheme: inspector.SchemeRedissonLatch, mode: inspector.ModeExclusive, waiters: listening, labels: []string{"5 count-downs are left"},
		},
	)
}

// The permits of a semaphore: 16 random bytes each.
const (
	permitA = "\x00\x01\x02'\x04\n\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\xff"
	permitB = "\xfe\xdc\xba\x98\x76\x54\x32\x10\x01\x23\x45\x67\x89\xab\xcd\xef"
)

// leavePermits leaves a semaphore of which two permits are held, and three are free.
func leavePermits(now time.Time) [][]any {
	return [][]any{
		{"SET", "permits", 3},
		{"ZADD", "{permits}:timeout", now.Add(time.Minute).UnixMilli(), permitA, now.Add(time.Hour).UnixMilli(), permitB},
	}
}

// The values of a group, as Redisson hashes them.
const (
	valueA = "4Zr0IIXHwTtrhPGoQbxGlA"
	valueB = "9/r0IIXHwTtrhPGoQbxG+Q"
)

// leaveValues leaves two locked values of a group.
func leaveValues(now time.Time) [][]any {
	return [][]any{
		{"HSET", "class_100", valueA, threadA, valueA + ":" + threadA + ":expire_time", now.Add(20 * time.Second).UnixMilli(), valueA + ":" + threadA + ":lock_count", 2},
		{"HSET", "class_100", valueB, threadB, valueB + ":" + threadB + ":expire_time", now.Add(30 * time.Second).UnixMilli(), valueB + ":" + threadB + ":lock_count", 1},
		{"PEXPIRE", "class_100", 30000},
	}
}

// leaveNumber leaves a number.
func leaveNumber(key string, n int) func(time.Time) [][]any {
	return func(time.Time) [][]any { return [][]any{{"SET", key, n}} }
}

// leaveReaders leaves a read lock that one client has entered twice, and another once.
func leaveReaders(time.Time) [][]any {
	return [][]any{
		{"HSET", "rwL", "mode", "read", threadA, 2, threadB, 1},
		{"SET", "{rwL}:" + threadA + ":rwlock_timeout:1", 1, "PX", 20000},
		{"SET", "{rwL}:" + threadA + ":rwlock_timeout:2", 1, "PX", 30000},
		{"SET", "{rwL}:" + threadB + ":rwlock_timeout:1", 1, "PX", 30000},
		{"PEXPIRE", "rwL", 30000},
	}
}

// leaveWriter leaves a write lock that was entered twice.
func leaveWriter(time.Time) [][]any {
	return [][]any{
		{"HSET", "rwL", "mode", "write", threadA + inspector.RedissonWriter, 2},
		{"PEXPIRE", "rwL", 60000},
	}
}

// leaveWriterWhoReads leaves a write lock whose holder reads as well.
func leaveWriterWhoReads(time.Time) [][]any {
	return [][]any{
		{"HSET", "rwL", "mode", "write", threadA + inspector.RedissonWriter, 1, threadA, 1},
		{"SET", "{rwL}:" + threadA + ":rwlock_timeout:1", 1, "PX", 30000},
		{"PEXPIRE", "rwL", 30000},
	}
}
