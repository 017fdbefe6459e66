package actions

import (
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// This file is about the end of a lease. Values repeat: a client that acquires a lock again writes
// the same bytes, and so does another client of the same name. Only the end of the lease
// distinguishes one hold from the next, so it is compared in the same step as the value.
//
// If the server has PEXPIRETIME, the end is compared to the millisecond: two holds look the same
// only if they end in the very same millisecond. Before Redis 7.0 there is only PTTL, and the end
// is compared within a window, from lateAnswer before the observed end to endSlack after it.
// Another hold that ends within this window cannot be distinguished. A lock without a TTL has no
// end to compare.

const (
	// endSlack is how much later than observed an end computed from PTTL may be, in addition to the
	// error of that read. The inspector takes two such reads for the same end up to this
	// difference.
	endSlack = 25 * time.Millisecond
	// lateAnswer is how long a plan may take to reach the server when PTTL is compared.
	lateAnswer = time.Second
	// transit is for how long a key may be on its way to another node of a cluster.
	transit = time.Second
)

// seen is the lock as the operator saw it. Request.Lock may have been partly read again, to update
// its companions.
func (r Request) seen() *inspector.Lock {
	if r.first != nil {
		return r.first
	}
	return r.Lock
}

// sameEnd returns the facts that the lock's key still has the observed end.
// If the holder's field has a TTL of its own, that names the hold ([plan.addFieldTTLs]), and the key's
// TTL may be moved.
func (p *plan) sameEnd(r Request) []fact {
	if holder, held := holderOf(r); held && fieldTTL(r.seen(), holder.Owner) != nil {
		return []fact{stillLeased(r.seen())}
	}
	return p.observedEnd(r.seen().Observed)
}

// observedEnd returns the facts that a key still has the observed end, or still has no TTL.
func (p *plan) observedEnd(seen keyspace.Record) []fact {
	pttl := []string{"PTTL", seen.Key}
	if seen.ExpiresAt.IsZero() {
		return []fact{{pttl, equal, "-1", changed(whyTTL)}}
	}
	return p.observedInstant(pttl, []string{"PEXPIRETIME", seen.Key}, seen.ExpireTime, seen.ExpiresAt, seen.ExpiryError)
}

// observedInstant returns the facts that a TTL still has the observed end: by the command that
// tells the instant, or, if that was not read, by the one that tells what is left.
func (p *plan) observedInstant(pttl, pexpiretime []string, instant int64, ends time.Time, readError keyspace.Micros) []fact {
	facts := []fact{{pttl, atLeast, "0", changed(whyNoTTL)}}
	if instant != 0 {
		return append(facts, fact{pexpiretime, equal, strconv.FormatInt(instant, 10), changed(whyRenewed)})
	}
	left, slack := ends.Sub(p.now), readError.Duration()+endSlack
	facts = append(facts, fact{pttl, atMost, millis(max(left+slack, 0)), changed(whyRenewed)})
	if soonest := left - slack - lateAnswer; soonest > 0 && !p.later {
		facts = append(facts, fact{pttl, atLeast, millis(soonest), changed(whyRenewed)})
	}
	return facts
}

// afterMove is the plan for a lock that a cluster has moved to another node. MIGRATE sends what is
// left of the TTL, so that the end is later there, by the time that the key was on its way.
func (p plan) afterMove() plan {
	facts := make([]fact, 0, len(p.facts)+1)
	for _, f := range p.facts {
		end, err := strconv.ParseInt(f.want, 10, 64)
		if f.ask[0] != "PEXPIRETIME" || f.compared != equal || err != nil {
			facts = append(facts, f)
			continue
		}
		latest := strconv.FormatInt(end+transit.Milliseconds(), 10)
		facts = append(facts, fact{f.ask, atLeast, f.want, f.blame}, fact{f.ask, atMost, latest, f.blame})
	}
	p.facts = facts
	return p
}

// stillLeased is the fact that the lock has a TTL if and only if it had one. It is for keys whose
// TTL several holders share.
func stillLeased(lock *inspector.Lock) fact {
	if seenEndless(lock) {
		return fact{[]string{"PTTL", lock.Key}, equal, "-1", changed(whyTTL)}
	}
	return fact{[]string{"PTTL", lock.Key}, atLeast, "0", changed(whyNoTTL)}
}

// sameNumber returns the facts that the server answers this number. It compares numbers, not text,
// because servers print them differently.
func sameNumber(ask []string, number, why string) []fact {
	return []fact{{ask, atLeast, number, changed(why)}, {ask, atMost, number, changed(why)}}
}

// sameScores returns the facts that holders in a sorted set still have the observed times; false if
// not all of them were read.
func sameScores(key string, lock *inspector.Lock, holders []inspector.Holder) (facts []fact, known bool) {
	for _, h := range holders {
		score, ok := scoreOf(lock, h.Owner)
		if !ok {
			return nil, false
		}
		facts = append(facts, sameNumber([]string{"ZSCORE", key, h.Owner}, scoreText(score), whyRenewed)...)
	}
	return facts, true
}

// sameFields returns the facts that holders in a hash still have the observed values.
func sameFields(lock *inspector.Lock) (facts []fact) {
	for _, h := range lock.Holders {
		if seen, ok := seenField(lock, h.Owner); ok {
			facts = append(facts, fact{[]string{"HGET", lock.Key, h.Owner}, equal, seen, changed(whyShare)})
		}
	}
	return facts
}

// sameReaderLeases returns the facts that the leases of a reader's entries, or of all readers if
// owner is empty, still have the observed ends; false if none was seen.
func (p *plan) sameReaderLeases(lock *inspector.Lock, owner string) (facts []fact, known bool) {
	for _, c := range lock.Observed.Companions {
		reader := strings.HasPrefix(c.Key, inspector.RedissonSuffix(lock.Key, owner)+inspector.RedissonReaderLease)
		if owner == "" {
			reader = strings.Contains(c.Key, inspector.RedissonReaderLease)
		}
		if !reader || !c.Exists() {
			continue
		}
		p.addKeys(c.Key)
		for _, f := range p.observedEnd(c) {
			f.blame = changed(whyRenewed)
			facts = append(facts, f)
		}
	}
	return facts, facts != nil
}
