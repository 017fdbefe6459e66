package inspector

import (
	"strings"

	"locktop/keyspace"
)

// goRedislock is the re-entrant and the fair lock of jefferyjob/go-redislock: a string with the
// holder's token, and beside it the entry count of this token, or the queue of the clients that
// asked, including the holder (reentrantLock.lua, fairLock.lua, 1.7).
var goRedislock = schemeFile{
	info: SchemeInfo{
		Name:         SchemeGoRedislock,
		Systems:      "jefferyjob/go-redislock (Go): re-entrant and fair locks",
		RecognisedBy: "string `{name}` with a TTL, and beside it the number `{name}:count:<value>` or the sorted set `{name}:queue` that contains the value; any name",
		Shows:        "token, entry count, TTL; a fair lock's queue",
	},
	recognise: recogniseGoRedislock,
	beside: func(r keyspace.Record) keyspace.Company {
		token := r.Value.Text
		if r.Type != keyspace.TypeString || r.Truncated || token == "" || len(token) > maxToken || !isBraced(r.Key) {
			return keyspace.Company{}
		}
		return keyspace.Company{Keys: []string{GoRedislockCount(r.Key, token), r.Key + goRedislockQueue}}
	},
	owners: func(name string) []string {
		key, _, counts := strings.Cut(name, goRedislockCount)
		if !counts {
			key, counts = strings.CutSuffix(name, goRedislockQueue)
		}
		if !counts || !isBraced(key) {
			return nil
		}
		return []string{key}
	},
}

const (
	goRedislockCount = ":count:"
	goRedislockQueue = ":queue"
)

// GoRedislockCount is the key of a token's entry count.
func GoRedislockCount(key, token string) string { return key + goRedislockCount + token }

// GoRedislockQueue is the key of the queue of a fair lock.
func GoRedislockQueue(key string) string { return key + goRedislockQueue }

// isBraced reports whether all of a name is in braces.
func isBraced(key string) bool {
	return len(key) > 2 && key[0] == '{' && strings.IndexByte(key, '}') == len(key)-1
}

func recogniseGoRedislock(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeString || c.Truncated || c.ExpiresAt.IsZero() || !isBraced(c.Key) {
		return recognition{}, false
	}
	token := c.Value.Text
	holder := Holder{Owner: token, Label: strings.TrimPrefix(token, countedRWToken)}
	found := recognition{mode: ModeExclusive, evidence: []string{c.ttlEvidence()}}
	if counter, is := c.companion(keyspace.TypeString, GoRedislockCount(c.Key, token)); is {
		if n, ok := entryCount(counter.Value.Text); ok && n > 0 {
			holder.Count = Count{N: n, Known: true}
			found.evidence = append(found.evidence, "a key beside it counts the entries of its token")
		}
	}
	if queue, is := c.companion(keyspace.TypeZSet, GoRedislockQueue(c.Key)); is && !queue.Truncated {
		found.waiters = Waiters{Exact: true, By: WaitersQueue}
		for _, f := range queue.Value.Fields {
			if f.Name == token {
				found.evidence = append(found.evidence, "its token is in the queue beside it: a fair lock")
			} else {
				found.waiters.Count++
			}
		}
	}
	found.holders = []Holder{holder}
	return found, len(found.evidence) > 1
}
