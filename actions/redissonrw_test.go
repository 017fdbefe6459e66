package actions

import (
	"testing"
	"time"

	"locktop/inspector"
)

const rwHeard = "redisson_rwlock:{rwL}"

var readWriteTests = []familyTest{
	{
		name: "one reader of two", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbRelease, Owner: threadA},
		want: ResultReleased, detail: "other readers", channel: rwHeard,
		left: map[string]string{"HGETALL rwL": threadB + " 1 mode read", "KEYS *": "rwL {rwL}:" + threadB + ":rwlock_timeout:1"},
	},
	{
		name: "the last reader", key: "rwL", setup: func(time.Time) [][]any {
			return [][]any{{"HSET", "rwL", "mode", "read", threadA, 1}, {"SET", "{rwL}:" + threadA + ":rwlock_timeout:1", 1, "PX", 9000}, {"PEXPIRE", "rwL", 9000}}
		}, r: Request{Verb: VerbRelease, Owner: threadA},
		want: ResultReleased, channel: rwHeard, heard: []string{"0"}, left: map[string]string{"KEYS *": ""},
	},
	{
		name: "the other reader has gone meanwhile", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbRelease, Owner: threadA},
		between: [][]any{{"HDEL", "rwL", threadB}, {"DEL", "{rwL}:" + threadB + ":rwlock_timeout:1"}},
		want:    ResultReleased, channel: rwHeard, heard: []string{"0"}, left: map[string]string{"KEYS *": ""},
	},
	{
		name: "a third reader has come meanwhile", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbRelease, Owner: threadA},
		between: [][]any{{"HINCRBY", "rwL", "9c2b1e77-02a4-4f51-a1c0-5d1f3c5a7b9e:8", 1}},
		want:    ResultReleased, detail: "other readers", channel: rwHeard, left: map[string]string{"HLEN rwL": "3", "HEXISTS rwL " + threadA: "0"},
	},
	{
		name: "the reader has entered again meanwhile", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbRelease, Owner: threadA},
		between: [][]any{{"HINCRBY", "rwL", threadA, 1}, {"HDEL", "rwL", threadB}},
		want:    ResultChanged, detail: "entry count is 3 now", channel: rwHeard, left: map[string]string{"HGET rwL " + threadA: "3"},
	},
	{
		name: "the reader writes meanwhile", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbRelease, Owner: threadA},
		between: [][]any{{"HSET", "rwL", "mode", "write"}},
		want:    ResultChanged, detail: "its mode is write now", channel: rwHeard, left: map[string]string{"HLEN rwL": "3"},
	},
	{
		name: "the reader has gone meanwhile", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbRelease, Owner: threadA},
		between: [][]any{{"HDEL", "rwL", threadA}},
		want:    ResultNotHolder, channel: rwHeard, left: map[string]string{"HLEN rwL": "2"},
	},
	{
		name: "the key is another meanwhile", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbRelease, Owner: threadA},
		between: [][]any{{"SET", "rwL", "1"}},
		want:    ResultChanged, detail: "holds a string now", channel: rwHeard, left: map[string]string{"GET rwL": "1"},
	},
	{
		name: "one entry of a reader", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbRelease, Owner: threadA, Entries: 1},
		want: ResultEntryReleased, channel: rwHeard,
		left: map[string]string{"HGET rwL " + threadA: "1", "EXISTS {rwL}:" + threadA + ":rwlock_timeout:1": "1", "EXISTS {rwL}:" + threadA + ":rwlock_timeout:2": "0"},
	},
	{
		name: "extend a reader", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbExtend, Owner: threadA, TTL: time.Hour},
		want: ResultExtended, channel: rwHeard,
		left: map[string]string{"TTL rwL": "3600", "TTL {rwL}:" + threadA + ":rwlock_timeout:1": "3600", "TTL {rwL}:" + threadB + ":rwlock_timeout:1": "30"},
	},
	{
		name: "extend a reader in a key that lives longer", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbExtend, Owner: threadA, TTL: time.Hour},
		between: [][]any{{"PEXPIRE", "rwL", 7200000}},
		want:    ResultExtended, channel: rwHeard,
		left: map[string]string{"TTL rwL": "7200", "TTL {rwL}:" + threadA + ":rwlock_timeout:2": "3600"},
	},
	{
		name: "extend a reader by less than it has", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbExtend, Owner: threadA, TTL: time.Second},
		want: ResultChanged, detail: "never shortens", channel: rwHeard, left: map[string]string{"TTL rwL": "30"},
	},
	{
		name: "force-expire readers", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbForceExpire, Owner: threadB},
		want: ResultExpired, channel: rwHeard, heard: []string{"1"}, left: map[string]string{"KEYS *": ""},
	},
	{
		name: "force-expire readers of whom one has gone meanwhile", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbForceExpire, Owner: threadB},
		between: [][]any{{"HDEL", "rwL", threadA}},
		want:    ResultChanged, detail: "fields have come", channel: rwHeard, left: map[string]string{"HLEN rwL": "2"},
	},
	{
		name: "force-expire readers soon", key: "rwL", setup: leaveReaders, r: Request{Verb: VerbForceExpire, Owner: threadB, TTL: 22 * time.Second},
		want: ResultExpired, channel: rwHeard,
		left: map[string]string{"TTL rwL": "25", "TTL {rwL}:" + threadA + ":rwlock_timeout:1": "20", "TTL {rwL}:" + threadA + ":rwlock_timeout:2": "25"},
	},
	{
		name: "the writer", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbRelease, Owner: threadA + inspector.RedissonWriter},
		want: ResultReleased, channel: rwHeard, heard: []string{"1"}, left: map[string]string{"KEYS *": ""},
	},
	{
		name: "one entry of the writer", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbRelease, Owner: threadA + inspector.RedissonWriter, Entries: 1},
		want: ResultEntryReleased, channel: rwHeard, left: map[string]string{"HGET rwL " + threadA + inspector.RedissonWriter: "1"},
	},
	{
		name: "the writer who reads as well", key: "rwL", setup: leaveWriterWhoReads, r: Request{Verb: VerbRelease, Owner: threadA + inspector.RedissonWriter},
		want: ResultReleased, detail: "goes on as a reader", channel: rwHeard,
		left: map[string]string{"HGETALL rwL": threadA + " 1 mode read", "EXISTS {rwL}:" + threadA + ":rwlock_timeout:1": "1"},
	},
	{
		name: "the writer who reads meanwhile", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbRelease, Owner: threadA + inspector.RedissonWriter},
		between: [][]any{{"HINCRBY", "rwL", threadA, 1}},
		want:    ResultReleased, detail: "goes on as a reader", channel: rwHeard, left: map[string]string{"HGETALL rwL": threadA + " 1 mode read"},
	},
	{
		name: "extend the writer", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbExtend, Owner: threadA + inspector.RedissonWriter, TTL: time.Hour},
		want: ResultExtended, channel: rwHeard, left: map[string]string{"TTL rwL": "3600"},
	},
	{
		name: "extend the writer by less than it has", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbExtend, Owner: threadA + inspector.RedissonWriter, TTL: time.Second},
		want: ResultChanged, detail: "never shortens", channel: rwHeard, left: map[string]string{"TTL rwL": "60"},
	},
}

func TestReadWriteLock(t *testing.T) { testFamily(t, readWriteTests) }
