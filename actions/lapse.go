package actions

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"
)

// lapse is until when an Operator may write. A session in which somebody once acted, and which is then left open, is not to be
// armed for ever.
type lapse struct {
	mu    sync.Mutex
	until time.Time // zero: it never lapses
	timer *time.Timer
	noted time.Time // the end that is on record as lapsed
}

// errNeverLapses is what Rearm returns where there is nothing to arm again.
var errNeverLapses = errors.New("writing does not lapse here")

// errReadOnly is what Rearm returns to who was started read-only: no key undoes that.
var errReadOnly = errors.New("locktop was started read-only")

// What the lines of an audit about writing itself have in the place of a verb: nobody can ask for one of these.
const (
	SessionLapse = "lapse"
	SessionRearm = "rearm"
)

// over says whether writing has lapsed. A suspended machine stops the monotonic clock and one that is set stops the other:
// whichever of the two is past the end counts.
func (l *lapse) over(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return hasLapsed(l.until, now)
}

func hasLapsed(until, now time.Time) bool {
	return !until.IsZero() && (!now.Before(until) || !now.Round(0).Before(until.Round(0)))
}

// arm lets writing be possible for so long from now on.
func (o *Operator) arm(now time.Time) {
	if o.options.WriteFor <= 0 || o.options.ReadOnly {
		return
	}
	o.lapse.mu.Lock()
	defer o.lapse.mu.Unlock()
	o.lapse.until = now.Add(o.options.WriteFor)
	if o.lapse.timer != nil {
		o.lapse.timer.Stop()
	}
	o.lapse.timer = time.AfterFunc(o.options.WriteFor, o.noteLapse)
}

// noteLapse puts a lapse on record, once. That it is over does not depend on it: an audit that cannot be written keeps nobody
// from lapsing.
func (o *Operator) noteLapse() {
	o.lapse.mu.Lock()
	until := o.lapse.until
	due := hasLapsed(until, time.Now()) && !o.lapse.noted.Equal(until)
	if due {
		o.lapse.noted = until
	}
	o.lapse.mu.Unlock()
	if due && o.options.Audit != nil {
		_ = o.options.Audit.write(o.sessionLine(SessionLapse, until)) // nobody waits for the answer
	}
}

// sessionLine is a line about writing itself.
func (o *Operator) sessionLine(verb Verb, at time.Time) AuditLine {
	return AuditLine{
		Schema: AuditSchema, ID: rand.Text(), Phase: PhaseSession, At: at, Actor: actor(), Where: withoutSecret(o.options.Where), Verb: verb,
		Asked: AuditRequest{TTL: o.options.WriteFor.Milliseconds()}, Saw: AuditObserved{TTL: -1},
	}
}

// WritableUntil is when every action will begin to be refused, or began to; zero: never, or read-only from the start.
func (o *Operator) WritableUntil() time.Time {
	o.lapse.mu.Lock()
	defer o.lapse.mu.Unlock()
	return o.lapse.until
}

// WriteFor is for how long [Operator.Rearm] makes writing possible again; zero: it never lapses.
func (o *Operator) WriteFor() time.Duration {
	if o.options.ReadOnly {
		return 0
	}
	return o.options.WriteFor
}

// Rearm makes writing possible for as long again as it was from the start, counted from now, and returns until when. It is put
// on record before it holds; what was started read-only stays so.
func (o *Operator) Rearm() (time.Time, error) {
	switch {
	case o.options.ReadOnly:
		return time.Time{}, errReadOnly
	case o.options.WriteFor <= 0:
		return time.Time{}, errNeverLapses
	}
	o.noteLapse() // in the order in which it happened
	now := time.Now()
	if o.options.Audit != nil {
		if err := o.options.Audit.write(o.sessionLine(SessionRearm, now)); err != nil {
			return time.Time{}, fmt.Errorf("writing is not armed, because it could not be put on record: %w", err)
		}
	}
	o.arm(now)
	return o.WritableUntil(), nil
}

// Close ends what runs by itself in an Operator. It still answers afterwards.
func (o *Operator) Close() error {
	o.lapse.mu.Lock()
	defer o.lapse.mu.Unlock()
	if o.lapse.timer != nil {
		o.lapse.timer.Stop()
	}
	return nil
}
