package inspector

import (
	"strings"
	"time"

	"locktop/keyspace"
)

// symfonySemaphore is the semaphore of Symfony (PHP): "{name}:time" has the end of each holder's lease, in seconds with a fraction,
// and "{name}:weight" how much of the limit it takes (symfony/semaphore, Store/RedisStore.php, 7.0).
var symfonySemaphore = schemeFile{
	info: SchemeInfo{
		Name:         SchemeSymfonySemaphore,
		Systems:      "Symfony Semaphore (PHP)",
		RecognisedBy: "sorted set `{name}:time` of 32 bytes in base64, and beside it `{name}:weight`",
		Shows:        "every holder with its weight and its lease. The limit is not stored",
	},
	recognise: recogniseSymfonySemaphore,
	beside: func(r keyspace.Record) keyspace.Company {
		if name, is := bracedName(r.Key, symfonyTime); is && isSortedSet(r, isSymfonyToken) {
			return keyspace.Company{Keys: []string{name + symfonyWeight}}
		}
		return keyspace.Company{}
	},
	owners: func(name string) []string {
		if base, is := bracedName(name, symfonyWeight); is {
			return []string{base + symfonyTime}
		}
		return nil
	},
}

const (
	symfonyTime   = ":time"
	symfonyWeight = ":weight"
)

// bracedName is "{name}" of "{name}<suffix>".
func bracedName(key, suffix string) (string, bool) {
	name, ok := strings.CutSuffix(key, suffix)
	return name, ok && strings.HasPrefix(name, "{") && strings.HasSuffix(name, "}")
}

func recogniseSymfonySemaphore(c *candidate) (recognition, bool) {
	name, named := bracedName(c.Key, symfonyTime)
	if !named || !isSortedSet(c.Record, isSymfonyToken) {
		return recognition{}, false
	}
	weights, beside := c.companion(keyspace.TypeZSet, name+symfonyWeight)
	last, ok := lastScore(c.Record)
	if !ok || !beside || last < firstSecond || last >= firstMillisecond {
		return recognition{}, false
	}
	weight := make(map[string]string, len(weights.Value.Fields))
	for _, f := range weights.Value.Fields {
		weight[f.Name] = f.Value
	}
	found := recognition{
		mode:     ModeSemaphore,
		evidence: []string{"a sorted set of Symfony's tokens, each with the end of its lease, and one of their weights", c.ttlEvidence()},
	}
	memberships := make([]membership, 0, len(c.Value.Fields))
	for _, f := range c.Value.Fields {
		score, _ := scoreOf(f)
		m := membership{owner: f.Name, label: f.Name, end: endOf(int64(score * float64(time.Second/time.Millisecond)))}
		if w, known := weight[f.Name]; known {
			m.label = f.Name + ", weight " + w
		}
		memberships = append(memberships, m)
	}
	c.share(&found, memberships)
	return found, true
}
