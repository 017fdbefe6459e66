package inspector

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/keyspace"
)

// redissonRW is Redisson's read/write lock: a hash with the mode, every reader with its entry count, and the writer under a field
// that ends in ":write". Each entry of a reader has a key of its own, whose TTL is that entry's lease (RedissonReadLock.java,
// RedissonWriteLock.java, 4.7).
var redissonRW = schemeFile{
	info: SchemeInfo{
		Name:         SchemeRedissonRW,
		Systems:      "Redisson: RReadWriteLock",
		RecognisedBy: "hash; `mode` is read or write, every other field is uuid:thread or uuid:thread:write, with a positive count; any name",
		Shows:        "mode, every reader with entry count and lease, or the writer; how many clients listen at least",
	},
	recognise: recogniseRedissonRW,
	beside:    besideRedissonRW,
	owners:    ownersOfRedissonRW,
}

func recogniseRedissonRW(c *candidate) (recognition, bool) {
	mode, entries, ok := redissonRWEntries(c.Record)
	if !ok {
		return recognition{}, false
	}
	found := recognition{
		mode: mode, waiters: c.listeners(RedissonName(RedissonRWChannel, c.Key)),
		evidence: append([]string{"a hash with Redisson's field \"mode\" and its clients and threads", c.ttlEvidence()}, mapEntry(c.Key)...),
	}
	for _, f := range entries {
		n, _ := entryCount(f.Value)
		holder, writes := strings.CutSuffix(f.Name, RedissonWriter)
		if mode == ModeWrite && !writes {
			continue // the writer reads as well: it is the same holder
		}
		found.holders = append(found.holders, Holder{
			Owner: f.Name, Label: redissonLabel(holder), Count: Count{N: n, Known: true}, ExpiresAt: c.readerEnds(holder, mode),
		})
	}
	return found, len(found.holders) > 0
}

// redissonRWEntries are the fields of the holders.
func redissonRWEntries(r keyspace.Record) (mode Mode, entries []keyspace.Field, ok bool) {
	if r.Type != keyspace.TypeHash || r.Truncated || len(r.Value.Fields) < 2 {
		return "", nil, false
	}
	for _, f := range r.Value.Fields {
		switch {
		case f.Name == "mode" && (f.Value == "read" || f.Value == "write"):
			mode = Mode(f.Value)
		default:
			holder := strings.TrimSuffix(f.Name, RedissonWriter)
			n, isCount := entryCount(f.Value)
			if _, _, is := redissonHolder(holder); !is || !isCount || n < 1 {
				return "", nil, false
			}
			entries = append(entries, f)
		}
	}
	return mode, entries, mode != ""
}

// readerEnds is the latest end of a reader's entries; zero where none is known.
func (c *candidate) readerEnds(holder string, mode Mode) (end time.Time) {
	if mode != ModeRead {
		return time.Time{}
	}
	prefix := RedissonSuffix(c.Key, holder) + RedissonReaderLease
	for _, r := range c.Companions {
		if strings.HasPrefix(r.Key, prefix) && r.ExpiresAt.After(end) {
			end = r.ExpiresAt
		}
	}
	return end
}

func besideRedissonRW(r keyspace.Record) keyspace.Company {
	mode, entries, ok := redissonRWEntries(r)
	if !ok {
		return keyspace.Company{}
	}
	company := keyspace.Company{Channels: []string{RedissonName(RedissonRWChannel, r.Key)}}
	if mode != ModeRead {
		return company
	}
	for _, f := range entries {
		n, _ := entryCount(f.Value)
		for i := int64(1); i <= min(n, 8); i++ {
			company.Keys = append(company.Keys, RedissonSuffix(r.Key, f.Name)+RedissonReaderLease+strconv.FormatInt(i, 10))
		}
	}
	return company
}

func ownersOfRedissonRW(name string) []string {
	if rest, ok := strings.CutPrefix(name, RedissonRWChannel+":"); ok {
		return unbraced(rest)
	}
	base, _, ok := strings.Cut(name, RedissonReaderLease)
	if !ok {
		return nil
	}
	const uuid = 36
	if i := strings.LastIndexByte(base, ':'); i > uuid && base[i-uuid-1] == ':' {
		return slices.Clip(unbraced(base[:i-uuid-1]))
	}
	return nil
}
