package inspector

import (
	"cmp"
	"slices"
	"time"
)

// This file says when an owner had the quorum, by what each of the masters saw of it: a master tells only when its own vote came
// and went, and one vote makes no quorum, nor does its loss end one.

// had says whether an owner had this master's vote at a moment.
func (v *voice) had(owner string, at time.Time) bool {
	if v.lock == nil {
		return false
	}
	return slices.ContainsFunc(v.lock.History, func(h Hold) bool {
		return h.Owner == owner && !at.Before(h.Since) && (h.Until.IsZero() || at.Before(h.Until))
	})
}

// hadQuorum says whether an owner had the quorum at a moment.
func (t *tally) hadQuorum(owner string, at time.Time) bool {
	n := 0
	for i := range t.voices {
		if t.voices[i].had(owner, at) {
			n++
		}
	}
	return n >= t.needed
}

// reached is when an owner that has the quorum got it, with the vote that made it; exact where every vote was seen to be given.
// Where it had the quorum before, and lost it at some time, the votes of before do not count: they may be gone, and not read yet.
func (t *tally) reached(owner string, lost time.Time) (at time.Time, exact bool) {
	var since []time.Time
	exact = true
	for _, v := range t.votesFor(owner) {
		h := v.lock.openHold(owner)
		if h == nil || !h.Since.After(lost) {
			continue
		}
		since = append(since, h.Since)
		exact = exact && h.SinceExact
	}
	if len(since) < t.needed {
		return time.Time{}, false
	}
	slices.SortFunc(since, time.Time.Compare)
	return since[t.needed-1], exact
}

// lookBack is how far behind the news of one master those of another may come.
const lookBack = trailLives

// lost is how an owner that had the quorum since a time, and still had it by what was read before, lost it: with the first vote that
// left it too few.
func (t *tally) lost(owner string, since, before, now time.Time) *Hold {
	var ended []Hold
	for i := range t.voices {
		if t.voices[i].lock == nil {
			continue
		}
		for _, h := range t.voices[i].lock.History {
			if h.Owner == owner && h.Until.After(since) && !h.Until.After(now) {
				ended = append(ended, h)
			}
		}
	}
	slices.SortStableFunc(ended, func(a, b Hold) int { return cmp.Compare(a.Until.UnixNano(), b.Until.UnixNano()) })
	exact := true
	for _, h := range ended {
		exact = exact && h.UntilExact
		if h.Until.After(before.Add(-lookBack)) && !t.hadQuorum(owner, h.Until) {
			h.UntilExact = exact
			return &h
		}
	}
	if n := len(ended); n > 0 { // news of long ago
		last := ended[n-1]
		last.UntilExact = exact
		return &last
	}
	return &Hold{Owner: owner, Until: now, Cause: CauseUnknown}
}

// interrupted says whether an owner that has the quorum, and had it since a time, lost it in between: every master's vote may come
// back before the others' loss is read. What was so long ago has been read by now.
func (t *tally) interrupted(owner string, since, now time.Time) bool {
	for _, v := range t.votesFor(owner) {
		h := v.lock.openHold(owner)
		if h == nil || !h.SinceExact || !h.Since.After(since) || h.Since.After(now) || now.Sub(h.Since) > lookBack {
			continue
		}
		if before := h.Since.Add(-time.Nanosecond); before.After(since) && !t.hadQuorum(owner, before) {
			return true
		}
	}
	return false
}
