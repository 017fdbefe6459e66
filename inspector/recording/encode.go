package recording

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"locktop/inspector"
	"locktop/keyspace"
)

// lockID is what makes a lock the same one, on whatever node it is.
type lockID struct {
	db  int
	key string
}

// entry is a lock as it was written last.
type entry struct {
	lock  *inspector.Lock
	kept  inspector.Kept
	index int
	seen  uint64 // the number of the last frame that had it
}

// encoder makes the lines of frames. It knows what was written so far.
type encoder struct {
	entries map[lockID]*entry
	order   []*entry
	nodes   []keyspace.Status
	who     attendance
	unseen  []inspector.Unseen
	tail    []inspector.Event
	frames  uint64
	key     bool // the frame under way is a key frame

	head    []byte // of the lines of this frame, up to "more"
	rest    []byte // of the first line: what is neither locks nor events
	payload []byte
	lines   []byte
}

func newEncoder() *encoder { return &encoder{entries: make(map[lockID]*entry)} }

// frame makes the lines of a frame; they are good until the next one is made. news are the events since the frame before.
func (e *encoder) frame(s *inspector.Snapshot, news []inspector.Event, key bool) ([]byte, error) {
	e.frames++
	e.key, e.lines = key, e.lines[:0]
	if len(news) > maxEvents {
		news = news[len(news)-maxEvents:]
	}
	kind := frameChange
	if key {
		kind = frameKey
	}
	e.head = fmt.Appendf(e.head[:0], `{"frame":%q,"at":%d,"news":%d,"more":`, kind, micro(s.TakenAt), len(news))
	e.payload = e.payload[:0]

	changed, added, gone := e.follow(s.Locks)
	fresh := slices.Clone(added)
	for _, c := range changed {
		fresh = append(fresh, c.at)
	}
	if err := e.begin(s, gone, fresh); err != nil {
		return nil, err
	}
	if err := e.locks(changed, added); err != nil {
		return nil, err
	}
	events := news
	e.tail = tailOf(e.tail, news)
	if key {
		events = e.tail
	}
	e.line("locks", len(events) > 0)
	if len(events) == 0 {
		return e.lines, nil
	}
	for i := range events {
		if err := e.add("events", newEventLine(&events[i])); err != nil {
			return nil, err
		}
	}
	e.line("events", false)
	return e.lines, nil
}

// tailOf are the events of a snapshot: the new ones, and as many of those before as make up the number that it has at least.
func tailOf(tail, news []inspector.Event) []inspector.Event {
	if len(news) >= tailKept {
		return slices.Clone(news)
	}
	all := slices.Concat(tail, news)
	return all[max(0, len(all)-tailKept):]
}

// follow takes the locks of a snapshot, and says which of them changed and which are new, and the places of those that are gone. The
// order is ours: a new lock goes to its end.
func (e *encoder) follow(locks []*inspector.Lock) (changed []change, added []*entry, gone []int) {
	next := 0 // the entry that is likely the one of the next lock
	for _, l := range locks {
		id := lockID{l.DB, l.Key}
		var at *entry
		if next < len(e.order) && e.order[next].lock.DB == l.DB && e.order[next].lock.Key == l.Key {
			at = e.order[next]
		} else if at = e.entries[id]; at == nil {
			at = &entry{lock: l, index: -1, kept: l.Kept()}
			e.entries[id] = at
			added = append(added, at)
			at.seen = e.frames
			continue
		}
		next = at.index + 1
		at.seen = e.frames
		if at.lock == l || at.index < 0 {
			continue
		}
		changed = append(changed, change{at, at.lock, at.kept})
		at.kept = keptOf(l, at)
		at.lock = l
	}
	kept := e.order[:0:0]
	for i, at := range e.order {
		if at.seen == e.frames {
			if gone != nil {
				kept = append(kept, at)
			}
			continue
		}
		if gone == nil {
			kept = append(kept, e.order[:i]...)
		}
		gone = append(gone, i)
		delete(e.entries, lockID{at.lock.DB, at.lock.Key})
	}
	if gone == nil {
		kept = e.order
	}
	e.order = append(kept, added...)
	return changed, added, gone
}

// change is a lock that is another now than when it was written last.
type change struct {
	at     *entry
	before *inspector.Lock
	was    inspector.Kept
}

// keptOf is what is kept of a lock. Which libraries may have left it is asked again only where its value changed.
func keptOf(l *inspector.Lock, at *entry) inspector.Kept {
	if l.Scheme != at.lock.Scheme || l.Observed.Type != at.lock.Observed.Type || l.Observed.Value.Text != at.lock.Observed.Value.Text ||
		len(l.Observed.Companions) != len(at.lock.Observed.Companions) {
		return l.Kept()
	}
	return l.KeptBeside(at.kept)
}

// begin makes what the first line has besides locks and events.
func (e *encoder) begin(s *inspector.Snapshot, gone []int, fresh []*entry) error {
	first := restLine{Complete: s.Complete, NodeCount: len(s.Nodes), Totals: newTotals(&s.Totals)}
	if e.key {
		e.nodes = nil
	} else {
		first.Gone = gone
	}
	for i := range s.Nodes {
		if i >= len(e.nodes) || !reflect.DeepEqual(e.nodes[i], s.Nodes[i]) {
			line := nodeLine{i, packedStatus(s.Nodes[i], pack)}
			if i < len(e.nodes) && slices.Equal(e.nodes[i].Patterns, s.Nodes[i].Patterns) {
				line.Status.Patterns = nil // they are long, and never change
			}
			first.Nodes = append(first.Nodes, line)
		}
	}
	e.nodes = s.Nodes
	first.Roll = e.who.follow(s, e.key, fresh)
	if e.key || !slices.Equal(e.unseen, s.Unseen) {
		lines := append([]unseenLine{}, each(s.Unseen, newUnseen)...)
		first.Unseen = &lines
	}
	e.unseen = s.Unseen
	text, err := json.Marshal(first)
	if err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	e.rest = append(e.rest[:0], ',')
	e.rest = append(e.rest, text[1:len(text)-1]...)
	return nil
}

func newTotals(t *inspector.Totals) *totalsLine {
	line := &totalsLine{
		Locks: t.Locks, ByState: make(map[string]int, len(t.ByState)), Suspects: t.Suspects, Contended: t.Contended,
		PerSecond: t.AcquisitionsPerSecond,
	}
	for state, n := range t.ByState {
		line.ByState[pack(string(state))] = n
	}
	if t.Rates != [len(t.Rates)]float64{} {
		line.Rates = t.Rates[:]
	}
	return line
}

// packedStatus packs the texts of a status, or unpacks them.
func packedStatus(n keyspace.Status, text func(string) string) keyspace.Status {
	n.Node = keyspace.Node(text(string(n.Node)))
	n.Feed, n.Topology = keyspace.Feed(text(string(n.Feed))), keyspace.Topology(text(string(n.Topology)))
	for _, s := range []*string{
		&n.Version, &n.Software, &n.FeedReason, &n.Flags, &n.Err, &n.Role, &n.LastGapWhy, &n.Replication.MasterAddr,
		&n.WritesRefused, &n.Trouble.Kind, &n.Trouble.Why, &n.Trouble.Mend,
	} {
		*s = text(*s)
	}
	n.Patterns = each(n.Patterns, text)
	n.Replication.Replicas = each(n.Replication.Replicas, func(r keyspace.Replica) keyspace.Replica {
		r.Addr = text(r.Addr)
		return r
	})
	return n
}

// locks makes the lines of locks: of a key frame all, else those that changed and the new ones.
func (e *encoder) locks(changed []change, added []*entry) error {
	if e.key {
		for i, at := range e.order {
			at.index = i
			if err := e.add("locks", newLockLine(at.lock, nil, at.kept, inspector.Kept{})); err != nil {
				return err
			}
		}
		return nil
	}
	for _, c := range changed {
		line := newLockLine(c.at.lock, c.before, c.at.kept, c.was)
		place := c.at.index
		line.I = &place
		if err := e.add("locks", line); err != nil {
			return err
		}
	}
	for _, at := range added {
		if err := e.add("locks", newLockLine(at.lock, nil, at.kept, inspector.Kept{})); err != nil {
			return err
		}
	}
	for i, at := range e.order {
		at.index = i
	}
	return nil
}

// add adds one lock or event to the line under way, which is ended where it is long enough.
func (e *encoder) add(of string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode a frame: %w", err)
	}
	if len(e.payload) > 0 {
		e.payload = append(e.payload, ',')
	}
	e.payload = append(e.payload, text...)
	if len(e.payload) >= fullLine {
		e.line(of, true)
	}
	return nil
}

// line ends the line under way.
func (e *encoder) line(of string, more bool) {
	e.lines = append(e.lines, e.head...)
	e.lines = fmt.Appendf(e.lines, "%t", more)
	e.lines = append(e.lines, e.rest...)
	e.rest = e.rest[:0]
	if len(e.payload) > 0 {
		e.lines = fmt.Appendf(e.lines, `,%q:[`, of)
		e.lines = append(e.lines, e.payload...)
		e.lines = append(e.lines, ']')
	}
	e.lines = append(e.lines, '}', '\n')
	e.payload = e.payload[:0]
}
