package inspector

import (
	"time"

	"locktop/keyspace"
)

// setnx is the lock of SETNX alone, or of SETNX and an EXPIRE that never came: a string without a TTL.
var setnx = schemeFile{
	info: SchemeInfo{
		Name:         SchemeSetNX,
		Systems:      "SETNX, SETNX then EXPIRE, libraries used without a timeout (redis-py, Spring's cache lock)",
		RecognisedBy: "string of up to 128 bytes without a TTL, that is no data; a lock's name",
		Shows:        "the value, and host or process where it carries them",
	},
	recognise: recogniseSetNX,
}

func recogniseSetNX(r keyspace.Record, now time.Time, name nameEvidence) (recognition, bool) {
	if r.Type != keyspace.TypeString || !r.ExpiresAt.IsZero() {
		return recognition{}, false
	}
	s, ok := holderValue(r, name)
	if !ok || s == shapeEmpty && name.grade != nameStrong || r.Value.Text == "0" {
		return recognition{}, false
	}
	return recognition{
		mode:     ModeExclusive,
		holders:  []Holder{{Owner: r.Value.Text, Label: labelOf(r.Value.Text, s, now)}},
		evidence: []string{name.evidence(), s.evidence(), evidenceNoTTL},
	}, true
}
