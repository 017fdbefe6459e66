package inspector

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"locktop/keyspace"
)

// redissonPermits is Redisson's semaphore whose permits expire: a string with the number of free permits, and beside it a sorted
// set of those that are held, with when each of them ends (RedissonPermitExpirableSemaphore.java, 4.7).
var redissonPermits = schemeFile{
	traits: traits{endless: true},
	info: SchemeInfo{
		Name:         SchemeRedissonPermits,
		Systems:      "Redisson: RPermitExpirableSemaphore",
		RecognisedBy: "a number, and beside it the sorted set `{name}:timeout` of permits of 16 bytes; any name",
		Shows:        "permits held, each with its end; how many are free; how many clients listen at least. The limit is not stored",
	},
	recognise: recogniseRedissonPermits,
	beside:    besideRedissonPermits,
	owners: func(name string) []string {
		if base, ok := strings.CutSuffix(name, permitsSuffix); ok {
			return unbraced(base)
		}
		return ownersOfSemaphore(name)
	},
}

const (
	permitsSuffix = ":" + RedissonPermits
	permitSize    = 16
	// permitForever is the end of a permit that has none.
	permitForever = 922337203685477
)

func ownersOfSemaphore(name string) []string {
	if rest, ok := strings.CutPrefix(name, RedissonSemaphoreChannel+":"); ok {
		return unbraced(rest)
	}
	return nil
}

func recogniseRedissonPermits(c *candidate) (recognition, bool) {
	free, ok := freePermits(c.Record)
	held, isThere := c.companion(keyspace.TypeZSet, RedissonSuffix(c.Key, RedissonPermits))
	if !ok || !isThere || held.Truncated {
		return recognition{}, false
	}
	found := recognition{
		mode: ModeSemaphore, waiters: c.listeners(RedissonName(RedissonSemaphoreChannel, c.Key)),
		evidence: append([]string{
			"a number, and beside it Redisson's sorted set of permits", permitsWords(free), c.ttlEvidence(),
		}, mapEntry(c.Key)...),
	}
	for _, f := range held.Value.Fields {
		ms, err := strconv.ParseFloat(f.Value, 64)
		if len(f.Name) != permitSize || err != nil {
			return recognition{}, false
		}
		h := Holder{Owner: f.Name, Label: "permit " + hex.EncodeToString([]byte(f.Name))}
		if ms < permitForever {
			h.ExpiresAt = endOf(int64(ms))
			found.leaseEnds = later(found.leaseEnds, h.ExpiresAt)
		}
		found.holders = append(found.holders, h)
	}
	for _, h := range found.holders {
		if h.ExpiresAt.IsZero() {
			found.leaseEnds = time.Time{} // one of them never ends
		}
	}
	return found, len(found.holders) > 0
}

// later is the later of two moments, of which the zero one is the earliest.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// freePermits reads the number of free permits; it may be negative, for permits can be taken away.
func freePermits(r keyspace.Record) (int64, bool) {
	if r.Type != keyspace.TypeString || r.Truncated || len(r.Value.Text) > 11 {
		return 0, false
	}
	return entryCount(r.Value.Text)
}

func permitsWords(free int64) string {
	if free == 1 {
		return "1 permit is free"
	}
	return strconv.FormatInt(free, 10) + " permits are free"
}

func besideRedissonPermits(r keyspace.Record) keyspace.Company {
	if _, ok := freePermits(r); !ok {
		return keyspace.Company{}
	}
	return keyspace.Company{
		Keys: append([]string{RedissonSuffix(r.Key, RedissonPermits)}, countsBeside(r)...), Channels: []string{RedissonName(RedissonSemaphoreChannel, r.Key)},
	}
}

// redissonSemaphore is Redisson's plain semaphore, of which Redis knows the free permits only, and nobody who holds one. A number is
// a counter in most systems, so that only a rule, or a client that waits on its channel, makes it one.
var redissonSemaphore = schemeFile{
	traits: traits{endless: true},
	info: SchemeInfo{
		Name:         SchemeRedissonSemaphore,
		Systems:      "Redisson: RSemaphore",
		RecognisedBy: "a number, and a client that listens on `redisson_sc:{name}`; else by a rule of yours",
		Shows:        "how many permits are free; how many clients listen at least. Who holds the others is not stored",
	},
	recognise: recogniseRedissonSemaphore,
	beside: func(r keyspace.Record) keyspace.Company {
		if _, ok := freePermits(r); !ok {
			return keyspace.Company{}
		}
		return keyspace.Company{Channels: []string{RedissonName(RedissonSemaphoreChannel, r.Key)}}
	},
}

func recogniseRedissonSemaphore(c *candidate) (recognition, bool) {
	free, ok := freePermits(c.Record)
	waiters := c.listeners(RedissonName(RedissonSemaphoreChannel, c.Key))
	if !ok || !c.ruled() && waiters.Count == 0 {
		return recognition{}, false
	}
	why := "clients listen on the channel of its waiters"
	if c.ruled() {
		why = c.name.evidence()
	}
	return recognition{
		mode: ModeSemaphore, waiters: waiters,
		holders:  []Holder{{Label: permitsWords(free)}}, // whoever they are
		evidence: []string{why, "its value is the number of free permits", c.ttlEvidence()},
	}, true
}

// redissonLatch is Redisson's count-down latch, which is no lock but what clients wait for.
var redissonLatch = schemeFile{
	traits: traits{endless: true},
	byRule: true,
	info: SchemeInfo{
		Name:         SchemeRedissonLatch,
		Systems:      "Redisson: RCountDownLatch",
		RecognisedBy: "a rule of yours: the key is but a number",
		Shows:        "how many count-downs are left; how many clients listen at least",
	},
	recognise: recogniseRedissonLatch,
	beside: func(r keyspace.Record) keyspace.Company {
		if _, ok := freePermits(r); !ok {
			return keyspace.Company{}
		}
		return keyspace.Company{Channels: []string{RedissonLatchName(r.Key)}}
	},
	owners: func(name string) []string {
		if rest, ok := strings.CutPrefix(name, RedissonLatchChannel); ok {
			return unbraced(rest)
		}
		return nil
	},
}

func recogniseRedissonLatch(c *candidate) (recognition, bool) {
	left, ok := freePermits(c.Record)
	if !ok || left < 1 {
		return recognition{}, false
	}
	word := " count-downs are left"
	if left == 1 {
		word = " count-down is left"
	}
	return recognition{
		mode: ModeExclusive, waiters: c.listeners(RedissonLatchName(c.Key)),
		holders:  []Holder{{Label: strconv.FormatInt(left, 10) + word}},
		evidence: []string{c.name.evidence(), "its value is the number of count-downs that are left", c.ttlEvidence()},
	}, true
}
