package actions

import (
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	const removes = "takes its holder out of the hash; with the last one it deletes the key and publishes the wake-up"
	addRecipe(Recipe{
		Scheme: inspector.SchemeRedissonRW,
		Type:   keyspace.TypeHash,
		Guard:  "the key is a hash; its mode, the holder's field and its count are as seen; its lease (for a reader, the leases of its entries) ends when it was seen to end; for a force-expiry no field was added or removed",
		WakeUp: "PUBLISH redisson_rwlock:{key}, when the key is deleted: 0 with the last reader, 1 with the writer and by force",
		Steps: map[Verb]Step{
			VerbExtend: {
				Does: "sets the leases of the holder's entries, and the key's TTL where that would end sooner",
				Then: "If the watchdog of a holder runs, it sets them to its own lease (30 s by default) at its next tick, which comes within 10 s.",
			},
			VerbRelease: {
				Does: removes, Then: redissonReleased + " Other readers stay; where a writer reads as well, it goes on as a reader, and nobody is woken.",
				Milder: takesEntries, MilderThen: stillBelieves,
			},
			VerbForceExpire: {
				Does: "takes the lock from all of its holders: it deletes the key and the leases of their entries, and publishes the wake-up", Then: redissonReleased,
				Milder: "shortens its TTL and the leases of its readers to that, and never lengthens them", MilderThen: redissonExpiring,
			},
		},
		plan:       planRedissonRW,
		samples:    sampleReadWrite,
		companions: inspector.BehindRedisson("*" + inspector.RedissonReaderLease + "*"),
		channels:   []string{inspector.RedissonRWChannel + ":*"},
	})
}

const (
	// rwEntries is how many leases of a reader's entries an action speaks of: the last ones, for it is those that end last.
	rwEntries = 256
)

// rwLeases are the keys that hold the leases of a reader's last entries. A writer has none.
func rwLeases(key, owner string, entries, count int64) []string {
	var leases []string
	if !strings.HasSuffix(owner, inspector.RedissonWriter) {
		for n := range min(entries, count, rwEntries) {
			leases = append(leases, inspector.RedissonSuffix(key, owner)+inspector.RedissonReaderLease+strconv.FormatInt(count-n, 10))
		}
	}
	return leases
}

// planRedissonRW plans every verb on a read-write lock. Other readers may come and go meanwhile: what is left of the hash is
// part of the context.
func planRedissonRW(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	key, mode := r.Lock.Key, string(r.Lock.Mode)
	count := strconv.FormatInt(holder.Count.N, 10)
	p.holder = clip(holder.Owner)
	p.witness = []string{"HSCAN", key, "0", "MATCH", "*:*", "COUNT", "10"} // "mode" is nobody
	p.facts = append(
		observedType(key, keyspace.TypeHash),
		fact{[]string{"HGET", key, holder.Owner}, present, "", blameOther},
		fact{[]string{"HGET", key, holder.Owner}, equal, count, changed(whyCount)},
		fact{[]string{"HGET", key, "mode"}, equal, mode, changed(whyMode)},
	)
	p.sameReadWriteEnd(r, holder)
	leases := rwLeases(key, holder.Owner, holder.Count.N, holder.Count.N)
	fields := strconv.FormatInt(r.Lock.Observed.Size, 10)
	switch {
	case r.Verb == VerbExtend:
		p.addKeys(leases...)
		for _, lease := range leases {
			p.facts = append(p.facts, notLonger(lease, r.TTL))
			p.do("PEXPIRE", lease, millis(r.TTL))
		}
		if len(leases) == 0 {
			p.facts = append(p.facts, notLonger(key, r.TTL))
		}
		p.outlast(key, r.Lock.Observed, r.TTL, now)
		p.done = Outcome{Result: ResultExtended, Holder: p.holder, Count: p.count, TTL: r.TTL.Truncate(time.Millisecond)}
		return nil
	case r.Verb == VerbForceExpire:
		p.facts = append(p.facts, fact{[]string{"HLEN", key}, equal, fields, changed(whyFields)})
		p.expireReadWrite(r, now)
		return nil
	case r.Entries > 0 && holder.Count.N > r.Entries:
		p.do("HINCRBY", key, holder.Owner, strconv.FormatInt(-r.Entries, 10))
		p.forget(rwLeases(key, holder.Owner, r.Entries, holder.Count.N))
		p.done = Outcome{Result: ResultEntryReleased, Holder: p.holder, Count: holder.Count.N - r.Entries}
		p.keepsTTL = true
		return nil
	}
	p.facts = append(p.facts, fact{[]string{"HLEN", key}, equal, fields, blameContext})
	p.done = Outcome{Result: ResultReleased}
	switch last := r.Lock.Observed.Size <= 2; {
	case last && mode == string(inspector.ModeWrite):
		p.wake(r, inspector.RedissonName(inspector.RedissonRWChannel, key), "1")
		p.do("DEL", key)
	case last:
		p.wake(r, inspector.RedissonName(inspector.RedissonRWChannel, key), "0")
		p.do("DEL", key)
	case mode == string(inspector.ModeWrite):
		p.do("HDEL", key, holder.Owner)
		p.do("HSET", key, "mode", string(inspector.ModeRead))
		p.done.Detail = "it reads as well, and goes on as a reader: nobody is woken"
	default:
		p.do("HDEL", key, holder.Owner)
		p.done.Detail = "other readers have it still, and nobody is woken"
	}
	p.forget(leases)
	return nil
}

// sameReadWriteEnd adds the facts that the leases end when they were seen to end: those of the reader's entries, or by force those of all
// readers. The key's own TTL is what all readers have together, and is compared for a writer, and where no entry's lease was seen.
func (p *plan) sameReadWriteEnd(r Request, holder inspector.Holder) {
	owner := holder.Owner
	if r.Verb == VerbForceExpire {
		owner = ""
	}
	if same, known := p.sameReaderLeases(r.seen(), owner); known && r.Lock.Mode == inspector.ModeRead {
		p.facts = append(append(p.facts, stillLeased(r.Lock)), same...)
	} else {
		p.facts = append(p.facts, p.sameEnd(r)...)
	}
}

// expireReadWrite takes the lock from all who were seen with it, now or soon. The leases of entries that were not read, of
// which there may be many, end by themselves; without the key they mean nothing.
func (p *plan) expireReadWrite(r Request, now time.Time) {
	var leases []string
	for _, companion := range r.Lock.Observed.Companions {
		ends := r.TTL == 0 || companion.ExpiresAt.Sub(now) > r.TTL
		if strings.Contains(companion.Key, inspector.RedissonReaderLease) && companion.Exists() && ends {
			leases = append(leases, companion.Key)
		}
	}
	if r.TTL == 0 {
		p.wake(r, inspector.RedissonName(inspector.RedissonRWChannel, r.Lock.Key), "1")
		p.free(r)
		p.forget(leases)
		return
	}
	p.addKeys(leases...)
	p.expireSoon(r)
	for _, lease := range leases {
		p.facts = append(p.facts, fact{[]string{"PTTL", lease}, atLeast, millis(r.TTL), blameContext})
		p.do("PEXPIRE", lease, millis(r.TTL))
	}
}

// forget deletes companions.
func (p *plan) forget(keys []string) {
	if len(keys) > 0 {
		p.addKeys(keys...)
		p.do(append([]string{"DEL"}, keys...)...)
	}
}

// outlast lets a key live as long as the lease that a holder has in it, where it was seen to end sooner. Other holders may have
// made it live longer meanwhile.
func (p *plan) outlast(key string, seen keyspace.Record, lease time.Duration, now time.Time) {
	switch {
	case seen.ExpiresAt.IsZero():
	case seen.ExpiresAt.Sub(now) > lease:
		p.facts = append(p.facts, fact{[]string{"PTTL", key}, atLeast, millis(lease), blameContext})
	default:
		p.facts = append(p.facts, fact{[]string{"PTTL", key}, atMost, millis(lease), blameContext})
		p.do("PEXPIRE", key, millis(lease))
	}
}

// sampleReadWrite are a lone reader, one of several, and a writer who reads as well.
func sampleReadWrite(key string) []*inspector.Lock {
	var locks []*inspector.Lock
	for _, test := range []struct {
		mode  inspector.Mode
		owner string
		size  int64
		left  time.Duration
	}{
		{inspector.ModeRead, "owner", 2, farAhead / 2},
		{inspector.ModeRead, "owner", 3, 2 * farAhead},
		{inspector.ModeWrite, "owner" + inspector.RedissonWriter, 3, farAhead / 2},
	} {
		lock := sample(inspector.SchemeRedissonRW, key, inspector.Holder{Owner: test.owner, Count: inspector.Count{N: 2, Known: true}})
		lock.Mode, lock.Observed.Type, lock.Observed.Size = test.mode, keyspace.TypeHash, test.size
		lock.Observed.ExpiresAt = time.Now().Add(test.left)
		for _, lease := range rwLeases(key, test.owner, 2, 2) {
			lock.Observed.Companions = append(lock.Observed.Companions, keyspace.Record{
				Ref: keyspace.Ref{Key: lease}, Type: keyspace.TypeString, ExpiresAt: lock.Observed.ExpiresAt,
			})
		}
		locks = append(locks, lock)
	}
	return locks
}
