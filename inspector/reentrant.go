package inspector

import (
	"strconv"
	"time"

	"locktop/keyspace"
)

var reentrantScheme = SchemeInfo{
	Name:         SchemeReentrant,
	Systems:      "hash {holder: count} with Lua, hand-written",
	RecognisedBy: "a hash of one field whose value is a small number, with a TTL or under a name that begins or ends with a lock word",
	Shows:        "the field as the holder, its entries, the TTL",
	recognise:    recogniseReentrant,
}

// maxEntries is the largest number that is taken for a re-entry count.
const maxEntries = 10_000

func recogniseReentrant(r keyspace.Record, name nameEvidence, _ time.Time) (recognition, bool) {
	if r.Type != keyspace.TypeHash || len(r.Value.Fields) != 1 || name.word == "" || name.accounting {
		return recognition{}, false
	}
	if r.ExpiresAt.IsZero() && !name.strong {
		return recognition{}, false // a counter of something that has to do with locks
	}
	field := r.Value.Fields[0]
	count, ok := entryCount(field.Value)
	if !ok || len(field.Name) > maxHolderValue {
		return recognition{}, false
	}
	ttl := "it has a TTL"
	if r.ExpiresAt.IsZero() {
		ttl = "it has no TTL"
	}
	return recognition{
		holders:  []Holder{{Owner: field.Name, Label: label(field.Name), Count: Count{N: count, Known: true}}},
		evidence: []string{name.says(), "a hash of one field with a small number", ttl},
	}, true
}

// entryCount reads a re-entry count.
func entryCount(value string) (int64, bool) {
	n, err := strconv.ParseInt(value, 10, 64)
	return n, err == nil && n >= 1 && n <= maxEntries
}
