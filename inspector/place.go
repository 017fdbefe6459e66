package inspector

import (
	"maps"
	"strings"
	"time"

	"locktop/keyspace"
)

// Bounds of what hints may leave behind before a read answers them.
const (
	maxTrails  = 50_000
	maxEdited  = 10_000
	trailLives = 15 * time.Second // a key that is not followed is read every ten seconds
)

// placeRef names a database of a node.
type placeRef struct {
	node keyspace.Node
	db   int
}

// passes are a node's; they are of all its databases.
type passes struct {
	// complete says that a pass ended since the node was last connected; known, that one ever ended: what appears later is
	// new.
	complete, known bool
}

// place is what the store knows of one database.
type place struct {
	placeRef
	status *keyspace.Status
	// lastGap is until when hints may have been missed the last time, deafUntil until when none came or some were dropped, and
	// lastRead is when the newest read was; all in Unix nanoseconds.
	lastGap, deafUntil, lastRead int64
	flushed                      bool // the last gap was a flush
	passes                       *passes
	// slots are indexes into the store's slots, by key.
	slots  map[string]int32
	trails map[string]*trail
	most   int // trails there ever were since the map was made: maps do not shrink
	// edited are the strings that were counted up or changed in part, whatever their names say: nobody does that to a lock.
	edited map[string]struct{}
}

// learnEdited notes whether a key holds such a string. A key that is gone or written anew is judged anew; so is every one
// beyond the bound.
func (p *place) learnEdited(key string, what happening) {
	switch what {
	case happeningEdited:
		if len(p.edited) < maxEdited {
			p.edited[key] = struct{}{}
		}
	case happeningExpiry, happeningNameless, happeningAdded, happeningOther:
	case happeningNew, happeningWritten, happeningReleased, happeningExpired, happeningEvicted, happeningMoved:
		delete(p.edited, key)
	}
}

// isEdited says whether a record is such a string.
func (p *place) isEdited(r *keyspace.Record) bool {
	_, edited := p.edited[r.Key]
	return edited && r.Type == keyspace.TypeString
}

// learn takes a status, and returns the event of a gap that it tells of.
func (p *place) learn(status *keyspace.Status) (Event, bool) {
	var before keyspace.Status
	if p.status != nil {
		before = *p.status
	}
	if p.polls() || status.HintsDropped > before.HintsDropped {
		p.deafUntil = p.lastRead
	}
	p.status = status
	if !status.Connected {
		p.passes.complete = false
	}
	if status.Gaps <= before.Gaps {
		return Event{}, false
	}
	p.flushed = status.Flushed()
	p.lastGap = max(p.lastRead, status.LastGap.UnixNano()) // the reads that came before its news, too, may have missed something
	clear(p.trails)                                        // they do not tell all that happened
	return Event{
		At: status.LastGap, Kind: EventGap, Text: status.LastGapWhy,
		Ref: keyspace.Ref{Node: p.node, DB: p.db},
	}, true
}

// hint notes a hint until a read answers it. Names that no lock has are passed over.
func (p *place) hint(h keyspace.Hint, rules Rules) {
	t := p.trails[h.Key]
	if t == nil {
		if len(p.trails) >= maxTrails {
			return
		}
		if _, followed := p.slots[h.Key]; !followed {
			if rules.isTrap(h.Key) {
				return
			}
		}
		t = &trail{}
		p.trails[h.Key] = t
		p.most = max(p.most, len(p.trails))
	}
	p.learnEdited(h.Key, happenings[h.Event])
	t.add(h)
}

// sweep forgets hints that no read answered.
func (p *place) sweep(now time.Time) {
	for key, t := range p.trails {
		if now.Sub(t.updatedAt) > trailLives {
			delete(p.trails, key)
		}
	}
	if p.most > 1024 && len(p.trails) < p.most/4 {
		smaller := make(map[string]*trail, len(p.trails))
		maps.Copy(smaller, p.trails)
		p.trails, p.most = smaller, len(smaller)
	}
}

// isTrap says whether a key was named by the letters of a default pattern only ("blocklist"). What a pattern of the user's own
// names may be a lock under any name.
func (rules Rules) isTrap(key string) bool {
	if scheme, ruled := rules.schemeOf(key); ruled {
		return scheme == NoLock
	}
	name := nameOf(key)
	return name.companion || name.grade == nameSilent && hasLockLetters(key)
}

// lockLetters are what the default patterns look for, in any letter case.
var lockLetters = [...]string{"lock", "mutex", "lease", "semaphore"}

func hasLockLetters(key string) bool {
	for i := range len(key) {
		for _, word := range lockLetters {
			if len(key)-i >= len(word) && strings.EqualFold(key[i:i+len(word)], word) {
				return true
			}
		}
	}
	return false
}
