package actions

import (
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// lines are queues of a fair lock, and the channels on which its release must be told.
var lines = []struct {
	name     string
	line     []waiting
	orphan   string // in the queue before these, with no time
	channels []string
}{
	{name: "no queue", channels: []string{plainChannel}},
	{name: "one waiter", line: []waiting{{"B", time.Hour}}, channels: []string{plainChannel + ":B"}},
	{name: "two waiters", line: []waiting{{"C", time.Hour}, {"B", 2 * time.Hour}}, channels: []string{plainChannel + ":C"}},
	{
		name: "two are over", line: []waiting{{"C", -time.Hour}, {"D", -time.Second}, {"B", time.Hour}, {"E", time.Hour}},
		channels: []string{plainChannel + ":C", plainChannel + ":D", plainChannel + ":B"},
	},
	{
		name: "all are over", line: []waiting{{"C", -time.Hour}, {"B", -time.Second}},
		channels: []string{plainChannel + ":C", plainChannel + ":B", plainChannel},
	},
	{name: "no time", orphan: "D", line: []waiting{{"B", time.Hour}}, channels: []string{plainChannel + ":D"}},
}

const plainChannel = "redisson_lock__channel:{lock}"

// waitersOf subscribes to all the channels of the lines.
func waitersOf(t *testing.T, client *redis.Client) *redis.PubSub {
	t.Helper()
	channels := []string{plainChannel, plainChannel + ":B", plainChannel + ":C", plainChannel + ":D", plainChannel + ":E"}
	waiters := client.Subscribe(t.Context(), channels...)
	t.Cleanup(func() { _ = waiters.Close() }) // the server may be gone by then
	for range channels {
		if _, err := waiters.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return waiters
}

// onlyHeard wants a message on each of these channels, in this order, and no other.
func onlyHeard(t *testing.T, client *redis.Client, waiters *redis.PubSub, channels ...string) {
	t.Helper()
	client.Publish(t.Context(), plainChannel, "the end")
	var got []string
	for message := heard(t, waiters); message.Payload != "the end"; message = heard(t, waiters) {
		if message.Payload != "0" {
			t.Errorf("the waiters heard %v", message)
		}
		got = append(got, message.Channel)
	}
	if !reflect.DeepEqual(got, channels) {
		t.Errorf("the waiters heard 0 on %q, want it on %q", got, channels)
	}
}

// TestFair frees a fair lock whose queue came after it was seen, and wants the waiters in it to be told, up to the first
// one that has time left, whom alone it lets in.
func TestFair(t *testing.T) {
	ways(t, func(t *testing.T, o *Operator, client *redis.Client) {
		ctx := t.Context()
		waiters := waitersOf(t, client)
		queue := func() [2]any {
			return [2]any{client.LRange(ctx, "redisson_lock_queue:{lock}", 0, -1).Val(), client.ZRangeWithScores(ctx, "redisson_lock_timeout:{lock}", 0, -1).Val()}
		}
		for _, verb := range []Verb{VerbRelease, VerbForceExpire} {
			for _, test := range lines {
				client.FlushAll(ctx)
				r := seeded(t, client, inspector.SchemeRedisson, Request{Verb: verb})
				if test.orphan != "" {
					client.RPush(ctx, "redisson_lock_queue:{lock}", test.orphan)
				}
				if err := queueUp(ctx, client, "lock", test.line...); err != nil {
					t.Fatal(err)
				}
				before := queue()
				r.DryRun = true
				if out := o.Do(ctx, r); out.Result != ResultDryRun {
					t.Errorf("%s, %s, dry: %+v", verb, test.name, out)
				}
				r.DryRun = false
				if out := o.Do(ctx, r); !out.Result.Done() || out.Woken != int64(len(test.channels)) || client.Exists(ctx, "lock").Val() != 0 {
					t.Errorf("%s, %s: %+v", verb, test.name, out)
				}
				onlyHeard(t, client, waiters, test.channels...)
				if after := queue(); !reflect.DeepEqual(after, before) {
					t.Errorf("%s, %s: the queue was changed from %v to %v", verb, test.name, before, after)
				}
			}
		}
	})
}

// TestLongQueue frees fair locks in whose queue there are more than are read: the head is enough where one in it has time left.
func TestLongQueue(t *testing.T) {
	s := newFixtureServer(t)
	f := fixture{key: "lock"}
	for _, test := range []struct {
		name  string
		over  int // of the waiters, the first so many are over
		want  Result
		woken int64 // how many channels are told
	}{
		{"all have time", 0, ResultReleased, 1},
		{"the first are over", 3, ResultReleased, 4},
		{"the head is over", keyspace.MaxFields, ResultUnsupported, 0},
	} {
		for _, watch := range []bool{false, true} {
			f.setup = func(now time.Time) [][]any {
				commands := [][]any{{"HSET", "lock", threadA, 1}, {"PEXPIRE", "lock", 60000}}
				for n := range keyspace.MaxFields + 44 {
					waiter, ends := fmt.Sprintf("%s%03d", threadB, n), now.Add(time.Duration(n-test.over+1)*time.Minute-time.Second)
					commands = append(commands, []any{"RPUSH", "redisson_lock_queue:{lock}", waiter}, []any{"ZADD", "redisson_lock_timeout:{lock}", ends.UnixMilli(), waiter})
				}
				return commands
			}
			s.leave(t, f)
			r := Request{Verb: VerbRelease, Owner: threadA, Lock: s.see(t, f)}
			var waiters []*redis.PubSub
			for n := range int(test.woken) {
				waiters = append(waiters, listener(t, s.client, fmt.Sprintf("%s:%s%03d", plainChannel, threadB, n)))
			}
			o := s.operator()
			o.scriptsDenied.Store(watch)
			out := o.Do(t.Context(), r)
			if out.Result != test.want || test.woken > 0 && out.Woken != test.woken {
				t.Fatalf("%s, watch %v: %s: %+v", test.name, watch, out.Sentence(r), out)
			}
			for _, waiter := range waiters {
				if message := heard(t, waiter); message.Payload != "0" {
					t.Errorf("%s: %v", test.name, message)
				}
				_ = waiter.Close()
			}
		}
	}
}

// TestFenced: whatever is done to a fenced or a fair lock, its counter of fencing tokens, its queue and the deadlines in it stay.
func TestFenced(t *testing.T) {
	s := newFixtureServer(t)
	f := fixture{key: "lock", setup: func(now time.Time) [][]any {
		return [][]any{
			{"HSET", "lock", threadA, 2},
			{"PEXPIRE", "lock", 60000},
			{"SET", "redisson_lock_token:{lock}", 17},
			{"RPUSH", "redisson_lock_queue:{lock}", threadB},
			{"ZADD", "redisson_lock_timeout:{lock}", now.Add(time.Minute).UnixMilli(), threadB},
		}
	}}
	for name, r := range verbRequests(inspector.SchemeRedisson) {
		for _, watch := range []bool{false, true} {
			s.leave(t, f)
			stays := func() [3]any {
				return [3]any{
					s.client.Get(t.Context(), "redisson_lock_token:{lock}").Val(), s.client.LRange(t.Context(), "redisson_lock_queue:{lock}", 0, -1).Val(),
					s.client.ZRangeWithScores(t.Context(), "redisson_lock_timeout:{lock}", 0, -1).Val(),
				}
			}
			before := stays()
			r.Owner, r.Lock = threadA, s.see(t, f)
			if r.Lock.FencingToken == nil || *r.Lock.FencingToken != 17 {
				t.Fatalf("the fencing token is %v", r.Lock.FencingToken)
			}
			o := s.operator()
			o.scriptsDenied.Store(watch)
			if out := o.Do(t.Context(), r); !out.Result.Done() {
				t.Errorf("%s, watch %v: %s", name, watch, out.Sentence(r))
			}
			if after := stays(); !reflect.DeepEqual(after, before) {
				t.Errorf("%s, watch %v: %v became %v", name, watch, before, after)
			}
		}
	}
}

// TestFairWatch changes the queue between WATCH and EXEC: whoever is the first then is told.
func TestFairWatch(t *testing.T) {
	server := redistest.Start(t)
	admin, client := server.Client(), server.Client()
	waiters := waitersOf(t, admin)
	r := seeded(t, admin, inspector.SchemeRedisson, Request{Verb: VerbRelease})
	if err := queueUp(t.Context(), admin, "lock", waiting{"C", time.Hour}, waiting{"B", time.Hour}); err != nil {
		t.Fatal(err)
	}
	meddler := &betweenHook{t: t, meddle: func() { admin.LPop(t.Context(), "redisson_lock_queue:{lock}") }, times: 1}
	client.AddHook(meddler)
	o := NewOperator(OneServer(client), Options{Look: lookWith(admin)})
	o.scriptsDenied.Store(true)
	if out := o.Do(t.Context(), r); out.Result != ResultReleased || out.Woken != 1 || meddler.times != 0 {
		t.Errorf("%+v, %d left", out, meddler.times)
	}
	onlyHeard(t, admin, waiters, plainChannel+":B")
}

// TestFairRedisCLI copies the command lines into a shell.
func TestFairRedisCLI(t *testing.T) {
	cli := redistest.Require(t, "redis-cli")
	server := redistest.Start(t)
	client := server.Client()
	waiters := waitersOf(t, client)
	for _, verb := range []Verb{VerbRelease, VerbForceExpire} {
		for _, test := range lines {
			client.FlushAll(t.Context())
			if test.orphan != "" {
				client.RPush(t.Context(), "redisson_lock_queue:{lock}", test.orphan)
			}
			if err := queueUp(t.Context(), client, "lock", test.line...); err != nil {
				t.Fatal(err)
			}
			r := seeded(t, client, inspector.SchemeRedisson, Request{Verb: verb})
			line := strings.Replace(RedisCLI(r), "redis-cli", cli+" -s "+server.Socket, 1)
			out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", line).CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), codeDone) {
				t.Errorf("%s, %s: %v, %s", verb, test.name, err, out)
			}
			onlyHeard(t, client, waiters, test.channels...)
		}
	}
}

// TestNotFair: whatever leaves a lock where it is looks at no queue.
func TestNotFair(t *testing.T) {
	client := embeddedClient(t)
	for name, request := range verbRequests(inspector.SchemeRedisson) {
		r := seeded(t, client, inspector.SchemeRedisson, request)
		p := must(makePlan(r, time.Now()))(t)
		freed := request.Verb == VerbForceExpire && request.TTL == 0 || request.Verb == VerbRelease && request.Entries != 1
		if got := len(p.keys); freed != (got == 3) || !freed && got != 1 {
			t.Errorf("%s: the keys are %q", name, p.keys)
		}
	}
}
