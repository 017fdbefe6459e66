package inspector

import (
	"container/list"
	"slices"
)

// Bounds of what is remembered of former holders.
const (
	maxHolds     = 100    // a lock's holds, the present one included: a minute of a busy one
	maxVoteHolds = 4      // of them, what is kept of one master's vote on a Redlock
	maxPastHolds = 50_000 // holds that are over, of all locks that are there
	maxPastKeys  = 2_000  // locks that are gone, and whose past is kept should they come back
	maxFreed     = 5_000  // freed locks that linger
)

// remembered is what outlives a key.
type remembered struct {
	key          keyRef
	history      []Hold
	acquisitions [SparkBuckets]uint16
	sparkStart   uint32
	forgets      bool
	chronicle    *chronicle
}

// keyRef names a key, on whatever node it is.
type keyRef struct {
	db  int
	key string
}

// past keeps what outlives keys, the latest ones.
type past struct {
	byKey map[keyRef]*list.Element
	order list.List // of remembered, oldest first
	// forgets says that something was forgotten: a key that is not here may have had holds.
	forgets bool
}

func newPast() past { return past{byKey: make(map[keyRef]*list.Element)} }

// put remembers a lock that is forgotten otherwise. It returns how many chronicles are gone for good with what it forgets.
func (p *past) put(l *Lock) (chronicles int) {
	if len(l.History) == 0 {
		return chroniclesOf(l.chronicle)
	}
	key := keyRef{l.DB, l.Key}
	if old, known := p.byKey[key]; known {
		if r, is := p.order.Remove(old).(remembered); is {
			chronicles += chroniclesOf(r.chronicle)
		}
	}
	// The history is copied: otherwise the whole Lock would be kept with it.
	kept := remembered{key, append([]Hold(nil), l.History...), l.Acquisitions, l.SparkStart, l.forgets, l.chronicle}
	p.byKey[key] = p.order.PushBack(kept)
	if p.order.Len() > maxPastKeys {
		oldest := p.order.Front()
		if r, is := p.order.Remove(oldest).(remembered); is {
			delete(p.byKey, r.key)
			chronicles += chroniclesOf(r.chronicle)
			p.forgets = true
		}
	}
	return chronicles
}

// chroniclesOf is how many a chronicle counts for.
func chroniclesOf(c *chronicle) int {
	if c == nil {
		return 0
	}
	return 1
}

// take gives back what was known of a key, and forgets it here.
func (p *past) take(key keyRef) (remembered, bool) {
	element, known := p.byKey[key]
	if !known {
		return remembered{}, false
	}
	delete(p.byKey, key)
	r, is := p.order.Remove(element).(remembered)
	return r, is
}

// restore gives a lock the past of its key.
func (l *Lock) restore(r remembered) {
	l.History = r.history
	l.Acquisitions, l.SparkStart = r.acquisitions, r.sparkStart
	l.forgets, l.chronicle = r.forgets, r.chronicle
}

// trim keeps the last holds only, and those that go on.
func (l *Lock) trim(limit int) {
	over := len(l.History) - limit
	if over <= 0 {
		return
	}
	l.forgets = true
	l.History = slices.DeleteFunc(l.History, func(h Hold) bool {
		goes := over > 0 && !h.Until.IsZero()
		if goes {
			over--
		}
		return goes
	})
}
