package actions

import (
	"strings"
	"time"

	"locktop/inspector"
)

// This file is about locks that come back after a release: the holder is alive, and its renewal or
// extension re-creates the deleted key.

const (
	// longestLook bounds how long a lock is checked after a release.
	longestLook = 15 * time.Second
	// lookLonger is how much longer than the holder's next renewal the check lasts.
	lookLonger = time.Second
)

// freesNow reports whether the request deletes the lock or removes its holder, so that a renewal
// could bring it back.
func freesNow(r Request) bool { return frees(r) && !milder(r) && !buried(r) }

// comesBackWords warns of a lock that may come back. It is empty if nothing indicates that, or if a
// tombstone prevents it.
func comesBackWords(r Request) string {
	by, may := r.Lock.MayComeBack()
	if !may || !freesNow(r) {
		return ""
	}
	looked := " locktop checks for up to " + span(lookFor(r.Lock, time.Now())) +
		" whether it is back, and tells you."
	switch {
	case r.Lock.ComesBack() && r.Verb == VerbForceExpire:
		return "If its holder is alive, its next renewal re-creates the key; " +
			"a release would leave a tombstone to prevent that." + looked
	case r.Lock.ComesBack():
		return "If its holder is alive, its next renewal re-creates the key." + looked
	default:
		return "It may come back: clients of " + strings.Join(by, ", ") +
			" re-create a deleted key when they renew or extend it." + looked
	}
}

// lookFor is how long a lock is checked after it was freed.
func lookFor(lock *inspector.Lock, now time.Time) time.Duration {
	by := lock.RenewedBy(now)
	if by.IsZero() {
		return longestLook
	}
	return min(max(by.Sub(now), 0)+lookLonger, longestLook)
}

// LookFor is how long the lock should be checked after the action because its holder may re-create
// it: until the next renewal, as far as that is known, and for 15 s at most. It is zero if nothing
// indicates that the lock comes back, or if it was not freed.
func LookFor(r Request, o Outcome) time.Duration {
	freed := o.Result.Done() || o.Result == ResultPartly
	if r.Lock == nil || !freed || r.DryRun || !freesNow(r) {
		return 0
	}
	if _, may := r.Lock.MayComeBack(); !may {
		return 0
	}
	return lookFor(r.Lock, time.Now())
}

// CameBack reports whether the same holder holds the lock again. The lock was read after the
// action, or acquired after it.
func CameBack(r Request, now *inspector.Lock) bool {
	if now == nil || now.State == inspector.StateFreed {
		return false
	}
	for i := range now.Holders {
		if now.Holders[i].Owner == r.Owner {
			return true
		}
	}
	return false
}

// CameBackText says that a lock came back, and what to do.
func CameBackText(r Request, after time.Duration) string {
	return keyWords(r) + " came back " + span(after) + " after it was " + participle(r.Verb) + ": " +
		ownerWords(r, r.Owner) + " holds it again. The holder is alive and renewed or acquired it again: stop it first"
}
