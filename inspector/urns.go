package inspector

import (
	"cmp"
	"hash/maphash"
	"slices"
	"time"

	"locktop/keyspace"
)

// polls is what the store of a Redlock keeps beside its locks: the masters, and the votes on each key.
type polls struct {
	stations []*station // in the order of their addresses
	urns     map[keyRef]*urn
	// unsettled are the urns of which nobody has the quorum, and whose votes changed a moment ago; at settleAt the first of them
	// may have settled.
	unsettled []*urn
	settleAt  time.Time
	// recount says that a master fell silent, answers again, or was read for the first time: every vote counts differently.
	recount bool
	seed    maphash.Seed
}

// urn holds what belongs to the vote on one key, and to none of the masters alone.
type urn struct {
	key keyRef
	// end is that of the quorum with its last renewal, or with its acquisition.
	end time.Time
	// valid is until when the present holder has the majority by its acquisition or its last
	// renewal, whatever became of its votes since; zero where that has no end.
	valid time.Time
	// doubtAt is since when the holder lacks the majority without it being known why; zero where
	// that is not so.
	doubtAt time.Time
	// sides says who votes for whom; changedAt is when that changed.
	sides     uint64
	changedAt time.Time
	waits     bool // in polls.unsettled
	empty     bool // nobody votes any more
}

// voting says whether the store is that of a Redlock.
func (s *store) voting() bool { return s.options.Masters > 1 }

func (s *store) needed() int { return s.options.Masters/2 + 1 }

// poll takes an update of one of the masters, and counts the votes on what it is about anew.
func (s *store) poll(u keyspace.Update) {
	if u.Left {
		s.stations = slices.DeleteFunc(s.stations, func(st *station) bool { return st.name == u.Node })
		s.sightings.forget(u.Node)
		s.recount, s.changed = true, true
		return
	}
	st := s.station(u.Node)
	if st.listen(u) {
		s.recount = true
	}
	s.changed = s.changed || u.Status != nil || u.PassEnded != nil
	s.lastRead = max(s.lastRead, st.lastRead)
	for _, key := range st.touched {
		s.vote(key, st, time.Unix(0, s.lastRead))
	}
	st.touched = st.touched[:0]
}

func (s *store) station(name keyspace.Node) *station {
	i, known := slices.BinarySearchFunc(s.stations, name, func(st *station, name keyspace.Node) int { return cmp.Compare(st.name, name) })
	if !known {
		s.stations = slices.Insert(s.stations, i, newStation(s.options, name, s.gaps, s.sightings))
		s.recount = true
	}
	return s.stations[i]
}

// votesOn counts the votes on a key.
func (s *store) votesOn(key keyRef) *tally {
	voices := make([]voice, 0, len(s.stations))
	for _, st := range s.stations {
		voices = append(voices, st.voice(key))
	}
	return newTally(voices, s.needed())
}

// vote counts the votes on a key anew, after one of them changed. by is the master whose vote that is; nil: it may be any.
func (s *store) vote(key keyRef, by *station, at time.Time) {
	u := s.urns[key]
	if u == nil {
		u = &urn{key: key}
	}
	v := s.fusion(u, by, at)
	u.empty = len(v.tally.owners) == 0 && !v.tally.wrong()
	known := s.urns[key] != nil
	if !u.empty {
		s.urns[key] = u
	}
	if sides := s.sides(v.tally); sides != u.sides {
		u.sides, u.changedAt = sides, at
	}
	if known || !u.empty {
		v.judge()
	}
	if u.empty {
		delete(s.urns, key)
		for _, st := range s.stations {
			st.drop(key)
		}
	}
}

// fusion is a sight of the votes on a key.
func (s *store) fusion(u *urn, by *station, at time.Time) *fusion {
	v := &fusion{sight: sight{store: s, place: s.place(u.key.db), slot: -1}, tally: s.votesOn(u.key), urn: u, by: by, at: at}
	if i, known := v.place.slots[u.key.key]; known {
		v.slot, v.old = i, s.slots[i].lock
	}
	return v
}

// sides is a digest of who votes for whom.
func (s *store) sides(t *tally) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for i := range t.voices {
		v := &t.voices[i]
		h.WriteString(string(v.silent))
		h.WriteByte(0)
		if v.claimed() {
			for _, holder := range v.lock.Holders {
				h.WriteString(holder.Owner)
				h.WriteByte(1)
			}
		}
		h.WriteByte(2)
	}
	return h.Sum64()
}

// unsettle has an urn counted again when its votes have stayed as they are for long enough.
func (s *store) unsettle(u *urn) {
	due := u.changedAt.Add(s.options.Thresholds.Settles)
	if len(s.unsettled) == 0 || due.Before(s.settleAt) {
		s.settleAt = due
	}
	if !u.waits {
		u.waits = true
		s.unsettled = append(s.unsettled, u)
	}
}

// settleVotes does what time alone does to votes.
func (s *store) settleVotes(now time.Time) {
	for _, st := range s.stations {
		st.wake(now)
		st.compact()
	}
	if s.recount {
		s.recount = false
		for key := range s.urns {
			s.vote(key, nil, now)
		}
	}
	if len(s.unsettled) == 0 || now.Before(s.settleAt) {
		return
	}
	first := now.Add(s.options.Thresholds.Settles)
	waiting := s.unsettled
	s.unsettled = s.unsettled[:0]
	for _, u := range waiting {
		switch due := u.changedAt.Add(s.options.Thresholds.Settles); {
		case u.empty:
		case due.After(now):
			s.unsettled = append(s.unsettled, u)
			first = earlier(first, due)
		default:
			u.waits = false
			if !u.doubtAt.IsZero() {
				s.fusion(u, nil, now).judge()
			}
			if u.doubtAt.IsZero() {
				s.fusion(u, nil, now).settled()
			}
		}
	}
	clear(waiting[len(s.unsettled):])
	if s.settleAt = now.Add(s.options.Thresholds.Settles / 10); first.After(s.settleAt) { // however many wait, they are not looked at all the time
		s.settleAt = first
	}
}
