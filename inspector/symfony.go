package inspector

import (
	"encoding/base64"

	"locktop/keyspace"
)

// symfony is the lock of Symfony (PHP) since 5.2: a sorted set of tokens, each with the end of its lease for a score, in milliseconds
// of the server. An exclusive lock has one more member, "__write__" (Store/RedisStore.php, 7.1).
var symfony = schemeFile{
	info: SchemeInfo{
		Name:         SchemeSymfony,
		Systems:      "Symfony Lock since 5.2 (PHP)",
		RecognisedBy: "sorted set; a member `__write__`, or all members are 32 bytes in base64 and the last score is yet to come; any name",
		Shows:        "mode, every reader with its lease, or the writer",
	},
	recognise: recogniseSymfony,
}

const (
	symfonyWrite = "__write__"
	symfonyToken = 44 // characters, of 32 bytes in base64
)

func recogniseSymfony(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeZSet || c.Truncated || len(c.Value.Fields) == 0 {
		return recognition{}, false
	}
	writes := false
	for _, f := range c.Value.Fields {
		writes = writes || f.Name == symfonyWrite
	}
	last, ok := lastScore(c.Record)
	if !ok || !writes && !(isSortedSet(c.Record, isSymfonyToken) && endOf(int64(last)).After(c.ReadAt)) {
		return recognition{}, false
	}
	found := recognition{mode: ModeRead, evidence: []string{"a sorted set of Symfony's tokens, each with the end of its lease", c.ttlEvidence()}}
	if writes {
		found.mode = ModeExclusive
		found.evidence[0] = "a sorted set with Symfony's mark of an exclusive lock, " + symfonyWrite
	}
	leases := make([]membership, 0, len(c.Value.Fields))
	for _, f := range c.Value.Fields {
		if score, _ := scoreOf(f); f.Name != symfonyWrite {
			leases = append(leases, membership{owner: f.Name, label: f.Name, end: endOf(int64(score))})
		}
	}
	c.share(&found, leases)
	return found, len(found.holders) > 0
}

// isSymfonyToken knows 32 random bytes in base64.
func isSymfonyToken(member string) bool {
	if len(member) != symfonyToken || member[symfonyToken-1] != '=' || member[symfonyToken-2] == '=' {
		return false
	}
	var raw [symfonyToken]byte
	_, err := base64.StdEncoding.Decode(raw[:], []byte(member))
	return err == nil
}
