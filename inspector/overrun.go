package inspector

import (
	"fmt"
	"slices"
	"time"
)

// This file finds leases that nobody renewed and that ended without a release, and takeovers by two
// clients at once. Redis does not tell whether the former holder was still working: it may have
// died, or it may have left the lock to its TTL on purpose, as a rate limiter does. The evidence is
// whether its client was connected afterwards, and whether holders of this lock release it at all.

// Bounds for a takeover by DEL and SETNX.
const (
	// takesOver is the longest time between DEL and SETNX if one client sends both.
	takesOver = 25 * time.Millisecond
	// runOutHabit is how many holds must end with their lease until that counts as intended.
	runOutHabit = 3
)

// followed judges how the previous hold ended, now that another one has begun.
func (v *sight) followed(l *Lock, previous Hold, began time.Time) {
	h := l.holdBefore()
	switch {
	case h == nil, previous.Owner == "" || previous.Owner == l.holder().Owner, h.WasLost():
	case v.takenOverTwice(l, began):
		v.lost(l, *h, h.Until)
	case h.Lost != nil && h.Lost.Code == CodeOverrun && h.Lost.Text == "": // it lapsed before it was deleted
		v.overran(l, h, h.Lost.At, began)
	case h.Cause == CauseExpired && h.UntilExact:
		v.overran(l, h, h.Until, began)
	}
}

// overran records that the lease of a hold ended without a release, and that another hold began
// while its holder may still have been working.
func (v *sight) overran(l *Lock, h *Hold, end, began time.Time) {
	h.Lost = nil
	if l.Scheme.traits().coolsDown || began.Sub(end) >= v.options.Thresholds.LostFor {
		return
	}
	after := "at once"
	if gap := began.Sub(end); gap >= time.Second/10 {
		after = leaseWords(gap) + " later"
	}
	h.Lost = &Loss{
		Code: CodeOverrun, At: end, Client: ConnectionUnknown, habit: l.runsOut(), shared: h.Label == l.holder().Label,
		Text: fmt.Sprintf("The lease of %s ended at %s without a release, and %s got the lock %s", shorten(h.Label),
			end.Local().Format("15:04:05.000"), shorten(l.holder().Label), after),
	}
}

// runsOut reports whether enough holds of the lock ended with their lease and no release is
// remembered.
func (l *Lock) runsOut() bool {
	ranOut := 0
	for i := range l.History {
		h := &l.History[i]
		if deleted, _ := h.Cause.Deleted(); deleted && (h.Lost == nil || h.Lost.Code != CodeOverrun) {
			return false
		}
		if h.Cause == CauseExpired || h.Lost != nil && h.Lost.Code == CodeOverrun {
			ranOut++
		}
	}
	return ranOut >= runOutHabit
}

// lapsedFirst records that the lease of a deleted timestamp lock had ended before the deletion: it
// was not released in time.
func (h *Hold) lapsedFirst(l *Lock, at time.Time) {
	if deleted, _ := h.Cause.Deleted(); deleted && l.Scheme == SchemeTimestamp && !l.LeaseEnds.IsZero() && at.After(l.LeaseEnds) {
		h.Lost = &Loss{Code: CodeOverrun, At: l.LeaseEnds}
	}
}

// takenOverTwice reports whether two clients took over a lapsed timestamp lock. The first one
// deleted and re-created it at once. Right after that the new lock, which had not lapsed, was
// deleted and re-created as well: the second client had seen the lapsed lock before the first one
// took it.
func (v *sight) takenOverTwice(l *Lock, began time.Time) bool {
	n := len(l.History) - 1 - len(l.Holders)
	if l.Scheme != SchemeTimestamp || n < 1 {
		return false
	}
	lapsed, first := &l.History[n-1], &l.History[n]
	deleted, _ := first.Cause.Deleted()
	return deleted && first.Lost == nil && first.SinceExact && first.UntilExact && began.Sub(first.Until) < takesOver &&
		first.Until.Sub(first.Since) < rivalsRace && lapsed.Lost != nil && lapsed.Lost.Code == CodeOverrun &&
		first.Since.Sub(lapsed.Until) < takesOver
}

// overrun finds former holders whose lease ended without a release. The finding is shown for a
// while, whichever client holds the lock since: holds may be short, and the client lists that tell
// more come every few seconds. Of several, the most severe one is shown, and of these the latest.
func overrun(t Thresholds, l *Lock, now time.Time) (worst Finding, is bool, due time.Time) {
	times := uint16(0)
	for i := range slices.Backward(l.History) {
		h := &l.History[i]
		if h.Lost == nil || h.Lost.Code != CodeOverrun {
			continue
		}
		over := h.Lost.At.Add(t.LostFor)
		if !now.Before(over) {
			break
		}
		f, found := h.overrun()
		if !found {
			continue
		}
		times++
		due = earlier(due, over)
		if f.Severity.rank() > worst.Severity.rank() {
			worst = f
		}
	}
	if times > 1 {
		worst.Text += fmt.Sprintf(" This happened %d times in the last %s.", times, leaseWords(t.LostFor))
	}
	return worst, times > 0, due
}

// overrun is the finding for one hold whose lease ended without a release.
func (h *Hold) overrun() (Finding, bool) {
	loss := h.Lost
	f := Finding{
		Code: CodeOverrun, Severity: SeverityWarning, Text: loss.Text,
		Advice: "Two clients may be inside at once: use a lease that is longer than the work, or renew it during the work.",
	}
	switch sure := !loss.shared && (loss.Client == ConnectionAlive || !loss.Until.IsZero()); {
	case loss.Text == "", loss.awaits, loss.Client == ConnectionGone && !sure, loss.habit && !sure:
		return Finding{}, false
	case sure && !loss.Until.IsZero():
		f.Text += fmt.Sprintf("; the former holder is alive: it acquired the lock again at %s.", loss.Until.Local().Format("15:04:05.000"))
	case sure:
		f.Text += "; the client of the former holder is still connected."
	default:
		f.Severity = SeverityInfo
		f.Text += "; it is unknown whether the client of the former holder is alive."
		f.Advice = "It may have died, or it may still be working: then two clients are inside. To let locktop tell which, name the " +
			"connections (CLIENT SETNAME) and begin tokens with that name."
	}
	if loss.habit {
		f.Severity = SeverityInfo
		f.Advice = "No holder of this lock was seen to release it: either its leases are meant to run out, or all of them are too short."
	}
	return f, true
}

// formerly updates what is known about the clients of former holders, because an overrun depends on
// it. It reports whether anything changed.
func (a *attendance) formerly(l *Lock, set bool) (changed bool) {
	for i := range l.History {
		h := &l.History[i]
		if h.Lost == nil || h.Lost.Code != CodeOverrun || h.Lost.Text == "" || h.Lost.asked {
			continue
		}
		client, awaits := a.after(l, h)
		if h.Lost.Client == client && h.Lost.awaits && awaits {
			continue
		}
		changed = true
		if set {
			loss := *h.Lost // a snapshot may have the other one
			loss.Client, loss.awaits, loss.asked = client, awaits, !awaits
			h.Lost = &loss
		}
	}
	return changed
}

// after reports, by the client lists since, whether a connection that a former holder had during
// its lease was still there afterwards. awaits is true if those lists are still to come.
func (a *attendance) after(l *Lock, h *Hold) (c Connection, awaits bool) {
	p := a.joined(l, h.Owner)
	if p == nil {
		return ConnectionUnknown, false
	}
	listed := false
	for _, s := range p.seats {
		n := a.nodes[s.node]
		if n == nil || !n.last.After(h.Lost.At) { // nor does one that is not complete show who is there
			continue
		}
		listed = true
		if c, at, is := a.roll.client(s.node, s.id); is && at.Add(-c.Age).Before(h.Lost.At) {
			return ConnectionAlive, false
		}
	}
	switch {
	case len(p.seats) == 0 && a.isGone(p, l.Node, h.Lost.At):
		return ConnectionGone, false
	case a.lists == 0, listed: // those connections came later: it is unknown whether it is the same client
		return ConnectionUnknown, false
	}
	a.pending = true
	return ConnectionUnknown, true
}
