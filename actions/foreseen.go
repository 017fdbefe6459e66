package actions

import (
	"slices"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// Foreseen says of each master of a Redlock whether the request would be sent to it, and why not: what an operator is told
// before an action by whoever shows it in a way of their own. It is nil for a lock that one server has.
func Foreseen(r Request) []NodeOutcome {
	if r.Lock == nil || r.Lock.Quorum == nil {
		return nil
	}
	nodes := make([]NodeOutcome, len(r.Lock.Quorum.Votes))
	for i, vote := range r.Lock.Quorum.Votes {
		if _, asked := askedOf(r, vote); asked {
			nodes[i] = NodeOutcome{Node: vote.Node, Asked: true}
		} else {
			nodes[i] = leftAlone(r, vote)
		}
	}
	return nodes
}

// RefusedBefore is the outcome of a request that an Operator would refuse without asking any server, by what was seen alone; nil:
// it would ask. What depends on the Operator itself, as its being read-only, does not count.
func RefusedBefore(r Request, now time.Time) *Outcome {
	if r.Lock != nil && r.Lock.Quorum != nil {
		return refuseVotes(r, now)
	}
	p, err := makePlan(r, now)
	if err != nil {
		return asRefusal(err).outcome()
	}
	ends := seenEnd(r.Lock)
	if left := ends.Sub(now); p.verb == VerbForceExpire && r.TTL > 0 && !ends.IsZero() && left < r.TTL {
		return refusal{result: ResultChanged, holder: p.holder, reason: endsSooner(left)}.outcome()
	}
	return nil
}

// EndsForAll says whether the action takes the lock from all of its holders, and not from Request.Owner alone.
func EndsForAll(r Request) bool {
	if r.Lock == nil || r.Lock.Quorum != nil || r.Verb != VerbForceExpire {
		return false
	}
	recipe, known := RecipeFor(r.Lock.Scheme)
	return known && !recipe.Apart
}

// WithoutHolder is the lock as it must be after a release by that holder: what the next one of several holders is compared with,
// where several of them are released one after another. Where a release does not compare the other holders it is the lock itself.
func WithoutHolder(lock *inspector.Lock, owner string) *inspector.Lock {
	if lock.Quorum != nil || lock.Observed.Type != keyspace.TypeHash {
		return lock
	}
	at := slices.IndexFunc(lock.Observed.Value.Fields, func(f keyspace.Field) bool { return f.Name == owner })
	if at < 0 {
		return lock
	}
	left := *lock
	left.Holders = slices.DeleteFunc(slices.Clone(lock.Holders), func(h inspector.Holder) bool { return h.Owner == owner })
	left.Observed.Value.Fields = slices.Delete(slices.Clone(lock.Observed.Value.Fields), at, at+1)
	left.Observed.Size--
	return &left
}
