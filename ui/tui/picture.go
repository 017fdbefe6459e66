package tui

import (
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// picture is the moment that the screen shows. It is now while anything answers, and else the moment from which on all that
// is known is old: counting on would make every lease seem to be over.
type picture struct {
	at time.Time
	// silent are the nodes that do not answer while others do, and since when; nil: there are none.
	silent map[keyspace.Node]time.Time
}

// pictureOf is the picture that a snapshot gives by now.
func pictureOf(s *inspector.Snapshot, now time.Time) picture {
	p := picture{at: now}
	if s == nil || len(s.Nodes) == 0 {
		return p
	}
	last := time.Time{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Connected || n.StaleSince.IsZero() {
			continue
		}
		if p.silent == nil {
			p.silent = make(map[keyspace.Node]time.Time)
		}
		p.silent[n.Node] = n.StaleSince
		if n.StaleSince.After(last) {
			last = n.StaleSince
		}
	}
	if len(p.silent) == len(s.Nodes) {
		return picture{at: last}
	}
	return p
}

// momentOf is the moment as of which a lock is shown. One whose only node is silent stands still; of a Redlock the votes say
// which masters are.
func (p picture) momentOf(l *inspector.Lock) time.Time {
	if since, ok := p.staleSince(l); ok {
		return since
	}
	return p.at
}

// staleSince says since when what is known of a lock is old, while other nodes answer.
func (p picture) staleSince(l *inspector.Lock) (time.Time, bool) {
	if p.silent == nil || l.Quorum != nil {
		return time.Time{}, false
	}
	since, ok := p.silent[l.Node]
	return since, ok
}
