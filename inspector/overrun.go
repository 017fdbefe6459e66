package inspector

import (
	"fmt"
	"slices"
	"time"
)

// This file finds leases that ended without a release although nobody renewed them, and takeovers that two clients did at once. Redis
// does not tell whether the former holder was still at work: it may have died, or have left the lock to its TTL on purpose, as those do
// who use it to let something happen once in a while. What tells is whether its client was connected afterwards, and whether holders of
// this lock release it at all.

// Bounds of what is taken for one takeover by DEL and SETNX.
const (
	// takesOver is how long SETNX follows DEL at most, where one client sends both.
	takesOver = 25 * time.Millisecond
	// runOutHabit is how many holds in a row end with their lease where that is meant so.
	runOutHabit = 3
)

// followed judges how the hold before ended, now that another one has begun.
func (v *sight) followed(l *Lock, previous Hold, began time.Time) {
	h := l.holdBefore()
	switch {
	case h == nil, previous.Owner == "" || previous.Owner == l.holder().Owner, h.WasLost():
	case v.takenOverTwice(l, began):
		v.lost(l, *h, h.Until)
	case h.Lost != nil && h.Lost.Code == CodeOverrun && h.Lost.Text == "": // it had lapsed before it was deleted
		v.overran(l, h, h.Lost.At, began)
	case h.Cause == CauseExpired && h.UntilExact:
		v.overran(l, h, h.Until, began)
	}
}

// overran notes that the lease of a hold ended without a release, and that another hold began while it may have been at work.
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

// runsOut reports whether the last holds of the lock all ended with their lease, and none is remembered that was released.
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

// lapsedFirst notes of a timestamp lock that is deleted that its lease had ended before: nobody released it in time.
func (h *Hold) lapsedFirst(l *Lock, at time.Time) {
	if deleted, _ := h.Cause.Deleted(); deleted && l.Scheme == SchemeTimestamp && !l.LeaseEnds.IsZero() && at.After(l.LeaseEnds) {
		h.Lost = &Loss{Code: CodeOverrun, At: l.LeaseEnds}
	}
}

// takenOverTwice: a timestamp lock had lapsed, and was deleted and made anew at once, by one client; and right after that the new one,
// which had not lapsed, was deleted and made anew at once as well. The second client had seen the lock lapsed before the first took it.
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

// overrun: the lease of a former holder ended without a release. It is shown for a while whoever has the lock since: holds may be short,
// and the lists of clients that tell more come every few seconds. Of several the surest is shown, and of those the latest.
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

// overrun is what is found of one hold, the lease of which ended without a release.
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

// formerly brings what is known of the clients of former holders up to date, for an overrun goes by it; it reports whether that is
// anything new.
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

// after reports whether a connection of a former holder, which was there while its lease lasted, was there after it as well, by the
// lists that were taken since; awaits: they are still to come.
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
	case a.lists == 0, listed: // those who are there now came later, and nobody knows whether they are the same client
		return ConnectionUnknown, false
	}
	a.pending = true
	return ConnectionUnknown, true
}
