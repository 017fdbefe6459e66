package actions

import (
	"slices"
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// memberLock is how a scheme keeps its holders in a sorted set whose scores are times.
type memberLock struct {
	// marks are members that come and go with the holder, and beside the sorted sets that have the same members.
	marks, beside []string
	// sweeps: a release takes out those whose time is over by their score, as the next client that acquires would.
	sweeps bool
	// score is what an extension by so much from now on writes.
	score func(now time.Time, lease time.Duration) float64
	// stays is for how long the keys stay after an extension: as long as the lease, or longer.
	stays func(lease time.Duration) time.Duration
}

// whyMembers is the reason where a lock in a sorted set may have other holders than were seen.
const whyMembers = "members have come to the key, or gone from it: there may be other holders"

// onMember plans every verb on a lock whose holder is a member of a sorted set. A release concerns this member alone: whoever else
// came or went meanwhile is no reason to refuse it. The time that the key has for a holder is compared, and not the TTL, which all share.
func (p *plan) onMember(r Request, holder inspector.Holder, m memberLock, now time.Time) error {
	key := r.Lock.Key
	p.keys = append(p.keys, m.beside...)
	p.facts = append(observedType(key, keyspace.TypeZSet), fact{[]string{"ZSCORE", key, holder.Owner}, present, "", blameOther})
	meant := []inspector.Holder{holder}
	if r.Verb == VerbForceExpire {
		meant = r.Lock.Holders
	}
	if same, known := sameScores(key, r.Lock, meant); known {
		p.facts = append(append(p.facts, same...), stillLeased(r.Lock))
	} else {
		p.facts = append(p.facts, p.sameEnd(r)...)
	}
	p.witness = []string{"ZRANGE", key, "0", "0"}
	p.holder = clip(holder.Owner)
	switch {
	case r.Verb == VerbRelease && r.Entries > 0:
		return unsupported(oneEntry)
	case r.Verb == VerbRelease:
		p.announce(r, 1)
		p.leave("ZREM", m.beside, append([]string{holder.Owner}, m.marks...))
		if m.sweeps {
			p.sweep(r.Lock, m)
		}
		p.sayOthers(r)
	case r.Verb == VerbExtend:
		p.extendMember(r, holder, m, now)
	case frees(r):
		p.announce(r, len(r.Lock.Holders))
		p.freeAll(r, "ZCARD", m.beside)
	default:
		p.expireSoon(r)
		for _, key := range m.beside {
			p.do("PEXPIRE", key, millis(r.TTL))
		}
	}
	return nil
}

// extendMember writes the new end of the holder's lease, and lets the keys stay until then.
func (p *plan) extendMember(r Request, holder inspector.Holder, m memberLock, now time.Time) {
	score := scoreText(m.score(now, r.TTL))
	p.facts = append(p.facts, fact{[]string{"ZSCORE", r.Lock.Key, holder.Owner}, atMost, score, changed(whyLater)})
	for _, member := range append([]string{holder.Owner}, m.marks...) {
		p.do("ZADD", r.Lock.Key, "XX", score, member)
	}
	p.keep(r, m.stays(r.TTL), m.beside, now)
}

// keep lets the keys of a lock stay for so long at least. Other holders may need them for longer.
func (p *plan) keep(r Request, stays time.Duration, beside []string, now time.Time) {
	p.done = Outcome{Result: ResultExtended, Holder: p.holder, TTL: r.TTL.Truncate(time.Millisecond)}
	switch {
	case seenEndless(r.Lock):
		return // it stays, as is the fact
	case r.Lock.Observed.ExpiresAt.After(now.Add(stays)):
		p.facts = append(p.facts, notShorter(r.Lock.Key, r.TTL))
		return
	}
	p.facts = append(p.facts, notLonger(r.Lock.Key, stays))
	for _, key := range append([]string{r.Lock.Key}, beside...) {
		p.do("PEXPIRE", key, millis(stays))
	}
}

// leave takes members out of the lock's key and of those beside it; the last one takes the key with it.
func (p *plan) leave(command string, beside, members []string) {
	for _, key := range append([]string{p.keys[0]}, beside...) {
		p.do(append([]string{command, key}, members...)...)
	}
	p.done = Outcome{Result: ResultReleased}
}

// freeAll takes the lock from all who were seen with it. count is the command that counts them.
func (p *plan) freeAll(r Request, count string, beside []string) {
	p.facts = append(p.facts, fact{[]string{count, r.Lock.Key}, equal, strconv.FormatInt(r.Lock.Observed.Size, 10), changed(whyMembers)})
	for _, key := range beside {
		p.do("DEL", key)
	}
	p.free(r)
}

// sayOthers says, of a release, that it was one of several holders who was seen.
func (p *plan) sayOthers(r Request) {
	if n := len(r.Lock.Holders) - 1; n > 0 {
		p.done.Detail = plural(n, "other holder was seen, and keeps it", "other holders were seen, and keep it")
	}
}

// sweep takes out the members that were seen and are no holders. One that was renewed since then has a higher score, and stays.
func (p *plan) sweep(lock *inspector.Lock, m memberLock) {
	last, over := 0.0, []string(nil)
	for _, f := range lock.Observed.Value.Fields {
		held := slices.ContainsFunc(lock.Holders, func(h inspector.Holder) bool { return h.Owner == f.Name })
		if score, ok := scoreOf(lock, f.Name); ok && !held && !slices.Contains(m.marks, f.Name) {
			last, over = max(last, score), append(over, f.Name)
		}
	}
	if over == nil {
		return
	}
	p.do("ZREMRANGEBYSCORE", lock.Key, "-inf", scoreText(last))
	for _, key := range m.beside {
		p.do(append([]string{"ZREM", key}, over...)...)
	}
}

// scoreOf is the score with which a member was seen.
func scoreOf(lock *inspector.Lock, member string) (float64, bool) {
	for _, f := range lock.Observed.Value.Fields {
		if f.Name == member {
			score, err := strconv.ParseFloat(f.Value, 64)
			return score, err == nil
		}
	}
	return 0, false
}

// scoreText is a score as both sides compare it: as a number.
func scoreText(score float64) string { return strconv.FormatFloat(score, 'f', -1, 64) }

// endMillis is the end of a lease, in milliseconds since 1970.
func endMillis(now time.Time, lease time.Duration) float64 {
	return float64(now.Add(lease).UnixMilli())
}

// sameSpan lets a key stay as long as the lease.
func sameSpan(lease time.Duration) time.Duration { return lease }

// sampleMembers are locks of a scheme in a sorted set whose lease an extension lengthens: one holder, and one whose time is over.
func sampleMembers(scheme inspector.Scheme, key, member string) []*inspector.Lock {
	lock := sample(scheme, key, inspector.Holder{Owner: member})
	lock.Observed.Type, lock.Observed.Size = keyspace.TypeZSet, 2
	lock.Observed.Value.Fields = []keyspace.Field{{Name: "over", Value: "1"}, {Name: member, Value: "2"}}
	lock.Observed.ExpiresAt = time.Now().Add(farAhead / 2)
	return []*inspector.Lock{lock}
}
