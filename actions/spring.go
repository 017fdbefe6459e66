package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const freed = "The holder is not told and works on: its unlock() throws ConcurrentModificationException, a renewal fails and stops. Clients that wait in PUB_SUB mode wake up, in the spin mode they poll: one of them enters beside it."
	addRecipe(Recipe{
		Scheme: inspector.SchemeSpringIntegration,
		Type:   keyspace.TypeString,
		Guard:  guardString,
		WakeUp: "PUBLISH <registry>-channel:{key} {key}, for each way in which the key may be divided into registry and lock, when the key is deleted",
		Steps: map[Verb]Step{
			VerbExtend:  {Does: "sets its TTL", Then: renewalWins},
			VerbRelease: {Does: wakes, Then: freed},
			VerbForceExpire: {
				Does: wakes, Then: freed, Milder: shortens,
				MilderThen: untilRenewal,
			},
		},
		plan: planSpring,
		samples: func(key string) []*inspector.Lock {
			return sampleStrings(inspector.SchemeSpringIntegration, key, "uuid")
		},
		channels: []string{"*-channel:*"},
	})
}

// planSpring plans every verb. The name of a registry is its owner's choice and may have colons in it: a message on the channel of a
// registry that does not exist reaches nobody. The payload has to be the whole key, for the waiters look it up by that.
func planSpring(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	if !frees(r) {
		return planString(p, r, holder, now)
	}
	if err := p.onString(r); err != nil {
		return err
	}
	key := r.Lock.Key
	for i := range len(key) {
		if key[i] == ':' && i > 0 && i+1 < len(key) {
			p.do("PUBLISH", key[:i]+"-channel:"+key, key)
		}
	}
	p.free(r)
	p.sayCut(r)
	return nil
}
