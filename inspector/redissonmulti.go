package inspector

import (
	"slices"
	"strings"

	"locktop/keyspace"
)

// redissonMulti is Redisson's faster multi-lock: one hash for a group of values, each of which is locked by itself. It has the
// hash of every value that is locked, and for it the holder, the end of the lease and the entry count
// (RedissonFasterMultiLock.java, 4.7).
var redissonMulti = schemeFile{
	info: SchemeInfo{
		Name:         SchemeRedissonMulti,
		Systems:      "Redisson: getMultiLock of a group and its values",
		RecognisedBy: "hash; for each value 22 characters of base64 with a uuid:thread, and behind them `:<uuid:thread>:expire_time` and `:lock_count`; any name",
		Shows:        "every value that is locked, with client, thread, entry count and lease; how many clients listen at least",
	},
	recognise: recogniseRedissonMulti,
	beside: func(r keyspace.Record) keyspace.Company {
		if !isRedissonMulti(r) {
			return keyspace.Company{}
		}
		return keyspace.Company{Channels: []string{RedissonName(RedissonChannel, r.Key)}}
	},
}

const (
	multiEnd   = ":expire_time"
	multiCount = ":lock_count"
	// multiValue is the length of 128 bits in base64 without the padding.
	multiValue = 22
)

func recogniseRedissonMulti(c *candidate) (recognition, bool) {
	if !isRedissonMulti(c.Record) {
		return recognition{}, false
	}
	found := recognition{
		mode: ModeExclusive, waiters: c.listeners(RedissonName(RedissonChannel, c.Key)),
		evidence: []string{"a hash of values that Redisson clients and threads have locked, each with a lease and a count", c.ttlEvidence()},
	}
	for _, f := range c.Value.Fields {
		if len(f.Name) != multiValue {
			continue
		}
		end, _ := multiField(c.Record, f, multiEnd)
		count, _ := multiField(c.Record, f, multiCount)
		h := Holder{
			Owner: f.Name, Label: redissonLabel(f.Value) + ", value " + f.Name,
			Count: Count{N: count, Known: true}, ExpiresAt: endOf(end),
		}
		found.leaseEnds = later(found.leaseEnds, h.ExpiresAt)
		found.holders = append(found.holders, h)
	}
	return found, true
}

// isRedissonMulti says whether every field of a hash is a locked value or speaks of one. Of a holder whose lease was over when
// another took the value its end and its count are left behind.
func isRedissonMulti(r keyspace.Record) bool {
	if r.Type != keyspace.TypeHash || r.Truncated || len(r.Value.Fields) < 3 {
		return false
	}
	values := 0
	for _, f := range r.Value.Fields {
		if len(f.Name) < multiValue || strings.Trim(f.Name[:multiValue], base64Letters) != "" {
			return false
		}
		if rest := f.Name[multiValue:]; rest != "" {
			if !isOfValue(rest, f.Value) {
				return false
			}
			continue
		}
		_, _, held := redissonHolder(f.Value)
		end, ends := multiField(r, f, multiEnd)
		count, counts := multiField(r, f, multiCount)
		if !held || !ends || !counts || end < 1 || count < 1 {
			return false
		}
		values++
	}
	return values > 0
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// isOfValue says whether what follows a value in a field's name makes the field a number that belongs to it.
func isOfValue(rest, number string) bool {
	holder, ends := strings.CutSuffix(rest, multiEnd)
	holder, counts := strings.CutSuffix(holder, multiCount)
	_, _, held := redissonHolder(strings.TrimPrefix(holder, ":"))
	_, isNumber := entryCount(number)
	return ends != counts && rest[0] == ':' && held && isNumber
}

// multiField is a number that belongs to a locked value. Fields are sorted by name.
func multiField(r keyspace.Record, value keyspace.Field, suffix string) (int64, bool) {
	name := value.Name + ":" + value.Value + suffix
	at, found := slices.BinarySearchFunc(r.Value.Fields, name, func(f keyspace.Field, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return 0, false
	}
	return entryCount(r.Value.Fields[at].Value)
}
