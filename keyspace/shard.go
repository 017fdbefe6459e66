package keyspace

import "slices"

// slotSet is a set of hash slots.
type slotSet [Slots / 64]uint64

func (s *slotSet) add(slot int)      { s[slot/64] |= 1 << (slot % 64) }
func (s *slotSet) has(slot int) bool { return s[slot/64]&(1<<(slot%64)) != 0 }

// neighbours are the other nodes of a cluster, as a node's feed sees them. The methods do not block.
type neighbours interface {
	// moved takes over a key that another node has now: the one that a redirection names, or, where it names none, the master
	// of the key's slot.
	moved(from Node, key string, to Redirection)
	// related is told of a key to which one of ours belongs, and says false where it is this node's own affair.
	related(from Node, owner string) bool
}

// ours drops the records of keys that are another node's, and has that one look after them. What was known of them is
// forgotten without a word: the consumer hears of them from the other node.
func (f *feed) ours(records []Record) []Record {
	isElsewhere := func(r Record) bool { return r.Type == typeElsewhere }
	if !slices.ContainsFunc(records, isElsewhere) {
		return records
	}
	var kept []Record
	for _, r := range records {
		if isElsewhere(r) {
			f.giveAway(r.Key, r.redirection())
		} else {
			kept = append(kept, r)
		}
	}
	return kept
}

// giveAway forgets a key, and hands it to another node if it was followed, or may be one to follow.
func (f *feed) giveAway(key string, to Redirection) {
	f.unfollow(key)
	f.dropOther(f.hash(key))
	f.options.others.moved(f.connection.Node(), key, to)
}

// handOver gives away all followed keys whose slots are this node's no longer.
func (f *feed) handOver(owned *slotSet) {
	for key := range f.followed {
		if !owned.has(Slot(key)) {
			f.giveAway(key, Redirection{})
		}
	}
}

// adopt follows a key that another node had: the consumer knows it, and is to be told whatever becomes of it.
func (f *feed) adopt(key string) {
	if f.followed[key] == nil {
		f.dropOther(f.hash(key))
		f.followed[key] = &entry{key: key}
	}
	f.dirty[key] = struct{}{}
}
