package inspector

import (
	"maps"
	"time"

	"locktop/keyspace"
)

// Bounds of what hints may leave behind before a read answers them.
const (
	maxTrails  = 50_000           // a node
	trailLives = 15 * time.Second // a key that is not followed is read every ten seconds
)

// nodeRef names a database of a node.
type nodeRef struct {
	name keyspace.Node
	db   int
}

// passes are a node's; they are of all its databases.
type passes struct {
	// complete says that a pass ended since the node was last connected; known, that one ever ended, or that another node had its
	// keys before: what appears later is new.
	complete, known bool
}

// node is how the store sees and hears one database of a node. What it hears of a key says nothing together with what it hears of
// the key from another node: a key that moves is deleted on the one, and made on the other.
type node struct {
	nodeRef
	status *keyspace.Status
	// lastGap is until when hints may have been missed the last time, deafUntil until when none came or some were dropped, and
	// lastRead is when the newest read was; all in Unix nanoseconds.
	lastGap, deafUntil, lastRead int64
	outage                       int64 // until when the last gap was in which nothing answered
	flushed                      bool  // the last gap was a flush
	passes                       *passes
	trails                       map[string]*trail
	most                         int // trails there ever were since the map was made: maps do not shrink
}

// learn takes a status, and returns the event of a gap that it tells of.
func (n *node) learn(status *keyspace.Status) (Event, bool) {
	var before keyspace.Status
	if n.status != nil {
		before = *n.status
	}
	if n.polls() || status.HintsDropped > before.HintsDropped {
		n.deafUntil = n.lastRead
	}
	n.status = status
	if !status.Connected {
		n.passes.complete = false
	}
	if status.Gaps <= before.Gaps {
		return Event{}, false
	}
	n.flushed = status.Flushed()
	n.lastGap = max(n.lastRead, status.LastGap.UnixNano()) // the reads that came before its news, too, may have missed something
	if !status.Connected || !before.Connected {
		n.outage = n.lastGap
	}
	clear(n.trails) // they do not tell all that happened
	return Event{
		At: status.LastGap, Kind: EventGap, Text: status.LastGapWhy,
		Ref: keyspace.Ref{Node: n.name, DB: n.db},
	}, true
}

// hint notes a hint until a read answers it. One that was heard before the last gap does not tell all that happened.
func (n *node) hint(h keyspace.Hint) {
	if n.before(h.At) {
		return
	}
	if t := n.trail(h.Key); t != nil {
		t.add(h)
	}
}

// before says whether a hint was heard before the last gap.
func (n *node) before(at time.Time) bool { return n.status != nil && !at.After(n.status.LastGap) }

// trail is that of a key, which begins with this hint if there is none; nil if there are too many.
func (n *node) trail(key string) *trail {
	t := n.trails[key]
	if t == nil && len(n.trails) < maxTrails {
		t = &trail{}
		n.trails[key] = t
		n.most = max(n.most, len(n.trails))
	}
	return t
}

// sweep forgets hints that no read answered.
func (n *node) sweep(now time.Time) {
	for key, t := range n.trails {
		if now.Sub(t.lastAt()) > trailLives {
			delete(n.trails, key)
		}
	}
	if n.most > 1024 && len(n.trails) < n.most/4 {
		smaller := make(map[string]*trail, len(n.trails))
		maps.Copy(smaller, n.trails)
		n.trails, n.most = smaller, len(smaller)
	}
}
