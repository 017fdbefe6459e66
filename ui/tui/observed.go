package tui

import (
	"time"

	"locktop/inspector"
)

// leaseOf is the whole lease, of which the TTL is what is left: from the last renewal, or else from when its holder was
// first seen. Zero: not known.
func leaseOf(l *inspector.Lock) time.Duration {
	end := l.ExpiresAt
	if !l.LeaseEnds.IsZero() {
		end = l.LeaseEnds
	}
	begin := l.HeldSince
	if l.LastRenewal.After(begin) {
		begin = l.LastRenewal
	}
	if end.IsZero() || begin.IsZero() || !end.After(begin) {
		return 0
	}
	return end.Sub(begin)
}

// heldFor is for how long the present holder has the lock, or in StateFreed the last one had it; zero: not known. atLeast
// is true where its acquisition was not seen.
func heldFor(l *inspector.Lock, now time.Time) (held time.Duration, atLeast bool) {
	if l.State == inspector.StateFreed {
		if n := len(l.History); n > 0 {
			last := l.History[n-1]
			if !last.Until.IsZero() && !last.Since.IsZero() {
				return last.Until.Sub(last.Since), !last.SinceExact
			}
		}
		now = l.FreedAt
	}
	if l.HeldSince.IsZero() || now.Before(l.HeldSince) {
		return 0, false
	}
	return now.Sub(l.HeldSince), !l.HeldExact
}

// severityRank orders severities, the worst first.
func severityRank(s inspector.Severity) int {
	switch s {
	case inspector.SeverityCritical:
		return 0
	case inspector.SeverityWarning:
		return 1
	case inspector.SeverityInfo:
		return 2
	}
	return 3
}

// worstFinding is the gravest finding of a lock; nil: it has none.
func worstFinding(l *inspector.Lock) *inspector.Finding {
	var worst *inspector.Finding
	for i := range l.Findings {
		f := &l.Findings[i]
		if worst == nil || severityRank(f.Severity) < severityRank(worst.Severity) {
			worst = f
		}
	}
	return worst
}

// suspect says whether a lock has a finding of at least a warning.
func suspect(l *inspector.Lock) bool {
	f := worstFinding(l)
	return f != nil && severityRank(f.Severity) <= severityRank(inspector.SeverityWarning)
}

// acquisitionsOf counts the acquisitions of the last minute.
func acquisitionsOf(l *inspector.Lock) int {
	n := 0
	for _, a := range l.Acquisitions {
		n += int(a)
	}
	return n
}

// face is a state as the screen says it: a glyph and a word, and a colour besides.
type face struct {
	glyph, word string
	style       style
}

// faceOf is how a lock's state is shown; a held lock that its holder renews says so.
func (t *theme) faceOf(l *inspector.Lock, now time.Time) face {
	switch l.StateAt(now) {
	case inspector.StateHeld:
		if l.Renewals > 0 {
			return face{"↻", "renews", t.good}
		}
		return face{"●", "held", t.good}
	case inspector.StateStuck:
		return face{"✖", "stuck", t.bad}
	case inspector.StateLapsed:
		return face{"◑", "lapsed", t.warn}
	case inspector.StateExpired:
		return face{"◔", "expired", t.warn}
	case inspector.StateFreed:
		return face{"◌", "freed", t.faint}
	case inspector.StateCooldown:
		return face{"◇", "cooldown", t.faint}
	case inspector.StateWrong:
		return face{"▲", "wrong", t.odd}
	case inspector.StateMinority:
		return face{"◒", "minority", t.warn}
	case inspector.StateSplit:
		return face{"≠", "split", t.bad}
	}
	return face{"?", string(l.State), t.odd}
}

// severityFace is how a finding's severity is shown.
func (t *theme) severityFace(s inspector.Severity) face {
	switch s {
	case inspector.SeverityCritical:
		return face{"✖", "critical", t.bad}
	case inspector.SeverityWarning:
		return face{"▲", "warning", t.warn}
	case inspector.SeverityInfo:
		return face{"·", "info", t.accent}
	}
	return face{"·", string(s), t.faint}
}
