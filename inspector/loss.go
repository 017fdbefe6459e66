package inspector

import (
	"fmt"
	"slices"
	"time"
)

// Loss is how a holder lost the lock while it was at work, by all that can be seen from outside: it had renewed its lease, or was
// overwritten before its lease was over, and another client has the lock since; or the lock went in a fail-over. With CodeOverrun it is
// less: the lease of a holder that never renewed it ran out, and it may have been done by then, or dead.
type Loss struct {
	Code Code // CodeLostWhileHeld, CodeLostInFailOver, CodeDoubleMajority or CodeOverrun
	At   time.Time
	// Until is when the former holder surely knew: it was seen to acquire the lock anew. Zero: nobody saw it notice.
	Until time.Time
	Text  string // the evidence, one sentence
	// Client is of an overrun: whether the former holder was connected after its lease had ended.
	Client Connection
	// awaits: a list of clients that tells that is still to come. asked: those that came told what they can. habit: no holder of the
	// lock is ever seen to release it. shared: the next holder has the same name, which so tells nothing of which client it is.
	awaits, asked, habit, shared bool

	// majority is set where it was a majority of votes that was lost, while its validity lasted:
	// Until is then the end of that.
	majority *lostMajority
}

// WasLost reports whether the holder surely lost the lock before it was done. Of an overrun nobody knows.
func (h *Hold) WasLost() bool { return h.Lost != nil && h.Lost.Code != CodeOverrun }

// lost says that the holder before this one lost the lock while it was at work.
func (v *sight) lost(l *Lock, previous Hold, at time.Time) {
	how := "its lease ran out"
	switch deleted, _ := previous.Cause.Deleted(); {
	case previous.Cause == CauseTakenOver:
		how = "another client overwrote it"
	case deleted:
		how = fmt.Sprintf("it had just taken over a lapsed lock, and %s later another client deleted that lock and took it as well",
			leaseWords(at.Sub(previous.Since)))
	}
	text := fmt.Sprintf("%s lost it at %s (%s)", shorten(previous.Label), at.Local().Format("15:04:05.000"), how)
	if previous.Renewals > 0 {
		text += ", renewed " + times(previous.Renewals)
	}
	text += "; " + shorten(l.holder().Label) + " has it now."
	if h := l.holdBefore(); h != nil && h.Owner == previous.Owner {
		h.Lost = &Loss{Code: CodeLostWhileHeld, At: at, Text: text}
	}
	v.log.add(Event{
		At: at, Ref: l.Ref, Kind: EventLost, Scheme: l.Scheme, Owner: previous.Owner, Label: previous.Label,
		Held: at.Sub(previous.Since), HeldExact: previous.SinceExact, Cause: previous.Cause, Text: text,
	})
}

// holdBefore is the hold that ended before the present ones began, or nil.
func (l *Lock) holdBefore() *Hold {
	for i := range slices.Backward(l.History) {
		if h := &l.History[i]; !h.Until.IsZero() {
			return h
		}
	}
	return nil
}

// noticed notes that a holder has noticed what it lost, for it acquires the lock again. Only a client whose label stays the same is
// known again: where it draws a new token each time, and the token does not say whose it is, nobody sees that.
func (l *Lock) noticed(h Holder, at time.Time) {
	for i := range slices.Backward(l.History) {
		old := &l.History[i]
		if old.Lost == nil || !old.Lost.Until.IsZero() || old.Owner != h.Owner && old.Label != h.Label {
			continue
		}
		if at.After(old.Lost.At) {
			over := *old.Lost // a snapshot may have the other one
			over.Until = at
			old.Lost = &over
		}
		return
	}
}

// lostBefore: the hold before the present one was lost.
func lostBefore(t Thresholds, l *Lock, now time.Time) (Finding, bool, time.Time) {
	before := l.holdBefore()
	if before == nil || !before.WasLost() || before.Lost.majority != nil || l.State == StateFreed && before.Lost.Code != CodeLostInFailOver {
		return Finding{}, false, time.Time{}
	}
	over := before.Lost.At.Add(t.LostFor)
	if !now.Before(over) {
		return Finding{}, false, time.Time{}
	}
	if before.Lost.Code == CodeLostInFailOver {
		return l.lostInFailOver(before), true, over
	}
	return Finding{
		Code: CodeLostWhileHeld, Severity: SeverityCritical, Text: before.Lost.Text,
		Advice: "Two clients may be inside at once: check what the former one wrote. Use a longer lease, or a fencing token.",
	}, true, over
}

// shorten keeps a label readable within a sentence.
func shorten(label string) string {
	const longest = 40
	switch runes := []rune(label); {
	case label == "":
		return "the holder before"
	case label == UnknownHolder:
		return "a client that the key does not name"
	case len(runes) > longest:
		return string(runes[:longest-1]) + "…"
	}
	return label
}
