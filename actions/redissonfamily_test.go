package actions

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace/redistest"
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
	t.Parallel()
	s := newFixtureServer(t)
	for _, f := range fixtures {
		channel, known := wakingChannels[f.key]
		if !known || !strings.HasPrefix(string(f.scheme), "redisson") {
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
	"rwL": rwHeard, "class_100": multiHeard, "permits": "redisson_sc:{permits}", "pool": "redisson_sc:{pool}", "latch": "redisson_countdownlatch__channel__{latch}",
}

// TestRedissonFamilyRedisCLI copies the command lines into a shell, with permits of any bytes.
func TestRedissonFamilyRedisCLI(t *testing.T) {
	cli := redistest.Require(t, "redis-cli")
	s := newFixtureServer(t)
	socket := strings.TrimPrefix(string(s.connection.Node()), "unix:")
	for _, tests := range [][]familyTest{readWriteTests, multiTests, countTests} {
		for _, test := range tests {
			if test.between != nil || test.want.Refused() {
				continue
			}
			f := fixture{key: test.key, setup: test.setup}
			if test.rule != "" {
				f.rules = []string{test.rule}
			}
			s.leave(t, f)
			r := test.r
			r.Lock = s.see(t, f)
			line := strings.Replace(RedisCLI(r), "redis-cli -s "+quoteArg(socket), cli+" -s "+quoteArg(socket), 1)
			out, err := exec.CommandContext(t.Context(), "/bin/sh", "-c", line).CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), codeDone) {
				t.Errorf("%s: %v, %s", test.name, err, out)
			}
			for command, want := range test.left {
				if got := said(t, s.client, command); got != want {
					t.Errorf("%s: %s: %q, want %q", test.name, command, got, want)
				}
			}
		}
	}
}
