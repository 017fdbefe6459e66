package inspector

import (
	"fmt"
	"time"
)

// overdueRenewals is how many periods a renewal may be late before it counts as missed.
const overdueRenewals = 1.5

// findings judges a lock that is there, and says when the judgement may change by time alone (zero: never).
func (s *store) findings(t *track, l *Lock, now time.Time) (found []Finding, wake time.Time) {
	limits := s.options.Thresholds
	switch l.State {
	case StateWrong:
		return []Finding{wrongTypeFinding(l.Observed.Type)}, wake
	case StateStuck:
		found = append(found, Finding{
			CodeNoTTL, SeverityCritical,
			"it has no TTL: nothing but its holder or an operator will ever free it",
			"make sure that the holder is dead, then release the lock; mend the client to use SET NX PX",
		})
	case StateLapsed:
		found = append(found, Finding{
			CodeLapsed, SeverityCritical,
			fmt.Sprintf("its lease was over %s ago by its value, and the key is still there", words(now.Sub(l.LeaseEnds))),
			"its holder has died, or works past its lease: a client that asks for it will take it over; release it if nobody does",
		})
	case StateHeld, StateExpired, StateFreed:
	}
	if f, at := longLease(t, now, limits); f != nil {
		found = append(found, *f)
	} else {
		wake = earlier(wake, at)
	}
	if l.State == StateHeld && t.renewals > 0 {
		renewalFindings, at := s.renewalFindings(t, now, limits)
		found = append(found, renewalFindings...)
		wake = earlier(wake, at)
	}
	if f, at := countLeak(t, now); f != nil {
		found = append(found, *f)
	} else {
		wake = earlier(wake, at)
	}
	found = s.lost(t, now, found)
	if n := len(t.history); n > 0 && wasLost(t.history[n-1]) {
		wake = earlier(wake, later(t.history[n-1].Until.Add(limits.LostFor), now))
	}
	return found, wake
}

func (s *store) atLeast(t *track) string {
	if t.sinceExact {
		return "exactly"
	}
	return "at least"
}

// renewalFindings judges a lock that its holder keeps renewing.
func (s *store) renewalFindings(t *track, now time.Time, limits Thresholds) (found []Finding, wake time.Time) {
	end := t.leaseEnd()
	period := t.period()
	if !end.IsZero() {
		late := time.Duration(overdueRenewals * float64(period))
		threshold := end.Add(-time.Duration(limits.AboutToLapse * float64(t.lease)))
		missed := t.lastRenewal.Add(late)
		switch {
		case period > 0 && now.After(missed) && end.Sub(now) < t.lease-late+clockSlack:
			found = append(found, Finding{
				CodeAboutToLapse, SeverityWarning,
				fmt.Sprintf("renewed every %s until now, and not for %s; its lease ends in %s", words(period), words(now.Sub(t.lastRenewal)), words(end.Sub(now))),
				"its holder has stalled or died, or has stopped renewing: extend the lock if the work must not be disturbed",
			})
		case !now.Before(threshold):
			found = append(found, Finding{
				CodeAboutToLapse, SeverityWarning,
				fmt.Sprintf("%s is left of a lease of %s that was renewed before", words(end.Sub(now)), words(t.lease)),
				"extend the lock if the work must not be disturbed",
			})
		default:
			wake = earlier(wake, threshold)
			if period > 0 {
				wake = earlier(wake, missed.Add(time.Millisecond))
			}
		}
	}
	if t.held(now) >= limits.RenewedForever {
		every := ""
		if period > 0 {
			every = ", about every " + words(period)
		}
		found = append(found, Finding{
			CodeRenewedForever, SeverityWarning,
			fmt.Sprintf("held for %s %s by %d renewals that we saw%s", s.atLeast(t), words(t.held(now)), t.renewals, every),
			"a watchdog renews it whether or not its worker still works: look at that client's thread before you break the lock",
		})
	} else {
		wake = earlier(wake, t.since.Add(limits.RenewedForever))
	}
	return found, wake
}

func longLease(t *track, now time.Time, limits Thresholds) (*Finding, time.Time) {
	end := t.leaseEnd()
	if end.IsZero() || end.Sub(now) <= limits.LongLease {
		return nil, time.Time{}
	}
	return &Finding{
		CodeLongLease, SeverityWarning,
		fmt.Sprintf("its lease has %s left: if the holder dies now, nobody gets the lock before", words(end.Sub(now))),
		"take a short lease and renew it",
	}, time.Time{}
}

// countLeak finds a re-entrant lock of which some entries were released, and which then stood still for most of its
// lease with the rest: somebody entered more often than he left.
func countLeak(t *track, now time.Time) (*Finding, time.Time) {
	end := t.leaseEnd()
	p := t.partial
	if p.at.IsZero() || end.IsZero() || t.lease <= 0 || t.lastRenewal.After(p.at) {
		return nil, time.Time{}
	}
	suspicious := end.Add(-t.lease / 4)
	if now.Before(suspicious) {
		return nil, suspicious
	}
	return &Finding{
		CodeCountLeak, SeverityWarning,
		fmt.Sprintf("went from %d entries to %d %s ago, and since then was neither released nor renewed", p.from, p.to, words(now.Sub(p.at))),
		"its holder entered more often than it left: the lock stays until its TTL is over; release the entries that are left",
	}, time.Time{}
}

// lost adds the finding that the last hold ended under a holder who had been renewing it.
func (s *store) lost(t *track, now time.Time, found []Finding) []Finding {
	if len(t.history) == 0 {
		return found
	}
	last := t.history[len(t.history)-1]
	if !wasLost(last) || now.Sub(last.Until) >= s.options.Thresholds.LostFor {
		return found
	}
	return append(found, Finding{
		CodeLostWhileHeld, SeverityCritical,
		fmt.Sprintf("%s lost it %s ago after %d renewals: its lease ran out, it did not release", last.Label, words(now.Sub(last.Until)), last.Renewals),
		"it may still work inside as if it held the lock: check what it wrote since, and why it stopped renewing",
	})
}

// wasLost says whether a hold was kept by renewal, and then ended without a release.
func wasLost(h Hold) bool {
	return h.Renewals > 0 && (h.Cause == CauseExpired || h.Cause == CauseTakenOver)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b.Add(time.Millisecond)
}

// words is a duration for a sentence: three digits say enough.
func words(d time.Duration) string {
	switch {
	case d >= 10*time.Hour:
		return d.Round(time.Hour).String()[:len(d.Round(time.Hour).String())-len("0m0s")]
	case d >= 10*time.Minute:
		return d.Round(time.Minute).String()[:len(d.Round(time.Minute).String())-len("0s")]
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	default:
		return d.Round(100 * time.Millisecond).String()
	}
}
