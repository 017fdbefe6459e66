package actions

import (
	"testing"
	"time"
)

const (
	multiHeard = "redisson_lock__channel:{class_100}"
	countA     = valueA + ":" + threadA + ":lock_count"
	endA       = valueA + ":" + threadA + ":expire_time"
)

var multiTests = []familyTest{
	{
		name: "one value", key: "class_100", setup: leaveValues, r: Request{Verb: VerbRelease, Owner: valueA},
		want: ResultReleased, channel: multiHeard, heard: []string{"0"}, left: map[string]string{"HLEN class_100": "3", "HGET class_100 " + valueB: threadB},
	},
	{
		name: "one value while another comes", key: "class_100", setup: leaveValues, r: Request{Verb: VerbRelease, Owner: valueA},
		between: [][]any{{"HSET", "class_100", "x", "y"}},
		want:    ResultReleased, channel: multiHeard, heard: []string{"0"}, left: map[string]string{"HLEN class_100": "4"},
	},
	{
		name: "one value that was renewed", key: "class_100", setup: leaveValues, r: Request{Verb: VerbRelease, Owner: valueA},
		between: [][]any{{"HSET", "class_100", endA, "1795189397124"}},
		want:    ResultChanged, detail: "renewed, or released", channel: multiHeard, left: map[string]string{"HLEN class_100": "6"},
	},
	{
		name: "a value that another has now", key: "class_100", setup: leaveValues, r: Request{Verb: VerbRelease, Owner: valueA},
		between: [][]any{{"HSET", "class_100", valueA, threadB}},
		want:    ResultNotHolder, channel: multiHeard, left: map[string]string{"HGET class_100 " + valueA: threadB},
	},
	{
		name: "a value that is free now", key: "class_100", setup: leaveValues, r: Request{Verb: VerbRelease, Owner: valueA},
		between: [][]any{{"HDEL", "class_100", valueA}},
		want:    ResultGone, channel: multiHeard, left: map[string]string{"HLEN class_100": "5"},
	},
	{
		name: "a value that was entered again", key: "class_100", setup: leaveValues, r: Request{Verb: VerbRelease, Owner: valueA},
		between: [][]any{{"HINCRBY", "class_100", countA, 1}},
		want:    ResultChanged, detail: "entry count is 3 now", channel: multiHeard, left: map[string]string{"HLEN class_100": "6"},
	},
	{
		name: "one entry of a value", key: "class_100", setup: leaveValues, r: Request{Verb: VerbRelease, Owner: valueA, Entries: 1},
		want: ResultEntryReleased, channel: multiHeard, left: map[string]string{"HGET class_100 " + countA: "1"},
	},
	{
		name: "extend a value", key: "class_100", setup: leaveValues, r: Request{Verb: VerbExtend, Owner: valueA, TTL: time.Hour},
		want: ResultExtended, channel: multiHeard, left: map[string]string{"TTL class_100": "3600"},
	},
	{
		name: "extend a value in a key that lives longer", key: "class_100", setup: leaveValues, r: Request{Verb: VerbExtend, Owner: valueA, TTL: time.Hour},
		between: [][]any{{"PEXPIRE", "class_100", 7200000}},
		want:    ResultExtended, channel: multiHeard, left: map[string]string{"TTL class_100": "7200"},
	},
	{
		name: "extend a value by less than it has", key: "class_100", setup: leaveValues, r: Request{Verb: VerbExtend, Owner: valueA, TTL: time.Second},
		want: ResultChanged, detail: "never shortens", channel: multiHeard, left: map[string]string{"TTL class_100": "30"},
	},
	{
		name: "force-expire a group", key: "class_100", setup: leaveValues, r: Request{Verb: VerbForceExpire, Owner: valueA},
		want: ResultExpired, channel: multiHeard, heard: []string{"0"}, left: map[string]string{"KEYS *": ""},
	},
	{
		name: "force-expire a group to which a value has come", key: "class_100", setup: leaveValues, r: Request{Verb: VerbForceExpire, Owner: valueA},
		between: [][]any{{"HSET", "class_100", "x", "y"}},
		want:    ResultChanged, detail: "fields have come", channel: multiHeard, left: map[string]string{"HLEN class_100": "7"},
	},
	{
		name: "force-expire a group soon", key: "class_100", setup: leaveValues, r: Request{Verb: VerbForceExpire, Owner: valueA, TTL: 10 * time.Second},
		want: ResultExpired, channel: multiHeard, left: map[string]string{"TTL class_100": "10"},
	},
}

func TestRedissonMulti(t *testing.T) { testFamily(t, multiTests) }
