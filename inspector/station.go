package inspector

import (
	"math"
	"time"

	"locktop/keyspace"
)

// maxOthers bounds [station.others].
const maxOthers = 10_000

// station is one of several independent masters: a store of its own, of which nobody makes snapshots, which says what the key is
// there, since when, and how that before it ended.
type station struct {
	*store
	name keyspace.Node
	mood mood
	// others are keys that are there and no locks, or may not be read.
	others map[keyRef]keyspace.Record
}

// mood is why a station's words may not count.
type mood struct {
	silent Ballot // empty: it answers
	detail string
	// passed says that everything was read since it answers; else what was read before that time, in Unix nanoseconds, may have
	// changed in an outage.
	passed bool
	sure   int64
}

func newStation(o Options, name keyspace.Node, gaps *eventLog, unseen *sightings) *station {
	o.Masters = 0
	s := newStore(o, nil)
	s.gaps, s.sightings, s.part, s.attendance = gaps, unseen, true, nil
	return &station{store: s, name: name, mood: mood{silent: BallotUnread}, others: make(map[keyRef]keyspace.Record)}
}

// listen takes an update, and says whether the mood changed.
func (st *station) listen(u keyspace.Update) (changed bool) {
	st.take(u)
	for i := range u.Records {
		r := &u.Records[i]
		if st.learnOther(r); st.mood.sure > 0 && !st.mood.passed { // it counts again, even if nothing changed
			st.touched = append(st.touched, keyRef{r.DB, r.Key})
		}
	}
	before := st.mood
	if u.Status != nil {
		st.mood.silent, st.mood.detail = silence(u.Status, before)
		if n := st.node(keyspace.Ref{Node: u.Status.Node, DB: u.Status.DB}); n.outage > 0 {
			st.mood.sure = n.outage
		}
	}
	st.mood.passed = st.passesOf(st.name).complete
	return st.mood != before
}

// silence says why a master that does not answer is silent, in words that do not change as long as it is.
func silence(status *keyspace.Status, before mood) (Ballot, string) {
	if status.Connected {
		return "", ""
	}
	ballot := BallotDown
	if status.TimedOut {
		ballot = BallotTimeout
	}
	if ballot == before.silent {
		return ballot, before.detail
	}
	if ballot == BallotDown && status.Err != "" {
		return ballot, status.Err
	}
	return ballot, "no answer since " + status.StaleSince.Local().Format(time.TimeOnly)
}

// learnOther notes what is there and no lock, or what nobody lets us read.
func (st *station) learnOther(r *keyspace.Record) {
	key := keyRef{r.DB, r.Key}
	_, had := st.others[key]
	_, isLock := st.place(r.DB).slots[r.Key]
	switch {
	case r.Type == keyspace.TypeDenied, r.Exists() && !isLock:
		if len(st.others) < maxOthers || had {
			st.others[key] = *r
			st.touched = append(st.touched, key)
		}
	case had:
		delete(st.others, key)
		st.touched = append(st.touched, key)
	}
}

// drop forgets a lock that is gone. Until nobody votes on the key any more it was kept: when the quorum was lost is told by when
// each of the votes was.
func (st *station) drop(key keyRef) {
	p := st.place(key.db)
	if i, known := p.slots[key.key]; known && !st.slots[i].lock.FreedAt.IsZero() {
		st.forget(i)
	}
}

// voice is what the station has to say of a key.
func (st *station) voice(key keyRef) voice {
	v := voice{
		ref:    keyspace.Ref{Node: st.name, DB: key.db, Key: key.key},
		silent: st.mood.silent, detail: st.mood.detail,
	}
	readAt := int64(0)
	if i, known := st.place(key.db).slots[key.key]; known {
		v.lock, readAt = st.slots[i].lock, st.slots[i].readAt
	}
	if other, is := st.others[key]; is {
		v.other, readAt = other, other.ReadAt.UnixNano()
		if why := other.Denied(); why != "" && v.silent == "" {
			v.silent, v.detail = BallotDenied, why
		}
	}
	v.readAt, v.heardSince, v.polled = readAt, math.MaxInt64, true
	if n := st.nodes[nodeRef{st.name, key.db}]; n != nil && !n.polls() {
		v.heardSince, v.polled = max(n.lastGap, n.deafUntil), false
	}
	if v.silent == "" && !st.mood.passed && readAt <= st.mood.sure {
		v.silent = BallotUnread
	}
	return v
}
