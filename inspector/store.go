package inspector

import (
	"hash/maphash"
	"slices"
	"time"

	"locktop/keyspace"
)

// store is everything that is known. One goroutine owns it. What it publishes it never changes again: an edit copies the
// lock first, but only once between two snapshots.
type store struct {
	options   Options
	log       *eventLog
	gaps      *eventLog // where gaps are told of
	sightings *sightings
	polls
	part    bool           // a station of a Redlock: nobody looks at it but to count votes
	touched []keyRef       // of a station: what changed since the votes were counted
	places  map[int]*place // by database
	nodes   map[nodeRef]*node
	passes  map[keyspace.Node]*passes
	left    map[keyspace.Node]struct{} // nodes that left, and did not come back
	whole   bool                       // the nodes of a cluster, or those that sentinels name, were all passed over once
	last    *node                      // of the last look-up: most come from the same
	slots   []slot                     // in the order of the snapshot's locks
	empty   int
	wakes   wakes
	totals  totals
	past    past
	samples map[keyRef]*Sample
	// operations are actions of locktop that took a lock from a holder, the end of whose hold was not seen yet.
	operations map[keyRef]operated
	freed      []int32 // slots of freed locks, oldest first; some may be held again
	// streams are those of the masters, by their ids.
	streams map[string]*stream
	// lingers is until when the rows of freed locks stay that stay longer than others, because something is wrong with them.
	lingers map[keyRef]time.Time
	// pastHolds counts the holds that are over, of all slots.
	pastHolds int
	// chronicles counts those of all slots, and those that past keeps.
	chronicles int
	evidence   interner
	// attendance knows who is connected; nil in a station, which leaves that to the store that counts its votes.
	attendance *attendance
	// lastRead is when the newest read of all was, in Unix nanoseconds.
	lastRead int64
	round    uint32
	swept    time.Time
	shownAt  time.Time // of the last snapshot
	changed  bool
}

func newStore(o Options, log *eventLog) *store {
	o.Thresholds = o.Thresholds.withDefaults()
	s := &store{
		options: o, log: log, gaps: log, sightings: newSightings(), places: make(map[int]*place), nodes: make(map[nodeRef]*node), left: make(map[keyspace.Node]struct{}), passes: make(map[keyspace.Node]*passes), past: newPast(), evidence: make(interner), round: 1,
	}
	s.attendance = newAttendance(o.OwnerNames)
	s.polls = polls{urns: make(map[keyRef]*urn), seed: maphash.MakeSeed()}
	s.wakes.slots = &s.slots
	return s
}

// take digests one update. Its status comes first: a gap that it tells of explains the records.
func (s *store) take(u keyspace.Update) {
	if s.attendance != nil {
		defer s.attend(u)
	}
	if s.voting() {
		s.poll(u)
		return
	}
	if u.Left {
		s.leave(u.Node)
		return
	}
	if u.Status != nil {
		delete(s.left, u.Status.Node)
		n := s.node(keyspace.Ref{Node: u.Status.Node, DB: u.Status.DB})
		before := n.status
		s.follow(&u.Status.Replication)
		if gap, is := n.learn(u.Status); is {
			s.gaps.add(gap)
		}
		s.sighted(n, before)
		s.changed = true
	}
	if _, left := s.left[u.Node]; left {
		return // what it said before it left
	}
	for _, h := range u.Hints {
		s.hint(h)
	}
	for i := range u.Records {
		s.record(&u.Records[i])
	}
	if u.PassEnded != nil {
		s.passed(u.Node)
	}
}

// attend digests what an update says of who is connected, which is more recent than all that was read.
func (s *store) attend(u keyspace.Update) {
	a := s.attendance
	if u.Left {
		a.leave(u.Node)
		return
	}
	if u.Status != nil {
		a.status(u.Status)
	}
	if _, left := s.left[u.Node]; left {
		return
	}
	if u.Roll != nil {
		a.take(u.Roll)
		s.changed = true
	}
	if u.PassEnded != nil {
		a.due = time.Time{} // a look that is made once ends now
	}
}

// hint notes a hint. Names that no lock has are passed over.
func (s *store) hint(h keyspace.Hint) {
	if h.Event == keyspace.EventAnnounced {
		s.announced(h)
		return
	}
	if key, is := signalled(h); is {
		h.Key = key
		s.announced(h)
		return
	}
	p, n := s.place(h.DB), s.node(h.Ref)
	if _, followed := p.slots[h.Key]; !followed && n.trails[h.Key] == nil && s.options.Rules.isTrap(h.Key) {
		return
	}
	n.hint(h)
}

func (s *store) place(db int) *place {
	p := s.places[db]
	if p == nil {
		p = &place{slots: make(map[string]int32)}
		s.places[db] = p
	}
	return p
}

// settle ends every edit: what follows from the lock's new content is worked out, and when that will change by time alone.
func (s *store) settle(i int32, now time.Time) {
	at := &s.slots[i]
	l := at.lock
	limit := maxHolds
	if s.part {
		limit = maxVoteHolds
		s.touched = append(s.touched, keyRef{l.DB, l.Key})
	}
	if l.Sample != nil || len(s.samples) > 0 {
		l.Sample, l.Waiters = s.sampled(l)
	}
	if s.pastHolds >= maxPastHolds {
		limit = 1 + int(min(at.past, 1))
		if before := l.holdBefore(); before != nil && before.Lost != nil {
			limit = 2 // a finding goes by it
		}
	}
	l.trim(limit)
	if s.attendance != nil && s.attendance.asked() && l.FreedAt.IsZero() {
		s.attendance.fillIn(l)
	}
	s.pastHolds -= int(at.past)
	at.past = uint16(max(0, len(l.History)-1))
	s.pastHolds += int(at.past)

	due := s.outlook(l, now)
	s.count(i, countedOf(l, now))
	s.wakes.add(i, due)
	s.changed = true
}

// outlook works out a lock's state and findings, and when they change by time alone, in Unix nanoseconds (0: never).
func (s *store) outlook(l *Lock, now time.Time) int64 {
	l.State = l.StateAt(now)
	var due time.Time
	if !s.part {
		l.Findings, due = s.options.Thresholds.judge(l, now)
	}
	switch {
	case l.State == StateFreed && s.part: // it stays until nobody votes on the key any more: see station.drop
		return 0
	case l.State == StateFreed:
		return earlier(due, s.lingersUntil(l)).UnixNano()
	}
	for _, end := range [...]time.Time{l.ExpiresAt, l.LeaseEnds} {
		if end.After(now) {
			due = earlier(due, end)
		}
	}
	if l.mind.contendedUntil > now.UnixNano() {
		due = earlier(due, time.Unix(0, l.mind.contendedUntil))
	}
	if due.IsZero() {
		return 0
	}
	return due.UnixNano()
}

// count replaces what a slot adds to the totals.
func (s *store) count(i int32, next counted) {
	at := &s.slots[i]
	s.totals.add(at.counted, -1)
	s.totals.add(next, 1)
	at.counted = next
}

// wake does what time alone does: leases end, findings come and go, freed locks are forgotten.
func (s *store) wake(now time.Time) {
	if s.voting() {
		s.settleVotes(now)
	}
	s.sightings.settle(now)
	for {
		i, is := s.wakes.pop(now.UnixNano())
		if !is {
			break
		}
		l := s.slots[i].lock
		if l.State == StateFreed && !s.part && !now.Before(s.lingersUntil(l)) {
			s.forget(i)
			continue
		}
		s.rejudge(i, now)
	}
	if s.attendance != nil {
		s.joinAll(now)
	}
	if now.Sub(s.swept) > trailLives/3 {
		s.swept = now
		s.expireSamples(now)
		s.expireOperations(now)
		for _, n := range s.nodes {
			n.sweep(now)
		}
	}
	if s.totals.rates.moving(now) && now.Unix() != s.shownAt.Unix() {
		s.changed = true
	}
}

// rejudge looks at a lock that nobody changed, and copies it only where time has changed it: it may have been woken by an
// end that has moved since.
func (s *store) rejudge(i int32, now time.Time) {
	before := s.slots[i].lock
	after := *before
	due := s.outlook(&after, now)
	next := countedOf(&after, now)
	if after.State != before.State || next != s.slots[i].counted || !slices.Equal(after.Findings, before.Findings) {
		l := s.edit(i)
		l.State, l.Findings = after.State, after.Findings
		s.count(i, next)
		s.changed = true
	}
	s.wakes.add(i, due)
}

// forget drops a lock whose key is gone; its past is kept for a while.
func (s *store) forget(i int32) {
	at := &s.slots[i]
	s.wakes.remove(i)
	switch {
	case !s.part:
		s.chronicles -= s.past.put(at.lock)
	case at.lock.FreedAt.IsZero():
		s.touched = append(s.touched, keyRef{at.lock.DB, at.lock.Key})
	}
	s.totals.add(at.counted, -1)
	s.pastHolds -= int(at.past)
	delete(at.place.slots, at.lock.Key)
	delete(s.lingers, keyRef{at.lock.DB, at.lock.Key})
	*at = slot{heapAt: -1}
	s.empty++
	s.changed = true
}

// lingersUntil is until when the row of a freed lock stays.
func (s *store) lingersUntil(l *Lock) time.Time {
	until := l.FreedAt.Add(s.options.Linger)
	if longer := s.lingers[keyRef{l.DB, l.Key}]; longer.After(until) {
		return longer
	}
	return until
}

// lingerUntil lets the row of a freed lock stay longer.
func (s *store) lingerUntil(l *Lock, until time.Time) {
	if s.lingers == nil {
		s.lingers = make(map[keyRef]time.Time)
	}
	s.lingers[keyRef{l.DB, l.Key}] = until
}

// linger lets a freed lock stay for a while; where they are too many, the oldest go at once.
func (s *store) linger(i int32) {
	if s.part {
		return
	}
	if !s.slots[i].queued {
		s.slots[i].queued = true
		s.freed = append(s.freed, i)
	}
	for len(s.freed) > 0 {
		oldest := s.freed[0]
		l := s.slots[oldest].lock
		freed := l != nil && l.State == StateFreed
		if freed && (s.totals.freed() <= maxFreed || oldest == i) {
			return
		}
		s.freed = s.freed[1:]
		s.slots[oldest].queued = false
		if freed {
			s.forget(oldest)
		}
	}
}

// pause is how long the store may sleep; due is the earliest moment of the next snapshot.
func (s *store) pause(now, due time.Time) time.Duration {
	pause := time.Minute
	if at, waits := s.wakes.next(); waits {
		pause = min(pause, max(time.Millisecond, at.Sub(now)))
	}
	if s.totals.rates.moving(now) {
		pause = min(pause, now.Truncate(time.Second).Add(time.Second).Sub(now))
	}
	if s.attendance != nil && s.attendance.stale && s.attendance.asked() {
		pause = min(pause, max(time.Millisecond, s.attendance.due.Sub(now)))
	}
	if len(s.unsettled) > 0 {
		pause = min(pause, max(time.Millisecond, s.settleAt.Sub(now)))
	}
	if s.changed {
		pause = min(pause, max(0, due.Sub(now)))
	}
	return pause
}

// snapshot publishes what is known: from now on, every lock in it is immutable.
func (s *store) snapshot(now time.Time) *Snapshot {
	s.compact()
	shot := &Snapshot{TakenAt: now, Totals: s.totals.at(now), Events: s.log.tail(snapshotEvents), Unseen: s.sightings.all()}
	shot.Nodes, shot.Complete = s.statuses()
	if s.attendance != nil {
		shot.Roll, shot.OwnerNames = s.attendance.roll, s.attendance.uses
	}
	shot.Locks = make([]*Lock, 0, len(s.slots)-s.empty)
	for i := range s.slots {
		if l := s.slots[i].lock; l != nil {
			shot.Locks = append(shot.Locks, l)
		}
	}
	s.round++
	s.changed = false
	s.shownAt = now
	return shot
}
