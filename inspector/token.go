package inspector

import (
	"time"

	"locktop/keyspace"
)

var tokenScheme = SchemeInfo{
	Name:         SchemeToken,
	Systems:      "SET NX PX with a random token: redsync, redislock, redis-py, node-redlock, Laravel, hand-written",
	RecognisedBy: "a string with a TTL, of at most 128 bytes and not a document, under a name that has a lock word in it",
	Shows:        "the token (host and time where it carries them), the TTL; the count is unknown: it lives in the client",
	recognise:    recogniseToken,
}

func recogniseToken(r keyspace.Record, name nameEvidence, _ time.Time) (recognition, bool) {
	value := r.Value.Text
	if r.ExpiresAt.IsZero() || !isTokenLike(r, name) {
		return recognition{}, false
	}
	return recognition{
		holders:  []Holder{{Owner: value, Label: label(value)}},
		evidence: []string{name.says(), valueShape(value), "it has a TTL"},
	}, true
}

// isTokenLike says whether a string can be the value of a lock: short, no document, no counter, and named like a lock.
func isTokenLike(r keyspace.Record, name nameEvidence) bool {
	value := r.Value.Text
	switch {
	case r.Type != keyspace.TypeString || r.Truncated || len(value) > maxHolderValue || name.word == "" || isStructured(value):
		return false
	case name.accounting:
		return false
	case value == "" || smallInteger.MatchString(value):
		return name.strong // else it is a counter or a flag, as likely as not
	default:
		return true
	}
}
