package keyspace

import (
	"strings"
	"time"
)

const (
	// silentEvery is how often those followed keys are read again of which not every change is announced.
	silentEvery = 2 * time.Second
	// maxSilent bounds the keys of one round.
	maxSilent = 1000
)

// silence is what the feed remembers of followed keys that are lists or sets, or have one beside them. The flags that we need
// leave those out: hardly a lock is kept so, and other lists and sets may be as busy as a queue. Of a set they tell that it expires
// or is gone, and not that one of several readers came or went. And it remembers those with something beside them that no pattern of
// the user's names, so that nothing is heard of it.
type silence struct {
	next                   time.Time
	lists, sets, strangers int // followed keys
}

// notes counts an entry as what its record says; heard says of which keys something is heard.
func (s *silence) notes(e *entry, r *Record, heard func(key string) bool) {
	s.forgets(e)
	e.lists, e.sets = r.Type == TypeList, r.Type == TypeSet
	for i := range r.Companions {
		e.lists = e.lists || r.Companions[i].Type == TypeList
		e.sets = e.sets || r.Companions[i].Type == TypeSet
		isKey := r.Companions[i].Type != TypeChannel && r.Companions[i].Type != TypeClients
		e.strangers = e.strangers || isKey && !heard(r.Companions[i].Key)
	}
	if e.strangers {
		s.strangers++
	}
	if e.lists {
		s.lists++
	}
	if e.sets {
		s.sets++
	}
}

// forgets takes an entry out.
func (s *silence) forgets(e *entry) {
	if e.lists {
		s.lists--
	}
	if e.sets {
		s.sets--
	}
	if e.strangers {
		s.strangers--
	}
	e.lists, e.sets, e.strangers = false, false, false
}

// silent says of which followed keys not every change is announced. A poll reads them all anyway, and tracking tells of every type.
func (f *feed) silent() (lists, sets, strangers bool) {
	push := f.status.Feed == FeedPush
	lists = push && f.silence.lists > 0 && !classAnnounced(f.status.Flags, 'l')
	sets = push && f.silence.sets > 0 && !classAnnounced(f.status.Flags, 's')
	return lists, sets, f.silence.strangers > 0 && f.status.Feed != FeedPoll
}

// classAnnounced says whether notify-keyspace-events has the letter of a class.
func classAnnounced(flags string, class rune) bool {
	return strings.ContainsRune(flags, class) || strings.ContainsRune(flags, 'A') && strings.ContainsRune(allClasses, class)
}

// readSilent has those keys read again. Where they are too many for one round, it is chance that takes each in its turn.
func (f *feed) readSilent() {
	now := time.Now()
	lists, sets, strangers := f.silent()
	if !lists && !sets && !strangers || now.Before(f.silence.next) {
		return
	}
	f.silence.next = now.Add(silentEvery)
	left := maxSilent
	for key, e := range f.followed {
		if e.lists && lists || e.sets && sets || e.strangers {
			f.dirty[key] = struct{}{}
			if left--; left == 0 {
				return
			}
		}
	}
}
