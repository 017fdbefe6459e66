package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const noLease = "the lock is a field of a session and has no lease of its own: the TTL is the session's"
	addRecipe(Recipe{
		Scheme: inspector.SchemeSessionLock,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash, the request that has the session is as seen, and its lock is not free",
		WakeUp: "none: requests that wait try again every half second",
		Steps: map[Verb]Step{
			VerbRelease: {
				Does: "sets the field lock to 0, and leaves the session as it is",
				Then: "The next request for this session goes on. A request that still has it does not notice: it can write the session until another request takes the lock; later writes are dropped.",
			},
		},
		Refused: map[Verb]string{
			VerbExtend:      noLease,
			VerbForceExpire: noLease + "; ending it would log the visitor out; release the lock instead",
		},
		plan:    planSessionLock,
		samples: sampleSessionLock,
	})
}

// planSessionLock does what the library does with the lock of a request that died.
func planSessionLock(p *plan, r Request, holder inspector.Holder, _ time.Time) error {
	if r.Entries > 0 {
		return unsupported(oneEntry)
	}
	key := r.Lock.Key
	owner, held := []string{"HGET", key, inspector.SessionLockOwner}, []string{"HGET", key, inspector.SessionLockCount}
	p.facts = append(observedType(key, keyspace.TypeHash),
		fact{held, present, "", blameGone}, fact{held, atLeast, "1", blameGone}, fact{owner, equal, holder.Owner, blameOther})
	p.witness = owner
	p.holder = clip(holder.Owner)
	p.do("HSET", key, inspector.SessionLockCount, "0")
	p.done = Outcome{Result: ResultReleased}
	return nil
}

func sampleSessionLock(key string) []*inspector.Lock {
	lock := sampleShare(inspector.SchemeSessionLock, key, inspector.SessionLockOwner, "host|1")
	lock.Holders[0].Owner = "host|1"
	return []*inspector.Lock{lock}
}
