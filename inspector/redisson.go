package inspector

import (
	"regexp"
	"time"

	"locktop/keyspace"
)

var redissonScheme = SchemeInfo{
	Name:         SchemeRedisson,
	Systems:      "Redisson RLock (also spin, non-re-entrant and fenced locks, which look the same)",
	RecognisedBy: "a hash whose every field is uuid:thread and whose every value is a count, under any name",
	Shows:        "client and thread, entries, the TTL, renewals by the watchdog",
	recognise:    recogniseRedisson,
}

var redissonHolder = regexp.MustCompile(`^([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:([0-9]{1,19})$`)

func recogniseRedisson(r keyspace.Record, _ nameEvidence, _ time.Time) (recognition, bool) {
	if r.Type != keyspace.TypeHash || len(r.Value.Fields) == 0 {
		return recognition{}, false
	}
	var holders []Holder
	for _, field := range r.Value.Fields {
		m := redissonHolder.FindStringSubmatch(field.Name)
		count, ok := entryCount(field.Value)
		if m == nil || !ok {
			return recognition{}, false // a read/write lock, a multi-lock, or no lock
		}
		holders = append(holders, Holder{
			Owner: field.Name, Label: "client " + m[1] + ", thread " + m[2], Count: Count{N: count, Known: true},
		})
	}
	return recognition{
		holders:  holders,
		evidence: []string{"a hash whose fields are a UUID and a thread number, as Redisson writes them"},
	}, true
}
