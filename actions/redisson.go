package actions

import (
	"slices"
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func init() {
	addRecipe(Recipe{
		Scheme: inspector.SchemeRedisson,
		Type:   keyspace.TypeHash,
		Guard:  guardHash,
		WakeUp: "PUBLISH redisson_lock__channel:{key} 0, when the key is deleted; where a fair lock has a queue, redisson_lock__channel:{key}:<waiter> instead, up to the first waiter whose time is not over",
		Steps: map[Verb]Step{
			VerbExtend: {
				Does: "sets its TTL",
				Then: "If the holder's watchdog runs, it cuts the lease back to its own (30 s by default) at its next tick, which comes within 10 s.",
			},
			VerbRelease: {Does: wakes, Then: redissonFreed, Milder: takesEntries, MilderThen: stillBelieves},
			VerbForceExpire: {
				Does: wakes, Then: redissonFreed, Milder: shortens,
				MilderThen: redissonExpiring,
			},
		},
		plan:       planRedisson,
		samples:    func(key string) []*inspector.Lock { return sampleHashes(inspector.SchemeRedisson, key) },
		companions: slices.Concat(inspector.BesideRedisson(inspector.RedissonQueue), inspector.BesideRedisson(inspector.RedissonDeadlines)),
		channels:   []string{inspector.RedissonChannel + ":*"},
	})
}

// RedissonChannel is the channel on which the waiters of a Redisson lock listen, but for those of a fair lock: see
// [RedissonFairChannel].
func RedissonChannel(key string) string {
	return inspector.RedissonName(inspector.RedissonChannel, key)
}

// RedissonFairChannel is the channel on which this one waiter of a Redisson fair lock listens.
func RedissonFairChannel(key, waiter string) string { return RedissonChannel(key) + ":" + waiter }

// planRedisson plans every verb on a Redisson lock. The key alone does not tell whether it is a fair one.
func planRedisson(p *plan, r Request, holder inspector.Holder, now time.Time) error {
	return p.onHash(r, holder, func() error { return p.wakeRedisson(r, now) })
}

// wakeRedisson tells those who wait, from the head of the queue up to the first one whose time is not over, because a fair
// lock lets nobody in before it. A message to the channel of one who is gone reaches nobody. Where no waiter in the queue
// has time left, or there is no queue, it tells those who wait on the lock's own channel. The waiters whose time is over
// are left where they are: each client takes them out before it acquires. Of a long queue the head is known, which is enough where
// one in it has time left.
func (p *plan) wakeRedisson(r Request, now time.Time) error {
	queue, ends := inspector.RedissonName(inspector.RedissonQueue, r.Lock.Key), inspector.RedissonName(inspector.RedissonDeadlines, r.Lock.Key)
	p.keys = append(p.keys, queue, ends)
	line, deadlines := companion(r.Lock, queue), companion(r.Lock, ends)
	unknown := unsupported("of the queue of those who wait for it nobody could be read whose time is not over, so nobody knows whom to wake; force-expire it with a delay")
	if line.Type == keyspace.TypeDenied {
		return unknown
	}
	for i, waiter := range line.Value.Fields {
		p.facts = append(p.facts, fact{[]string{"LINDEX", queue, strconv.Itoa(i)}, equal, waiter.Name, blameContext})
		p.wake(r, RedissonFairChannel(r.Lock.Key, waiter.Name), "0")
		if !isOver(deadlines, waiter.Name, now) {
			return nil
		}
	}
	if int64(len(line.Value.Fields)) < line.Size {
		return unknown
	}
	p.facts = append(p.facts, fact{[]string{"LINDEX", queue, strconv.Itoa(len(line.Value.Fields))}, absent, "", blameContext})
	for _, channel := range inspector.RedissonChannels(r.Lock.Key) {
		p.wake(r, channel, "0")
	}
	return nil
}

// isOver says whether the time of a waiter is over, or may be, by the local clock. One without a time waits for ever. Where there
// were too many deadlines to be read, the earliest are known, and the others are later than all of these.
func isOver(deadlines keyspace.Record, waiter string, now time.Time) bool {
	known := deadlines.Value.Fields
	at := slices.IndexFunc(known, func(f keyspace.Field) bool { return f.Name == waiter })
	switch {
	case at < 0 && !deadlines.Truncated:
		return false
	case at < 0 && len(known) == 0:
		return true
	case at < 0:
		at = len(known) - 1
	}
	ends, err := strconv.ParseFloat(known[at].Value, 64)
	return err == nil && ends <= float64(now.UnixMilli())
}

// companion is what was seen of a companion; of one that was not there, nothing.
func companion(lock *inspector.Lock, key string) keyspace.Record {
	at := slices.IndexFunc(lock.Observed.Companions, func(c keyspace.Record) bool { return c.Key == key })
	if at < 0 {
		return keyspace.Record{Type: keyspace.TypeNone}
	}
	return lock.Observed.Companions[at]
}
