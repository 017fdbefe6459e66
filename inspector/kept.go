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
	// Forgets says that there were holds before the first one in the history; [Lock.RememberedSince] tells from when on there are all.
	Forgets bool
	// Gaps are those of [Lock.Rhythm].
	Gaps []time.Duration
	// Chronicle is what is remembered of it over minutes; nil: no more than its history tells.
	Chronicle *KeptChronicle
}

// KeptChronicle is what is remembered of a lock over minutes. Two that are equal tell the same.
type KeptChronicle struct {
	// Minute is the last one of the rows, in minutes of Unix time, and Waiting how many wait since.
	Minute                int64
	Acquisitions, Waiters [ChronicleMinutes]uint16
	Waiting               uint16
	// Holds are how many took how long, by buckets; Counted is how many were counted ever, and Longest the longest of them.
	Holds   [holdBuckets]uint16
	Counted uint32
	Longest time.Duration
}

// Kept is what has to be kept of the lock, for [Lock.Keep].
func (l *Lock) Kept() Kept {
	candidates, surely := l.Libraries()
	k := Kept{Surely: surely}
	for i := range candidates {
		k.Libraries = append(k.Libraries, candidates[i].Name)
	}
	return l.KeptBeside(k)
}

// KeptBeside is [Lock.Kept] of a lock the value of which did not change since: which libraries may have left it takes time to tell.
func (l *Lock) KeptBeside(before Kept) Kept {
	k := before
	k.Cooling, k.Lease, k.Forgets, k.Gaps, k.Chronicle = l.mind.cooling, l.Lease(), l.forgets, l.gaps(), nil
	if c := l.chronicle; c != nil && (c.kept == nil || c.kept.Chronicle != nil) {
		k.Chronicle = &KeptChronicle{
			Minute: c.minute, Acquisitions: c.acquisitions, Waiters: c.waiters, Waiting: c.waiting,
			Holds: c.holds, Counted: c.counted, Longest: c.longest,
		}
	}
	return k
}

// Keep makes a lock that was read from a recording tell what the recorded one told. A lock that anybody sees already is immutable.
func (l *Lock) Keep(k Kept) {
	l.mind = mind{cooling: k.Cooling, lease: k.Lease}
	l.forgets = k.Forgets
	if k.Chronicle != nil {
		l.chronicle = k.Chronicle.chronicle()
	} else {
		l.chronicle = l.recall()
		if h := l.hold(); h != nil && h.SinceExact {
			l.chronicle.acquired(h.Since, 1)
		}
	}
	for _, gap := range k.Gaps[max(0, len(k.Gaps)-renewalGaps):] {
		l.chronicle.renewed(milliseconds(gap))
	}
	l.chronicle.kept = &k
}

// chronicle is the chronicle of which this was kept, without the renewals.
func (k *KeptChronicle) chronicle() *chronicle {
	return &chronicle{
		minute: k.Minute, acquisitions: k.Acquisitions, waiters: k.Waiters, waiting: k.Waiting, holds: k.Holds, counted: k.Counted, longest: k.Longest,
	}
}

// MovedTo is the same at a later minute in which nothing has happened yet.
func (k KeptChronicle) MovedTo(minute int64) KeptChronicle {
	steps := minute - k.Minute
	if k.Minute == 0 {
		steps = ChronicleMinutes
	}
	k.Acquisitions, k.Waiters, k.Minute = moved(k.Acquisitions, steps, 0), moved(k.Waiters, steps, k.Waiting), minute
	return k
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
