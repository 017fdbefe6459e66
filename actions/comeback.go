package actions

import (
	"strings"
	"time"

	"locktop/inspector"
)

// This file is about locks that were released and are there again, because the renewal or the
// extension of a holder that is alive makes a deleted key again.

const (
	// longestLook bounds for how long a lock is looked at again after a release.
	longestLook = 15 * time.Second
	// lookLonger is by how much that outlasts the holder's next renewal.
	lookLonger = time.Second
)

// freesNow says whether the request deletes the lock, or takes its holder out of it, so that a
// renewal could bring it back.
func freesNow(r Request) bool { return frees(r) && !milder(r) && !buried(r) }

// comesBackWords warn of a lock that may come back; empty where nothing says that it does, or a
// tombstone keeps it from it.
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

// lookFor is for how long a lock is looked at after it was freed.
func lookFor(lock *inspector.Lock, now time.Time) time.Duration {
	by := lock.RenewedBy(now)
	if by.IsZero() {
		return longestLook
	}
	return min(max(by.Sub(now), 0)+lookLonger, longestLook)
}

// LookFor is for how long the lock should be looked at again after the action, because its holder
// may make it again: until its next renewal, as far as is known, and for 15 s at most. Zero:
// nothing says that it comes back, or it was not freed.
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

// CameBack says whether a lock that was read after the action, or seen to be acquired after it, is
// held by the same holder again.
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

// CameBackText says that a lock came back, and what helps.
func CameBackText(r Request, after time.Duration) string {
	return keyWords(r) + " came back " + span(after) + " after it was " + participle(r.Verb) + ": " +
		ownerWords(r, r.Owner) + " holds it again. The holder is alive and renewed or acquired it again: stop it first"
}
