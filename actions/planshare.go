package actions

import (
	"slices"
	"strconv"

	"locktop/inspector"
	"locktop/keyspace"
)

// whyShare is the reason where a field is there, with another value: it was left and entered again.
const whyShare = "it was released since, and is held anew"

// onShare begins the release of one of several holders, each of whom is a field of a hash. That field alone is compared: the
// others come and go meanwhile.
func (p *plan) onShare(r Request, holder inspector.Holder) error {
	if r.Entries > 0 {
		return unsupported("its entries are not counted: it can only be released as a whole")
	}
	key := r.Lock.Key
	seen, ok := seenField(r.Lock, holder.Owner)
	if !ok {
		return unsupported("it was not read, so there is nothing to compare it with")
	}
	ask := []string{"HGET", key, holder.Owner}
	p.facts = append(observedType(key, keyspace.TypeHash),
		fact{ask, present, "", blameOther}, fact{ask, equal, seen, changed(whyShare)})
	p.witness = []string{"HSCAN", key, "0", "COUNT", "10"}
	p.holder = clip(holder.Owner)
	p.done = Outcome{Result: ResultReleased}
	return nil
}

// seenField is what was seen of a field.
func seenField(lock *inspector.Lock, name string) (string, bool) {
	at := slices.IndexFunc(lock.Observed.Value.Fields, func(f keyspace.Field) bool { return f.Name == name })
	if at < 0 {
		return "", false
	}
	return lock.Observed.Value.Fields[at].Value, true
}

// sampleShare is a lock of a scheme of which each field of a hash is a holder.
func sampleShare(scheme inspector.Scheme, key, field, value string) *inspector.Lock {
	lock := sample(scheme, key, inspector.Holder{Owner: field})
	lock.Observed.Type, lock.Observed.Size = keyspace.TypeHash, 1
	lock.Observed.Value.Fields = []keyspace.Field{{Name: field, Value: value}}
	return lock
}

// alone says whether nobody but the holder has the lock, and makes a fact of it. Where it is not so any more, the plan is made anew.
func (p *plan) alone(lock *inspector.Lock) bool {
	ask := []string{"HLEN", lock.Key}
	if lock.Observed.Size > 1 {
		p.facts = append(p.facts, fact{ask, atLeast, "2", blameContext})
		return false
	}
	p.facts = append(p.facts, fact{ask, equal, "1", blameContext})
	return true
}

// observedShares is the fact that no holder has come or gone.
func observedShares(lock *inspector.Lock) fact {
	return fact{[]string{"HLEN", lock.Key}, equal, strconv.FormatInt(lock.Observed.Size, 10), changed(whyFields)}
}
