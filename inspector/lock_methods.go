package inspector

import "time"

// StateAt is the state at another moment than that of the snapshot, as far as time alone changes it.
func (l *Lock) StateAt(now time.Time) State {
	switch {
	case l.State == StateFreed || l.State == StateWrong:
		return l.State
	case !l.LeaseEnds.IsZero() && !l.LeaseEnds.After(now):
		return StateLapsed
	case !l.ExpiresAt.IsZero() && !l.ExpiresAt.After(now):
		return StateExpired
	case l.ExpiresAt.IsZero() && l.LeaseEnds.IsZero():
		return StateStuck
	default:
		return StateHeld
	}
}

// TTLAt is what the lease has left at a moment, by its TTL or, for schemes that keep it there, by its value; negative once
// it is over. False: it never ends.
func (l *Lock) TTLAt(now time.Time) (time.Duration, bool) {
	end := l.LeaseEnds
	if end.IsZero() {
		end = l.ExpiresAt
	}
	return end.Sub(now), !end.IsZero()
}

// Severity is that of the worst finding; empty where there is none.
func (l *Lock) Severity() Severity {
	worst := Severity("")
	for _, f := range l.Findings {
		switch f.Severity {
		case SeverityCritical:
			return SeverityCritical
		case SeverityWarning:
			worst = SeverityWarning
		case SeverityInfo:
			if worst == "" {
				worst = SeverityInfo
			}
		}
	}
	return worst
}
