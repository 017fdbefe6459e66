package actions

import (
	"fmt"
	"time"

	"locktop/inspector"
)

// planString plans every verb on a lock that is the whole value of a string.
func planString(p *plan, r Request, _ inspector.Holder, now time.Time) error {
	if err := p.onString(r); err != nil {
		return err
	}
	switch {
	case r.Verb == VerbExtend:
		p.extend(r)
	case buried(r):
		p.bury(r, now)
	case frees(r):
		p.announce(r, 1)
		p.free(r)
	default:
		p.expireSoon(r)
	}
	p.sayCut(r)
	return nil
}

// onString begins the plan of a verb on a string: what is compared, and who answers if somebody else has it.
func (p *plan) onString(r Request) error {
	if r.Verb == VerbRelease && r.Entries > 0 {
		return unsupported("its entries are counted by its holder, not in Redis: it can only be released as a whole")
	}
	p.facts = append(observedString(r.Lock), p.sameEnd(r)...)
	p.witness = []string{"GETRANGE", r.Lock.Key, "0", shownEnd}
	p.holder = clip(r.Lock.Observed.Value.Text) // all of the value, where a scheme names only a part of it as the owner
	return nil
}

// sayCut says, of an action that was done, that its value was too long to be kept.
func (p *plan) sayCut(r Request) {
	if seen := r.Lock.Observed; seen.Truncated {
		p.done.Detail = fmt.Sprintf("its value was compared by its length, %d bytes, and its first %d", seen.Size, len(seen.Value.Text))
	}
}
