package actions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
)

// guarded is a lock in a sorted set, and what may have happened to it since it was seen.
type guarded struct {
	name string
	// meanwhile are the commands; A and B stand for the two holders.
	meanwhile [][]any
	r         Request
	want      Result
	says      string
}

// A release concerns one holder: that others come, go, or renew is no reason to refuse it. A force-expiry concerns all.
func TestOneOfSeveralHolders(t *testing.T) {
	s := newFixtureServer(t)
	now := time.Now()
	const a, b, c = "WEB01_1_" + machineHex, "WEB02_2_" + machineHex, "WEB03_3_" + machineHex
	seeds := map[inspector.Scheme][][]any{
		inspector.SchemeDistributedSemaphore: {{"ZADD", "pool.readers", ahead(now, 20*time.Second), a, ahead(now, 30*time.Second), b}, {"PEXPIRE", "pool.readers", 90_000}},
		inspector.SchemeDistributedRW:        {{"SADD", "pool.readers", a, b}, {"PEXPIRE", "pool.readers", 90_000}},
	}
	sorted, set := inspector.SchemeDistributedSemaphore, inspector.SchemeDistributedRW
	later, earlier := ahead(now, 25*time.Second), ahead(now, 10*time.Second)
	for scheme, tests := range map[inspector.Scheme][]guarded{
		sorted: {
			{"another comes", [][]any{{"ZADD", "pool.readers", later, c}}, Request{Verb: VerbRelease}, ResultReleased, "1 other holder was seen"},
			{"another goes", [][]any{{"ZREM", "pool.readers", b}}, Request{Verb: VerbRelease}, ResultReleased, ""},
			{"it renews", [][]any{{"ZADD", "pool.readers", later, a}}, Request{Verb: VerbRelease}, ResultChanged, "renewed, or released"},
			{"its lease begins anew, earlier", [][]any{{"ZADD", "pool.readers", earlier, a}}, Request{Verb: VerbRelease}, ResultChanged, "renewed, or released"},
			{"it goes", [][]any{{"ZREM", "pool.readers", a}}, Request{Verb: VerbRelease}, ResultNotHolder, "WEB02"},
			{"all go", [][]any{{"DEL", "pool.readers"}}, Request{Verb: VerbRelease}, ResultGone, ""},
			{"a string is there", [][]any{{"SET", "pool.readers", a}}, Request{Verb: VerbRelease}, ResultChanged, "string"},
			{"the TTL goes", [][]any{{"PERSIST", "pool.readers"}}, Request{Verb: VerbRelease}, ResultChanged, "no TTL"},
			{"another comes before a force-expiry", [][]any{{"ZADD", "pool.readers", later, c}}, Request{Verb: VerbForceExpire}, ResultChanged, "members have come"},
			{"it renews before a force-expiry", [][]any{{"ZADD", "pool.readers", later, a}}, Request{Verb: VerbForceExpire}, ResultChanged, "renewed, or released"},
			{"the other renews before a release", [][]any{{"ZADD", "pool.readers", later, b}}, Request{Verb: VerbRelease}, ResultReleased, ""},
			{"the other renews before a force-expiry", [][]any{{"ZADD", "pool.readers", later, b}}, Request{Verb: VerbForceExpire}, ResultChanged, "renewed, or released"},
			{"its lease is longer", nil, Request{Verb: VerbExtend, TTL: 5 * time.Second}, ResultChanged, "its own lease ends later"},
			{"the key stays long enough", nil, Request{Verb: VerbExtend, TTL: 28 * time.Second}, ResultExtended, ""},
			{"a part of it", nil, Request{Verb: VerbRelease, Entries: 1}, ResultUnsupported, "as a whole"},
		},
		set: {
			{"another comes", [][]any{{"SADD", "pool.readers", c}}, Request{Verb: VerbRelease}, ResultReleased, ""},
			{"another goes", [][]any{{"SREM", "pool.readers", b}}, Request{Verb: VerbRelease}, ResultReleased, ""},
			{"it goes", [][]any{{"SREM", "pool.readers", a}}, Request{Verb: VerbRelease}, ResultNotHolder, "WEB02"},
			{"another comes before a force-expiry", [][]any{{"SADD", "pool.readers", c}}, Request{Verb: VerbForceExpire}, ResultChanged, "members have come"},
			{"its lease is longer", nil, Request{Verb: VerbExtend, TTL: 5 * time.Second}, ResultChanged, "left already"},
		},
	} {
		for _, test := range tests {
			for _, watch := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, watch %v", scheme, test.name, watch), func(t *testing.T) {
					f := fixture{key: "pool.readers", setup: func(time.Time) [][]any { return seeds[scheme] }}
					s.leave(t, f)
					lock := s.see(t, f)
					if lock == nil || lock.Scheme != scheme || len(lock.Holders) != 2 {
						t.Fatalf("%+v", lock)
					}
					for _, command := range test.meanwhile {
						if err := s.client.Do(t.Context(), command...).Err(); err != nil {
							t.Fatal(err)
						}
					}
					o := s.operator()
					o.scriptsDenied.Store(watch)
					r := test.r
					r.Lock, r.Owner = lock, a
					before := s.client.Dump(t.Context(), f.key).Val()
					out := o.Do(t.Context(), r)
					if said := out.Sentence(r); out.Result != test.want || !strings.Contains(said, test.says) {
						t.Fatalf("%s: %s; want %s, %q", out.Result, said, test.want, test.says)
					}
					if !out.Result.Done() && s.client.Dump(t.Context(), f.key).Val() != before {
						t.Error("it was refused, and something was done")
					}
				})
			}
		}
	}
}

// A release takes out those whose lease was over when it was seen, but for one that has renewed since then.
func TestReleaseSweepsWhatIsOver(t *testing.T) {
	s := newFixtureServer(t)
	f := fixture{key: "report-lock", setup: func(now time.Time) [][]any {
		return [][]any{
			{"ZADD", "report-lock", ahead(now, -time.Minute), "dead", ahead(now, -time.Second), "late", ahead(now, time.Minute), symfonyTokenA, ahead(now, time.Minute), "__write__"},
			{"PEXPIRE", "report-lock", 60_000},
		}
	}}
	s.leave(t, f)
	lock := s.see(t, f)
	if lock == nil || len(lock.Holders) != 1 {
		t.Fatalf("%+v", lock)
	}
	s.client.Do(t.Context(), "ZADD", f.key, ahead(time.Now(), time.Minute), "late")
	r := Request{Verb: VerbRelease, Lock: lock, Owner: symfonyTokenA}
	if out := s.operator().Do(t.Context(), r); out.Result != ResultReleased {
		t.Fatal(out.Sentence(r))
	}
	if left := s.client.ZRange(t.Context(), f.key, 0, -1).Val(); !slices.Equal(left, []string{"late"}) {
		t.Errorf("left: %q", left)
	}
}
