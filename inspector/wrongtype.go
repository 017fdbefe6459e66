package inspector

import (
	"locktop/keyspace"
)

// wrongType is no layout of a lock: a key whose name says that it is a lock, of a type in which no lock is kept. The locks
// that are taken under that name fail with WRONGTYPE.
var wrongType = schemeFile{
	info: SchemeInfo{
		Name:         SchemeUnknown,
		Systems:      "none: a list, set, sorted set or stream where a lock is expected",
		RecognisedBy: "its name begins or ends with a word for lock, and its type fits no scheme",
		Shows:        "the type, as a finding",
	},
	recognise: recogniseWrongType,
}

func recogniseWrongType(c *candidate) (recognition, bool) {
	if c.name.grade < nameStrong || c.named() || c.name.aside || !c.name.numbers {
		return recognition{}, false
	}
	switch c.Type {
	case keyspace.TypeList, keyspace.TypeSet, keyspace.TypeZSet, keyspace.TypeStream:
		return recognition{mode: ModeExclusive, evidence: []string{c.name.evidence(), typeEvidence(c.Type)}}, true
	default:
	}
	return recognition{}, false
}

func typeEvidence(t keyspace.Type) string {
	switch t {
	case keyspace.TypeList:
		return "it is a list"
	case keyspace.TypeSet:
		return "it is a set"
	case keyspace.TypeZSet:
		return "it is a sorted set"
	case keyspace.TypeStream:
		return "it is a stream"
	default:
	}
	return "it is of another type"
}

// wrongTypeFinding is the one finding that a single read suffices for.
func wrongTypeFinding(t keyspace.Type) Finding {
	return Finding{
		Code: CodeWrongType, Severity: SeverityWarning,
		Text:   "the name says lock, but the key is a " + string(t) + ", laid out like no scheme that locktop knows",
		Advice: "find out who writes it, and name it by --scheme-rule if it is a lock; SET NX will never succeed here",
	}
}
