package inspector

import (
	"time"
)

// Ended returns when and how the last hold of a lock in [StateFreed] ended, and how long it lasted.
// exact is false if its beginning or its end was not seen, so that it may have lasted longer.
func (l *Lock) Ended() (at time.Time, cause Cause, held time.Duration, exact bool) {
	at, cause = l.FreedAt, l.FreedBy
	if n := len(l.History); n > 0 && !l.History[n-1].Until.IsZero() {
		last := &l.History[n-1]
		return last.Until, cause, last.Until.Sub(last.Since), last.SinceExact && last.UntilExact
	}
	if !l.HeldSince.IsZero() {
		held = max(0, at.Sub(l.HeldSince))
	}
	return at, cause, held, false
}
