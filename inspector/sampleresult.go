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
	owner    int32
	try      int32 // which attempt it belongs to, or -1
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
		c.owner = s.owners[r.Value.Text]
	}
	return c
}

// apply does to the key what a command did.
func (s *sampler) apply(c *course, st *step) {
	var t *try
	if st.try >= 0 {
		t = &s.tries[st.try]
	}
	set := course{there: thereIs, endsKnown: st.ttlKnown, owner: st.owner}
	if st.ttl > 0 {
		set.ends = st.at.Add(st.ttl)
	}
	switch st.effect {
	case effectNone:
	case effectIfAbsent:
		was := c.there
		if was == thereIs && !c.endsKnown {
			was = thereUnknown // its lease may be over
		}
		s.tried(t, was)
		switch was {
		case thereNot:
			*c = set
		case thereUnknown:
			*c = course{there: thereIs}
		case thereIs:
		}
	case effectSet:
		switch {
		case t == nil || t.script != 0 || t.effort != effortAcquire:
		case c.there == thereIs && c.owner != 0 && c.owner == st.owner: // the holder writes his token anew
			t.effort = effortExtend
		case c.there == thereNot:
			t.result = resultDone
		}
		*c = set
	case effectAdd:
		if c.there == thereNot {
			c.ends, c.endsKnown = time.Time{}, true
		}
		c.there, c.owner = thereIs, 0
	case effectExpire:
		c.ends, c.endsKnown = set.ends, st.ttlKnown
	case effectDelete:
		*c = course{there: thereNot}
	case effectUnclear:
		*c = course{}
	}
}

// tried says what became of a SET NX.
func (s *sampler) tried(t *try, was there) {
	if t == nil || t.effort != effortAcquire || t.result != resultUnknown {
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

// conclude makes up its mind about what the commands alone do not say: by what else the script was seen to do, and by who was seen
// holding the lock.
func (s *sampler) conclude(held map[string]bool) {
	asked := make(map[int32]int)
	for i := range s.tries {
		t := &s.tries[i]
		if t.effort == effortNone { // a script that only looked
			t.effort = s.habit(t.script).usual()
			if t.effort == effortNone && t.guess == resultFailed {
				t.effort = effortAcquire // who asks how long it takes wants it
			}
			if t.effort == effortAcquire {
				t.result = resultFailed
			}
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
