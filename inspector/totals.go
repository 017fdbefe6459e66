package inspector

import (
	"slices"
	"time"
)

// countedStates are the states that totals count, in the order of counted.state.
var countedStates = [...]State{StateHeld, StateStuck, StateLapsed, StateExpired, StateFreed, StateWrong, StateCooldown, StateMinority, StateSplit}

// counted is what a lock adds to the totals.
type counted struct {
	state              uint8 // in countedStates, from 1; 0: not counted
	suspect, contended bool
}

func countedOf(l *Lock, now time.Time) counted {
	c := counted{suspect: l.Severity().rank() >= SeverityWarning.rank()}
	for i, state := range countedStates {
		if state == l.State {
			c.state = uint8(i + 1)
		}
	}
	c.contended = l.State != StateFreed && (l.Waiters.Count > 0 && !l.Waiters.AtMost() || now.UnixNano() < l.mind.contendedUntil)
	return c
}

// totals are kept by difference: each change of a lock takes its old part out and puts its new one in.
type totals struct {
	byState             [len(countedStates) + 1]int
	suspects, contended int
	rates               rates
}

func (t *totals) add(c counted, n int) {
	if c.state == 0 {
		return
	}
	t.byState[c.state] += n
	if c.suspect {
		t.suspects += n
	}
	if c.contended {
		t.contended += n
	}
}

// freed is the number of freed locks.
func (t *totals) freed() int { return t.byState[1+slices.Index(countedStates[:], StateFreed)] }

// at makes the totals of a snapshot.
func (t *totals) at(now time.Time) Totals {
	out := Totals{ByState: make(map[State]int, len(countedStates)), Suspects: t.suspects, Contended: t.contended}
	for i, state := range countedStates {
		n := t.byState[i+1]
		if n == 0 {
			continue
		}
		out.ByState[state] = n
		if state != StateFreed {
			out.Locks += n
		}
	}
	out.Rates, out.AcquisitionsPerSecond = t.rates.at(now)
	return out
}

// rates counts acquisitions second by second, for the last full seconds and the running one.
type rates struct {
	counts [len(Totals{}.Rates) + 1]uint32
	second int64 // the running one, since 1970
	last   int64 // the second of the last acquisition
}

// rateSeconds is how many seconds a rate is averaged over.
const rateSeconds = 10

func (r *rates) advance(second int64) {
	if r.second == 0 || second-r.second > int64(len(r.counts)) {
		clear(r.counts[:])
		r.second = second
	}
	for ; r.second < second; r.second++ {
		r.counts[(r.second+1)%int64(len(r.counts))] = 0
	}
}

func (r *rates) add(at time.Time, times int) {
	second := at.Unix()
	r.advance(second)
	if r.second-second >= int64(len(r.counts)) {
		return
	}
	r.counts[second%int64(len(r.counts))] += uint32(times)
	r.last = max(r.last, second)
}

// at returns the full seconds before now, oldest first, and the average of the last ten.
func (r *rates) at(now time.Time) (out [len(Totals{}.Rates)]float64, perSecond float64) {
	r.advance(now.Unix())
	for i := range out {
		second := r.second - int64(len(out)-i)
		out[i] = float64(r.counts[((second%int64(len(r.counts)))+int64(len(r.counts)))%int64(len(r.counts))])
	}
	for _, n := range out[len(out)-rateSeconds:] {
		perSecond += n
	}
	return out, perSecond / rateSeconds
}

// moving says until when the rates change by time alone: they have to fall back to zero on screen.
func (r *rates) moving(now time.Time) bool {
	return r.last > 0 && now.Unix()-r.last <= int64(len(r.counts))
}
