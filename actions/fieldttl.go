package actions

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// This file is about holders whose field of a hash has a TTL of its own (Redis 7.4, Valkey 9.0).
// Its end is the end of their lease, so that it is compared, and extended with the key's. Its
// commands are in a plan only where such a TTL was seen: other servers do not know them.

// fieldTTL returns the field of a holder if it was seen with a TTL of its own, else nil.
func fieldTTL(lock *inspector.Lock, owner string) *keyspace.Field {
	f := inspector.HolderField(&lock.Observed, owner)
	if f == nil || f.EndsAt == 0 {
		return nil
	}
	return f
}

// seenEnd is when the lease was seen to end by a TTL, the key's or that of the holders' fields;
// zero: never.
func seenEnd(lock *inspector.Lock) time.Time {
	if lock.EndsByField() {
		return lock.ExpiresAt
	}
	return lock.Observed.ExpiresAt
}

// askField is a command that tells something of the TTL of a field.
func askField(command, key, field string) []string {
	return []string{command, key, "FIELDS", "1", field}
}

// addFieldTTLs completes a plan where fields of holders have TTLs of their own: their ends are
// compared, and that of the holder is extended, never shortened. A delayed force-expiry sets the
// key's TTL, with which all fields go; it refuses where the field of the only holder expires
// sooner.
func (p *plan) addFieldTTLs(r Request, holder inspector.Holder) {
	seen, key := r.seen(), r.Lock.Key
	meant := []inspector.Holder{holder}
	if EndsForAll(r) {
		meant = seen.Holders
	}
	for _, h := range meant {
		if f := fieldTTL(seen, h.Owner); f != nil {
			p.facts = append(p.facts, p.observedInstant(askField("HPTTL", key, f.Name), askField("HPEXPIRETIME", key, f.Name),
				f.ExpireTime, f.ExpiresAt(), seen.Observed.ExpiryError)...)
		}
	}
	f := fieldTTL(seen, holder.Owner)
	if f == nil {
		return
	}
	p.fieldEnds = f.ExpiresAt()
	switch left := askField("HPTTL", key, f.Name); {
	case r.Verb == VerbExtend:
		p.facts = append(p.facts, fact{left, atMost, millis(r.TTL), changed(whyLonger)})
		p.do("HPEXPIRE", key, millis(r.TTL), "FIELDS", "1", f.Name)
	case r.Verb == VerbForceExpire && !frees(r) && len(seen.Holders) == 1:
		p.facts = append(p.facts, fact{left, atLeast, millis(r.TTL), changed(whyShorter)})
	}
}

// leaseLeft is what the lease had left when the key's TTL had that much; negative: it had none.
func (p plan) leaseLeft(key time.Duration) time.Duration {
	if p.fieldEnds.IsZero() {
		return key
	}
	if field := max(0, p.fieldEnds.Sub(p.now)); key < 0 || field < key {
		return field
	}
	return key
}

// withFieldTTL is a sample lock in a hash whose holder's field has a TTL of its own.
func withFieldTTL(lock *inspector.Lock) *inspector.Lock {
	timed := *lock
	ends := time.Now().Add(farAhead / 2)
	field := keyspace.Field{Name: lock.Holders[0].Owner, ExpireTime: ends.UnixMilli(), EndsAt: ends.UnixMicro()}
	for _, f := range lock.Observed.Value.Fields {
		if f.Name == field.Name {
			field.Value = f.Value
		}
	}
	timed.Observed.Value.Fields = append([]keyspace.Field{field}, lock.Observed.Value.Fields...)
	return &timed
}
