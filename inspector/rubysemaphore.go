package inspector

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"locktop/keyspace"
)

// rubySemaphore is the semaphore of redis-semaphore (Ruby, dv): a hash of the tokens that are held, with when each was taken,
// and a list of the free ones, on which the clients that wait are blocked (lib/redis/semaphore.rb, 0.3.1).
var rubySemaphore = schemeFile{
	traits: traits{endless: true, unchecked: true},
	info: SchemeInfo{
		Name:         SchemeRubySemaphore,
		Systems:      "redis-semaphore (Ruby, dv)",
		RecognisedBy: "hash `SEMAPHORE:<name>:GRABBED` of times in seconds",
		Shows:        "tokens held, each with when it was taken; how many are free, of how many; how many clients are blocked at most",
	},
	recognise: recogniseRubySemaphore,
	beside: func(r keyspace.Record) keyspace.Company {
		name, ok := rubySemaphoreName(r.Key, "GRABBED")
		if !ok || r.Type != keyspace.TypeHash {
			return keyspace.Company{}
		}
		beside := []string{rubySemaphoreKey(name, "AVAILABLE"), rubySemaphoreKey(name, "EXISTS"), rubySemaphoreKey(name, "VERSION")}
		return keyspace.Company{Keys: beside, Present: beside, Commands: []string{"blpop"}}
	},
	owners: func(key string) []string {
		for _, part := range [...]string{"AVAILABLE", "EXISTS", "VERSION"} {
			if name, ok := rubySemaphoreName(key, part); ok {
				return []string{rubySemaphoreKey(name, "GRABBED")}
			}
		}
		return nil
	},
}

const rubySemaphoreBeginning = "SEMAPHORE:"

func rubySemaphoreKey(name, part string) string { return rubySemaphoreBeginning + name + ":" + part }

// rubySemaphoreName is the name of the semaphore of which a key is this part.
func rubySemaphoreName(key, part string) (name string, ok bool) {
	if !strings.HasPrefix(key, rubySemaphoreBeginning) {
		return "", false
	}
	name, ok = strings.CutSuffix(key[len(rubySemaphoreBeginning):], part)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, ":")
}

func recogniseRubySemaphore(c *candidate) (recognition, bool) {
	name, ok := rubySemaphoreName(c.Key, "GRABBED")
	if !ok || c.Type != keyspace.TypeHash || c.Truncated || len(c.Value.Fields) == 0 {
		return recognition{}, false
	}
	found := recognition{
		mode: ModeSemaphore, waiters: c.blocked("blpop"),
		evidence: []string{"its name is redis-semaphore's", "a hash of tokens and when they were taken", c.ttlEvidence()},
	}
	for _, f := range c.Value.Fields {
		at, ok := epochTime(f.Value)
		if !ok {
			return recognition{}, false
		}
		found.holders = append(found.holders, Holder{Owner: f.Name, Label: "token " + f.Name + sinceWords(at)})
	}
	if free, known := c.freeTokens(name); known {
		found.evidence = append(found.evidence, fmt.Sprintf("%d of its tokens free, %d in all", free, free+c.Size))
	}
	return found, true
}

// freeTokens is how many tokens nobody holds. An empty list is not there, and neither is one that nobody has read: the key
// that says that the semaphore exists tells them apart.
func (c *candidate) freeTokens(name string) (int64, bool) {
	if free, is := c.companion(keyspace.TypeList, rubySemaphoreKey(name, "AVAILABLE")); is {
		return free.Size, true
	}
	_, exists := c.companion(keyspace.TypeString, rubySemaphoreKey(name, "EXISTS"))
	return 0, exists
}

// epochTime reads seconds since 1970 with a fraction, as Ruby's Time#to_f writes them, of the years from 2001 to 2286.
func epochTime(value string) (time.Time, bool) {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil || !isEpoch(seconds) {
		return time.Time{}, false
	}
	return time.UnixMicro(int64(seconds * 1e6)), true
}

func isEpoch(seconds float64) bool { return seconds >= 1e9 && seconds < 1e10 }

// sinceWords says in a label from when on somebody is a holder.
func sinceWords(at time.Time) string { return ", since " + at.UTC().Format("2006-01-02 15:04:05Z") }
