package inspector

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// This file finds out how a holder lost its majority: it released the lock, its lease ran out, or
// votes vanished without its client knowing. A client that got a majority relies on it until the
// validity is over.

// lostMajority describes a [Loss] of a majority.
type lostMajority struct {
	masters int
	// gaveUp is true if the holder's last votes were released before its validity was over.
	gaveUp bool
}

// standingOf is what happened to the votes of an owner that lost its majority.
type standingOf struct {
	kept    int // masters that have voted for it all the time
	unread  int // masters that did so when they were read last, before the majority was lost
	deleted int // masters where its vote was deleted at about that time
}

// standing counts the votes of an owner that lost its majority at a time.
func (t *tally) standing(owner string, lost time.Time) standingOf {
	var s standingOf
	for i := range t.voices {
		v := &t.voices[i]
		if _, votes := v.claim(owner); votes {
			switch {
			case v.silent == BallotUnread, v.silent == "" && v.polled && v.readAt <= lost.UnixNano():
				s.unread++
			case v.silent == "":
				s.kept++
			}
			continue
		}
		if h := v.lastHold(owner); h != nil && h.wasDeleted() && h.Until.After(lost.Add(-lookBack)) {
			s.deleted++
		}
	}
	return s
}

// wasDeleted reports whether a command deleted the key before the lease of the hold was over.
func (h *Hold) wasDeleted() bool {
	deleted, _ := h.Cause.Deleted()
	return deleted
}

// lastHold is the last hold in which an owner had this master's vote and lost it, or nil.
func (v *voice) lastHold(owner string) *Hold {
	if v.lock == nil {
		return nil
	}
	for i := range slices.Backward(v.lock.History) {
		if h := &v.lock.History[i]; h.Owner == owner && !h.Until.IsZero() {
			return h
		}
	}
	return nil
}

// overOf is how the holder lost its majority. It is not certain while the notifications that its
// other votes were released may still be on their way.
//
// A release deletes every vote. So a holder whose validity lasts, and which still has at least as
// many votes as were deleted, has not released the lock: it lost votes.
func (v *fusion) overOf(owner string) (over *Hold, sure bool) {
	over = v.lostBy(owner)
	if several(v.old.Scheme, v.old.Mode, v.old.Holders) || !v.urn.valid.IsZero() && !over.Until.Before(v.urn.valid) {
		return over, true
	}
	left := v.tally.standing(owner, over.Until)
	if left.kept+left.unread == 0 || left.deleted > left.kept+left.unread {
		return over, true
	}
	if v.urn.doubtAt.IsZero() {
		v.urn.doubtAt = v.at
	}
	switch waited := v.at.Sub(v.urn.doubtAt); {
	case waited < v.options.Thresholds.Settles, left.unread > 0 && waited < lookBack:
		return over, false
	case left.kept < left.deleted, left.kept == 0: // the others were never read again
		return over, true
	}
	if over.wasDeleted() || over.Cause == CauseExpired {
		over.Cause = CauseUnknown // so it went on one master, not with the lock
	}
	over.Lost = v.loss(owner, over.Until, left.kept)
	return over, true
}

// loss says how a holder lost votes without a release.
func (v *fusion) loss(owner string, at time.Time, kept int) *Loss {
	var gone []string
	for i := range v.tally.voices {
		voice := &v.tally.voices[i]
		if _, votes := voice.claim(owner); votes {
			continue
		}
		if h := voice.lastHold(owner); h != nil && !h.Until.Before(v.old.HeldSince) {
			gone = append(gone, fmt.Sprintf("%s (%s)", voice.ref.Node, wentBy(h.Cause)))
		}
	}
	masters := len(v.tally.voices)
	believes := "until it releases it"
	if !v.urn.valid.IsZero() {
		believes = "until " + v.urn.valid.Local().Format(time.TimeOnly)
	}
	return &Loss{
		Code: CodeDoubleMajority, At: at, Until: v.urn.valid, majority: &lostMajority{masters: masters},
		Text: fmt.Sprintf("%s lost its majority at %s without a release: its vote is gone on %s. "+
			"It has %d of %d votes left, and it believes that it holds the lock %s.",
			shorten(v.old.holder().Label), at.Local().Format("15:04:05.000"),
			strings.Join(gone, ", "), kept, masters, believes),
	}
}

// wentBy says how a vote was lost.
func wentBy(cause Cause) string {
	switch deleted, _ := cause.Deleted(); {
	case deleted:
		return "deleted"
	case cause == CauseTakenOver:
		return "overwritten"
	case cause == CauseUnknown:
		return "cause not seen"
	}
	return string(cause)
}

// concede records that a former holder gave up: it released its remaining votes after it lost its
// majority.
func (v *fusion) concede() {
	if v.old == nil {
		return
	}
	i := v.old.believer(v.at)
	if i < 0 {
		return
	}
	h := v.old.History[i]
	var last Hold
	for k := range v.tally.voices {
		voice := &v.tally.voices[k]
		if _, votes := voice.claim(h.Owner); votes && voice.silent == "" {
			return
		}
		if over := voice.lastHold(h.Owner); over != nil && over.Cause != CauseExpired && over.Until.After(last.Until) {
			last = *over
		}
	}
	if !last.Until.After(h.Lost.At) {
		return
	}
	loss := *h.Lost // a snapshot may have the other one
	loss.Until, loss.majority = last.Until, &lostMajority{masters: loss.majority.masters, gaveUp: last.wasDeleted()}
	l := v.edit(v.slot)
	l.History[i].Lost = &loss
	v.settle(v.slot, v.at)
	v.old = l
}

// believer is the index of the last hold in the history that lost its majority and whose holder
// still relied on it at that moment, or -1.
func (l *Lock) believer(at time.Time) int {
	for i := range slices.Backward(l.History) {
		h := &l.History[i]
		if h.Lost == nil || h.Lost.majority == nil {
			continue
		}
		again := slices.ContainsFunc(l.History[i+1:], func(next Hold) bool {
			return next.Owner == h.Owner || next.Label == h.Label
		})
		if again || !h.Lost.Until.IsZero() && !at.Before(h.Lost.Until) {
			return -1
		}
		return i
	}
	return -1
}
