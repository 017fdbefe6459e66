package inspector

import "time"

// StateAt is the state that the lock has at a moment, if nothing is heard of it until then.
func (l *Lock) StateAt(now time.Time) State {
	switch {
	case l.State == StateFreed, l.State == StateWrong:
		return l.State
	case !l.LeaseEnds.IsZero() && !now.Before(l.LeaseEnds):
		return StateLapsed
	case !l.ExpiresAt.IsZero() && !now.Before(l.ExpiresAt):
		return StateExpired
	case l.ExpiresAt.IsZero() && l.LeaseEnds.IsZero():
		return StateStuck
	}
	return StateHeld
}

// TTLAt is the time from a moment until the lease ends, by the key's TTL, or without one by the end that the value states.
// It is negative once that has passed. False: it never ends.
func (l *Lock) TTLAt(now time.Time) (time.Duration, bool) {
	end := l.ExpiresAt
	if end.IsZero() {
		end = l.LeaseEnds
	}
	if end.IsZero() {
		return 0, false
	}
	return end.Sub(now), true
}

// Severity is that of the worst finding, and empty where there is none.
func (l *Lock) Severity() Severity {
	var worst Severity
	for _, f := range l.Findings {
		if f.Severity.rank() > worst.rank() {
			worst = f.Severity
		}
	}
	return worst
}

// rank orders severities; no severity at all has the lowest.
func (s Severity) rank() int {
	switch s {
	case SeverityInfo:
		return 1
	case SeverityWarning:
		return 2
	case SeverityCritical:
		return 3
	}
	return 0
}
