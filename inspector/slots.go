package inspector

import "slices"

// slot is the store's hold on one lock.
type slot struct {
	lock  *Lock // nil: empty
	place *place
	// due is when the lock changes by time alone, heapAt its place among the wakes or -1.
	due int64
	// readAt is when the last read confirmed the lock, in Unix nanoseconds; Lock.Observed may be older, if nothing changed.
	readAt  int64
	heapAt  int32
	past    uint16 // holds that are over, in Lock.History
	queued  bool   // in store.freed
	counted counted
}

// insert makes a slot for a lock that was not known.
func (s *store) insert(p *place, l *Lock) int32 {
	if old, known := s.past.take(keyRef{l.DB, l.Key}); known {
		l.restore(old)
	} else {
		l.forgets = s.past.forgets
	}
	l.mind.round = s.round
	i := int32(len(s.slots))
	s.slots = append(s.slots, slot{lock: l, place: p, heapAt: -1})
	p.slots[l.Key] = i
	return i
}

// edit returns the slot's lock for a change: the one that is there if no snapshot has it yet, else a copy.
func (s *store) edit(i int32) *Lock {
	at := &s.slots[i]
	if at.lock.mind.round != s.round {
		at.lock = at.lock.clone()
		at.lock.mind.round = s.round
	}
	return at.lock
}

// compact closes the holes among the slots, where they are many; the order stays.
func (s *store) compact() {
	if s.empty <= 1024 || s.empty <= len(s.slots)/2 {
		return
	}
	for _, p := range s.places { // a map never shrinks; what is left is put back
		p.slots = make(map[string]int32)
	}
	kept := make([]slot, 0, len(s.slots)-s.empty)
	moved := make([]int32, len(s.slots))
	for i := range s.slots {
		at := &s.slots[i]
		if at.lock == nil {
			moved[i] = -1
			continue
		}
		moved[i] = int32(len(kept))
		at.place.slots[at.lock.Key] = moved[i]
		kept = append(kept, *at)
	}
	s.wakes.heap = slices.Clone(s.wakes.heap)
	for at, i := range s.wakes.heap {
		s.wakes.heap[at] = moved[i]
	}
	var freed []int32
	for _, i := range s.freed {
		if moved[i] >= 0 {
			freed = append(freed, moved[i])
		}
	}
	s.freed, s.slots, s.empty = freed, kept, 0
}
