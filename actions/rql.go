package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const then = "The first in its queue enters at its next try. The holder is not told: it goes on, and the next acquirer runs beside it."
	addRecipe(Recipe{
		Scheme: inspector.SchemeRQL,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash, its acquirer and the time of the acquisition are as seen, and its lease ends when it was seen to end",
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbExtend:      {Does: "sets its TTL", Then: "The holder is not told: it releases the lock when its work is done."},
			VerbRelease:     {Does: deletes, Then: then},
			VerbForceExpire: {Does: deletes, Then: then, Milder: shortens, MilderThen: besideHolder},
		},
		Warnings: []string{unchecked},
		plan:     planRQL,
		samples: func(key string) []*inspector.Lock {
			lock := sampleShare(inspector.SchemeRQL, key, "acq_id", "rql:acq:1/2/3/4/5")
			lock.Holders[0].Owner = "rql:acq:1/2/3/4/5"
			lock.Observed.Value.Fields = append(lock.Observed.Value.Fields, keyspace.Field{Name: "ts", Value: "1700000000.5"})
			lock.Observed.ExpiresAt = time.Now().Add(farAhead / 2)
			return []*inspector.Lock{lock}
		},
	})
}

// planRQL plans every verb. The same thread has the same name each time, so that the time of its acquisition is compared as well; the queue
// stays as it is, for those who wait in it.
func planRQL(p *plan, r Request, holder inspector.Holder, _ time.Time) error {
	if r.Verb == VerbRelease && r.Entries > 0 {
		return unsupported("its entries are not counted in Redis: it can only be released as a whole")
	}
	key := r.Lock.Key
	at, ok := seenField(r.Lock, "ts")
	if !ok {
		return unsupported("it was not read, so there is nothing to compare it with")
	}
	p.facts = append(observedType(key, keyspace.TypeHash),
		fact{[]string{"HGET", key, "acq_id"}, equal, holder.Owner, blameOther},
		fact{[]string{"HGET", key, "ts"}, equal, at, changed(whyShare)})
	p.facts = append(p.facts, p.sameEnd(r)...)
	p.witness = []string{"HGET", key, "acq_id"}
	p.holder = clip(holder.Owner)
	switch {
	case r.Verb == VerbExtend:
		p.extend(r)
	case frees(r):
		p.free(r)
	default:
		p.expireSoon(r)
	}
	return nil
}
