package inspector

import (
	"strings"

	"locktop/keyspace"
)

// maxEdited bounds [place.edited].
const maxEdited = 10_000

// place is what the store knows of the keys of one database, on whatever nodes they are.
type place struct {
	// slots are indexes into the store's slots, by key.
	slots map[string]int32
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
	case happeningExpiry, happeningNameless, happeningAdded, happeningLeft, happeningOther:
	case happeningNew, happeningWritten, happeningReleased, happeningExpired, happeningEvicted, happeningMoved:
		delete(p.edited, key)
	}
}

// isEdited says whether a record is such a string.
func (p *place) isEdited(r *keyspace.Record) bool {
	_, edited := p.edited[r.Key]
	return edited && r.Type == keyspace.TypeString
}

// isTrap says whether a key was named by the letters of a default pattern only ("blocklist"). What a pattern of the user's own
// names may be a lock under any name.
func (rules Rules) isTrap(key string) bool {
	scheme, named := rules.schemeOf(key)
	if named && scheme != AnyScheme {
		return scheme == NoLock
	}
	name := nameOf(key)
	return name.companion || !named && name.grade == nameSilent && hasLockLetters(key)
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
