package inspector

import (
	"time"

	"locktop/keyspace"
)

var setnxScheme = SchemeInfo{
	Name:         SchemeSetNX,
	Systems:      "SETNX without EXPIRE, or whose client died in between; Spring's cache lock (name~lock)",
	RecognisedBy: "a string without a TTL, of at most 128 bytes and not a document, under a name that has a lock word in it",
	Shows:        "the value as the holder; it is stuck by its nature, and says so",
	recognise:    recogniseSetNX,
}

func recogniseSetNX(r keyspace.Record, name nameEvidence, _ time.Time) (recognition, bool) {
	value := r.Value.Text
	if !r.ExpiresAt.IsZero() || !isTokenLike(r, name) {
		return recognition{}, false
	}
	return recognition{
		holders:  []Holder{{Owner: value, Label: label(value)}},
		evidence: []string{name.says(), valueShape(value), "it has no TTL"},
	}, true
}
