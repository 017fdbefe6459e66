package inspector

import "time"

// signOfLife is until when a holder surely lived: it acquired the lock, or renewed its lease. One that renews counts as living for as
// long as its next renewal may take.
func (l *Lock) signOfLife(owner string) time.Time {
	at := l.HeldSince
	if sure := time.Unix(0, l.mind.surelySince); l.mind.surelySince > 0 && sure.After(at) {
		at = sure
	}
	if h := l.openHold(owner); h != nil && h.Since.After(at) {
		at = h.Since
	}
	if l.Renewals > 0 {
		next := max(scale(l.RenewalPeriod, missedRenewal), leastRenewal)
		if renewed := l.LastRenewal.Add(next); renewed.After(at) {
			at = renewed
		}
	}
	return at
}

// leastRenewal is for how long a renewal is a sign of life at least.
const leastRenewal = 10 * time.Second
