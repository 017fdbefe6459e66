package inspector

import (
	"strings"

	"locktop/keyspace"
)

// rql is the lock of redis_queued_locks (Ruby): a hash that says who holds it, and a queue of those who wait, as a sorted set
// (lib/redis_queued_locks/resource.rb, acquirer/acquire_lock/try_to_lock.rb, 1.16.2). Its count of conflicts never goes down, and so is
// no entry count.
var rql = schemeFile{
	traits: traits{unchecked: true},
	info: SchemeInfo{
		Name:         SchemeRQL,
		Systems:      "redis_queued_locks, RQL (Ruby)",
		RecognisedBy: "hash `rql:lock:<name>` with the fields `acq_id`, `ts` and `ini_ttl`",
		Shows:        "process and thread, when it was taken, TTL; who waits in its queues",
	},
	recognise: recogniseRQL,
	beside: func(r keyspace.Record) keyspace.Company {
		if _, ok := rqlAcquirer(r); !ok {
			return keyspace.Company{}
		}
		return keyspace.Company{Keys: rqlQueues(r.Key)}
	},
	owners: func(key string) []string {
		name, ok := strings.CutPrefix(key, rqlQueueBeginning)
		if !ok {
			return nil
		}
		owners := []string{rqlBeginning + name}
		for _, mode := range [...]string{":read", ":write"} {
			if base, is := strings.CutSuffix(name, mode); is {
				owners = append(owners, rqlBeginning+base)
			}
		}
		return owners
	},
}

const (
	rqlBeginning      = "rql:lock:"
	rqlQueueBeginning = "rql:lock_queue:"
)

// rqlQueues are the queue of all who wait, and those of readers and of writers.
func rqlQueues(key string) []string {
	queue := rqlQueueBeginning + strings.TrimPrefix(key, rqlBeginning)
	return []string{queue, queue + ":read", queue + ":write"}
}

// rqlAcquirer is who holds the lock.
func rqlAcquirer(r keyspace.Record) (string, bool) {
	if r.Type != keyspace.TypeHash || r.Truncated || !strings.HasPrefix(r.Key, rqlBeginning) {
		return "", false
	}
	var acquirer string
	needed := 0
	for _, f := range r.Value.Fields {
		switch f.Name {
		case "acq_id":
			acquirer = f.Value
		case "ini_ttl":
			if _, ok := entryCount(f.Value); ok {
				needed++
			}
		case "ts":
			if _, ok := epochTime(f.Value); ok {
				needed++
			}
		}
	}
	return acquirer, acquirer != "" && needed == 2
}

func recogniseRQL(c *candidate) (recognition, bool) {
	acquirer, ok := rqlAcquirer(c.Record)
	if !ok {
		return recognition{}, false
	}
	label := rqlLabel(acquirer)
	for _, f := range c.Value.Fields {
		if at, isTime := epochTime(f.Value); isTime && f.Name == "ts" {
			label += sinceWords(at)
		}
	}
	found := recognition{
		mode:     ModeExclusive,
		holders:  []Holder{{Owner: acquirer, Label: label}},
		waiters:  Waiters{Exact: true, By: WaitersQueue},
		evidence: []string{"its name is that of a lock of redis_queued_locks", "a hash that names its acquirer", c.ttlEvidence()},
	}
	for _, key := range rqlQueues(c.Key) {
		queue, is := c.companion(keyspace.TypeZSet, key)
		switch {
		case !is:
		case queue.Truncated:
			found.waiters.Exact = false
			found.waiters.Count += int(queue.Size)
		default:
			for _, waiter := range queue.Value.Fields {
				if waiter.Name != acquirer {
					found.waiters.Count++
				}
			}
		}
	}
	return found, true
}

// rqlLabel reads "rql:acq:<process>/<thread>/<fiber>/<ractor>/<random>".
func rqlLabel(acquirer string) string {
	parts := strings.Split(strings.TrimPrefix(acquirer, "rql:acq:"), "/")
	if len(parts) != 5 || !allDigits(parts[0]) || !allDigits(parts[1]) {
		return acquirer
	}
	return "process " + parts[0] + ", thread " + parts[1]
}
