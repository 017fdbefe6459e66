package actions

import (
	"strings"
	"testing"
	"time"

	"locktop/inspector"
)

const rueidisToken = "\x01\x9f\xee 8a\xff\x00\x10b\xc3\x28\xa0\xa1zq\x7f\x02\x03\x04\xfa\xfb\xfc\xfd"

func init() {
	set := func(key, value string) []any { return []any{"SET", key, value, "PX", 20_000} }
	fixtures = append(fixtures,
		fixture{
			name: "ShedLock 7.9", key: "job-lock:default:nightly", scheme: inspector.SchemeShedLock, mode: inspector.ModeExclusive,
			labels: []string{"web1, since 2026-01-02 03:04:00Z"},
			setup: func(time.Time) [][]any {
				return [][]any{set("job-lock:default:nightly", "ADDED:2026-01-02T03:04:00.123Z@web1:a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11")}
			},
		},
		fixture{
			name: "Spring Integration 7.2", key: "registry:orders:7", rules: []string{"registry:*=spring-integration"},
			scheme: inspector.SchemeSpringIntegration, mode: inspector.ModeExclusive, labels: []string{"registry a0e252f4"},
			setup: func(time.Time) [][]any { return [][]any{set("registry:orders:7", uuidOfHabits)} },
		},
		fixture{
			name: "rueidislock 1.0.79", key: "rueidislock:0:orders", scheme: inspector.SchemeRueidisLock, mode: inspector.ModeExclusive,
			labels: []string{"token 019fee20…"},
			setup: func(time.Time) [][]any {
				return [][]any{
					set("rueidislock:0:orders", rueidisToken), set("rueidislock:1:orders", rueidisToken), set("rueidislock:2:orders", rueidisToken),
				}
			},
		},
		fixture{
			name: "rueidislock with a KeyPrefix and a KeyMajority of 3", key: "shop:0:order:7:x",
			scheme: inspector.SchemeRueidisLock, mode: inspector.ModeExclusive, labels: []string{"token 019fee20…"},
			setup: func(time.Time) [][]any {
				return [][]any{
					set("shop:0:order:7:x", rueidisToken), set("shop:1:order:7:x", rueidisToken), set("shop:2:order:7:x", rueidisToken),
					set("shop:3:order:7:x", rueidisToken), set("shop:4:order:7:x", rueidisToken),
				}
			},
		},
		fixture{
			name: "valkeylock 1.0.79, of which one key is another's", key: "valkeylock:0:orders",
			scheme: inspector.SchemeRueidisLock, mode: inspector.ModeExclusive, labels: []string{"token 019fee20…"},
			left: []string{"valkeylock:1:orders"},
			setup: func(time.Time) [][]any {
				return [][]any{
					set("valkeylock:0:orders", rueidisToken), set("valkeylock:1:orders", strings.Repeat("x", 24)),
					set("valkeylock:2:orders", rueidisToken),
				}
			},
		},
		fixture{
			name: "rueidislock, of which one key expired and one is another's", key: "rueidislock:1:orders", scheme: inspector.SchemeRueidisLock,
			mode: inspector.ModeExclusive, labels: []string{"token 019fee20…"}, left: []string{"rueidislock:2:orders"},
			setup: func(time.Time) [][]any {
				return [][]any{set("rueidislock:1:orders", rueidisToken), set("rueidislock:2:orders", strings.Repeat("x", 24))}
			},
		},
	)
}

// A rueidislock is one row, under the first of its keys.
func TestRueidisLockIsOneLock(t *testing.T) {
	s := newFixtureServer(t)
	for _, f := range fixtures {
		if f.name != "rueidislock 1.0.79" {
			continue
		}
		s.leave(t, f)
		for _, key := range []string{"rueidislock:1:orders", "rueidislock:2:orders"} {
			f.key = key
			if lock := s.see(t, f); lock != nil {
				t.Errorf("%s is a lock of its own", key)
			}
		}
		s.client.Del(t.Context(), "rueidislock:0:orders")
		f.key = "rueidislock:1:orders"
		if lock := s.see(t, f); lock == nil || lock.Holders[0].Owner != rueidisToken {
			t.Errorf("with its first key gone it is shown as %+v", lock)
		}
	}
}

// The waiters of Spring's PUB_SUB mode listen to a pattern of their registry, and look the payload up.
func TestSpringsWaitersWake(t *testing.T) {
	s := newFixtureServer(t)
	for _, f := range fixtures {
		if f.scheme != inspector.SchemeSpringIntegration {
			continue
		}
		s.leave(t, f)
		waiter := s.client.PSubscribe(t.Context(), "registry-channel:*")
		defer waiter.Close()
		if _, err := waiter.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
		messages := waiter.Channel()
		s.client.Del(t.Context(), f.key)
		select {
		case m := <-messages:
			t.Fatalf("a bare DEL wakes: %v", m)
		case <-time.After(300 * time.Millisecond):
		}
		s.leave(t, f)
		r := Request{Verb: VerbRelease, Lock: s.see(t, f), Owner: uuidOfHabits}
		began := time.Now()
		out := s.operator().Do(t.Context(), r)
		if !out.Result.Done() || out.Woken != 1 || !strings.Contains(out.Sentence(r), "at most 1 waiter woken") { // or it is an observer
			t.Fatalf("%s", out.Sentence(r))
		}
		select {
		case m := <-messages:
			t.Logf("woken after %v", time.Since(began))
			if m.Channel != "registry-channel:registry:orders:7" || m.Payload != "registry:orders:7" {
				t.Errorf("%s %q", m.Channel, m.Payload)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("nobody woke")
		}
	}
}
