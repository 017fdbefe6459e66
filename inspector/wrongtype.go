package inspector

import "locktop/keyspace"

// wrongTypeLayout is no lock: a key of a type in which no lock is kept, under a name that can only be a lock's. Whoever
// tries to acquire it gets an error, or waits for ever. A string is never of the wrong type, whatever it holds.
var wrongTypeLayout = layout{
	info: SchemeInfo{
		Name: SchemeUnknown, Systems: "none",
		RecognisedBy: "list, set, sorted set, stream or other hash under a name that begins or ends with the word lock or mutex",
		Shows:        "the type, as the finding wrong-type",
	},
	recognise: recogniseWrongType,
}

func recogniseWrongType(l look) (recognition, bool) {
	if l.record.Type == keyspace.TypeString || !l.name.strong || isOtherLayout(l.record) || isCounter(l.record) {
		return recognition{}, false
	}
	found := recognition{scheme: SchemeUnknown, clues: cluesOf(l, SchemeUnknown)}
	found.clues.fact = "the key holds " + typeWords(l.record.Type)
	return found, true
}

// isCounter: a hash of one field that is counted ("lock:login" with the attempts) is about something else.
func isCounter(r keyspace.Record) bool {
	if len(r.Value.Fields) != 1 {
		return false
	}
	_, whole := parseCount(r.Value.Fields[0].Value)
	return whole
}

// typeWords says a type with its article.
func typeWords(t keyspace.Type) string {
	switch t {
	case keyspace.TypeString:
		return "a string"
	case keyspace.TypeHash:
		return "a hash that is no known lock"
	case keyspace.TypeList:
		return "a list"
	case keyspace.TypeSet:
		return "a set"
	case keyspace.TypeZSet:
		return "a sorted set"
	case keyspace.TypeStream:
		return "a stream"
	case keyspace.TypeNone:
		return "nothing"
	}
	return "a value of the type " + string(t)
}
