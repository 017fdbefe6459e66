package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const freed = "The holder is not told: if it is alive it goes on believing that it holds the lock, and its release finds another number, or none, and does nothing. The clients that wait for this lock wake up, and one of them enters beside it."
	addRecipe(Recipe{
		Scheme: inspector.SchemeRedfour,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash, its number is the one seen, no field has come or gone, and its lease ends when it was seen to end",
		WakeUp: "PUBLISH <namespace>-release {key}, for each way in which the key may be divided into namespace and lock, when the key is deleted",
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

// planRedfour plans every verb. A message on the channel of a namespace that does not exist reaches nobody, and those who listen look
// whether the key in it is the one that they wait for.
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
