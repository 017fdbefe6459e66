package actions

import (
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const worksOn = "The thread that had the permit is not told and works on; its release() throws IllegalArgumentException. "
	addRecipe(Recipe{
		Scheme: inspector.SchemeRedissonPermits,
		Type:   keyspace.TypeString,
		Apart:  true,
		Guard:  "the key is a string, the permit is in {key}:timeout with the end that was seen, and the key has a TTL if and only if it had one",
		WakeUp: "PUBLISH redisson_sc:{key} with the new number of free permits",
		Steps: map[Verb]Step{
			VerbExtend: {
				Does: "sets the permit's end, by this machine's clock, and a TTL of the key that would end sooner",
				Then: "The thread that has the permit is not told.",
			},
			VerbRelease: {
				Does: "takes the permit from those that are held, counts it among the free ones and publishes their number",
				Then: worksOn + "A client that waits wakes up and takes the permit beside it.",

				MilderRefused: "a permit has no entries: it is released as a whole",
			},
			VerbForceExpire: {
				Refused:    "it would take all permits at once, and nobody knows how many there are; release one, or force-expire it with a delay",
				Milder:     "brings the permit's end forward to that, by this machine's clock, and never puts it off",
				MilderThen: worksOn + "The next client that asks for a permit after that end gets it; those who wait already are not told, and ask again when the end that they read is over.",
			},
		},
		OwnEnd:     true,
		plan:       planPermit,
		samples:    samplePermits,
		companions: inspector.BehindRedisson(inspector.RedissonPermits),
		channels:   []string{inspector.RedissonSemaphoreChannel + ":*"},
	})
}

const (
	// permitForever is the score of a permit that has no end.
	permitForever = "922337203685477"
)

// planPermit plans every verb on one permit of a semaphore. How many are free is part of the context: others take and return
// permits all the time.
func planPermit(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	key, ends := r.Lock.Key, inspector.RedissonSuffix(r.Lock.Key, inspector.RedissonPermits)
	score := []string{"ZSCORE", ends, holder.Owner}
	p.keys = append(p.keys, ends)
	p.holder = clip(holder.Owner)
	p.facts = append(observedType(key, keyspace.TypeString),
		fact{score, present, "", blameGone},
		stillLeased(r.Lock),
	)
	p.facts = append(p.facts, permitEnds(score, holder)...)
	ms := strconv.FormatInt(now.Add(r.TTL).UnixMilli(), 10)
	switch r.Verb {
	case VerbExtend:
		if holder.ExpiresAt.IsZero() {
			return unsupported("the permit has no end that could be put off")
		}
		if left := holder.ExpiresAt.Sub(now); left > r.TTL {
			return refusal{result: ResultChanged, holder: p.holder, reason: longerLeft(left)}
		}
		p.do("ZADD", ends, "XX", ms, holder.Owner)
		p.outlast(ends, companion(r.Lock, ends), r.TTL, now)
		p.outlast(key, r.Lock.Observed, r.TTL, now)
		p.done = Outcome{Result: ResultExtended, Holder: p.holder, TTL: r.TTL.Truncate(time.Millisecond)}
		return nil
	case VerbForceExpire:
		if left := holder.ExpiresAt.Sub(now); !holder.ExpiresAt.IsZero() && left < r.TTL {
			return refusal{result: ResultChanged, holder: p.holder, reason: endsSooner(left)}
		}
		p.do("ZADD", ends, "XX", ms, holder.Owner)
		p.done = Outcome{Result: ResultExpired, Holder: p.holder, TTL: r.TTL.Truncate(time.Millisecond)}
		return nil
	case VerbRelease:
		p.facts = append(p.facts, freePermits(r.Lock, blameContext))
		p.do("ZREM", ends, holder.Owner)
		return p.returnPermit(r)
	}
	return nil
}

// permitEnds are the facts that a permit has the end that was seen. Scores are compared as numbers, for servers print them
// differently.
func permitEnds(score []string, holder inspector.Holder) []fact {
	if holder.ExpiresAt.IsZero() {
		return []fact{{score, atLeast, permitForever, changed(whyEnd)}}
	}
	return sameNumber(score, strconv.FormatInt(holder.ExpiresAt.UnixMilli(), 10), whyRenewed)
}

// freePermits is the fact that as many permits are free as were seen.
func freePermits(lock *inspector.Lock, b blame) fact {
	return fact{[]string{"GETRANGE", lock.Key, "0", shownEnd}, equal, lock.Observed.Value.Text, b}
}

// returnPermit counts one more free permit, and tells those who wait how many there are: their decoder takes nothing but that
// number.
func (p *plan) returnPermit(r Request) error {
	free, err := strconv.ParseInt(r.Lock.Observed.Value.Text, 10, 32)
	if err != nil {
		return unsupported("its value is no number of free permits")
	}
	p.do("INCRBY", r.Lock.Key, "1")
	p.wake(r, inspector.RedissonName(inspector.RedissonSemaphoreChannel, r.Lock.Key), strconv.FormatInt(free+1, 10))
	p.done = Outcome{Result: ResultReleased, Detail: "free now: " + plural(free+1, "permit", "permits")}
	return nil
}

// samplePermits are a permit of a semaphore without a TTL, and one of a semaphore with it.
func samplePermits(key string) []*inspector.Lock {
	ends := time.Now().Add(farAhead / 2)
	endless := sample(inspector.SchemeRedissonPermits, key, inspector.Holder{Owner: "permit", ExpiresAt: ends})
	endless.Observed.Type, endless.Observed.Size, endless.Observed.Value.Text = keyspace.TypeString, 1, "3"
	held := keyspace.Record{Ref: keyspace.Ref{Key: inspector.RedissonSuffix(key, inspector.RedissonPermits)}, Type: keyspace.TypeZSet, Size: 1}
	held.Value.Fields = []keyspace.Field{{Name: "permit", Value: strconv.FormatInt(ends.UnixMilli(), 10)}}
	endless.Observed.Companions = []keyspace.Record{held}
	leased := *endless
	leased.Observed.ExpiresAt, held.ExpiresAt = ends, ends
	leased.Observed.Companions = []keyspace.Record{held}
	return []*inspector.Lock{endless, &leased}
}
