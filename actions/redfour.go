package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const freed = "The holder does not notice: if it is alive, it still believes that it holds the lock, and its release does nothing, because the number is another one or gone. Clients that wait for this lock wake up, and one of them enters beside it."
	addRecipe(Recipe{
		Scheme: inspector.SchemeRedfour,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash, its number is as seen, no field was added or removed, and its lease ends when it was seen to end",
		WakeUp: "PUBLISH <namespace>-release {key} when the key is deleted, once for each way to split the key into namespace and lock",
		Steps: map[Verb]Step{
			VerbExtend:  {Does: "sets its TTL", Then: renewalWins},
			VerbRelease: {Does: wakes, Then: freed},
			VerbForceExpire: {
				Does: wakes, Then: freed, Milder: shortens,
				MilderThen: untilRenewal,
			},
		},
		plan:     planRedfour,
		samples:  sampleRedfour,
		channels: []string{"*-release"},
	})
}

// planRedfour plans every verb. A message for a namespace that does not exist reaches no client,
// and clients that listen check whether the key in the message is the one they wait for.
func planRedfour(p *plan, r Request, holder inspector.Holder, _ time.Time) error {
	if r.Verb == VerbRelease && r.Entries > 0 {
		return unsupported(oneEntry)
	}
	key := r.Lock.Key
	p.holder = clip(holder.Owner)
	p.witness = []string{"HGET", key, inspector.RedfourField}
	p.facts = append(observedType(key, keyspace.TypeHash),
		fact{[]string{"HGET", key, inspector.RedfourField}, equal, holder.Owner, blameOther}, observedShares(r.Lock))
	p.facts = append(p.facts, p.sameEnd(r)...)
	switch {
	case r.Verb == VerbExtend:
		p.extend(r)
	case frees(r):
		for _, channel := range inspector.RedfourChannels(key) {
			p.wake(r, channel, key)
		}
		p.free(r)
	default:
		p.expireSoon(r)
	}
	return nil
}

func sampleRedfour(key string) []*inspector.Lock {
	lock := sampleShare(inspector.SchemeRedfour, key, inspector.RedfourField, "17")
	lock.Holders[0].Owner = "17"
	lock.Observed.ExpiresAt = time.Now().Add(farAhead / 2)
	return []*inspector.Lock{lock}
}
