package actions

import (
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// fact is a question to the server, and the answer on which an action rests. act.lua says what the comparisons mean.
type fact struct {
	// ask is a read command; its second word is its key.
	ask      []string
	compared comparison
	want     string
	// blame is what is wrong where the fact does not hold.
	blame blame
}

// comparison is how an answer is compared with what is wanted.
type comparison string

const (
	equal   comparison = "="
	atMost  comparison = "<="
	atLeast comparison = ">="
	absent  comparison = "absent"
	present comparison = "present"
	// noneOr is for TYPE: the key is not there, or is of the type that is wanted.
	noneOr comparison = "none-or"
)

// blame is what an action answers instead of acting: a code, and why.
type blame struct{ code, why string }

var (
	blameGone  = blame{code: codeGone}
	blameOther = blame{code: codeOther}
	// blameContext is for what does not concern what the operator saw, but from which the commands were made: they are
	// made anew.
	blameContext = blame{code: codeContext}
)

// changed is the blame of what is still held by the one who was seen, but not as it was.
func changed(why string) blame { return blame{codeChanged, why} }

// holds compares what the server said, as act.lua does; there is no answer where known is false.
func (f fact) holds(said string, known bool) bool {
	switch f.compared {
	case absent:
		return !known
	case present:
		return known
	case equal:
		return known && said == f.want
	case noneOr:
		return known && (said == f.want || said == string(keyspace.TypeNone))
	case atMost, atLeast:
		number, err := strconv.ParseFloat(said, 64)
		limit, err2 := strconv.ParseFloat(f.want, 64)
		if !known || err != nil || err2 != nil {
			return false
		}
		if f.compared == atMost {
			return number <= limit
		}
		return number >= limit
	}
	return false
}

// observedType are the facts that the key is there, and is of this type.
func observedType(key string, kind keyspace.Type) []fact {
	return []fact{
		{[]string{"PTTL", key}, atLeast, "-1", blameGone},
		{[]string{"TYPE", key}, equal, string(kind), changed(whyType)},
	}
}

// typeFor is the type of key that a command of a plan takes, and fails for any other; "": it takes every type.
func typeFor(command []string) keyspace.Type {
	switch command[0] {
	case "HGET", "HLEN", "HSET", "HDEL", "HINCRBY", "HPEXPIRE", "HPEXPIRETIME":
		return keyspace.TypeHash
	case "ZSCORE", "ZCARD", "ZCOUNT", "ZADD", "ZREM", "ZREMRANGEBYSCORE":
		return keyspace.TypeZSet
	case "LINDEX", "LLEN", "LPUSH":
		return keyspace.TypeList
	case "SISMEMBER", "SCARD", "SREM":
		return keyspace.TypeSet
	case "GETRANGE", "STRLEN", "INCRBY", "DECRBY":
		return keyspace.TypeString
	default:
		return ""
	}
}

// checkTypes adds the facts that the companions have the types that the plan's commands take. A server
// does not undo what went before a command that fails, and so the types are asked before the first one.
func (p *plan) checkTypes() {
	checked := map[string]bool{p.keys[0]: true} // the type of the lock is among its own facts
	var facts []fact
	check := func(command []string) {
		key, kind := command[1], typeFor(command)
		if !checked[key] && kind != "" {
			facts = append(facts, fact{[]string{"TYPE", key}, noneOr, string(kind), blame{codeCompanion, key}})
			checked[key] = true
		}
	}
	for _, f := range p.facts {
		check(f.ask)
		facts = append(facts, f)
	}
	for _, command := range p.commands {
		check(command)
		if command[0] == "DEL" { // what follows writes to a new key
			for _, key := range command[1:] {
				checked[key] = true
			}
		}
	}
	p.facts = facts
}

// observedValue are the facts that a string has a value of this size that begins with text: with all of it, unless it was
// too long to be kept.
func observedValue(key, text string, size int64) []fact {
	facts := []fact{{[]string{"STRLEN", key}, equal, strconv.FormatInt(size, 10), blameOther}}
	if text != "" {
		ask := []string{"GETRANGE", key, "0", strconv.Itoa(len(text) - 1)}
		facts = append(facts, fact{ask, equal, text, blameOther})
	}
	return facts
}

// observedString are the facts of a lock that is the whole value of a string, but for its lease.
func observedString(lock *inspector.Lock) []fact {
	facts := observedType(lock.Key, keyspace.TypeString)
	return append(facts, observedValue(lock.Key, lock.Observed.Value.Text, lock.Observed.Size)...)
}

// observedField are the facts of a lock that is a field of a hash, with the entry count as its value, but for its lease.
func observedField(lock *inspector.Lock, holder inspector.Holder) []fact {
	facts := observedType(lock.Key, keyspace.TypeHash)
	facts = append(facts, fact{[]string{"HGET", lock.Key, holder.Owner}, present, "", blameOther})
	if holder.Count.Known {
		facts = append(facts, fact{[]string{"HGET", lock.Key, holder.Owner}, equal, strconv.FormatInt(holder.Count.N, 10), changed(whyCount)})
	}
	return append(facts, fact{[]string{"HLEN", lock.Key}, equal, strconv.FormatInt(lock.Observed.Size, 10), changed(whyFields)})
}

// notLonger is the fact that no more than this is left of the lease.
func notLonger(key string, lease time.Duration) fact {
	return fact{[]string{"PTTL", key}, atMost, millis(lease), changed(whyLonger)}
}

// notShorter is the fact that no less than this is left of the lease.
func notShorter(key string, lease time.Duration) fact {
	return fact{[]string{"PTTL", key}, atLeast, millis(lease), changed(whyShorter)}
}

// seenEndless says whether the lock was seen without a TTL.
func seenEndless(lock *inspector.Lock) bool { return lock.Observed.ExpiresAt.IsZero() }

// withoutTTL says whether the lock was read, and has no TTL.
func withoutTTL(lock *inspector.Lock) bool {
	return lock.Observed.Exists() && lock.ExpiresAt.IsZero() && seenEndless(lock)
}

// millis is a duration as Redis counts it.
func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
