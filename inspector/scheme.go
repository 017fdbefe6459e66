package inspector

import (
	"time"

	"locktop/keyspace"
)

// SchemeInfo describes a scheme to people.
type SchemeInfo struct {
	Name Scheme
	// Systems are the locks that leave this layout, RecognisedBy is what a key must be to count as one, and Shows is what
	// can be told from it.
	Systems, RecognisedBy, Shows string
}

// recognition is what a scheme reads out of a record.
type recognition struct {
	scheme    Scheme
	mode      Mode
	holders   []Holder
	leaseEnds time.Time // zero where the value states no end
	evidence  []string
}

// schemeFile is a scheme: each is declared in the file that bears its name.
type schemeFile struct {
	info SchemeInfo
	// recognise says whether a record is a lock of this scheme. It is pure. The time is the local one.
	recognise func(keyspace.Record, time.Time, nameEvidence) (recognition, bool)
}

// schemes are asked in this order: those that a value proves come first, and the one for what no other scheme knows last.
var schemes = [...]*schemeFile{&redisson, &reentrant, &timestamp, &token, &setnx, &wrongType}

// Schemes describes all schemes, in the order in which they are tried.
func Schemes() []SchemeInfo {
	infos := make([]SchemeInfo, 0, len(schemes))
	for _, s := range schemes {
		infos = append(infos, s.info)
	}
	return infos
}

// recognise finds the scheme of a record; false where it is no lock.
func recognise(r keyspace.Record, now time.Time) (recognition, bool) {
	if !r.Exists() {
		return recognition{}, false
	}
	name := nameOf(r.Key)
	if name.companion {
		return recognition{}, false
	}
	for _, s := range schemes {
		if found, ok := s.recognise(r, now, name); ok {
			found.scheme = s.info.Name
			return found, true
		}
	}
	return recognition{}, false
}

// The facts that several schemes give as evidence. They are shared, for there may be a hundred thousand locks.
const (
	evidenceTTL   = "it has a TTL"
	evidenceNoTTL = "it has no TTL"
	evidenceHash  = "a hash of one field that counts entries"
)
