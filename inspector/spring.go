package inspector

import (
	"locktop/keyspace"
)

// springChannel is between the name of a registry and that of its lock in the channel on which the
// lock's release is announced. The message is the key (RedisLockRegistry.java, 7.2.0-M1).
const springChannel = "-channel:"

// springAnnouncements are globs of the channels of the registries that a pattern names. The name of
// a registry may have colons. A pattern that leaves it open names none.
func springAnnouncements(p keyspace.Pattern) (globs []string) {
	literal := p.LiteralPrefix()
	for i := range len(literal) {
		if literal[i] == ':' && i > 0 {
			globs = append(globs, keyspace.ACLGlob(keyspace.Escape(literal[:i]))+springChannel+"*")
		}
	}
	return globs
}

// springIntegration is the lock of Spring Integration's RedisLockRegistry: a string with the UUID of the registry, which is the same on
// all its locks. Nothing in it tells it from other UUIDs, and only the waiters of its PUB_SUB mode are told by a message, so that a
// rule has to name it (RedisLockRegistry.java, 7.2.0-M1).
var springIntegration = schemeFile{
	traits: traits{ownCount: true},
	byRule: true,
	info: SchemeInfo{
		Name:         SchemeSpringIntegration,
		Systems:      "Spring Integration: RedisLockRegistry, in both modes",
		RecognisedBy: "a rule of yours: `<registry>:<key>` with a UUID, which others leave too",
		Shows:        "the registry, which is one process; TTL. In PUB_SUB mode waiters listen to a pattern of all locks, so that they cannot be counted",
	},
	recognise: func(c *candidate) (recognition, bool) {
		if c.Type != keyspace.TypeString || c.Truncated || shapeOf(c.Value.Text) != shapeUUID {
			return recognition{}, false
		}
		return recognition{
			mode:     ModeExclusive,
			holders:  []Holder{{Owner: c.Value.Text, Label: "registry " + c.token()[:8]}},
			evidence: []string{c.name.evidence(), "its value is a UUID, as each registry has one", c.ttlEvidence()},
		}, true
	},
}
