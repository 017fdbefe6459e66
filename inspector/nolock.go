package inspector

import (
	"strings"
	"time"

	"locktop/keyspace"
)

// This file explains why an existing key that the user named is no lock, and which rule makes it
// one.

// WhyNot is why a key is no lock, if there is a reason besides its bytes; else it is empty.
func (rules Rules) WhyNot(r keyspace.Record) string {
	if scheme, _ := rules.schemeOf(r.Key); scheme == NoLock {
		return "a rule of yours says so"
	}
	c := rules.judging(r)
	if first, is := c.firstSharer(); is {
		return "it is one of the keys of the lock " + keyspace.Visible(first)
	}
	if c.name.companion {
		return "by its name it belongs to another key, which is the lock"
	}
	for _, s := range schemes {
		if s.partOfAnother != nil && s.partOfAnother(&c) {
			return "it belongs to another key, which is the lock"
		}
	}
	if c.isCounted() {
		return "it counts running jobs, as " + keyspace.Visible(c.Key+countsSuffix) + " does for each process, and a release would reset it"
	}
	if r.Type == keyspace.TypeString && c.isCounter() {
		return "by its name it is a counter, and a release would reset it"
	}
	return ""
}

// judging is a candidate whose name was judged.
func (rules Rules) judging(r keyspace.Record) candidate {
	c := candidate{Record: r, now: r.ReadAt, name: nameOf(r.Key)}
	_, c.name.named = rules.schemeOf(r.Key)
	return c
}

// PartOf is the lock under numbered keys that a key is one of; false if it is none of such a lock.
func (rules Rules) PartOf(r keyspace.Record) (first string, is bool) {
	c := rules.judging(r)
	return c.firstSharer()
}

// firstSharer is the first key of a lock under numbered keys, if this is a later one of them.
func (c *candidate) firstSharer() (key string, is bool) {
	if !c.sharing().before {
		return "", false
	}
	for _, other := range c.Companions {
		if other.Value.Text == c.Value.Text && other.Key < c.Key && (!is || other.Key < key) {
			key, is = other.Key, true
		}
	}
	return key, is
}

// Remedy is the scheme that a rule can give a key to make it a lock; false if no scheme fits.
func Remedy(r keyspace.Record, now time.Time) (Scheme, bool) {
	c := candidate{Record: r, now: now}
	for _, scheme := range [...]Scheme{SchemeToken, SchemeReentrant} { // what they say is plain
		if found, is, _ := c.ruledBy(scheme); is {
			return found.scheme, true
		}
	}
	for _, scheme := range RuleSchemes() {
		if found, is, _ := c.ruledBy(scheme); is && found.held() {
			return scheme, true
		}
	}
	return "", false
}

// gocraft/work counts the running jobs of a kind in a number without a TTL, and in a hash beside it
// those of each process. The number is no lock: if it were deleted, more jobs would run than
// allowed.
const (
	countedSuffix = ":lock"
	countsSuffix  = "_info"
)

// countsBeside names the hash of a number that may be such a count.
func countsBeside(number keyspace.Record) []string {
	if !strings.HasSuffix(number.Key, countedSuffix) || !number.ExpiresAt.IsZero() || !isCount(number.Value.Text) {
		return nil
	}
	return []string{number.Key + countsSuffix}
}

// isCounted reports whether a number has such a hash beside it. The sum is not compared, because
// the two are not read at the same moment.
func (c *candidate) isCounted() bool {
	if c.Type != keyspace.TypeString || !isCount(c.Value.Text) || c.ruled() {
		return false
	}
	counts, beside := c.companion(keyspace.TypeHash, c.Key+countsSuffix)
	for _, f := range counts.Value.Fields {
		if !isInteger(f.Value) {
			return false
		}
	}
	return beside
}

// isCount reports whether a value is a number of a few digits.
func isCount(value string) bool { return len(value) <= 6 && allDigits(value) }
