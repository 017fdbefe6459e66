package actions

import (
	"strconv"

	"locktop/inspector"
)

// onHash plans every verb on a lock that is a field of a hash, with the entry count as its value. wake plans how those who
// wait are told, before a lock is freed.
func (p *plan) onHash(r Request, holder inspector.Holder, wake func() error) error {
	p.facts = append(observedField(r.Lock, holder), p.sameEnd(r)...)
	if r.Verb == VerbForceExpire && r.Lock.Observed.Size > 1 {
		p.facts = append(p.facts, sameFields(r.Lock)...)
	}
	p.witness = []string{"HSCAN", r.Lock.Key, "0", "COUNT", "10"}
	p.holder = clip(holder.Owner)
	switch {
	case r.Verb == VerbExtend:
		p.extend(r)
		return nil
	case !frees(r):
		p.expireSoon(r)
		return nil
	case r.Verb == VerbRelease && r.Entries > 0 && !holder.Count.Known:
		return unsupported("the entry count that it was seen with is no number to take entries from")
	case r.Verb == VerbRelease && r.Entries > 0 && holder.Count.N > r.Entries:
		p.do("HINCRBY", r.Lock.Key, holder.Owner, strconv.FormatInt(-r.Entries, 10))
		p.done = Outcome{Result: ResultEntryReleased, Holder: p.holder, Count: holder.Count.N - r.Entries}
		p.keepsTTL = true
		return nil
	case r.Verb == VerbRelease && r.Lock.Observed.Size > 1:
		p.do("HDEL", r.Lock.Key, holder.Owner)
		p.done = Outcome{
			Result: ResultEntryReleased, Holder: p.holder,
			Detail: "other fields are left in the hash, so the key stays, and nobody is woken",
		}
		p.keepsTTL = true
		return nil
	}
	if err := wake(); err != nil {
		return err
	}
	p.free(r)
	return nil
}

// nobody is how those are told who poll.
func nobody() error { return nil }
