package actions

import (
	"slices"
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// This file is about what the library of a lock does besides its scheme.

const uncheckedLibrary = "Its clients release without looking whose lock it is: an old holder that is still alive will delete the next holder's. Stop it first."

// habits are what to beware of when a lock is taken away from a client of its library, and whether that is discouraged.
func habits(r Request) (warnings []string, isDiscouraged bool) {
	libraries, surely := r.Lock.Libraries()
	if r.Verb == VerbExtend {
		return restamps(r, libraries, surely)
	}
	switch {
	case surely:
		library := libraries[0]
		if library.Consequence != "" {
			warnings = append(warnings, library.Consequence)
		}
		if library.Unchecked {
			warnings = append(warnings, uncheckedLibrary)
		}
		isDiscouraged = library.Discouraged && frees(r)
	default:
		for _, library := range libraries {
			if library.Discouraged {
				warnings = append(warnings, "If it is a lock of "+library.Name+": "+library.Consequence)
			}
		}
	}
	switch {
	case buried(r):
		return warnings, isDiscouraged
	case r.Lock.ComesBack() && frees(r):
		return append(warnings, "If its holder is alive, its next renewal makes the key anew: a release leaves a tombstone for it instead."), isDiscouraged
	}
	if slices.ContainsFunc(libraries, func(l inspector.Library) bool { return l.Recreates }) {
		warnings = append(warnings, "Some clients make the key anew when they renew (redlock-rb, aioredlock): if the holder is alive, the lock may come back. Release it again then, and a tombstone takes its place.")
	}
	return warnings, isDiscouraged
}

// restamps is what to beware of when another value is written into a lock whose value is the end of its lease. It is discouraged where
// a client of such a library releases only what it has written itself.
func restamps(r Request, libraries []inspector.Library, surely bool) (warnings []string, isDiscouraged bool) {
	recipe, _ := RecipeFor(r.Lock.Scheme)
	if !recipe.Stamped {
		return nil, false
	}
	const compares = "its clients compare the value when they release, so its holder will not be able to release it any more, and it stays until the new end"
	for _, library := range libraries {
		switch {
		case !library.ComparesEnd:
		case surely:
			return []string{"It is a lock of " + library.Name + ": " + compares + "."}, true
		default:
			return []string{"If it is a lock of " + library.Name + ": " + compares + "."}, true
		}
	}
	if surely {
		return nil, false // its clients delete the key whatever its value is
	}
	return []string{
		"Whether its holder compares the value when it releases is not known: one that does will not be able to release it any more, and it stays until the new end.",
	}, false
}

// discouraged says whether the action takes force, because of what the library does then.
func discouraged(r Request) bool {
	_, is := habits(r)
	return is
}

// buried says whether the action leaves a tombstone instead of deleting the key: a release of a lock that ends by itself, as the
// tombstone has to. A force-expiry deletes the key, whatever comes of it.
func buried(r Request) bool {
	return r.Verb == VerbRelease && r.Lock.Observed.Type == keyspace.TypeString && r.Lock.ComesBack() && !seenEndless(r.Lock)
}

// tombstoneLonger is by how much a tombstone outlasts what is left of the lease, so that a renewal meets it.
const tombstoneLonger = time.Second

// bury puts a tombstone in the place of a string until the holder's next renewal, which finds another value than its own, and gives the
// lock up. When that comes is known where renewals were seen; else it comes before the lease is over.
func (p *plan) bury(r Request, now time.Time) {
	lease := max(r.Lock.ExpiresAt.Sub(now), 0)
	if l := r.Lock; l.RenewalPeriod > 0 {
		lease = min(lease, max(l.LastRenewal.Add(l.RenewalPeriod+l.RenewalPeriod/2).Sub(now), 0))
	}
	lease += tombstoneLonger
	stone := inspector.TombstonePrefix + actor().User + ":" + strconv.FormatInt(now.UnixMilli(), 10)
	p.do("SET", r.Lock.Key, stone, "PX", millis(lease))
	p.done = Outcome{Result: ResultReleased, Detail: "a tombstone keeps its place for " + span(lease) + ", so that a renewal does not bring it back"}
}
