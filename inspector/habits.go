package inspector

import (
	"fmt"
	"slices"
	"strings"
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

// constants are values that say that a lock is held, but not by which client.
var constants = map[string]bool{
	"true": true, "yes": true, "on": true, "ok": true, "lock": true, "locked": true, "held": true, "taken": true, "busy": true,
	"acquired": true, "active": true, "running": true, "processing": true, "set": true, "exists": true, "value": true,
}

func isConstant(value string) bool { return constants[strings.ToLower(unwrap(value))] }

// SameForAll reports whether the value of a string is likely the same for every client: nothing, a
// single character, such a word, or the name of the key. A client that compares it before it
// releases takes the next holder's lock for its own.
func (l *Lock) SameForAll() bool {
	if l.Observed.Type != keyspace.TypeString {
		return false
	}
	value := unwrap(l.Observed.Value.Text)
	return len(value) <= 1 || isConstant(value) || l.Key == value || strings.HasSuffix(l.Key, ":"+value)
}

// resurrects: the very token that was deleted came back, which only a renewal that makes the key
// again does.
func resurrects(_ Thresholds, l *Lock, _ time.Time) (Finding, bool, time.Time) {
	if l.mind.resurrected == 0 {
		return Finding{}, false, time.Time{}
	}
	return Finding{
		Code: CodeResurrects, Severity: SeverityWarning,
		Text: fmt.Sprintf("The key reappeared %s with the same token after it was deleted: its holder's renewal re-creates it.",
			times(int(l.mind.resurrected))),
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

// ComesBack says whether the lock, if its key is deleted, will likely be made again by its holder's
// renewal: it was before, or its library is known to do so by itself.
func (l *Lock) ComesBack() bool {
	if l.mind.resurrected > 0 {
		return true
	}
	return slices.ContainsFunc(l.recreators(), func(library Library) bool {
		return library.Renews > 0 && !library.AnyName
	})
}

// MayComeBack says whether the lock may be made again by its holder after it was released: that it
// was before, or that it could be one of a library that does so. by names those.
func (l *Lock) MayComeBack() (by []string, may bool) {
	for _, library := range l.recreators() {
		by = append(by, library.Name)
	}
	for i := range schemes {
		if info := schemes[i].info; info.Name == l.Scheme && schemes[i].traits.recreates {
			by = append(by, info.Systems)
		}
	}
	return by, len(by) > 0 || l.mind.resurrected > 0
}

// RenewedBy is when a holder that is alive has renewed the lock at the latest, as far as is known:
// by the renewals that were seen, or by the share of their lease after which clients of its
// libraries renew. Zero: the lock has no end.
func (l *Lock) RenewedBy(now time.Time) time.Time {
	if l.ExpiresAt.IsZero() {
		return time.Time{}
	}
	if l.RenewalPeriod > 0 {
		return earlier(l.ExpiresAt, l.LastRenewal.Add(l.RenewalPeriod+l.RenewalPeriod/2))
	}
	// No more is left of the lease than all of it, so that the share of what is left reaches beyond
	// the next renewal.
	share := 0.0
	for _, library := range l.recreators() {
		if library.Renews == 0 {
			return l.ExpiresAt
		}
		share = max(share, library.Renews)
	}
	if share == 0 {
		return l.ExpiresAt
	}
	return now.Add(scale(max(l.ExpiresAt.Sub(now), 0), share))
}

// recreators are the libraries that may have left the lock and make it again. They renew what has a
// TTL.
func (l *Lock) recreators() []Library {
	if l.ExpiresAt.IsZero() {
		return nil
	}
	libraries, _ := l.Libraries()
	return slices.DeleteFunc(libraries, func(library Library) bool { return !library.Recreates })
}
