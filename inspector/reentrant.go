package inspector

import (
	"time"

	"locktop/keyspace"
)

// maxEntries is the largest count that is taken for one of entries; a hash with more counts something else.
const maxEntries = 10_000

// nameless is the longest TTL with which a key counts as a lock although its name does not say so.
const nameless = 5 * time.Minute

// reentrant is the lock of one hash and two Lua scripts: one field, the holder, with its entry count.
var reentrant = schemeFile{
	info: SchemeInfo{
		Name:         SchemeReentrant,
		Systems:      "re-entrant locks of a hash and Lua scripts",
		RecognisedBy: "hash of exactly one field with a count of 1 to 10,000; a lock's name, a field such as host:pid, or a pattern of yours",
		Shows:        "holder, entry count, TTL",
	},
	traits:    traits{anyOwner: true},
	recognise: recogniseReentrant,
}

func recogniseReentrant(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeHash || c.Truncated || c.Size > 1 || len(c.Value.Fields) != 1 {
		return recognition{}, false
	}
	field := c.Value.Fields[0]
	n, ok := entryCount(field.Value)
	if !ok || n < 1 || n > maxEntries || len(field.Name) > maxToken {
		return recognition{}, false
	}
	s := shapeOf(field.Name)
	if s == shapeEmpty || s == shapeForeign || nameOf(field.Name).aside && !s.tokenLike() { // "attempts" is counted, nobody's name
		return recognition{}, false
	}
	leased := !c.ExpiresAt.IsZero()
	switch {
	case c.named(): // without a TTL a plain word is a property with a number, not a holder
		ok = c.ruled() || leased || s.tokenLike() || !allLetters(field.Name)
	case c.name.aside: // "jobs:mail:lock_info" counts what each process runs, and never ends
		ok = leased && s.tokenLike() && c.name.grade != nameSilent
	case c.name.grade >= nameStrong:
		ok = true
	case c.name.grade == nameWord:
		ok = leased || s.tokenLike()
	default: // A shopping basket is a hash of a UUID and a number, too: the field must name a process or a thread.
		ok = leased && c.ExpiresAt.Sub(c.now) <= nameless && (s == shapeHost || s == shapeUUIDTag)
	}
	if !ok {
		return recognition{}, false
	}
	return recognition{
		mode: ModeExclusive,
		holders: []Holder{{
			Owner: field.Name, Label: labelOf(field.Name, s, c.now), Count: Count{N: n, Known: true},
		}},
		evidence: []string{c.name.evidence(), evidenceHash, c.ttlEvidence()},
	}, true
}
