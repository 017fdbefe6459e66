package inspector

import (
	"fmt"
	"time"
)

// rule finds one thing that may be wrong with a lock. due is when its answer may change by time alone; zero: never.
type rule func(t Thresholds, l *Lock, now time.Time) (f Finding, is bool, due time.Time)

var rules = [...]rule{
	noTTL, lapsed, orphaned, lostBefore, doubleMajority, overrun, degradedQuorum, aboutToLapse, countLeak, renewedForever, longLease,
	resurrects, staleWaiters, cooldown, uncheckedRelease,
}

// judge finds what is wrong with a lock now, the worst first, and says when to ask again. It allocates only where it finds
// something.
func (t Thresholds) judge(l *Lock, now time.Time) (findings []Finding, due time.Time) {
	switch l.State {
	case StateFreed:
		return t.judgeFreed(l, now)
	case StateWrong:
		return []Finding{wrongTypeFinding(l.Observed.Type)}, time.Time{}
	case StateMinority, StateSplit:
		f, due := claimFinding(l, now)
		return []Finding{f}, due
	case StateHeld, StateStuck, StateLapsed, StateExpired, StateCooldown:
	}
	for _, find := range rules {
		f, is, again := find(t, l, now)
		if is {
			findings = append(findings, f)
		}
		due = earlier(due, again)
	}
	return findings, due
}

// judgeFreed is judge of a lock that is free.
func (t Thresholds) judgeFreed(l *Lock, now time.Time) (findings []Finding, due time.Time) {
	for _, find := range [...]rule{lostBefore, lostWakeUp} {
		f, is, again := find(t, l, now)
		if is {
			findings = append(findings, f)
		}
		due = earlier(due, again)
	}
	return findings, due
}

// earlier is the earlier of two moments, of which the zero one is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// since says from when on a lock is held, and how sure that is.
func (l *Lock) since() string {
	at := time.Unix(0, l.mind.surelySince).Format("15:04:05")
	if l.HeldExact {
		return "since " + at
	}
	return "at least since " + at
}

func noTTL(_ Thresholds, l *Lock, _ time.Time) (Finding, bool, time.Time) {
	if l.State != StateStuck {
		return Finding{}, false, time.Time{}
	}
	return Finding{
		Code: CodeNoTTL, Severity: SeverityCritical,
		Text:   fmt.Sprintf("The key has no TTL, and its value names no end; it is held %s.", l.since()),
		Advice: "Find out whether the holder lives; if not, release the lock. Acquire it with SET NX PX, in one command.",
	}, true, time.Time{}
}

func lapsed(_ Thresholds, l *Lock, now time.Time) (Finding, bool, time.Time) {
	switch {
	case l.LeaseEnds.IsZero() || l.State == StateExpired:
		return Finding{}, false, time.Time{}
	case now.Before(l.LeaseEnds):
		return Finding{}, false, l.LeaseEnds
	}
	return Finding{
		Code: CodeLapsed, Severity: SeverityCritical,
		Text:   fmt.Sprintf("The lease ended at %s by the value, but the key is still there.", l.LeaseEnds.Local().Format("2006-01-02 15:04:05")),
		Advice: "The holder has died or is late; the next client takes the lock over. Release it if nobody asks for it.",
	}, true, time.Time{}
}

func longLease(t Thresholds, l *Lock, _ time.Time) (Finding, bool, time.Time) {
	end := l.leaseEnd()
	if end.IsZero() && l.EndlessByChoice() {
		return Finding{
			Code: CodeLongLease, Severity: SeverityInfo,
			Text:   "The key has a TTL of more than 100 years: its client has no timeout, so the lock stays until it is released.",
			Advice: "If the holder dies, no other client can acquire the lock until it is released by hand. Give the client a timeout.",
		}, true, time.Time{}
	}
	if end.IsZero() || l.State == StateLapsed || l.State == StateExpired {
		return Finding{}, false, time.Time{}
	}
	left := end.Sub(l.Observed.ReadAt)
	if left <= t.LongLease {
		return Finding{}, false, time.Time{}
	}
	return Finding{
		Code: CodeLongLease, Severity: SeverityWarning,
		Text: fmt.Sprintf("The lease had %s left when it was read at %s; more than %s is unusual.",
			leaseWords(left), l.Observed.ReadAt.Local().Format("15:04:05"), leaseWords(t.LongLease)),
		Advice: "If the holder dies, the lock stays until then. Prefer a short lease that the holder renews.",
	}, true, time.Time{}
}

// aboutToLapse: the lock was renewed before, and either the next renewal is overdue by half a period, or it is late by a
// tenth and hardly anything of the lease is left.
func aboutToLapse(t Thresholds, l *Lock, now time.Time) (Finding, bool, time.Time) {
	end := l.leaseEnd()
	if l.Renewals == 0 || end.IsZero() || !now.Before(end) {
		return Finding{}, false, time.Time{}
	}
	from := end.Add(-time.Duration(float64(l.mind.lease) * t.AboutToLapse))
	if l.RenewalPeriod > 0 {
		if late := l.LastRenewal.Add(scale(l.RenewalPeriod, lateRenewal) + renewalGrace); from.Before(late) {
			from = late
		}
		if l.Renewals >= regular {
			from = earlier(from, l.LastRenewal.Add(scale(l.RenewalPeriod, missedRenewal)+renewalGrace))
		}
	}
	if now.Before(from) {
		return Finding{}, false, from
	}
	f := Finding{
		Code: CodeAboutToLapse, Severity: SeverityWarning,
		Text: fmt.Sprintf("The lease of %s ends at %s; it was last renewed at %s.", leaseWords(l.mind.lease),
			end.Local().Format("15:04:05.000"), l.LastRenewal.Local().Format("15:04:05.000")),
		Advice: "The holder's renewal is late: it may be paused, cut off or dead. Extend the lease if it lives.",
	}
	if l.RenewalPeriod > 0 {
		f.Text = fmt.Sprintf("The lease of %s ends at %s; it was renewed %s, every %s, and last at %s.", leaseWords(l.mind.lease),
			end.Local().Format("15:04:05.000"), times(l.Renewals), leaseWords(l.RenewalPeriod), l.LastRenewal.Local().Format("15:04:05.000"))
	}
	return f, true, end
}

func scale(d time.Duration, by float64) time.Duration { return time.Duration(float64(d) * by) }

func renewedForever(t Thresholds, l *Lock, now time.Time) (Finding, bool, time.Time) {
	if l.Renewals < regular || l.State == StateExpired || l.State == StateLapsed {
		return Finding{}, false, time.Time{}
	}
	if at := time.Unix(0, l.mind.surelySince).Add(t.RenewedForever); now.Before(at) {
		return Finding{}, false, at
	}
	every := ""
	if l.RenewalPeriod > 0 {
		every = ", every " + leaseWords(l.RenewalPeriod)
	}
	return Finding{
		Code: CodeRenewedForever, Severity: SeverityWarning,
		Text:   fmt.Sprintf("It is held %s and was renewed %s%s; more than %s is unusual.", l.since(), times(l.Renewals), every, leaseWords(t.RenewedForever)),
		Advice: "The work may hang while its watchdog goes on. Look at the holder; a release stops the watchdog at its next tick.",
	}, true, time.Time{}
}

// countLeak finds entries that nobody releases. Each entry and each release of a re-entrant lock sets its lease anew, so
// that a lease that runs out with entries left shows that nothing happens any more: an entry was forgotten, or its work
// outlasts the lease, which nobody can tell from outside, and the words say both. Where the lock lives on, a count that
// stays higher after each round of releases can only grow.
func countLeak(_ Thresholds, l *Lock, now time.Time) (Finding, bool, time.Time) {
	count := l.holder().Count
	end := l.leaseEnd()
	if !count.Known || l.mind.lease <= 0 || end.IsZero() || !now.Before(end) {
		return Finding{}, false, time.Time{}
	}
	f := Finding{
		Code: CodeCountLeak, Severity: SeverityWarning,
		Advice: "Some path enters the lock and does not release it: look for an early return or an error between the two.",
	}
	if l.mind.ladder >= leakSteps {
		f.Text = fmt.Sprintf("The entry count is %d, and after each of the last %d rounds of releases it stayed higher than before.",
			count.N, l.mind.ladder)
		return f, true, time.Time{}
	}
	if count.N < 2 && l.mind.exits == 0 {
		return Finding{}, false, time.Time{}
	}
	from := end.Add(-scale(l.mind.lease, leakPart))
	if l.Renewals >= regular { // then its holder lives, and about-to-lapse says what is wrong
		return Finding{}, false, time.Time{}
	}
	if now.Before(from) {
		return Finding{}, false, from
	}
	f.Advice = "Either some path enters the lock and does not release it (an early return, an error), or the work inside is longer than the lease and nothing renews it."
	f.Text = fmt.Sprintf("The entry count is %d after %s and %s, and nothing happened for %s of a lease of %s.",
		count.N, number(l.mind.enters, "entry", "entries"), number(l.mind.exits, "release", "releases"), leaseWords(l.mind.lease-end.Sub(from)), leaseWords(l.mind.lease))
	return f, true, end
}
