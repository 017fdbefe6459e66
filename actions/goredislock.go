package actions

import (
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const deletesBoth = "deletes the key and its entry count, and takes its holder out of the queue"
	addRecipe(Recipe{
		Scheme: inspector.SchemeGoRedislock,
		Type:   keyspace.TypeString,
		Guard:  guardString + "; the entry count is as seen",
		WakeUp: wakeUpPolling,
		Steps: map[Verb]Step{
			VerbExtend:      {Does: "sets its TTL, and that of its entry count", Then: renewalWins},
			VerbRelease:     {Does: deletesBoth, Then: besideHolder, Milder: takesEntries, MilderThen: stillBelieves},
			VerbForceExpire: {Does: deletesBoth, Then: besideHolder, Milder: "shortens its TTL and that of its entry count to that, and never lengthens it", MilderThen: untilRenewal},
		},
		plan:    planGoRedislock,
		samples: sampleGoRedislock,
		companions: []inspector.Naming{
			{Lock: "{$}", Beside: "{$}:count:*", Narrow: true}, {Lock: "{$}", Beside: "{$}:queue", Narrow: true},
		},
	})
}

// planGoRedislock treats the entry count like the key: if the count stayed, its token could enter a
// lock that another client holds. A holder that stayed in the queue of a fair lock would keep all
// others out until its time is over.
func planGoRedislock(p *plan, r Request, holder inspector.Holder, _ time.Time) error {
	key := r.Lock.Key
	counter := inspector.GoRedislockCount(key, holder.Owner)
	if !holder.Count.Known {
		counter = ""
	}
	whole := r
	whole.Entries = 0
	if err := p.onString(whole); err != nil {
		return err
	}
	if counter != "" {
		p.keys = append(p.keys, counter)
		p.facts = append(p.facts, fact{[]string{"GETRANGE", counter, "0", shownEnd}, equal, strconv.FormatInt(holder.Count.N, 10), changed(whyCount)})
	}
	switch {
	case r.Verb == VerbRelease && r.Entries > 0 && counter == "":
		return unsupported(oneEntry)
	case r.Verb == VerbRelease && r.Entries > 0 && holder.Count.N > r.Entries:
		p.do("DECRBY", counter, strconv.FormatInt(r.Entries, 10))
		p.done = Outcome{Result: ResultEntryReleased, Holder: p.holder, Count: holder.Count.N - r.Entries}
		p.keepsTTL = true
	case frees(r):
		queue := inspector.GoRedislockQueue(key)
		if companion(r.Lock, queue).Type == keyspace.TypeZSet {
			p.keys = append(p.keys, queue)
			p.do("ZREM", queue, holder.Owner)
		}
		if counter != "" {
			p.do("DEL", counter)
		}
		p.free(r)
	case r.Verb == VerbExtend:
		p.extend(r)
		p.alike(counter, r.TTL)
	default:
		p.expireSoon(r)
		p.alike(counter, r.TTL)
	}
	return nil
}

// alike gives a companion the TTL of the lock. It does nothing if key is empty.
func (p *plan) alike(key string, ttl time.Duration) {
	if key != "" {
		p.do("PEXPIRE", key, millis(ttl))
	}
}

func sampleGoRedislock(key string) []*inspector.Lock {
	samples := sampleStrings(inspector.SchemeGoRedislock, key, "token")
	for _, lock := range samples {
		lock.Holders[0].Count = inspector.Count{N: 2, Known: true}
		queue := keyspace.Record{Ref: keyspace.Ref{Key: inspector.GoRedislockQueue(key)}, Type: keyspace.TypeZSet}
		lock.Observed.Companions = []keyspace.Record{queue}
	}
	return samples[1:]
}
