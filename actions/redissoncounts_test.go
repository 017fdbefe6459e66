package actions

import (
	"testing"
	"time"
)

var countTests = []familyTest{
	{
		name: "one permit", key: "permits", setup: leavePermits, r: Request{Verb: VerbRelease, Owner: permitA},
		want: ResultReleased, detail: "free now: 4 permits", channel: "redisson_sc:{permits}", heard: []string{"4"},
		left: map[string]string{"GET permits": "4", "ZCARD {permits}:timeout": "1"},
	},
	{
		name: "one permit while others are taken", key: "permits", setup: leavePermits, r: Request{Verb: VerbRelease, Owner: permitA},
		between: [][]any{{"INCRBY", "permits", -3}, {"ZADD", "{permits}:timeout", 1, "0123456789abcdef"}},
		want:    ResultReleased, detail: "free now: 1 permit", channel: "redisson_sc:{permits}", heard: []string{"1"},
		left: map[string]string{"GET permits": "1", "ZCARD {permits}:timeout": "2"},
	},
	{
		name: "a permit that was returned meanwhile", key: "permits", setup: leavePermits, r: Request{Verb: VerbRelease, Owner: permitA},
		between: [][]any{{"ZREM", "{permits}:timeout", permitA}, {"INCRBY", "permits", 1}},
		want:    ResultGone, channel: "redisson_sc:{permits}", left: map[string]string{"GET permits": "4"},
	},
	{
		name: "a permit that was renewed meanwhile", key: "permits", setup: leavePermits, r: Request{Verb: VerbRelease, Owner: permitA},
		between: [][]any{{"ZADD", "{permits}:timeout", "XX", "1795189397124000", permitA}},
		want:    ResultChanged, detail: "renewed, or released", channel: "redisson_sc:{permits}", left: map[string]string{"GET permits": "3"},
	},
	{
		name: "entries of a permit", key: "permits", setup: leavePermits, r: Request{Verb: VerbRelease, Owner: permitA, Entries: 1},
		want: ResultUnsupported, detail: "as a whole", channel: "redisson_sc:{permits}", left: map[string]string{"GET permits": "3"},
	},
	{
		name: "a permit that never ends", key: "permits", setup: func(time.Time) [][]any {
			return [][]any{{"SET", "permits", 0}, {"ZADD", "{permits}:timeout", "922337203685477", permitA}}
		}, r: Request{Verb: VerbForceExpire, Owner: permitA, TTL: time.Second},
		want: ResultExpired, channel: "redisson_sc:{permits}", left: map[string]string{"GET permits": "0", "ZCOUNT {permits}:timeout 0 922337203685476": "1"},
	},
	{
		name: "extend a permit in a semaphore with a TTL", key: "permits", setup: func(now time.Time) [][]any {
			return append(leavePermits(now), []any{"EXPIRE", "permits", 20}, []any{"EXPIRE", "{permits}:timeout", 7200})
		}, r: Request{Verb: VerbExtend, Owner: permitA, TTL: time.Hour},
		want: ResultExtended, channel: "redisson_sc:{permits}", left: map[string]string{"TTL permits": "3600", "TTL {permits}:timeout": "7200"},
	},
	{
		name: "extend a permit by less than it has", key: "permits", setup: leavePermits, r: Request{Verb: VerbExtend, Owner: permitB, TTL: time.Second},
		want: ResultChanged, detail: "never shortens", channel: "redisson_sc:{permits}",
	},
	{
		name: "force-expire a permit later than it ends", key: "permits", setup: leavePermits, r: Request{Verb: VerbForceExpire, Owner: permitA, TTL: time.Hour},
		want: ResultChanged, detail: "ends sooner already", channel: "redisson_sc:{permits}",
	},
	{
		name: "force-expire all permits", key: "permits", setup: leavePermits, r: Request{Verb: VerbForceExpire, Owner: permitA},
		want: ResultUnsupported, detail: "all permits at once", channel: "redisson_sc:{permits}",
	},
	{
		name: "a permit of nobody", rule: "pool=redisson-semaphore", key: "pool", setup: leaveNumber("pool", 0), r: Request{Verb: VerbRelease},
		want: ResultReleased, channel: "redisson_sc:{pool}", heard: []string{"1"}, left: map[string]string{"GET pool": "1"},
	},
	{
		name: "a permit of nobody, of which one was returned meanwhile", rule: "pool=redisson-semaphore", key: "pool", setup: leaveNumber("pool", 0), r: Request{Verb: VerbRelease},
		between: [][]any{{"INCR", "pool"}},
		want:    ResultChanged, detail: "the number is 1 now", channel: "redisson_sc:{pool}", left: map[string]string{"GET pool": "1"},
	},
	{
		name: "extend nobody", rule: "pool=redisson-semaphore", key: "pool", setup: leaveNumber("pool", 0), r: Request{Verb: VerbExtend, TTL: time.Hour},
		want: ResultUnsupported, detail: "does not know who", channel: "redisson_sc:{pool}",
	},
	{
		name: "a latch", rule: "latch=redisson-latch", key: "latch", setup: leaveNumber("latch", 5), r: Request{Verb: VerbForceExpire},
		want: ResultExpired, channel: wakingChannels["latch"], heard: []string{"0"}, left: map[string]string{"KEYS *": ""},
	},
	{
		name: "a latch that was counted down meanwhile", rule: "latch=redisson-latch", key: "latch", setup: leaveNumber("latch", 5), r: Request{Verb: VerbForceExpire},
		between: [][]any{{"DECR", "latch"}},
		want:    ResultChanged, detail: "the number is 4 now", channel: wakingChannels["latch"], left: map[string]string{"GET latch": "4"},
	},
	{
		name: "a latch soon", rule: "latch=redisson-latch", key: "latch", setup: leaveNumber("latch", 5), r: Request{Verb: VerbForceExpire, TTL: time.Second},
		want: ResultUnsupported, detail: "wakes nobody", channel: wakingChannels["latch"], left: map[string]string{"GET latch": "5"},
	},
}

func TestRedissonCounts(t *testing.T) { testFamily(t, countTests) }
