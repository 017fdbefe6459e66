package inspector

import (
	"encoding/hex"
	"slices"
	"strings"

	"locktop/keyspace"
)

// rueidisLock is the lock of rueidis and of valkey-go (Go), and of libraries like them: the same random value under
// "<prefix>:<i>:<name>", for i from 0 to 2 by default, held as long as most of the keys have it. The prefix is the application's.
// It is shown once, under the first key that is there (rueidislock/lock.go, valkeylock/lock.go, 1.0.79).
var rueidisLock = schemeFile{
	info: SchemeInfo{
		Name:    SchemeRueidisLock,
		Systems: "rueidislock, valkeylock (Go), with any prefix; others that keep one lock in several numbered keys",
		RecognisedBy: "the same random value under most of `<prefix>:<i>:<name>`, i from 0 to 8; not a UUID, which could name a process; " +
			"24 random bytes, a lock's name, or named by you",
		Shows: "the lock once, under the first of its keys; how many of them it holds; TTL. Its waiters listen for invalidations, which nobody sees",
	},
	recognise:     recogniseRueidisLock,
	partOfAnother: func(c *candidate) bool { return c.sharing().before },
	beside: func(r keyspace.Record) keyspace.Company {
		if !mayShareKeys(r) {
			return keyspace.Company{}
		}
		return keyspace.Company{Keys: numberedSiblings(r.Key)}
	},
	owners: numberedSiblings,
}

const (
	rueidisPrefix = "rueidislock:"
	valkeyPrefix  = "valkeylock:"
	rueidisSize   = 24
	// lastNumber is that of the last of nine keys, the most that are looked for: a majority of five.
	lastNumber = '8'
	// maxNumbers bounds how many parts of one name are tried as the number.
	maxNumbers = 2
	// leastShared is the size of the shortest value that counts as drawn for one acquisition.
	leastShared = 16
)

// numbers are the places in a name at which the number of "<prefix>:<i>:<name>" may be.
func numbers(key string) (places [maxNumbers]int, found int) {
	for at := 2; at+1 < len(key) && found < maxNumbers; at++ {
		if key[at-1] == ':' && key[at+1] == ':' && '0' <= key[at] && key[at] <= lastNumber {
			places[found] = at
			found++
		}
	}
	return places, found
}

// withNumber is the key of another number.
func withNumber(key string, at int, number byte) string {
	return key[:at] + string(rune(number)) + key[at+1:]
}

// numberedSiblings are the keys that differ from this one in their number alone.
func numberedSiblings(key string) []string {
	places, found := numbers(key)
	if found == 0 {
		return nil
	}
	keys := make([]string, 0, found*(lastNumber-'0'))
	for _, at := range places[:found] {
		for n := byte('0'); n <= lastNumber; n++ {
			if n != key[at] {
				keys = append(keys, withNumber(key, at, n))
			}
		}
	}
	return keys
}

// NumberedSibling is one of the keys that a lock of [SchemeRueidisLock] may be kept in as well; the key itself where it has no number.
func NumberedSibling(key string) string {
	for _, sibling := range numberedSiblings(key) {
		return sibling
	}
	return key
}

// Siblings are the keys that may be parts of one lock with this one, if they have its value: their
// names differ from its name in a number only, and the value is too long to be a name that a client
// writes into all of its locks. Nil if there are none, or if the lock is shown with its parts.
func (l *Lock) Siblings() []string {
	if !slices.Contains(ofTokens, l.Scheme) || l.Observed.Truncated || len(l.Observed.Value.Text) < leastShared {
		return nil
	}
	return numberedSiblings(l.Key)
}

// isNumberedSibling reports whether two keys differ in their number alone, and which of them comes first.
func isNumberedSibling(key, other string, at int) (is, before bool) {
	is = len(other) == len(key) && other[:at] == key[:at] && other[at+1:] == key[at+1:] && other[at] != key[at]
	return is, is && other[at] < key[at]
}

// mayShareKeys reports whether a value can be that of one acquisition under several keys. A UUID cannot: many libraries draw one for a
// process, whose locks then all have the same value.
func mayShareKeys(r keyspace.Record) bool {
	if _, found := numbers(r.Key); found == 0 || r.Type != keyspace.TypeString || r.Truncated {
		return false
	}
	value := r.Value.Text
	if len(value) < leastShared || len(value) > maxToken {
		return false
	}
	switch shapeOf(value) {
	case shapeHex, shapeBase64, shapeAlnum:
		return true
	case shapeBinary: // a record of zeros and small numbers repeats its bytes
		return 3*distinctBytes(value) >= 2*min(len(value), rueidisSize)
	case shapeOther, shapeEmpty, shapeInteger, shapeUUID, shapeUUIDTag, shapeHost, shapeForeign:
	}
	return false
}

// distinctBytes counts the different bytes of a value.
func distinctBytes(value string) int {
	var seen [256]bool
	count := 0
	for i := range len(value) {
		if !seen[value[i]] {
			seen[value[i]] = true
			count++
		}
	}
	return count
}

// sharing is what the numbered keys beside a candidate say.
type sharing struct {
	// keys are how many have the candidate's value, its own included; 0: they are not one lock.
	keys int
	// before: one with a lower number has it too.
	before bool
}

// sharing finds the keys with the same value. As of a lock, most of the keys up to the last one have it.
func (c *candidate) sharing() sharing {
	if !mayShareKeys(c.Record) {
		return sharing{}
	}
	random := c.Type == keyspace.TypeString && len(c.Value.Text) == rueidisSize && shapeOf(c.Value.Text) == shapeBinary
	places, found := numbers(c.Key)
	for _, at := range places[:found] {
		shared, last := sharing{keys: 1}, c.Key[at]
		for _, other := range c.Companions {
			is, before := isNumberedSibling(c.Key, other.Key, at)
			if !is || other.Type != keyspace.TypeString || other.Truncated || other.Value.Text != c.Value.Text {
				continue
			}
			shared.keys++
			shared.before = shared.before || before
			last = max(last, other.Key[at])
		}
		known := random && (at == len(rueidisPrefix) && strings.HasPrefix(c.Key, rueidisPrefix) ||
			at == len(valkeyPrefix) && strings.HasPrefix(c.Key, valkeyPrefix))
		most := shared.keys > 1 && 2*shared.keys > int(last-'0')+1
		if known || most && (c.name.grade >= nameWord || c.name.named || random && !c.ExpiresAt.IsZero()) {
			return shared
		}
	}
	return sharing{}
}

func recogniseRueidisLock(c *candidate) (recognition, bool) {
	shared := c.sharing()
	if shared.keys == 0 {
		return recognition{}, false
	}
	value, s := c.Value.Text, shapeOf(c.Value.Text)
	label, what := labelOf(value, s, c.now), s.evidence()
	if s == shapeBinary {
		label = "token " + hex.EncodeToString([]byte(value[:4])) + "…"
	}
	return recognition{
		mode:    ModeExclusive,
		holders: []Holder{{Owner: value, Label: label}},
		evidence: []string{
			what, "it is under " + number(uint16(shared.keys), "key", "keys") + " that differ only in their number", c.ttlEvidence(),
		},
	}, true
}

// withoutStrangers is the record of a lock without the keys that were read beside it because of their numbers, and are none of the
// lock's.
func withoutStrangers(r keyspace.Record, scheme Scheme) keyspace.Record {
	places, found := numbers(r.Key)
	if r.Type != keyspace.TypeString || found == 0 || len(r.Companions) == 0 {
		return r
	}
	var own []keyspace.Record
	for _, beside := range r.Companions {
		stranger := beside.Type == keyspace.TypeString && (scheme != SchemeRueidisLock || r.Value.Text != beside.Value.Text)
		numbered := false
		for _, at := range places[:found] {
			is, _ := isNumberedSibling(r.Key, beside.Key, at)
			numbered = numbered || is
		}
		if !stranger || !numbered {
			own = append(own, beside)
		}
	}
	r.Companions = own
	return r
}
