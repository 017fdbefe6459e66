package inspector

import "time"

// Kept is what a recording keeps of a lock beside its fields: what is told from the value that was read, which may be a secret
// and is not kept, and what the store remembers of it.
type Kept struct {
	// Libraries are the names of [Lock.Libraries], and Surely says whether there is no doubt.
	Libraries []string
	Surely    bool
	// Cooling says that its holder has released it, and that the key stays on purpose until its TTL is over.
	Cooling bool
	// Lease is [Lock.Lease].
	Lease time.Duration
}

// Kept is what has to be kept of the lock, for [Lock.Keep].
func (l *Lock) Kept() Kept {
	candidates, surely := l.Libraries()
	k := Kept{Surely: surely, Cooling: l.mind.cooling, Lease: l.Lease()}
	for i := range candidates {
		k.Libraries = append(k.Libraries, candidates[i].Name)
	}
	return k
}

// Keep makes a lock that was read from a recording tell what the recorded one told. A lock that anybody sees already is immutable.
func (l *Lock) Keep(k Kept) {
	l.mind.cooling, l.mind.lease = k.Cooling, k.Lease
	l.chronicle = l.recall()
	if h := l.hold(); h != nil && h.SinceExact {
		l.chronicle.acquired(h.Since, 1)
	}
	l.chronicle.kept = &k
}

// byName are the libraries of these names. One that this version does not know has a name and nothing else.
func byName(names []string) []Library {
	found := make([]Library, 0, len(names))
	for _, name := range names {
		known := Library{Name: name}
		for i := range libraries {
			if libraries[i].Name == name {
				known = libraries[i]
			}
		}
		found = append(found, known)
	}
	return found
}

// Cooling says that the lock's holder has released it, and that the key stays on purpose until its TTL is over.
func (l *Lock) Cooling() bool { return l.mind.cooling }
