package inspector

import (
	"fmt"
	"slices"
	"time"

	"locktop/keyspace"
)

// This file finds what an operator has to know of the library before he takes a lock away.

// uncheckedRelease: the holder of such a lock deletes the key without looking whose it is.
func uncheckedRelease(_ Thresholds, l *Lock, _ time.Time) (Finding, bool, time.Time) {
	if l.State == StateCooldown || !l.uncheckedRelease() {
		return Finding{}, false, time.Time{}
	}
	return Finding{
		Code: CodeUncheckedRelease, Severity: SeverityInfo,
		Text:   "Clients of this kind release the lock without looking whose it is.",
		Advice: "Stop the old holder before you release the lock, or it deletes the next holder's.",
	}, true, time.Time{}
}

// uncheckedRelease says whether the library is known, and known to do so. It is asked at every change, and so looks at what
// costs least first.
func (l *Lock) uncheckedRelease() bool {
	if l.Scheme.traits().unchecked {
		return true
	}
	if l.Observed.Type != keyspace.TypeString {
		return false
	}
	c := candidate{Record: l.Observed, now: l.Observed.ReadAt}
	s := shapeOf(l.Observed.Value.Text)
	return slices.ContainsFunc(unchecked, func(library *Library) bool {
		return slices.Contains(library.Schemes, l.Scheme) && library.is(&c, s) == matchSurely
	})
}

// resurrects: the very token that was deleted came back, which nobody does but a renewal that makes the key anew.
func resurrects(_ Thresholds, l *Lock, _ time.Time) (Finding, bool, time.Time) {
	if l.mind.resurrected == 0 {
		return Finding{}, false, time.Time{}
	}
	return Finding{
		Code: CodeResurrects, Severity: SeverityWarning,
		Text:   fmt.Sprintf("It was deleted, and came back with the same token, %s: its holder's renewal makes the key anew.", times(int(l.mind.resurrected))),
		Advice: "A release leaves a tombstone in its place, which the next renewal runs into; or stop the holder.",
	}, true, time.Time{}
}

// cooldown: a ShedLock whose task is over.
func cooldown(_ Thresholds, l *Lock, _ time.Time) (Finding, bool, time.Time) {
	if l.State != StateCooldown {
		return Finding{}, false, time.Time{}
	}
	return Finding{
		Code: CodeCooldown, Severity: SeverityInfo,
		Text: fmt.Sprintf("Its TTL was cut to end at %s, and nothing else changed: the task is over, and the lock stays until its lockAtLeastFor is.",
			l.ExpiresAt.Local().Format("15:04:05")),
		Advice: "Nobody runs, and nothing is wrong. Release it if the task has to run again sooner.",
	}, true, time.Time{}
}

// resurrectedBy counts how often the token of the present holder was deleted and came back, the beginning at that moment
// included. A UUID proves nothing by itself, since some clients have one for all that they ever acquire: it must have been renewed, and
// come back when its next renewal was due.
func (l *Lock) resurrectedBy(at time.Time) uint8 {
	n := len(l.History)
	if n == 0 || l.Scheme.traits().oneToken {
		return 0
	}
	last, owner := &l.History[n-1], l.holder().Owner
	deleted, _ := last.Cause.Deleted()
	if last.Until.IsZero() || last.Owner != owner || !drawnAnew(owner) || !deleted {
		return 0
	}
	if shapeOf(owner) == shapeUUID {
		late := at.Sub(l.LastRenewal.Add(l.RenewalPeriod)).Abs()
		if l.Renewals < regular || l.RenewalPeriod == 0 || late > scale(l.RenewalPeriod, missedRenewal-1)+renewalGrace {
			return 0
		}
	}
	return min(l.mind.resurrected, 254) + 1
}

// ComesBack says whether the lock, if its key is deleted, will likely be made anew by its holder's renewal: it did so before, or its
// library is known to do so.
func (l *Lock) ComesBack() bool {
	if l.mind.resurrected > 0 {
		return true
	}
	libraries, _ := l.Libraries()
	return slices.ContainsFunc(libraries, func(library Library) bool { return library.Recreates && !library.AnyName })
}
