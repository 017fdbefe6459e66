package inspector

import (
	"slices"
	"time"

	"locktop/keyspace"
)

// clockSlack is what two clocks and a rounding may differ without meaning anything.
const clockSlack = 20 * time.Millisecond

// Bounds of memory.
const (
	maxHolds       = 32     // a lock's history
	maxPastKeys    = 2_000  // locks that are gone, and whose history is kept should they come back
	maxPendingKeys = 50_000 // keys that hints have named and no read has answered
)

// store is everything that is known. One goroutine owns it.
type store struct {
	options Options
	log     *eventLog

	tracks  map[keyspace.Ref]*track
	order   []*Lock // the snapshot's locks; a track knows its index; nil where a lock went
	holes   int
	wakes   wakes
	pending map[keyspace.Ref]pending
	past    past

	nodes   []keyspace.Status
	passed  map[keyspace.Node]bool // a pass has ended since the node was last connected
	gapAt   map[keyspace.Node]time.Time
	totals  totals
	touched []*track // tracks whose Lock must be built anew
	changed bool
}

func newStore(o Options, log *eventLog) *store {
	o.Thresholds = o.Thresholds.withDefaults()
	return &store{
		options: o, log: log,
		tracks: make(map[keyspace.Ref]*track), pending: make(map[keyspace.Ref]pending),
		passed: make(map[keyspace.Node]bool), gapAt: make(map[keyspace.Node]time.Time),
		totals: newTotals(), past: newPast(),
	}
}

// take digests one update. A gap that its status tells of is noted first: it explains the records.
func (s *store) take(u keyspace.Update) {
	if u.Status != nil {
		s.takeStatus(*u.Status)
	}
	for _, h := range u.Hints {
		s.takeHint(h)
	}
	for _, r := range u.Records {
		s.takeRecord(r)
	}
	if u.PassEnded != nil {
		s.passed[u.Node] = true
		s.changed = true
	}
}

func (s *store) takeHint(h keyspace.Hint) {
	p, waits := s.pending[h.Ref]
	if !waits && len(s.pending) >= maxPendingKeys {
		return
	}
	s.pending[h.Ref] = p.add(h)
}

func (s *store) takeStatus(status keyspace.Status) {
	i := slices.IndexFunc(s.nodes, func(n keyspace.Status) bool { return n.Node == status.Node })
	before := keyspace.Status{}
	// Snapshots hold the old slice: it is replaced, never changed.
	nodes := slices.Clone(s.nodes)
	if i < 0 {
		nodes = append(nodes, status)
	} else {
		before = nodes[i]
		nodes[i] = status
	}
	s.nodes = nodes
	if !status.Connected {
		s.passed[status.Node] = false
	}
	if status.Gaps > before.Gaps {
		s.gapAt[status.Node] = status.LastGap
		clear(s.pending) // what they tell of is not all that happened
		s.log.add(Event{
			At: status.LastGap, Kind: EventGap, Text: status.LastGapWhy,
			Ref: keyspace.Ref{Node: status.Node, DB: status.DB},
		})
	}
	s.changed = true
}

func (s *store) takeRecord(r keyspace.Record) {
	hints := s.pending[r.Ref]
	if hints != nil {
		delete(s.pending, r.Ref)
	}
	t := s.tracks[r.Ref]
	found, isLock := recognition{}, false
	if r.Exists() {
		found, isLock = recognise(r, r.ReadAt)
	}
	switch {
	case t == nil && !isLock:
		return
	case t == nil:
		t = s.newTrack(r.Ref)
	case r.Denied != "":
		return // we may not look any more: the last picture stays
	}
	s.observe(t, r, found, isLock, hints)
	s.touch(t)
}

func (s *store) newTrack(ref keyspace.Ref) *track {
	t := &track{ref: ref, index: len(s.order), history: s.past.take(ref)}
	s.tracks[ref] = t
	s.order = append(s.order, nil)
	s.holes++
	return t
}

// touch makes the next snapshot build the track's lock anew.
func (s *store) touch(t *track) {
	s.changed = true
	if !t.touched {
		t.touched = true
		s.touched = append(s.touched, t)
	}
}

// wake touches what changes by time alone, and forgets freed locks that have lingered long enough.
func (s *store) wake(now time.Time) {
	for _, t := range s.wakes.due(now) {
		if t.gone || t.wakeAt.IsZero() || t.wakeAt.After(now) {
			continue
		}
		t.wakeAt = time.Time{}
		if !t.isLock && now.Sub(t.freedAt) >= s.options.Linger {
			s.drop(t)
			continue
		}
		s.touch(t)
	}
}

func (s *store) drop(t *track) {
	t.gone = true
	delete(s.tracks, t.ref)
	if s.order[t.index] != nil {
		s.totals.remove(s.order[t.index])
		s.order[t.index] = nil
		s.holes++
	}
	s.past.put(t.ref, t.history)
	s.changed = true
}

// pause is how long the store may sleep.
func (s *store) pause(now, due time.Time) time.Duration {
	pause := time.Minute
	if at, any := s.wakes.next(); any {
		pause = min(pause, max(time.Millisecond, at.Sub(now)))
	}
	if s.changed {
		pause = min(pause, max(0, due.Sub(now)))
	}
	return pause
}

// snapshot publishes what is known. Locks that nothing touched are shared with the snapshots before.
func (s *store) snapshot(now time.Time, done bool) *Snapshot {
	for _, t := range s.touched {
		t.touched = false
		if t.gone {
			continue
		}
		before := s.order[t.index]
		lock, wake := s.build(t, now)
		s.order[t.index] = lock
		if before == nil {
			s.holes--
		} else {
			s.totals.remove(before)
		}
		s.totals.add(lock)
		if wake.IsZero() {
			continue
		}
		if t.wakeAt.IsZero() || !wake.Equal(t.wakeAt) {
			t.wakeAt = wake
			s.wakes.add(wake, t)
		}
	}
	s.touched = s.touched[:0]
	s.wakes.rebuild(s.tracks)
	s.changed = false
	return &Snapshot{
		TakenAt: now, Complete: s.complete(), Nodes: s.nodes, Locks: s.locks(),
		Totals: s.totals.at(now), Events: s.log.tail(snapshotEvents), Done: done,
	}
}

func (s *store) complete() bool {
	if len(s.nodes) == 0 {
		return false
	}
	for _, n := range s.nodes {
		if !s.passed[n.Node] {
			return false
		}
	}
	return true
}

// locks copies the locks in their order, and closes the holes when they have become many.
func (s *store) locks() []*Lock {
	locks := make([]*Lock, 0, len(s.order)-s.holes)
	for _, lock := range s.order {
		if lock != nil {
			locks = append(locks, lock)
		}
	}
	if s.holes > 64 && s.holes > len(locks)/4 {
		s.order = slices.Clone(locks)
		s.holes = 0
		for i, lock := range s.order {
			s.tracks[lock.Ref].index = i
		}
	}
	return locks
}
