package actions

import (
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const duplicate = "A duplicate of the job can be enqueued, or run, from now on. A job that still runs is not told: it goes on, and the duplicate runs beside it."
	addRecipe(Recipe{
		Scheme: inspector.SchemeUniqueJobs,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash, and the job has held the lock since it was seen to; of a release, other jobs may come and go",
		WakeUp: "LPUSH <digest>:QUEUED 1, PEXPIRE <digest>:QUEUED 5000; none in version 9",
		Steps: map[Verb]Step{
			VerbExtend: {
				Does: "sets the TTL of those of its keys that have one",
				Then: "The job is not told: it releases the lock when it ends, unless its lock is one that lasts until it expires.",
			},
			VerbRelease: {
				Does: "takes the job from those that hold the lock, deletes the keys of its digest if it was the last one, and pushes a wake-up onto the queue",
				Then: duplicate,
			},
			VerbForceExpire: {
				Does: "deletes the keys of its digest, and pushes a wake-up onto the queue", Then: duplicate,
				Milder:     "gives its keys that TTL, or shortens those that they have to that",
				MilderThen: "After that, a duplicate of the job can be enqueued, or run, beside a job that still runs. Those that are blocked on the queue are not told when it ends.",
			},
		},
		OwnEnd: true,
		plan:   planUniqueJobs,
		samples: func(key string) []*inspector.Lock {
			eight := sampleShare(inspector.SchemeUniqueJobs, key, "job", "1700000000.5")
			eight.Observed.ExpiresAt = time.Now().Add(farAhead / 2)
			for _, part := range uniqueJobsKeys(key).leased {
				eight.Observed.Companions = append(eight.Observed.Companions,
					keyspace.Record{Ref: keyspace.Ref{Key: part}, Type: keyspace.TypeString, ExpiresAt: eight.Observed.ExpiresAt})
			}
			return []*inspector.Lock{eight, sampleShare(inspector.SchemeUniqueJobs, key, "job", `{"time":1700000000.5}`)}
		},
		companions: []inspector.Naming{{Lock: uniqueBeginning + "$:LOCKED", Beside: uniqueBeginning + "*"}},
	})
}

const (
	uniqueBeginning = "uniquejobs:"
	// uniqueWakeUpFor is how long a wake-up lies in the queue, in milliseconds, as the library has it.
	uniqueWakeUpFor = "5000"
)

// uniqueKeys are the keys beside the hash of the jobs that hold a digest. The digest is a key, and a member of two sorted sets.
type uniqueKeys struct {
	digest, queued, primed, info, digests, expiring string
	// leased have the same TTL as the hash, where it has one.
	leased []string
}

func uniqueJobsKeys(key string) uniqueKeys {
	digest := strings.TrimSuffix(key, ":LOCKED")
	if !strings.HasPrefix(digest, uniqueBeginning) {
		digest = uniqueBeginning + digest
	}
	return uniqueKeys{
		digest: digest, queued: digest + ":QUEUED", primed: digest + ":PRIMED", info: digest + ":INFO",
		digests: uniqueBeginning + "digests", expiring: uniqueBeginning + "expiring_digests",
		leased: []string{digest, digest + ":INFO"},
	}
}

func planUniqueJobs(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	if err := p.onShare(r, holder); err != nil {
		return err
	}
	value, _ := seenField(r.Lock, holder.Owner)
	keys, nine := uniqueJobsKeys(r.Lock.Key), inspector.IsUniqueJobsJSON(value)
	switch {
	case r.Verb == VerbExtend:
		return p.extendUniqueJobs(r, keys, now)
	case !frees(r):
		p.facts = append(append(p.facts, observedShares(r.Lock), stillLeased(r.Lock)), sameFields(r.Lock)...)
		p.expireSoon(r)
		for _, key := range keys.leased {
			p.shorten(r, key, now)
		}
		return nil
	case r.Verb == VerbForceExpire:
		p.facts = append(append(p.facts, observedShares(r.Lock), stillLeased(r.Lock)), sameFields(r.Lock)...)
		p.freeDigest(keys, nine)
		p.free(r)
		return nil
	case p.alone(r.Lock):
		p.freeDigest(keys, nine)
	case !nine:
		p.wakeUniqueJobs(keys)
	}
	p.do("HDEL", r.Lock.Key, holder.Owner)
	return nil
}

// wakeUniqueJobs wakes one of the jobs that are blocked on the queue.
func (p *plan) wakeUniqueJobs(keys uniqueKeys) {
	p.keys = append(p.keys, keys.queued)
	p.do("LPUSH", keys.queued, "1")
	p.do("PEXPIRE", keys.queued, uniqueWakeUpFor)
}

// freeDigest takes away what belongs to a digest that no job holds, but for the hash of jobs itself.
func (p *plan) freeDigest(keys uniqueKeys, nine bool) {
	if !nine {
		p.wakeUniqueJobs(keys)
		for _, key := range [...]string{keys.digest, keys.info, keys.primed} {
			p.keys = append(p.keys, key)
			p.do("DEL", key)
		}
		p.keys = append(p.keys, keys.expiring)
		p.do("ZREM", keys.expiring, keys.digest)
	}
	p.keys = append(p.keys, keys.digests)
	p.do("ZREM", keys.digests, keys.digest)
}

// extendUniqueJobs sets the TTL of those keys that have one.
func (p *plan) extendUniqueJobs(r Request, keys uniqueKeys, now time.Time) error {
	p.facts = append(p.facts, stillLeased(r.Lock))
	if !seenEndless(r.Lock) {
		p.extend(r)
	}
	for _, key := range keys.leased {
		seen := companion(r.Lock, key)
		if seen.ExpiresAt.IsZero() || seen.ExpiresAt.Sub(now) > r.TTL {
			continue
		}
		p.keys = append(p.keys, key)
		p.facts = append(p.facts,
			fact{[]string{"PTTL", key}, atLeast, "0", blameContext}, fact{[]string{"PTTL", key}, atMost, millis(r.TTL), blameContext})
		p.do("PEXPIRE", key, millis(r.TTL))
	}
	if len(p.commands) == 0 {
		return unsupported("it has no TTL that could be extended: it is held until its job is over, and a TTL would end it before")
	}
	p.done = Outcome{Result: ResultExtended, Holder: p.holder, TTL: r.TTL.Truncate(time.Millisecond)}
	return nil
}

// shorten gives a companion that is there a TTL, unless it has a shorter one.
func (p *plan) shorten(r Request, key string, now time.Time) {
	seen := companion(r.Lock, key)
	still := fact{[]string{"PTTL", key}, equal, "-1", blameContext}
	switch {
	case seen.Type == keyspace.TypeNone, !seen.ExpiresAt.IsZero() && seen.ExpiresAt.Sub(now) <= r.TTL:
		return
	case !seen.ExpiresAt.IsZero():
		still.compared, still.want = atLeast, millis(r.TTL)
	}
	p.keys = append(p.keys, key)
	p.facts = append(p.facts, still)
	p.do("PEXPIRE", key, millis(r.TTL))
}
