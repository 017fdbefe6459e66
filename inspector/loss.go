package inspector

import (
	"fmt"
	"slices"
	"time"
)

// Loss is how a holder lost the lock while it was at work, by all that can be seen from outside: it had renewed its lease, or was
// overwritten before its lease was over, and another client has the lock since.
type Loss struct {
	At time.Time
	// Until is when the former holder surely knew: it was seen to acquire the lock anew. Zero: nobody saw it notice.
	Until time.Time
	Text  string // the evidence, one sentence

	// majority is set where it was a majority of votes that was lost, while its validity lasted:
	// Until is then the end of that.
	majority *lostMajority
}

// lost says that the holder before this one lost the lock while it was at work.
func (v *sight) lost(l *Lock, previous Hold, at time.Time) {
	how := "its lease ran out"
	if previous.Cause == CauseTakenOver {
		how = "another client overwrote it"
	}
	text := fmt.Sprintf("%s lost it at %s (%s)", shorten(previous.Label), at.Local().Format("15:04:05.000"), how)
	if previous.Renewals > 0 {
		text += ", renewed " + times(previous.Renewals)
	}
	text += "; " + shorten(l.holder().Label) + " has it now."
	if h := l.holdBefore(); h != nil && h.Owner == previous.Owner {
		h.Lost = &Loss{At: at, Text: text}
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

// lostWhileHeld: the hold before the present one was lost.
func lostWhileHeld(t Thresholds, l *Lock, now time.Time) (Finding, bool, time.Time) {
	before := l.holdBefore()
	if before == nil || before.Lost == nil || before.Lost.majority != nil {
		return Finding{}, false, time.Time{}
	}
	over := before.Lost.At.Add(t.LostFor)
	if !now.Before(over) {
		return Finding{}, false, time.Time{}
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
	case len(runes) > longest:
		return string(runes[:longest-1]) + "…"
	}
	return label
}
