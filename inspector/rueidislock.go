package inspector

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"locktop/keyspace"
)

// rueidisLock is the lock of rueidis (Go): the same 24 random bytes under "rueidislock:<i>:<name>", for i from 0 to 2 by default,
// held as long as most of them are. It is shown once, under the first key that is there (rueidislock/lock.go, 1.0.79).
var rueidisLock = schemeFile{
	info: SchemeInfo{
		Name:         SchemeRueidisLock,
		Systems:      "rueidislock (Go)",
		RecognisedBy: "`rueidislock:<i>:<name>`, 24 random bytes; the keys of one lock have the same",
		Shows:        "the lock once, under the first of its keys; how many of them it holds; TTL. Its waiters listen for invalidations, which nobody sees",
	},
	recognise: recogniseRueidisLock,
	partOfAnother: func(c *candidate) bool {
		i, _, ok := rueidisName(c.Key)
		return ok && slices.ContainsFunc(c.sameTokens(), func(sibling int) bool { return sibling < i })
	},
	beside: besideRueidisLock,
	owners: func(name string) []string {
		i, rest, ok := rueidisName(name)
		if !ok {
			return nil
		}
		return rueidisSiblings(i, rest)
	},
}

const (
	rueidisPrefix = "rueidislock:"
	rueidisSize   = 24
	// rueidisKeys are those of the default majority of two.
	rueidisKeys = 3
)

// rueidisName splits "rueidislock:<i>:<name>".
func rueidisName(key string) (i int, name string, ok bool) {
	rest, ok := strings.CutPrefix(key, rueidisPrefix)
	if !ok || len(rest) < 2 || rest[0] < '0' || rest[0] >= '0'+rueidisKeys || rest[1] != ':' {
		return 0, "", false
	}
	return int(rest[0] - '0'), rest[2:], true
}

// rueidisSiblings are the other keys of a lock.
func rueidisSiblings(i int, name string) []string {
	var keys []string
	for n := range rueidisKeys {
		if n != i {
			keys = append(keys, fmt.Sprintf("%s%d:%s", rueidisPrefix, n, name))
		}
	}
	return keys
}

func besideRueidisLock(r keyspace.Record) keyspace.Company {
	i, name, ok := rueidisName(r.Key)
	if !ok || r.Type != keyspace.TypeString || len(r.Value.Text) != rueidisSize {
		return keyspace.Company{}
	}
	return keyspace.Company{Keys: rueidisSiblings(i, name)}
}

func recogniseRueidisLock(c *candidate) (recognition, bool) {
	if _, _, ok := rueidisName(c.Key); !ok || c.Type != keyspace.TypeString || c.Truncated || len(c.Value.Text) != rueidisSize {
		return recognition{}, false
	}
	keys := 1 + len(c.sameTokens())
	return recognition{
		mode:    ModeExclusive,
		holders: []Holder{{Owner: c.Value.Text, Label: "token " + hex.EncodeToString([]byte(c.Value.Text[:4])) + "…"}},
		evidence: []string{
			"its name and its 24 bytes are rueidislock's", fmt.Sprintf("its holder has %s of the lock", number(uint16(keys), "key", "keys")), c.ttlEvidence(),
		},
	}, true
}

// sameTokens are the numbers of the other keys that have the same token.
func (c *candidate) sameTokens() []int {
	var keys []int
	for _, sibling := range c.Companions {
		if n, _, ok := rueidisName(sibling.Key); ok && sibling.Type == keyspace.TypeString && sibling.Value.Text == c.Value.Text {
			keys = append(keys, n)
		}
	}
	return keys
}
