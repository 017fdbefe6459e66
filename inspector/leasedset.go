package inspector

import (
	"strings"
	"time"

	"locktop/keyspace"
)

// leasedSet is the semaphore or lock of a sorted set and Lua scripts: a member for each holder, with
// the end of its lease for a score. Clients remove the members whose lease is over when they acquire
// it.
var leasedSet = schemeFile{
	traits: traits{anyOwner: true},
	info: SchemeInfo{
		Name:         SchemeLeasedSet,
		Systems:      "semaphores and locks of a sorted set and Lua scripts: py-redis-semaphore, redis-semaphore-eval (Python)",
		RecognisedBy: "sorted set; a lock's name; every member is a random token, or `<token>:<number>`, every score is a time in seconds or milliseconds, and the last one is yet to come, by a week at most",
		Shows:        "every holder with its lease. The limit is not stored",
	},
	recognise: recogniseLeasedSet,
}

// longestSetLease is how far ahead the end of such a lease may be.
const longestSetLease = 7 * 24 * time.Hour

func recogniseLeasedSet(c *candidate) (recognition, bool) {
	if !c.named() && (c.name.grade < namePart || c.name.aside) || !isSortedSet(c.Record, isLeasedMember) {
		return recognition{}, false
	}
	last, _ := lastScore(c.Record) // zero, which is no time, if there is none
	unit, ok := scoreUnit(last)
	if !ok {
		return recognition{}, false
	}
	ahead := scoreTime(last, unit).Sub(c.ReadAt)
	if ahead > longestSetLease || ahead <= 0 && c.name.grade != nameKept {
		return recognition{}, false
	}
	found := recognition{
		mode:     ModeSemaphore,
		evidence: []string{c.name.evidence(), "a sorted set of random tokens, each with the end of its lease", c.ttlEvidence()},
	}
	leases := make([]membership, 0, len(c.Value.Fields))
	for _, f := range c.Value.Fields {
		score, _ := scoreOf(f)
		if its, is := scoreUnit(score); !is || its != unit {
			return recognition{}, false
		}
		leases = append(leases, membership{owner: f.Name, label: labelOf(f.Name, shapeOf(f.Name), c.now), end: scoreTime(score, unit)})
	}
	c.share(&found, leases)
	return found, len(found.holders) > 0
}

// isLeasedMember knows what a client draws for itself: a random token, with or without a number
// behind it, or a host and a process.
func isLeasedMember(member string) bool {
	if len(member) > maxToken {
		return false
	}
	if i := strings.LastIndexAny(member, ":_"); i > 0 && allDigits(member[i+1:]) && shapeOf(member[:i]).tokenLike() {
		return true
	}
	return shapeOf(member).tokenLike()
}

// scoreUnit is what a score counts: seconds or milliseconds since 1970.
func scoreUnit(score float64) (unit time.Duration, is bool) {
	switch {
	case score >= firstMillisecond && score < 10*firstMillisecond:
		return time.Millisecond, true
	case score >= firstSecond && score < 10*firstSecond:
		return time.Second, true
	default:
		return 0, false
	}
}

func scoreTime(score float64, unit time.Duration) time.Time {
	return endOf(int64(score * float64(unit/time.Millisecond)))
}

// LeasedInSeconds reports whether the scores of such a lock are seconds.
func (l *Lock) LeasedInSeconds() bool {
	last, _ := lastScore(keyspace.Record{Value: l.Observed.Value})
	return last < firstMillisecond
}
