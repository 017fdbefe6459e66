package inspector

import (
	"slices"
	"time"
)

// This file finds the holds that an action of locktop ended. The server does not tell which client
// deleted a key, and the report of the action may arrive before or after the notification of the
// deletion.

// operated is an action of locktop that took a lock from its holder.
type operated struct {
	key   keyRef
	owner string
	at    time.Time // when its outcome was known
}

// operatedLives is how far apart an action and the end of a hold may be.
const operatedLives = trailLives

// operate records an action. The hold that it ended is over already, or will be found to be over
// soon.
func (s *store) operate(o operated) {
	if p := s.places[o.key.db]; p != nil {
		if i, known := p.slots[o.key.key]; known && s.endedBy(i, o) {
			return
		}
	}
	if s.operations == nil {
		s.operations = make(map[keyRef]operated)
	}
	s.operations[o.key] = o
}

// endedBy attributes the end of a finished hold to the operator, and reports whether there is such
// a hold.
func (s *store) endedBy(i int32, o operated) bool {
	history := s.slots[i].lock.History
	n := -1
	for k := range slices.Backward(history) {
		if history[k].Owner == o.owner && !history[k].Since.After(o.at) { // else it is a later hold
			n = k
			break
		}
	}
	if n < 0 || history[n].Until.IsZero() || o.at.Sub(history[n].Until).Abs() > operatedLives {
		return false
	}
	s.explain(i, n, CauseOperator)
	s.slots[i].lock.History[n].Lost = nil
	s.settle(i, o.at)
	return true
}

// byOperator is why a hold ended: by the operator if an action took the lock from its holder.
func (s *store) byOperator(l *Lock, owner string, cause Cause) Cause {
	key := keyRef{l.DB, l.Key}
	o, known := s.operations[key]
	if !known || o.owner != owner || cause == CauseEvicted || cause == CauseFlushed {
		return cause
	}
	delete(s.operations, key)
	if h := l.openHold(owner); h == nil || h.Since.After(o.at) {
		return cause
	}
	return CauseOperator
}

// expireOperations forgets actions that did not end an observed hold.
func (s *store) expireOperations(now time.Time) {
	for key, o := range s.operations {
		if now.Sub(o.at) > operatedLives {
			delete(s.operations, key)
		}
	}
}
