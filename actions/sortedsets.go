package actions

import (
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// The semaphores that are kept in sorted sets.
func init() {
	steps := map[Verb]Step{
		VerbExtend:      {Does: "sets the end of this holder's lease, and lets the key stay until then at least", Then: renewalWins},
		VerbRelease:     {Does: "takes this holder out of the key", Then: memberFreed},
		VerbForceExpire: {Does: deletesAll, Then: membersFreed, Milder: shortensAll, MilderThen: membersUntil},
	}
	addRecipe(Recipe{
		Scheme: inspector.SchemeSymfonySemaphore, Type: keyspace.TypeZSet, Guard: guardMember, WakeUp: wakeUpPolling, Steps: steps,
		plan: func(p *plan, r Request, holder inspector.Holder, now time.Time) error {
			return p.onMember(r, holder, memberLock{
				beside: []string{strings.TrimSuffix(r.Lock.Key, ":time") + ":weight"}, sweeps: true,
				score: func(now time.Time, lease time.Duration) float64 { return endMillis(now, lease) / 1000 },
				stays: func(lease time.Duration) time.Duration { return lease + 10*time.Second },
			}, now)
		},
		samples: func(key string) []*inspector.Lock {
			return sampleMembers(inspector.SchemeSymfonySemaphore, key, "token")
		},
		companions: []inspector.Naming{{Lock: "{$}:time", Beside: "{$}:weight"}},
	})
	addRecipe(Recipe{
		Scheme: inspector.SchemeDistributedSemaphore, Type: keyspace.TypeZSet, Guard: guardMember, WakeUp: wakeUpPolling, Steps: steps,
		plan: func(p *plan, r Request, holder inspector.Holder, now time.Time) error {
			return p.onMember(r, holder, memberLock{
				sweeps: true, score: endMillis,
				stays: func(lease time.Duration) time.Duration { return 3 * lease }, // as the library does
			}, now)
		},
		samples: func(key string) []*inspector.Lock {
			return sampleMembers(inspector.SchemeDistributedSemaphore, key, "host_1_id")
		},
	})
	addRecipe(Recipe{
		Scheme: inspector.SchemeLeasedSet, Type: keyspace.TypeZSet, Guard: guardMember,
		WakeUp: "none: clients that wait poll, or sleep on a list whose name is not known",
		Steps: map[Verb]Step{
			VerbExtend: steps[VerbExtend],
			VerbRelease: {
				Does: steps[VerbRelease].Does,
				Then: "The holder does not notice: if it is alive, it still believes that it has the lock. Other holders keep theirs. " +
					"Clients that poll get the lock by themselves. Those of redis-semaphore-eval (Python) sleep until their timeout: nothing wakes them.",
			},
			VerbForceExpire: steps[VerbForceExpire],
		},
		plan: func(p *plan, r Request, holder inspector.Holder, now time.Time) error {
			score := endMillis
			if r.Lock.LeasedInSeconds() {
				score = func(now time.Time, lease time.Duration) float64 { return endMillis(now, lease) / 1000 }
			}
			return p.onMember(r, holder, memberLock{score: score, stays: sameSpan}, now)
		},
		samples: func(key string) []*inspector.Lock {
			return sampleMembers(inspector.SchemeLeasedSet, key, "token")
		},
	})
	addRecipe(Recipe{
		Scheme: inspector.SchemeRedisSemaphore, Type: keyspace.TypeZSet, Guard: guardMember,
		WakeUp: "PUBLISH {key}:released with the number of permits, if the holders are numbered permits or clients listen there; else none: waiting clients poll",
		Steps: map[Verb]Step{
			VerbExtend: {
				Does: "notes that this holder has refreshed it just now, and lets the key stay for so long at least",
				Then: "The next client that acquires counts from now by its own lockTimeout (10 s by default), whatever the TTL of the key: the lease gets no longer than that. A holder that is alive refreshes it by itself.",
			},
			VerbRelease:     {Does: steps[VerbRelease].Does, Then: "The holder does not notice: if it is alive, it still believes that it has the lock, until its next refresh fails. Other holders keep theirs; waiting clients poll or get a message, and the next one enters beside it."},
			VerbForceExpire: steps[VerbForceExpire],
		},
		channels: []string{"*:released"},
		plan: func(p *plan, r Request, holder inspector.Holder, now time.Time) error {
			refreshed := func(now time.Time, _ time.Duration) float64 { return endMillis(now, 0) }
			return p.onMember(r, holder, memberLock{score: refreshed, stays: sameSpan}, now)
		},
		samples: func(key string) []*inspector.Lock {
			return sampleMembers(inspector.SchemeRedisSemaphore, key, "uuid_0")
		},
	})
}
