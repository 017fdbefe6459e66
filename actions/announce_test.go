package actions

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// TestReleasesAreAnnounced: the clients that wait for a lock hear what its own library would have
// told them.
func TestReleasesAreAnnounced(t *testing.T) {
	const uuid = "5b0e2f6c-90c1-4f0e-8a57-2d1f3c5a7b9e"
	server := redistest.Start(t)
	s := newFixtureServerOn(t, server)
	for name, test := range map[string]struct {
		key              string
		setup            [][]any
		channel, message string
		waiters          inspector.Waiters
		left             int // keys
	}{
		"simple-redis-mutex 3.0.0": {
			"@simple-redis-mutex:lock-orders",
			[][]any{
				{"SET", "@simple-redis-mutex:lock-orders", "0.6075864698125371", "NX", "PX", 30000}, {"SET", "@simple-redis-mutex:fencing-tokens", 1},
			},
			"@simple-redis-mutex:locks-releases", `{ "key": "@simple-redis-mutex:lock-orders", "value": "0.6075864698125371" }`,
			inspector.Waiters{Count: 1, By: inspector.WaitersShared},
			1, // the counter of its fencing tokens
		},
		"effect-distributed-lock 0.0.11": {
			"semaphore:pool",
			[][]any{{"ZADD", "semaphore:pool", time.Now().UnixMilli(), uuid + "_0"}, {"PEXPIRE", "semaphore:pool", 30000}},
			"semaphore:pool:released", "1",
			inspector.Waiters{Count: 1, By: inspector.WaitersSubscribers},
			0,
		},
		"ioredfour 1.4.3": {
			"lock:orders",
			[][]any{{"HSET", "lock:orders", "index", 17}, {"PEXPIRE", "lock:orders", 30000}},
			"lock-release", "lock:orders",
			inspector.Waiters{Count: 1, By: inspector.WaitersShared},
			0,
		},
		"redfour 1.0.5 with a namespace": {
			"app:jobs:orders",
			[][]any{{"HSET", "app:jobs:orders", "index", 17}, {"PEXPIRE", "app:jobs:orders", 30000}},
			"app:jobs-release", "app:jobs:orders",
			inspector.Waiters{Count: 1, By: inspector.WaitersShared},
			0,
		},
		"node-redisson 1.0.4": {
			"or{d}ers",
			[][]any{{"HSET", "or{d}ers", uuid + ":worker", 1}, {"PEXPIRE", "or{d}ers", 30000}},
			"redisson_lock__channel:{or{d}ers}", "0",
			inspector.Waiters{Count: 1, By: inspector.WaitersSubscribers},
			0,
		},
	} {
		for _, verb := range []Verb{VerbRelease, VerbForceExpire} {
			for _, watch := range []bool{false, true} {
				f := fixture{key: test.key, setup: func(time.Time) [][]any { return test.setup }}
				s.leave(t, f)
				waiter := s.client.Subscribe(t.Context(), test.channel)
				if _, err := waiter.Receive(t.Context()); err != nil {
					t.Fatal(err)
				}
				s.connection = newFixtureConnection(t, server.Socket) // which has not asked who listens
				lock := s.see(t, f)
				if lock == nil || lock.Waiters != test.waiters {
					t.Fatalf("%s: %+v", name, lock)
				}
				o := s.operator()
				o.scriptsDenied.Store(watch)
				r := Request{Verb: verb, Lock: lock, Owner: lock.Holders[0].Owner}
				out := o.Do(t.Context(), r)
				if !out.Result.Done() {
					t.Fatalf("%s: %s (%v)", name, out.Sentence(r), out.Err)
				}
				if woken := strings.Contains(out.Sentence(r), "1 waiter woken"); woken == (test.waiters.By == inspector.WaitersShared) {
					t.Errorf("%s: %s", name, out.Sentence(r))
				}
				if got := heard(t, waiter); got.Payload != test.message {
					t.Errorf("%s: %q was said, want %q", name, got.Payload, test.message)
				}
				_ = waiter.Close()
				if got := len(s.keys(t.Context())); got != test.left {
					t.Errorf("%s: %d keys are left, want %d", name, got, test.left)
				}
			}
		}
	}
}

// TestUntoldWaitersAreNamed: if clients listen on a channel whose messages are unknown, a release
// sends none, and says so.
func TestUntoldWaitersAreNamed(t *testing.T) {
	s := newFixtureServer(t)
	f := stringFixture("unknown", "lock:orders", "594730fb989a82f9c4b373d423b32f22", 20*time.Second)
	s.leave(t, f)
	waiter := s.client.Subscribe(t.Context(), "lock:orders:released")
	defer waiter.Close()
	if _, err := waiter.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	lock := s.see(t, f)
	if want := (inspector.Waiters{Count: 1, By: inspector.WaitersSubscribers}); lock == nil || lock.Waiters != want {
		t.Fatalf("%+v", lock)
	}
	r := Request{Verb: VerbRelease, Lock: lock, Owner: lock.Holders[0].Owner}
	if !slices.Contains(EffectOf(r).Warnings, untold) {
		t.Errorf("%q", EffectOf(r).Warnings)
	}
	if out := s.operator().Do(t.Context(), r); !out.Result.Done() {
		t.Fatal(out.Sentence(r))
	}
	s.client.Publish(t.Context(), "lock:orders:released", "the next message")
	if got := heard(t, waiter); got.Payload != "the next message" {
		t.Errorf("%q was said", got.Payload)
	}
}

// TestObserversAreNotWoken: an observing locktop subscribes to the channels by patterns, and does not wait for the lock.
func TestObserversAreNotWoken(t *testing.T) {
	for _, watch := range []bool{false, true} {
		for listening, want := range []string{"nobody was listening for it", "1 waiter woken"} {
			s := newFixtureServer(t)
			f := fixture{key: "orders", setup: func(time.Time) [][]any {
				return [][]any{{"HSET", "orders", "0f4d3a52-6c1e-4b7a-8a2e-3f6d5c4b2a10:42", 1}, {"PEXPIRE", "orders", 30000}}
			}}
			s.leave(t, f)
			observer := s.client.PSubscribe(t.Context(), inspector.Rules(nil).Announcements()...)
			if _, err := observer.Receive(t.Context()); err != nil {
				t.Fatal(err)
			}
			if listening == 1 {
				waiter := s.client.Subscribe(t.Context(), "redisson_lock__channel:{orders}")
				if _, err := waiter.Receive(t.Context()); err != nil {
					t.Fatal(err)
				}
				defer waiter.Close()
			}
			lock := s.see(t, f)
			o := s.operator()
			o.scriptsDenied.Store(watch)
			r := Request{Verb: VerbRelease, Lock: lock, Owner: lock.Holders[0].Owner}
			if out := o.Do(t.Context(), r); out.Woken != int64(listening) || !strings.Contains(out.Sentence(r), want) {
				t.Errorf("%d were listening: %s", listening, out.Sentence(r))
			}
			_ = observer.Close()
		}
	}
}
