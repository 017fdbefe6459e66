package actions

import (
	"strconv"
	"testing"
	"time"

	"locktop/inspector"
)

const (
	redissonA = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:1"
	redissonB = "9c2b1e77-02a4-4f51-a1c0-5d1f3c5a7b9e:7"
)

func init() {
	hash := [][]any{{"HSET", "myLock", redissonA, "1"}, {"PEXPIRE", "myLock", 30_000}}
	redisson := func(name string, waiters inspector.Waiters, left []string, setup func(now time.Time) [][]any) fixture {
		return fixture{
			name: name, key: "myLock", scheme: inspector.SchemeRedisson, mode: inspector.ModeExclusive, waiters: waiters,
			labels: []string{"client 0f4d3a52, thread 1"}, left: left,
			setup: func(now time.Time) [][]any { return append(setup(now), hash...) },
		}
	}
	fixtures = append(fixtures,
		redisson("Redisson 4.7 lock", inspector.Waiters{By: inspector.WaitersSubscribers}, nil,
			func(time.Time) [][]any { return nil }),
		redisson("Redisson 4.7 fenced lock", inspector.Waiters{By: inspector.WaitersSubscribers}, []string{"redisson_lock_token:{myLock}"},
			func(time.Time) [][]any { return [][]any{{"SET", "redisson_lock_token:{myLock}", "17"}} }),
		redisson("Redisson 4.7 fair lock", inspector.Waiters{Count: 1, Exact: true, By: inspector.WaitersQueue},
			[]string{"redisson_lock_queue:{myLock}", "redisson_lock_timeout:{myLock}"},
			func(now time.Time) [][]any {
				ends := strconv.FormatInt(now.Add(5*time.Minute).UnixMilli(), 10)
				return [][]any{{"RPUSH", "redisson_lock_queue:{myLock}", redissonB}, {"ZADD", "redisson_lock_timeout:{myLock}", ends, redissonB}}
			}),
	)
	for name, value := range map[string]string{
		"redlock 5 (npm)": "594730fb989a82f9c4b373d423b32f22", "rslock 0.7": "\x8f\x11\xc2\x00\xff\x01\x02zq\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99\x9a",
		"Laravel 12": "x8Qm2Zt7LbWc4RpA", "Elixir redlock": "5b0e2f6c90c14f0e8a572d1f3c5a7b9e5b0e2f6c90c14f0e8a572d1f3c5a7b9e5b0e2f6c90c14f0e",
	} {
		fixtures = append(fixtures, stringFixture(name, "lock:orders", value, 20*time.Second))
	}
	serialised := stringFixture("Laravel 12, PHP's serialiser", "laravel_database_laravel_cache_lock:orders", `s:16:"x8Qm2Zt7LbWc4RpA";`, 20*time.Second)
	serialised.labels, serialised.library = []string{"x8Qm2Zt7LbWc4RpA"}, "Laravel"
	fixtures = append(fixtures, serialised)
}

// BenchmarkWake is the time from an operator's release to the moment at which a client has got the wake-up, on a channel as Redisson's
// clients wait, and on a list as those of python-redis-lock do.
func BenchmarkWake(b *testing.B) {
	for _, way := range []struct {
		fixture string
		wait    func(b *testing.B, s fixtureServer) (woken func())
	}{
		{"Redisson 4.7 lock", func(b *testing.B, s fixtureServer) func() {
			waiter := s.client.Subscribe(b.Context(), "redisson_lock__channel:{myLock}")
			if _, err := waiter.Receive(b.Context()); err != nil {
				b.Fatal(err)
			}
			return func() {
				if _, err := waiter.ReceiveMessage(b.Context()); err != nil {
					b.Fatal(err)
				}
				_ = waiter.Close() // it has done its part
			}
		}},
		{"python-redis-lock 4.0.1", func(b *testing.B, s fixtureServer) func() {
			answer := make(chan error, 1)
			go func() { answer <- s.client.BLPop(b.Context(), 0, "lock-signal:orders").Err() }()
			for s.client.InfoMap(b.Context(), "clients").Item("Clients", "blocked_clients") != "1" {
				time.Sleep(time.Millisecond)
			}
			return func() {
				if err := <-answer; err != nil {
					b.Fatal(err)
				}
			}
		}},
	} {
		b.Run(way.fixture, func(b *testing.B) {
			s := newFixtureServer(b)
			f := fixtureNamed(b, way.fixture)
			var took, longest time.Duration
			n := 0
			for b.Loop() {
				s.leave(b, f)
				woken := way.wait(b, s)
				lock := s.see(b, f)
				began := time.Now()
				r := Request{Verb: VerbRelease, Lock: lock, Owner: lock.Holders[0].Owner}
				if out := s.operator().Do(b.Context(), r); !out.Result.Done() {
					b.Fatal(out.Sentence(r))
				}
				woken()
				took += time.Since(began)
				longest = max(longest, time.Since(began))
				n++
			}
			b.ReportMetric(took.Seconds()*1000/float64(n), "ms/wake")
			b.ReportMetric(longest.Seconds()*1000, "ms-longest")
		})
	}
}
