package inspector

import (
	"slices"
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
	// fieldsEnd is when the last holder's field expires if each of them has a TTL of its own, else
	// zero; fieldTTLs says that one of them has.
	fieldsEnd time.Time
	fieldTTLs bool
	waiters   Waiters // By is empty where they cannot be seen
	fencing   *int64
	evidence  []string
	quorum    *Quorum // of what several masters say together
}

// schemeFile is a scheme: each is declared in the file that bears its name.
type schemeFile struct {
	info   SchemeInfo
	traits traits
	// recognise says whether a record is a lock of this scheme. It is pure.
	recognise func(*candidate) (recognition, bool)
	// beside names what belongs to a key that may be of this scheme, by a record without companions; owners names the keys
	// to which a key or channel may belong. Both are asked for very many keys; nil: nothing.
	beside func(keyspace.Record) keyspace.Company
	owners func(name string) []string
	// partOfAnother says of a record that another key is the lock to which it belongs, so that it is none itself. It judges by what
	// beside named; nil: none is.
	partOfAnother func(*candidate) bool
	// byRule: only a rule of the user's tells such a lock from what else leaves the same bytes.
	byRule bool
}

// candidate is a record that may be a lock.
type candidate struct {
	keyspace.Record
	now  time.Time // the local time
	name nameEvidence
	// byFields: the record's end is that of its fields, and the key has no TTL.
	byFields bool
}

// ruled says whether the user has named the scheme, so that nothing has to be proven by the name.
func (c *candidate) ruled() bool { return c.name.grade == nameRuled }

// schemes are asked in this order: those that a value proves come first, and the one for what no other scheme knows last.
var schemes = [...]*schemeFile{
	&redisson, &redissonRW, &redissonMulti, &redissonPermits, &redissonSemaphore, &redissonLatch,
	&symfonySemaphore, &symfony, &distributedSemaphore, &distributedRW, &redisSemaphore, &leasedSet,
	&pythonRedisLock, &rubySemaphore, &uniqueJobs, &rql, &suo, &huey, &goRedislock, &countedRW, &sessionLock, &redfour,
	&reentrant, &shedLock, &rueidisLock, &springIntegration, &timestamp, &token, &setnx, &wrongType,
}

// Schemes describes all schemes, in the order in which they are tried.
func Schemes() []SchemeInfo {
	infos := make([]SchemeInfo, 0, len(schemes))
	for _, s := range schemes {
		infos = append(infos, s.info)
	}
	return infos
}

// named reports whether a name need not say anything: the user named the key, or it was recognised before.
func (c *candidate) named() bool { return c.name.grade >= nameKept }

// recognise finds the scheme of a record; false where it is no lock. What the user's rule names is tried first, then what the
// evidence says, and at last, of a key that the user named, whether it can be a lock at all.
func (rules Rules) recognise(r keyspace.Record, now time.Time) (recognition, bool) {
	if !r.Exists() {
		return recognition{}, false
	}
	c := newCandidate(r, now)
	scheme, named := rules.schemeOf(r.Key)
	if scheme == NoLock {
		return recognition{}, false
	}
	if named && scheme != AnyScheme {
		if found, is, decided := c.ruledBy(scheme); decided {
			return found, is
		}
	}
	c.name = nameOf(r.Key)
	c.name.named = named
	if found, is := c.recognise(); is || !named {
		return found, is
	}
	return c.recogniseAs(nameNamed)
}

// keeps is recognise for a key that was recognised before: it can be the same lock still.
func (rules Rules) keeps(r keyspace.Record, now time.Time) (recognition, bool) {
	if scheme, _ := rules.schemeOf(r.Key); scheme == NoLock || !r.Exists() {
		return recognition{}, false
	}
	c := newCandidate(r, now)
	return c.recogniseAs(nameKept)
}

// ruledBy tries the scheme that a rule names. A string token may have a TTL or none, whichever the rule says.
func (c *candidate) ruledBy(scheme Scheme) (found recognition, is, decided bool) {
	c.name = nameEvidence{grade: nameRuled, numbers: true, named: true}
	for _, s := range schemes {
		name := s.info.Name
		eitherToken := slices.Contains(ofTokens, scheme) && slices.Contains(ofTokens, name)
		if name != scheme && !eitherToken {
			continue
		}
		if s.partOfAnother != nil && s.partOfAnother(c) {
			return recognition{}, false, true
		}
		if found, ok := s.recognise(c); ok {
			found.scheme = name
			return c.withFieldTTLs(c.withAnnounced(found)), true, true
		}
	}
	return recognition{}, false, false
}

// recogniseAs recognises without the evidence of the name and without a limit of the TTL. What the name says against a lock counts.
func (c *candidate) recogniseAs(grade nameGrade) (recognition, bool) {
	name := nameOf(c.Key)
	c.name = nameEvidence{
		grade: grade, numbers: true, named: true, aside: name.aside, counts: name.counts, companion: name.companion,
	}
	return c.recognise()
}

// recognise asks the schemes.
func (c *candidate) recognise() (recognition, bool) {
	if c.name.companion {
		return recognition{}, false
	}
	for _, s := range schemes {
		if s.partOfAnother != nil && s.partOfAnother(c) {
			return recognition{}, false
		}
	}
	for _, s := range schemes {
		if s.byRule {
			continue
		}
		if found, ok := s.recognise(c); ok {
			found.scheme = s.info.Name
			return c.withFieldTTLs(c.withAnnounced(found)), true
		}
	}
	return recognition{}, false
}

// The facts that several schemes give as evidence. They are shared, for there may be a hundred thousand locks.
const (
	evidenceTTL   = "it has a TTL"
	evidenceNoTTL = "it has no TTL"
	evidenceHash  = "a hash of one field that counts entries"
	evidenceNamed = "you named it"
	// evidenceNamedOnly is said of what the user named, and nothing else makes a lock.
	evidenceNamedOnly = "nothing else says that it is a lock: its value could be anything"
	// evidenceNameOnly is said of what may well be something else.
	evidenceNameOnly = "nothing but its name says that it is a lock: its value may be anything"
)
