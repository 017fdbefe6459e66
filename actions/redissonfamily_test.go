package actions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// familyTest is an action on a lock of Redisson's family, and what comes of it.
type familyTest struct {
	name    string
	rule    string
	key     string
	setup   func(now time.Time) [][]any
	r       Request
	between [][]any // is done after the lock was seen

	want   Result
	detail string
	// channel has a subscriber, as Redisson's waiters have; heard are the messages that it gets.
	channel string
	heard   []string
	// left are commands, and what they answer afterwards.
	left map[string]string
}

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
		name: "the writer", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbRelease, Owner: threadA + rwWrite},
		want: ResultReleased, channel: rwHeard, heard: []string{"1"}, left: map[string]string{"KEYS *": ""},
	},
	{
		name: "one entry of the writer", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbRelease, Owner: threadA + rwWrite, Entries: 1},
		want: ResultEntryReleased, channel: rwHeard, left: map[string]string{"HGET rwL " + threadA + rwWrite: "1"},
	},
	{
		name: "the writer who reads as well", key: "rwL", setup: leaveWriterWhoReads, r: Request{Verb: VerbRelease, Owner: threadA + rwWrite},
		want: ResultReleased, detail: "goes on as a reader", channel: rwHeard,
		left: map[string]string{"HGETALL rwL": threadA + " 1 mode read", "EXISTS {rwL}:" + threadA + ":rwlock_timeout:1": "1"},
	},
	{
		name: "the writer who reads meanwhile", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbRelease, Owner: threadA + rwWrite},
		between: [][]any{{"HINCRBY", "rwL", threadA, 1}},
		want:    ResultReleased, detail: "goes on as a reader", channel: rwHeard, left: map[string]string{"HGETALL rwL": threadA + " 1 mode read"},
	},
	{
		name: "extend the writer", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbExtend, Owner: threadA + rwWrite, TTL: time.Hour},
		want: ResultExtended, channel: rwHeard, left: map[string]string{"TTL rwL": "3600"},
	},
	{
		name: "extend the writer by less than it has", key: "rwL", setup: leaveWriter, r: Request{Verb: VerbExtend, Owner: threadA + rwWrite, TTL: time.Second},
		want: ResultChanged, detail: "never shortens", channel: rwHeard, left: map[string]string{"TTL rwL": "60"},
	},
}

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
		want:    ResultChanged, detail: "the end of its lease", channel: "redisson_sc:{permits}", left: map[string]string{"GET permits": "3"},
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

func TestReadWriteLock(t *testing.T) { testFamily(t, readWriteTests) }

// testFamily does every action by script and by WATCH, after a dry run that says the same.
func testFamily(t *testing.T, tests []familyTest) {
	t.Helper()
	s := newFixtureServer(t)
	for _, test := range tests {
		for _, watch := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, watch %v", test.name, watch), func(t *testing.T) { test.run(t, s, watch) })
		}
	}
}

func (test familyTest) run(t *testing.T, s fixtureServer, watch bool) {
	f := fixture{key: test.key, setup: test.setup}
	if test.rule != "" {
		f.rules = []string{test.rule}
	}
	s.leave(t, f)
	waiter := listener(t, s.client, test.channel)
	r := test.r
	if r.Lock = s.see(t, f); r.Lock == nil {
		t.Fatal("it is taken for no lock")
	}
	for _, command := range test.between {
		if err := s.client.Do(t.Context(), command...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	o := s.operator()
	o.scriptsDenied.Store(watch)
	r.DryRun = true
	foretold := o.Do(t.Context(), r)
	r.DryRun = false
	out := o.Do(t.Context(), r)
	if out.Result != test.want || !strings.Contains(out.Detail, test.detail) || out.Err != nil {
		t.Errorf("%s: %+v", out.Sentence(r), out)
	}
	if (foretold.Result == ResultDryRun) != out.Result.Done() || !out.Result.Done() && foretold.Result != out.Result {
		t.Errorf("foretold: %+v", foretold)
	}
	if got := messagesUntilNow(t, s.client, waiter, test.channel); !slices.Equal(got, test.heard) {
		t.Errorf("the waiter heard %q, want %q", got, test.heard)
	}
	for command, want := range test.left {
		if got := said(t, s.client, command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// said is what a command answers, in words; the keys and fields of an answer are sorted, and what is left of a TTL is rounded up
// to five seconds.
func said(t *testing.T, client *redis.Client, command string) string {
	t.Helper()
	words := strings.Fields(command)
	switch words[0] {
	case "TTL":
		const step = 5 * time.Second // a loaded machine takes its time
		left := client.PTTL(t.Context(), words[1]).Val()
		return strconv.Itoa(int((left+step-1)/step*step) / int(time.Second))
	case "KEYS":
		keys := client.Keys(t.Context(), words[1]).Val()
		slices.Sort(keys)
		return strings.Join(keys, " ")
	case "HGETALL":
		fields := client.HGetAll(t.Context(), words[1]).Val()
		var all []string
		for name, value := range fields {
			all = append(all, name+" "+value)
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	text, _ := textOf(client.Do(t.Context(), anyWords(words)...).Val())
	return text
}

// listener subscribes to a channel, as Redisson's waiters do.
func listener(t *testing.T, client *redis.Client, channel string) *redis.PubSub {
	t.Helper()
	subscription := client.Subscribe(t.Context(), channel)
	t.Cleanup(func() { _ = subscription.Close() })
	if _, err := subscription.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	return subscription
}

// messagesUntilNow are those that a waiter has got. Redisson's decoder takes nothing but numbers.
func messagesUntilNow(t *testing.T, client *redis.Client, waiter *redis.PubSub, channel string) []string {
	t.Helper()
	client.Publish(t.Context(), channel, "the end")
	var payloads []string
	for message := heard(t, waiter); message.Payload != "the end"; message = heard(t, waiter) {
		if _, err := strconv.ParseInt(message.Payload, 10, 64); err != nil {
			t.Errorf("the payload %q is no number", message.Payload)
		}
		payloads = append(payloads, message.Payload)
	}
	return payloads
}

// TestRedissonFamilyWakes: who waits as Redisson does is woken at once by locktop, and sleeps on where a key is but deleted.
func TestRedissonFamilyWakes(t *testing.T) {
	s := newFixtureServer(t)
	for _, f := range fixtures {
		channel, known := wakingChannels[f.key]
		if !known {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			s.leave(t, f)
			waiter := listener(t, s.client, channel)
			s.client.Del(t.Context(), f.key)
			if message, err := waiter.ReceiveTimeout(t.Context(), 300*time.Millisecond); err == nil {
				t.Errorf("a deleted key wakes by itself: %v", message)
			}
			s.leave(t, f)
			verb := VerbRelease
			if recipe, _ := RecipeFor(f.scheme); recipe.Refused[VerbRelease] != "" {
				verb = VerbForceExpire
			}
			var began time.Time
			for {
				lock := s.see(t, f)
				began = time.Now()
				r := Request{Verb: verb, Lock: lock, Owner: lock.Holders[0].Owner}
				out := s.operator().Do(t.Context(), r)
				if !out.Result.Done() {
					t.Fatalf("%s: %+v", out.Sentence(r), out)
				}
				if out.Woken >= 0 {
					break
				}
			}
			message := heard(t, waiter)
			t.Logf("woken by %q after %v", message.Payload, time.Since(began))
			if _, err := strconv.ParseInt(message.Payload, 10, 64); err != nil {
				t.Errorf("the payload %q is no number", message.Payload)
			}
		})
	}
}

// wakingChannels are those of the fixtures' keys.
var wakingChannels = map[string]string{
	"rwL": rwHeard, "permits": "redisson_sc:{permits}", "pool": "redisson_sc:{pool}", "latch": "redisson_countdownlatch__channel__{latch}",
}
