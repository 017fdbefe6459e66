package inspector

import (
	"fmt"
	"time"

	"locktop/keyspace"
)

var wrongTypeScheme = SchemeInfo{
	Name:         SchemeUnknown,
	Systems:      "a key of another type where a lock is expected",
	RecognisedBy: "a list, set, sorted set or stream under a name that begins or ends with a singular lock word",
	Shows:        "the type; a client that wants this lock gets WRONGTYPE",
	recognise:    recogniseWrongType,
}

// singular lock words name one lock; "locks" may well be a list of them.
var singular = map[string]bool{
	"lock": true, "mutex": true, "lease": true, "redlock": true, "spinlock": true, "redismutex": true, "redislock": true,
}

func recogniseWrongType(r keyspace.Record, name nameEvidence, _ time.Time) (recognition, bool) {
	if !name.strong || name.accounting || !singular[name.word] {
		return recognition{}, false
	}
	switch r.Type {
	case keyspace.TypeList, keyspace.TypeSet, keyspace.TypeZSet, keyspace.TypeStream:
		return recognition{evidence: []string{name.says(), "no scheme that is known keeps a lock in a " + string(r.Type)}}, true
	case keyspace.TypeString, keyspace.TypeHash, keyspace.TypeNone:
	}
	return recognition{}, false
}

// wrongType is the finding of such a key.
func wrongType(l *Lock) Finding {
	return Finding{
		CodeWrongType, SeverityWarning,
		fmt.Sprintf("the name says lock, but the key is a %s of %d elements", l.Observed.Type, l.Observed.Size),
		"a client that wants a lock of this name fails with WRONGTYPE: rename one of the two",
	}
}
