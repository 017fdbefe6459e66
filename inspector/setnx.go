package inspector

import (
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
	traits:    traits{anyOwner: true},
	recognise: recogniseSetNX,
}

func recogniseSetNX(c *candidate) (recognition, bool) {
	if c.Type != keyspace.TypeString || !c.ExpiresAt.IsZero() {
		return recognition{}, false
	}
	s, ok := c.holderValue()
	if !ok || s == shapeEmpty && c.name.grade < nameStrong || c.Value.Text == "0" {
		return recognition{}, false
	}
	return recognition{
		mode:     ModeExclusive,
		holders:  []Holder{{Owner: c.Value.Text, Label: labelOf(c.Value.Text, s, c.now)}},
		evidence: c.tokenEvidence(s, evidenceNoTTL),
	}, true
}
