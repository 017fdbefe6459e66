package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeDistributedRW,
		Type:   keyspace.TypeSet, WriterType: keyspace.TypeString,
		Guard:  "the key is a set with the reader in it, or a string with the writer as its whole value; its lease ends when it was seen to end; for a force-expiry the number of readers is as seen",
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbExtend: {
				Does: "sets the TTL of the key",
				Then: "All readers share it, and each sets it again at its own renewal: one that has crashed stays as long as others renew.",
			},
			VerbRelease: {
				Does: "takes this reader out of the set, or deletes the key of the writer",
				Then: "The holder is not told: if it is alive it goes on believing that it has the lock. Other readers keep theirs; a writer that waits enters when none is left, beside it.",
			},
			VerbForceExpire: {Does: deletesAll, Then: membersFreed, Milder: shortensAll, MilderThen: membersUntil},
		},
		plan: planDistributedRW,
		samples: func(key string) []*inspector.Lock {
			reader := sample(inspector.SchemeDistributedRW, key, inspector.Holder{Owner: "reader"})
			reader.Observed.Type, reader.Observed.Size = keyspace.TypeSet, 1
			reader.Observed.ExpiresAt = time.Now().Add(farAhead / 2)
			return append(sampleStrings(inspector.SchemeDistributedRW, key, "writer"), reader)
		},
	})
}

func planDistributedRW(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	if r.Lock.Observed.Type == keyspace.TypeString {
		return planString(p, r, holder, now)
	}
	key := r.Lock.Key
	p.facts = append(observedType(key, keyspace.TypeSet), fact{[]string{"SISMEMBER", key, holder.Owner}, equal, "1", blameOther})
	p.facts = append(p.facts, p.sameEnd(r)...)
	p.witness = []string{"SRANDMEMBER", key}
	p.holder = clip(holder.Owner)
	switch {
	case r.Verb == VerbRelease && r.Entries > 0:
		return unsupported(oneEntry)
	case r.Verb == VerbRelease:
		p.leave("SREM", nil, []string{holder.Owner})
		p.sayOthers(r)
	case r.Verb == VerbExtend:
		p.extend(r)
	case frees(r):
		p.freeAll(r, "SCARD", nil)
	default:
		p.expireSoon(r)
	}
	return nil
}
