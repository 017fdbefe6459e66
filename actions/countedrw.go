package actions

import (
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const (
		removes = "takes its holder out of the hash, as its own release would; with the last one it deletes the key"
		then    = "The holder does not notice: if it is alive, it still believes that it has the lock, and its release fails. Other readers keep theirs; waiting clients poll, and the next one enters beside it."
	)
	addRecipe(Recipe{
		Scheme: inspector.SchemeCountedRW,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash; its mode, the holder and its count are as seen; its lease, if no other holder shares it, ends when it was seen to end; for a force-expiry no field was added or removed",
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbExtend:      {Does: "sets its TTL, for all of its holders", Then: renewalWins},
			VerbRelease:     {Does: removes, Then: then, Milder: takesEntries, MilderThen: stillBelieves},
			VerbForceExpire: {Does: deletesAll, Then: membersFreed, Milder: shortensAll, MilderThen: membersUntil},
		},
		plan:    planCountedRW,
		samples: sampleCountedRW,
	})
}

// planCountedRW plans every verb. Other readers may come and go meanwhile, so their entry counts
// are part of the context.
func planCountedRW(p *plan, r Request, holder inspector.Holder, _ time.Time) error {
	key, mode := r.Lock.Key, string(r.Lock.Mode)
	count, field := strconv.FormatInt(holder.Count.N, 10), holder.Owner // a reader's
	p.holder = clip(holder.Owner)
	p.witness = []string{"HSCAN", key, "0", "MATCH", inspector.CountedRWReader + "*", "COUNT", "10"}
	p.facts = append(observedType(key, keyspace.TypeHash), fact{[]string{"HGET", key, inspector.CountedRWMode}, equal, mode, changed(whyMode)})
	if r.Lock.Mode == inspector.ModeWrite {
		field = inspector.CountedRWEntries
		p.witness = []string{"HGET", key, inspector.CountedRWWriter}
		p.facts = append(p.facts, fact{p.witness, equal, holder.Owner, blameOther})
	}
	p.facts = append(p.facts, fact{[]string{"HGET", key, field}, present, "", blameOther},
		fact{[]string{"HGET", key, field}, equal, count, changed(whyCount)})
	if len(r.Lock.Holders) > 1 { // the TTL is what all readers have together, and any of them moves it
		p.facts = append(p.facts, stillLeased(r.Lock))
	} else {
		p.facts = append(p.facts, p.sameEnd(r)...)
	}
	switch r.Verb {
	case VerbExtend:
		p.extend(r)
		return nil
	case VerbForceExpire:
		p.facts = append(p.facts, observedShares(r.Lock))
		if frees(r) {
			p.free(r)
		} else {
			p.expireSoon(r)
		}
		return nil
	case VerbRelease:
	}
	taken := holder.Count.N
	if r.Entries > 0 {
		taken = min(taken, r.Entries)
	}
	if taken < holder.Count.N {
		p.done = Outcome{Result: ResultEntryReleased, Holder: p.holder, Count: holder.Count.N - taken}
		p.keepsTTL = true
	} else {
		p.done = Outcome{Result: ResultReleased}
	}
	return p.leaveCounted(r, field, taken, taken == holder.Count.N)
}

// leaveCounted removes entries of a reader or the writer. The last entry of the last holder deletes
// the key.
func (p *plan) leaveCounted(r Request, field string, entries int64, last bool) error {
	key, readers := r.Lock.Key, []string{"HGET", r.Lock.Key, inspector.CountedRWReaders}
	writes := r.Lock.Mode == inspector.ModeWrite
	total, counted := seenField(r.Lock, inspector.CountedRWReaders)
	all, err := strconv.ParseInt(total, 10, 64)
	if counted && err != nil {
		return unsupported("its number of readers is no number, and cannot be counted down")
	}
	if counted {
		p.facts = append(p.facts, fact{readers, equal, total, blameContext})
	} else {
		p.facts = append(p.facts, fact{readers, absent, "", blameContext})
	}
	taken := strconv.FormatInt(-entries, 10)
	switch {
	case !last:
		p.do("HINCRBY", key, field, taken)
		if !writes {
			p.do("HINCRBY", key, inspector.CountedRWReaders, taken)
		}
	case writes && all > 0:
		p.do("HDEL", key, inspector.CountedRWWriter, inspector.CountedRWEntries)
		p.do("HSET", key, inspector.CountedRWMode, string(inspector.ModeRead))
		p.done.Detail = "it also reads, and stays a reader"
	case writes || all <= entries:
		p.do("DEL", key)
	default:
		p.do("HDEL", key, field)
		p.do("HINCRBY", key, inspector.CountedRWReaders, taken)
		p.done.Detail = "other readers still have it"
	}
	return nil
}

// sampleCountedRW returns a lone reader, one of several readers, and a writer that also reads.
func sampleCountedRW(key string) []*inspector.Lock {
	var locks []*inspector.Lock
	for _, test := range []struct {
		mode  inspector.Mode
		total string
	}{{inspector.ModeRead, "2"}, {inspector.ModeRead, "3"}, {inspector.ModeWrite, "1"}, {inspector.ModeWrite, "0"}} {
		lock := sampleShare(inspector.SchemeCountedRW, key, inspector.CountedRWReaders, test.total)
		lock.Mode, lock.Observed.ExpiresAt = test.mode, time.Now().Add(farAhead/2)
		lock.Holders[0] = inspector.Holder{Owner: "owner", Count: inspector.Count{N: 2, Known: true}}
		locks = append(locks, lock)
	}
	return locks
}
