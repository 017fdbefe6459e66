package inspector

import (
	"time"

	"locktop/keyspace"
)

// recognition is what a scheme makes of a record.
type recognition struct {
	scheme    Scheme
	mode      Mode
	holders   []Holder
	leaseEnds time.Time // the end of the lease by the value, for schemes that keep it there
	evidence  []string
}

// SchemeInfo describes a scheme to people: the README's table of schemes is made of these.
type SchemeInfo struct {
	Name         Scheme
	Systems      string // who leaves such locks
	RecognisedBy string
	Shows        string
	recognise    func(r keyspace.Record, name nameEvidence, now time.Time) (recognition, bool)
}

// schemes in the order in which they are tried: what is surest first.
var schemes = []SchemeInfo{redissonScheme, reentrantScheme, timestampScheme, setnxScheme, tokenScheme, wrongTypeScheme}

// Schemes lists the schemes in the order in which they are tried.
func Schemes() []SchemeInfo { return schemes }

// recognise asks one scheme after the other what the record is.
func recognise(r keyspace.Record, now time.Time) (recognition, bool) {
	name := judgeName(r.Key)
	if name.companion {
		return recognition{}, false
	}
	for _, s := range schemes {
		if found, ok := s.recognise(r, name, now); ok {
			found.scheme = s.Name
			if found.mode == "" {
				found.mode = ModeExclusive
			}
			return found, true
		}
	}
	return recognition{}, false
}

// Follow says whether a record is a lock: the filter for keyspace.ObserveOptions.
func Follow(r keyspace.Record) bool {
	if !r.Exists() {
		return false
	}
	_, isLock := recognise(r, r.ReadAt)
	return isLock
}

// Inspect judges a single read: the lock it holds, or false where the record is none. now is the local time.
func Inspect(r keyspace.Record, now time.Time) (*Lock, bool) {
	if !r.Exists() {
		return nil, false
	}
	found, isLock := recognise(r, now)
	if !isLock {
		return nil, false
	}
	s := newStore(Options{}, &eventLog{})
	t := s.newTrack(r.Ref)
	s.acquire(t, r, found, nil)
	lock, _ := s.build(t, now)
	return lock, true
}

// maxHolderValue is the longest value that is taken for a token: libraries use 8 to 80 bytes.
const maxHolderValue = 128
