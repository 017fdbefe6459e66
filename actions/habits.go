package actions

import (
	"strconv"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// This file is about what the library of a lock does besides its scheme.

const uncheckedLibrary = "Its clients release without looking whose lock it is: an old holder that is still alive will delete the next holder's. Stop it first."

// uncheckedValue is said of a token that may not tell one holder from the next.
const uncheckedValue = "Its value looks the same for every client. If so, a client cannot see whose lock it deletes: an old holder that is still alive will delete the next holder's. Stop it first."

const untold = "Clients listen on a channel with its name, but locktop does not know the message that its library sends there: they get none, and will try again by themselves."

// doubts are what the data does not prove about the lock that an action concerns.
func doubts(r Request) (warnings []string) {
	if r.Unheard && !r.Lock.Tells(r.Owner) {
		warnings = append(warnings, "It has no TTL: if it was released and acquired again with the same value since it was read, locktop cannot tell, and the action ends the new hold.")
	}
	if n := len(r.Siblings); n > 0 {
		const most = 3
		names := make([]string, 0, most)
		for _, key := range r.Siblings[:min(n, most)] {
			names = append(names, keyspace.Visible(key))
		}
		warnings = append(warnings, plural(n, "other key has", "other keys have")+" the same value and a name that differs only in its number ("+
			strings.Join(names, ", ")+"): if they are one lock, the action changes only a part of it.")
	}
	return warnings
}

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
		if r.Lock.Scheme == inspector.SchemeToken && r.Lock.SameForAll() {
			warnings = append(warnings, uncheckedValue)
		}
	}
	if channels := r.Lock.UntoldChannels(); len(channels) > 0 && frees(r) {
		warnings = append(warnings, untold)
	}
	if said := comesBackWords(r); said != "" {
		warnings = append(warnings, said)
	}
	return warnings, isDiscouraged
}

// restamps is what to beware of when another value is written into a lock whose value is the end of
// its lease. It is discouraged where a client of such a library releases only what it has written
// itself.
func restamps(r Request, libraries []inspector.Library, surely bool) (warnings []string, isDiscouraged bool) {
	recipe, _ := RecipeFor(r.Lock.Scheme)
	if !recipe.Stamped {
		return nil, false
	}
	const compares = "its clients compare the value when they release, " +
		"so its holder will not be able to release it any more, and the lock stays until the new end"
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
		"It is unknown whether its holder compares the value when it releases: " +
			"if it does, it will not be able to release the lock any more, and the lock stays until the new end.",
	}, false
}

// discouraged says whether the action takes force, because of what the library does then.
func discouraged(r Request) bool {
	_, is := habits(r)
	return is
}

// CanBury says whether a release of the lock leaves a tombstone unless that is declined: it ends by
// itself, as the tombstone has to, and would likely come back. A force-expiry deletes the key,
// whatever comes of it.
func CanBury(r Request) bool {
	return r.Verb == VerbRelease && r.Lock != nil && r.Lock.Observed.Type == keyspace.TypeString &&
		r.Lock.ComesBack() && !seenEndless(r.Lock)
}

// buried says whether the action leaves a tombstone instead of deleting the key.
func buried(r Request) bool { return CanBury(r) && !r.NoTombstone }

// tombstoneLonger is by how much a tombstone outlasts the holder's next renewal, so that the
// renewal meets it.
const tombstoneLonger = time.Second

// tombstoneFor is how long a tombstone stays: until the holder's next renewal has met it.
func tombstoneFor(lock *inspector.Lock, now time.Time) time.Duration {
	return max(lock.RenewedBy(now).Sub(now), 0) + tombstoneLonger
}

// bury puts a tombstone in the place of a string until the holder's next renewal, which finds
// another value than its own, and gives the lock up.
func (p *plan) bury(r Request, now time.Time) {
	stays := tombstoneFor(r.Lock, now)
	stone := inspector.TombstonePrefix + actor().User + ":" + strconv.FormatInt(now.UnixMilli(), 10)
	p.do("SET", r.Lock.Key, stone, "PX", millis(stays))
	p.done = Outcome{
		Result: ResultReleased,
		Detail: "a tombstone keeps its place for " + span(stays) +
			", so that a renewal does not bring it back; until then no client can acquire it",
	}
}

// tombstoneWords say what a tombstone does, and what comes of it for those who wait.
func tombstoneWords(r Request, now time.Time) (does, then string) {
	stays := span(tombstoneFor(r.Lock, now))
	then = "The holder's next renewal would re-create a deleted key. " +
		"It will find the tombstone instead, and the holder gives the lock up. No client can acquire the lock for those " + stays + ", so clients that wait for it wait that long."
	var others []string
	libraries, _ := r.Lock.Libraries()
	for _, library := range libraries {
		if !library.Recreates {
			others = append(others, library.Name)
		}
	}
	if len(others) > 0 {
		then += " If it is a lock of " + strings.Join(others, " or ") +
			", which writes the same bytes and does not re-create a key, decline the tombstone."
	}
	return "puts a tombstone in its place for " + stays, then
}
