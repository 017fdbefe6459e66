package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// MONITOR tells what was asked, and not what was answered. But it tells all of it, in the order in which the server ran it: whoever
// follows whether the key was there knows what became of each SET NX.

// step is one change, or attempt at one, of whether the key is there.
type step struct {
	at       time.Time
	effect   effect
	ttl      time.Duration
	ttlKnown bool
	// condition and asks are as in act.
	condition string
	asks      bool
	owner     int32
	try       int32 // which attempt it belongs to, or -1
}

// seed is a read of the key while the probe went on: where the rest begins from. The server answered between asked and ReadAt.
type seed struct {
	asked  time.Time
	record keyspace.Record
}

// there says whether a key is there.
type there uint8

const (
	thereUnknown there = iota
	thereNot
	thereIs
)

// course is what is known of the key at a moment of the probe.
type course struct {
	there there
	// ends is when its TTL is over, where that is known; zero: never.
	ends      time.Time
	endsKnown bool
	owner     int32
	// wrote is the attempt that wrote the value, as its number from 1 on; 0: it was not seen.
	wrote int32
}

// clockDoubt is how near to the end of a lease nobody can tell whether the key was still there.
const clockDoubt = 2 * time.Millisecond

// at lets the lease end.
func (c *course) at(now time.Time) {
	if c.there != thereIs || !c.endsKnown || c.ends.IsZero() {
		return
	}
	switch left := c.ends.Sub(now); {
	case left < -clockDoubt:
		*c = course{there: thereNot}
	case left < clockDoubt:
		*c = course{}
	}
}

// follow goes through what one master ran, and says what became of the attempts that it does not tell of.
func (s *sampler) follow(p *sampledPlace) {
	var now course
	seeds := s.usable(p)
	for i := range p.steps {
		st := &p.steps[i]
		for len(seeds) > 0 && !seeds[0].record.ReadAt.After(st.at) {
			now = s.courseOf(seeds[0].record)
			seeds = seeds[1:]
		}
		now.at(st.at)
		s.apply(&now, st)
	}
}

// usable are the seeds of which it is known between which commands the server answered: while they were read nothing happened to the
// key, or nothing that matters.
func (s *sampler) usable(p *sampledPlace) []seed {
	return slices.DeleteFunc(slices.Clone(p.seeds), func(sd seed) bool {
		const slack = 5 * time.Millisecond // what the clocks may differ
		return slices.ContainsFunc(p.steps, func(st step) bool {
			during := st.at.After(sd.asked.Add(-slack)) && st.at.Before(sd.record.ReadAt.Add(slack))
			return during && !s.inVain(&st, sd.record)
		})
	})
}

// inVain says that a command did nothing to a key that a read has found: it tried to make one, and what is there is not its own.
func (s *sampler) inVain(st *step, r keyspace.Record) bool {
	return st.effect == effectIfAbsent && r.Type == keyspace.TypeString && !r.Truncated && st.owner != 0 && r.Value.Text != s.names[st.owner]
}

// courseOf begins with what was read.
func (s *sampler) courseOf(r keyspace.Record) course {
	if !r.Exists() {
		return course{there: thereNot}
	}
	c := course{there: thereIs, ends: r.ExpiresAt, endsKnown: true}
	if r.Type == keyspace.TypeString {
		c.owner = s.owner([]byte(r.Value.Text))
	}
	return c
}

// seen is whether the key is there. One whose end is not known may be over.
func (c *course) seen() there {
	if c.there == thereIs && !c.endsKnown {
		return thereUnknown
	}
	return c.there
}

// endless reports whether the key is known to be there without a TTL.
func (c *course) endless() bool { return c.there == thereIs && c.endsKnown && c.ends.IsZero() }

// apply does to the key what a command did.
func (s *sampler) apply(c *course, st *step) {
	t := &try{}
	if st.try >= 0 {
		t = &s.tries[st.try]
	}
	set := course{there: thereIs, endsKnown: st.ttlKnown, owner: st.owner, wrote: st.try + 1}
	if st.ttl > 0 {
		set.ends = st.at.Add(st.ttl)
	}
	switch st.effect {
	case effectNone:
	case effectIfAbsent:
		was := c.seen()
		t.tried(was)
		switch was {
		case thereNot:
			*c = set
		case thereUnknown:
			*c = course{there: thereIs}
		case thereIs:
		}
	case effectSet:
		s.overwrote(t, c, st)
		*c = set
	case effectIfThere:
		t.settle(c, st)
		switch c.seen() {
		case thereNot:
		case thereUnknown:
			*c = course{}
		case thereIs:
			*c = set
		}
	case effectAdd:
		t.settle(c, st)
		if c.there == thereNot && st.condition == "XX" {
			return
		}
		if c.there == thereNot {
			c.ends, c.endsKnown = time.Time{}, true
		}
		c.there, c.owner, c.wrote = thereIs, 0, set.wrote
	case effectExpire:
		s.setEnd(t, c, st, set)
	case effectDelete:
		t.settle(c, st)
		*c = course{there: thereNot}
	case effectUnclear:
		t.settle(c, st)
		*c = course{}
	}
}

// setEnd applies a command that sets the TTL, or takes it away.
func (s *sampler) setEnd(t *try, c *course, st *step, set course) {
	gives := !st.ttlKnown || st.ttl > 0 // else it is PERSIST
	holds := st.condition == "" || st.condition == "NX" || st.condition == "LT"
	if t.effort == effortExtend && gives && holds && c.endless() {
		t.effort, t.result = effortRepair, resultDone
		if s.isSecondCommand(t, c) {
			t.effort = effortNone
		}
	}
	t.settle(c, st)
	switch {
	case c.there == thereNot || t.result == resultFailed:
	case st.condition != "" && t.result != resultDone:
		c.endsKnown = false
	default:
		c.ends, c.endsKnown = set.ends, st.ttlKnown
		if t.result == resultDone {
			c.there = thereIs
		}
	}
}

// isSecondCommand reports whether an attempt gives a TTL to what its own client has just acquired:
// SETNX, then EXPIRE.
func (s *sampler) isSecondCommand(t *try, c *course) bool {
	if c.wrote == 0 {
		return false
	}
	first := &s.tries[c.wrote-1]
	acquired := first.effort == effortAcquire && first.result == resultDone
	return acquired && first.client == t.client && t.at.Sub(first.at) < twoCommands
}

// tried says what became of a SET NX.
func (t *try) tried(was there) {
	if t.effort != effortAcquire || t.result != resultUnknown {
		return
	}
	switch was {
	case thereNot:
		t.result = resultDone
	case thereIs:
		t.result = resultFailed
	case thereUnknown:
	}
}

// overwrote says what became of a SET without NX, and of a GETSET.
func (s *sampler) overwrote(t *try, c *course, st *step) {
	if t.effort != effortAcquire {
		return
	}
	before, old, isOld := leaseEnd(s.names[c.owner])
	after, _, isNew := leaseEnd(s.names[st.owner])
	switch {
	case c.there == thereIs && c.owner != 0 && c.owner == st.owner: // the holder writes its token again
		t.effort, t.result = effortExtend, resultDone
	case t.script != 0: // it compared before it wrote
	case c.there == thereNot:
		t.result = resultDone
	case c.there != thereIs || !isOld || !isNew: // nothing tells whether the writer has it now
	case before != "" && before == after, c.wrote > 0 && s.tries[c.wrote-1].client == t.client && old.After(st.at):
		t.effort, t.result = effortExtend, resultDone
	case old.Before(st.at): // the lease was over, and the key waited for the next client
		t.result = resultDone
	case st.asks && c.wrote > 0 && st.at.Sub(s.tries[c.wrote-1].at) < rivalsRace:
		// Another client was first, and GETSET said so.
		t.result = resultFailed
	}
}

// settle says what became of an attempt to extend or to release. A script that read the key and
// went on has found what it wanted; else it depends on whether the key is there.
func (t *try) settle(c *course, st *step) {
	if t.effort != effortExtend && t.effort != effortRelease || t.result == resultDone {
		return
	}
	was := c.seen()
	switch {
	case was == thereNot:
		t.result = resultFailed
	case st.effect == effectExpire && st.condition != "":
		t.result = st.conditionHolds(c)
	case t.looked:
		t.result = resultDone
	case was == thereIs && st.condition == "" && st.effect != effectUnclear:
		t.result = resultDone
	}
}

// conditionHolds reports what became of EXPIRE with NX, XX, GT or LT on a key that is there.
func (st *step) conditionHolds(c *course) result {
	holds := false
	switch {
	case !c.endsKnown:
		return resultUnknown
	case st.condition == "NX":
		holds = c.ends.IsZero()
	case st.condition == "XX":
		holds = !c.ends.IsZero()
	case c.ends.IsZero(): // without a TTL a key counts as one that never ends
		holds = st.condition == "LT"
	case !st.ttlKnown:
		return resultUnknown
	default:
		holds = st.at.Add(st.ttl).After(c.ends) == (st.condition == "GT")
	}
	if holds {
		return resultDone
	}
	return resultFailed
}

// conclude makes up its mind about what the commands alone do not say: by what else the script was seen to do, and by who was seen
// holding the lock.
func (s *sampler) conclude(held map[string]bool) {
	asked := make(map[int32]int)
	for i := range s.tries {
		t := &s.tries[i]
		if t.effort == effortNone && t.script != 0 { // a script that only looked
			t.effort = s.habit(t.script).usual()
			if t.effort == effortNone && t.guess == resultFailed {
				t.effort = effortAcquire // who asks how long it takes wants it
			}
			t.result = resultFailed
		}
		if t.effort == effortAcquire {
			asked[t.owner]++
		}
	}
	for i := range s.tries {
		t := &s.tries[i]
		switch {
		case t.effort != effortAcquire || t.result != resultUnknown:
		case t.guess != resultUnknown:
			t.result = t.guess
		case t.owner != 0 && asked[t.owner] == 1 && held[s.names[t.owner]]: // who asked once and has it got it then
			t.result = resultDone
		}
	}
}
