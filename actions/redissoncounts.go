package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// Redisson's plain semaphore and its count-down latch are but a number: nobody knows who has what is missing from it.
func init() {
	const nobodyKnown = "Redis does not know who has a permit, so that no one of them can be "
	addRecipe(Recipe{
		Scheme:    inspector.SchemeRedissonSemaphore,
		Type:      keyspace.TypeString,
		Anonymous: true,
		Guard:     "the key is a string, as many permits are free as were seen, and its lease ends when it was seen to end",
		WakeUp:    "PUBLISH redisson_sc:{key} with the new number of free permits",
		Steps: map[Verb]Step{
			VerbRelease: {
				Does: "counts one more free permit and publishes their number",
				Then: "A client that waits wakes up and takes the permit.",

				MilderRefused: "a permit has no entries: one permit is released at a time",
			},
		},
		Refused: map[Verb]string{
			VerbExtend:      nobodyKnown + "extended: permits of this kind have no end",
			VerbForceExpire: nobodyKnown + "taken away; to delete the key would leave a semaphore without permits",
		},
		Warnings: []string{"Nobody knows whose permit it is: if its holder is alive and releases it too, there is one permit too many from then on. Do this only where a holder has surely died with its permit."},
		plan: func(p *plan, r Request, _ inspector.Holder, _ time.Time) error {
			p.onNumber(r)
			return p.returnPermit(r)
		},
		samples:  func(key string) []*inspector.Lock { return sampleNumbers(inspector.SchemeRedissonSemaphore, key) },
		channels: []string{inspector.RedissonSemaphoreChannel + ":*"},
	})
	const counts = "a latch is no lock but a number that clients count down: "
	addRecipe(Recipe{
		Scheme:    inspector.SchemeRedissonLatch,
		Type:      keyspace.TypeString,
		Anonymous: true,
		Guard:     "the key is a string, as many count-downs are left as were seen, and its lease ends when it was seen to end",
		WakeUp:    "PUBLISH redisson_countdownlatch__channel__{key} 0",
		Steps: map[Verb]Step{
			VerbForceExpire: {
				Does: "deletes the key and publishes that none is left to count down",
				Then: "All who await it go on as if everything had been counted down; count-downs that come later do nothing.",

				MilderRefused: counts + "a key that goes by its TTL wakes nobody, so that all who await it would wait for ever; force-expire it now",
			},
		},
		Refused: map[Verb]string{
			VerbExtend:  counts + "it has no lease",
			VerbRelease: counts + "nobody holds it; to let all who await it go on, force-expire it",
		},
		plan: func(p *plan, r Request, _ inspector.Holder, _ time.Time) error {
			p.onNumber(r)
			p.wake(r, inspector.RedissonLatchName(r.Lock.Key), "0")
			p.free(r)
			return nil
		},
		samples:  func(key string) []*inspector.Lock { return sampleNumbers(inspector.SchemeRedissonLatch, key) },
		channels: []string{inspector.RedissonLatchChannel + "*"},
	})
}

// onNumber begins a plan on a number that is all that is known: it must be the one that was seen.
func (p *plan) onNumber(r Request) {
	p.facts = append(observedType(r.Lock.Key, keyspace.TypeString), freePermits(r.Lock, changed(whyNumber)))
	p.facts = append(p.facts, p.sameEnd(r)...)
}

// sampleNumbers are locks of a scheme that are but a number.
func sampleNumbers(scheme inspector.Scheme, key string) []*inspector.Lock {
	locks := sampleStrings(scheme, key, "3")
	for _, lock := range locks {
		lock.Holders[0].Owner = ""
	}
	return locks[:1]
}
