package actions

import (
	"slices"
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const released = "The thread that had it is not told and works on; when it unlocks, unlock() throws IllegalMonitorStateException, and who waits for its other values of this group is not woken by it. "
	addRecipe(Recipe{
		Scheme: inspector.SchemeRedissonMulti,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash; the client, thread, count and end in the value are as seen; the key has a TTL if and only if it had one; for a force-expiry no field was added or removed",
		WakeUp: "PUBLISH redisson_lock__channel:{key} 0",
		Steps: map[Verb]Step{
			VerbExtend: {
				Does: "sets the end of the value's lease, by this machine's clock, and the key's TTL where that would end sooner",
				Then: "If the holder's watchdog runs, it sets its own lease (30 s by default) at its next tick, which comes within 10 s.",
			},
			VerbRelease: {
				Does: "deletes the value's three fields and publishes the wake-up", Then: released + "The clients that wait wake up, and one enters beside it.",
				Milder: takesEntries, MilderThen: stillBelieves,
			},
			VerbForceExpire: {
				Does: "takes all values of the group from their holders: it deletes the key and publishes the wake-up", Then: redissonReleased,
				Milder: "shortens the leases of all values of the group and its TTL to that, and never lengthens them", MilderThen: redissonExpiring,
			},
		},
		OwnEnd:   true,
		plan:     planRedissonMulti,
		samples:  sampleMulti,
		channels: []string{inspector.RedissonChannel + ":*"},
	})
}

// What follows a value and its holder in the names of the fields that belong to them.
const (
	multiEnd   = ":expire_time"
	multiCount = ":lock_count"
)

// planRedissonMulti plans every verb on one value of a group, but a force-expiry, which is of the whole group.
func planRedissonMulti(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	key, value := r.Lock.Key, holder.Owner
	at := slices.IndexFunc(r.Lock.Observed.Value.Fields, func(f keyspace.Field) bool { return f.Name == value })
	if at < 0 {
		return refusal{result: ResultGone} // it was there before the lock was read anew
	}
	thread := r.Lock.Observed.Value.Fields[at].Value
	end, count := value+":"+thread+multiEnd, value+":"+thread+multiCount
	p.holder = clip(thread)
	p.witness = []string{"HGET", key, value}
	p.facts = append(observedType(key, keyspace.TypeHash),
		fact{[]string{"HGET", key, value}, present, "", blameGone},
		fact{[]string{"HGET", key, value}, equal, thread, blameOther},
		fact{[]string{"HGET", key, count}, equal, strconv.FormatInt(holder.Count.N, 10), changed(whyCount)},
		stillLeased(r.Lock),
	)
	p.sameValueEnds(r, holder)
	ms := strconv.FormatInt(now.Add(r.TTL).UnixMilli(), 10)
	switch {
	case r.Verb == VerbExtend:
		if left := holder.ExpiresAt.Sub(now); left > r.TTL {
			return refusal{result: ResultChanged, holder: p.holder, reason: longerLeft(left)}
		}
		p.facts = append(p.facts, fact{[]string{"HGET", key, end}, atMost, ms, changed(whyEnd)})
		p.do("HSET", key, end, ms)
		p.outlast(key, r.Lock.Observed, r.TTL, now)
		p.done = Outcome{Result: ResultExtended, Holder: p.holder, Count: p.count, TTL: r.TTL.Truncate(time.Millisecond)}
	case r.Verb == VerbForceExpire:
		fields := strconv.FormatInt(r.Lock.Observed.Size, 10)
		p.facts = append(p.facts, fact{[]string{"HLEN", key}, equal, fields, changed(whyFields)})
		if r.TTL == 0 {
			p.wake(r, RedissonChannel(key), "0")
			p.free(r)
			return nil
		}
		p.expireSoon(r)
		p.endValues(r.Lock, now.Add(r.TTL))
	case r.Entries > 0 && holder.Count.N > r.Entries:
		p.do("HINCRBY", key, count, strconv.FormatInt(-r.Entries, 10))
		p.done = Outcome{Result: ResultEntryReleased, Holder: p.holder, Count: holder.Count.N - r.Entries}
		p.keepsTTL = true
	default:
		p.wake(r, RedissonChannel(key), "0")
		p.do("HDEL", key, value, end, count)
		p.done = Outcome{Result: ResultReleased}
	}
	return nil
}

// sameValueEnds adds the facts that the leases of values end when they were seen to end: that of the holder, or all by force.
func (p *plan) sameValueEnds(r Request, holder inspector.Holder) {
	for _, h := range r.Lock.Holders {
		thread, _ := seenField(r.Lock, h.Owner)
		end := h.Owner + ":" + thread + multiEnd
		if seen, ok := seenField(r.seen(), end); ok && (h.Owner == holder.Owner || r.Verb == VerbForceExpire) {
			p.facts = append(p.facts, fact{[]string{"HGET", r.Lock.Key, end}, equal, seen, changed(whyRenewed)})
		}
	}
}

// endValues brings the ends of all values forward that end later.
func (p *plan) endValues(lock *inspector.Lock, to time.Time) {
	ms := strconv.FormatInt(to.UnixMilli(), 10)
	for _, h := range lock.Holders {
		at := slices.IndexFunc(lock.Observed.Value.Fields, func(f keyspace.Field) bool { return f.Name == h.Owner })
		if at < 0 || h.ExpiresAt.UnixMilli() <= to.UnixMilli() {
			continue
		}
		end := h.Owner + ":" + lock.Observed.Value.Fields[at].Value + multiEnd
		p.facts = append(p.facts, fact{[]string{"HGET", lock.Key, end}, atLeast, ms, changed(whyEnd)})
		p.do("HSET", lock.Key, end, ms)
	}
}

// sampleMulti is a group of which one value is locked.
func sampleMulti(key string) []*inspector.Lock {
	ends := time.Now().Add(farAhead / 2)
	lock := sample(inspector.SchemeRedissonMulti, key, inspector.Holder{Owner: "value", Count: inspector.Count{N: 2, Known: true}, ExpiresAt: ends})
	lock.Observed.Type, lock.Observed.Size, lock.Observed.ExpiresAt = keyspace.TypeHash, 3, ends
	lock.Observed.Value.Fields = []keyspace.Field{{Name: "value", Value: "owner"}}
	return []*inspector.Lock{lock}
}
