package actions

import (
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// This file is about the end of a lease. Values repeat: a client that acquires a lock again, or another one of the same name, writes the
// same bytes. The end of the lease is what tells one hold from the next, so it is compared in the same step as the value.
//
// Where the server has PEXPIRETIME the end is compared to the millisecond. Two holds look the same only if they end in the very same
// millisecond. Before Redis 7.0 there is PTTL alone, and the end is compared within a window, from lateAnswer before what was seen to
// endSlack after it: another hold that ends within the window is not told apart. A lock without a TTL has no end to compare.

const (
	// endSlack is by how much an end that was counted from PTTL may be later than it was seen to be, besides the error of that read:
	// the inspector takes two such reads for the same end up to here.
	endSlack = 25 * time.Millisecond
	// lateAnswer is how long a plan may be on its way to the server, where PTTL is compared.
	lateAnswer = time.Second
)

// seen is the lock as the operator saw it. Request.Lock may have been read again in part, for the sake of its companions.
func (r Request) seen() *inspector.Lock {
	if r.first != nil {
		return r.first
	}
	return r.Lock
}

// sameEnd are the facts that the key of the lock ends when it was seen to end.
func (p *plan) sameEnd(r Request) []fact { return p.observedEnd(r.seen().Observed) }

// observedEnd are the facts that a key ends when it was seen to end; that it has no TTL, where it had none.
func (p *plan) observedEnd(seen keyspace.Record) []fact {
	pttl := []string{"PTTL", seen.Key}
	if seen.ExpiresAt.IsZero() {
		return []fact{{pttl, equal, "-1", changed(whyTTL)}}
	}
	facts := []fact{{pttl, atLeast, "0", changed(whyNoTTL)}}
	if seen.ExpireTime != 0 {
		return append(facts, fact{[]string{"PEXPIRETIME", seen.Key}, equal, strconv.FormatInt(seen.ExpireTime, 10), changed(whyRenewed)})
	}
	left, slack := seen.ExpiresAt.Sub(p.now), seen.ExpiryError.Duration()+endSlack
	facts = append(facts, fact{pttl, atMost, millis(max(left+slack, 0)), changed(whyRenewed)})
	if soonest := left - slack - lateAnswer; soonest > 0 && !p.later {
		facts = append(facts, fact{pttl, atLeast, millis(soonest), changed(whyRenewed)})
	}
	return facts
}

// stillLeased is the fact that the lock has a TTL if and only if it had one: for keys whose TTL is that of several holders together.
func stillLeased(lock *inspector.Lock) fact {
	if seenEndless(lock) {
		return fact{[]string{"PTTL", lock.Key}, equal, "-1", changed(whyTTL)}
	}
	return fact{[]string{"PTTL", lock.Key}, atLeast, "0", changed(whyNoTTL)}
}

// sameNumber are the facts that the server answers this number. Numbers are compared as such, for servers print them differently.
func sameNumber(ask []string, number, why string) []fact {
	return []fact{{ask, atLeast, number, changed(why)}, {ask, atMost, number, changed(why)}}
}

// sameScores are the facts that holders in a sorted set have the times that they were seen with; false: those were not all read.
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

// sameFields are the facts that holders in a hash have the values that they were seen with.
func sameFields(lock *inspector.Lock) (facts []fact) {
	for _, h := range lock.Holders {
		if seen, ok := seenField(lock, h.Owner); ok {
			facts = append(facts, fact{[]string{"HGET", lock.Key, h.Owner}, equal, seen, changed(whyShare)})
		}
	}
	return facts
}

// sameReaderLeases are the facts that the leases of readers' entries end when they were seen to end: those of one reader, or of all
// where owner is empty. False: none was seen.
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
