package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const noLease = "the lock is a field of a hash, and has no lease: it is held until its task ends"
	addRecipe(Recipe{
		Scheme: inspector.SchemeHuey,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash, and the lock's field is in it; the value does not tell one holder from the next",
		WakeUp: "none: a task that does not get the lock fails, or is tried again later",
		Steps: map[Verb]Step{
			VerbRelease: {
				Does: "deletes the field of the lock, and leaves the results of tasks beside it as they are",
				Then: "The next task of this kind runs. A task that still has it is not told: it goes on, and the next one runs beside it.",
			},
		},
		Refused: map[Verb]string{
			VerbExtend:      noLease,
			VerbForceExpire: noLease + ", and to end the hash would take the results of all tasks with it; release the lock",
		},
		Warnings: []string{
			"A task releases the lock when it ends without looking whose it is: one that is still alive will release the next one's. Stop it first.",
		},
		plan: planHuey,
		samples: func(key string) []*inspector.Lock {
			return []*inspector.Lock{sampleShare(inspector.SchemeHuey, key, "queue.lock.name", "1")}
		},
	})
}

func planHuey(p *plan, r Request, holder inspector.Holder, _ time.Time) error {
	if err := p.onShare(r, holder); err != nil {
		return err
	}
	for i := range p.facts {
		if p.facts[i].blame == blameOther {
			p.facts[i].blame = blameGone // the other fields are other locks, and results
		}
	}
	p.do("HDEL", r.Lock.Key, holder.Owner)
	return nil
}
