package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// state is what the frames that were read so far come to.
type state struct {
	begun bool // a key frame was read
	at    time.Time
	rest  struct {
		complete bool
		totals   inspector.Totals
		nodes    []keyspace.Status
		who      attendance
		unseen   []inspector.Unseen
	}
	locks []*inspector.Lock
	tail  []inspector.Event
	// heavy is what the locks take in memory, those of the frame under way included.
	heavy int64

	// Of the frame under way:
	open   bool // a line of it was read, and it goes on
	gone   []int
	before int // locks there were before it
	added  []*inspector.Lock
	news   int
	events []inspector.Event
}

// take reads a line of a frame. It says whether the frame is whole now; only then the state is that of a snapshot.
func (s *state) take(text []byte) (whole bool, err error) {
	if bytes.Count(text, []byte("{")) > maxObjects { // "{}," may become a thousand bytes
		return false, errMemory
	}
	var line frameLine
	if err := json.Unmarshal(text, &line); err != nil {
		return false, fmt.Errorf("it is no frame: %w", err)
	}
	if line.Frame == frameEnd {
		return false, nil
	}
	if !s.open {
		if err := s.first(&line); err != nil {
			return false, err
		}
	}
	if err := s.takeLocks(line.Locks); err != nil {
		return false, err
	}
	if len(s.events)+len(line.Events) > 2*maxEvents {
		return false, errors.New("it has more events than a frame may have")
	}
	for i := range line.Events {
		s.events = append(s.events, line.Events[i].event())
	}
	if s.open = line.More; line.More {
		return false, nil
	}
	return true, s.end()
}

// first takes what only the first line of a frame has.
func (s *state) first(line *frameLine) error {
	switch line.Frame {
	case frameKey:
		s.begun = true
		s.locks, s.tail, s.rest.nodes, s.heavy = nil, nil, nil, 0
		s.rest.who, s.rest.unseen = attendance{}, nil
	case frameChange:
		if !s.begun {
			return errApart
		}
	default:
		return fmt.Errorf("a frame %q is not known", line.Frame)
	}
	s.at = instant(line.At)
	s.gone, s.before, s.added, s.events = line.Gone, len(s.locks), nil, nil
	s.news = line.News
	s.rest.complete = line.Complete
	s.rest.totals = line.Totals.totals()
	if line.Unseen != nil {
		s.rest.unseen = each(*line.Unseen, unseenLine.unseen)
	}
	if err := s.rest.who.take(line.Roll); err != nil {
		return err
	}
	return s.takeNodes(line.NodeCount, line.Nodes)
}

func (t *totalsLine) totals() inspector.Totals {
	if t == nil {
		return inspector.Totals{}
	}
	out := inspector.Totals{
		Locks: t.Locks, ByState: make(map[inspector.State]int, len(t.ByState)), Suspects: t.Suspects, Contended: t.Contended,
		AcquisitionsPerSecond: t.PerSecond,
	}
	for state, n := range t.ByState {
		out.ByState[inspector.State(word(state))] = n
	}
	copy(out.Rates[:], t.Rates)
	return out
}

// takeNodes makes the nodes anew: a snapshot that was given out has the old ones.
func (s *state) takeNodes(count int, changed []nodeLine) error {
	if count < 0 || count > maxNodes {
		return errApart
	}
	nodes := make([]keyspace.Status, count)
	known := copy(nodes, s.rest.nodes)
	told := make([]bool, count)
	for _, n := range changed {
		if n.I < 0 || n.I >= count {
			return errApart
		}
		status := localised(packedStatus(n.Status, unpack))
		status.Feed, status.Topology = keyspace.Feed(word(string(status.Feed))), keyspace.Topology(word(string(status.Topology)))
		if status.Patterns == nil {
			status.Patterns = nodes[n.I].Patterns
		}
		nodes[n.I], told[n.I] = status, true
	}
	for i := known; i < count; i++ {
		if !told[i] {
			return errApart
		}
	}
	s.rest.nodes = nodes
	return nil
}

// localised has the times of a status in the local time zone, and the durations within bounds.
func localised(n keyspace.Status) keyspace.Status {
	local := func(t *time.Time) {
		if !t.IsZero() {
			*t = exactly(t.UnixMicro(), beyond(*t))
		}
	}
	pass := func(p *keyspace.Pass) {
		local(&p.Started)
		local(&p.Ended)
		local(&p.At)
	}
	local(&n.StaleSince)
	local(&n.LastGap)
	pass(&n.LastPass)
	if n.Scanning != nil {
		pass(n.Scanning)
	}
	for i := range n.Replication.AcknowledgedUntil {
		local(&n.Replication.AcknowledgedUntil[i])
	}
	return n
}

func (s *state) takeLocks(lines []lockLine) error {
	for i := range lines {
		line := &lines[i]
		if line.tooLong() {
			return errMemory
		}
		if line.I == nil {
			if s.before+len(s.added) >= maxLocks {
				return errors.New("it has more locks than a recording may have")
			}
			l, err := line.lock(nil)
			if err != nil {
				return err
			}
			s.added = append(s.added, l)
			if s.heavy += weighLock(l); s.heavy > maxMemory {
				return errMemory
			}
			continue
		}
		at := *line.I
		if at < 0 || at >= len(s.locks) {
			return errApart
		}
		l, err := line.lock(s.locks[at])
		if err != nil {
			return err
		}
		s.heavy += weighLock(l) - weighLock(s.locks[at])
		s.locks[at] = l
		if s.heavy > maxMemory {
			return errMemory
		}
	}
	return nil
}

// end makes the frame whole.
func (s *state) end() error {
	kept := s.locks
	if len(s.gone) > 0 {
		kept = make([]*inspector.Lock, 0, len(s.locks))
		next := 0
		for _, at := range s.gone {
			if at < next || at >= len(s.locks) {
				return errApart
			}
			kept = append(kept, s.locks[next:at]...)
			s.heavy -= weighLock(s.locks[at])
			next = at + 1
		}
		kept = append(kept, s.locks[next:]...)
	}
	s.locks = append(kept, s.added...)
	if s.news < 0 || s.news > len(s.events) {
		return errApart
	}
	if len(s.events) > s.news { // a key frame: it has those before the new ones as well
		s.tail = s.events[:len(s.events)-s.news]
	}
	s.tail = tailOf(s.tail, s.events[len(s.events)-s.news:])
	s.gone, s.added, s.events = nil, nil, nil
	if s.heavy+weigh(s.tail)+weigh(s.rest.nodes)+weigh(s.rest.unseen)+s.rest.who.heavy > maxMemory {
		return errMemory
	}
	return nil
}

// snapshot is the state as a snapshot. What follows does not change it.
func (s *state) snapshot() *inspector.Snapshot {
	return &inspector.Snapshot{
		TakenAt: s.at, Complete: s.rest.complete, Nodes: s.rest.nodes, Totals: s.rest.totals,
		Locks: append([]*inspector.Lock(nil), s.locks...), Events: s.tail, Roll: s.rest.who.roll, Unseen: s.rest.unseen,
	}
}

// headOf reads only the beginning of a line: what kind of frame it is, when it was, how many events it has and whether it goes on.
func headOf(text []byte) (line frameLine, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	token, err := d.Token()
	if err != nil || token != json.Delim('{') {
		return line, errors.New("it is no frame")
	}
	for _, field := range []struct {
		name string
		into any
	}{{"frame", &line.Frame}, {"at", &line.At}, {"news", &line.News}, {"more", &line.More}} {
		if token, err = d.Token(); err != nil || token != field.name {
			return line, errors.New("it does not begin as a frame does")
		}
		if err := d.Decode(field.into); err != nil {
			return line, fmt.Errorf("it does not begin as a frame does: %w", err)
		}
	}
	return line, nil
}
