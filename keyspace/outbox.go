package keyspace

import "sync"

// maxHints is how many hints wait for a slow consumer before more are only counted.
const maxHints = 10_000

// outbox holds what the consumer has not taken yet. A later record of a key replaces an earlier one, so that it never
// holds more than one a key.
type outbox struct {
	mu      sync.Mutex
	next    Update
	index   map[string]int // of next.Records
	dropped uint64
	closed  bool
	filled  chan struct{} // one token: there is something, or the outbox was closed
}

func newOutbox(node Node) *outbox {
	return &outbox{next: Update{Node: node}, index: make(map[string]int), filled: make(chan struct{}, 1)}
}

func (b *outbox) signal() {
	select {
	case b.filled <- struct{}{}:
	default:
	}
}

func (b *outbox) addHints(hints []Hint) {
	if len(hints) == 0 {
		return
	}
	b.mu.Lock()
	room := maxHints - len(b.next.Hints)
	b.next.Hints = append(b.next.Hints, hints[:min(room, len(hints))]...)
	b.dropped += uint64(len(hints) - min(room, len(hints)))
	b.mu.Unlock()
	b.signal()
}

func (b *outbox) addRecords(records []Record) {
	if len(records) == 0 {
		return
	}
	b.mu.Lock()
	for _, r := range records {
		if i, waits := b.index[r.Key]; waits {
			b.next.Records[i] = r
			continue
		}
		b.index[r.Key] = len(b.next.Records)
		b.next.Records = append(b.next.Records, r)
	}
	b.mu.Unlock()
	b.signal()
}

func (b *outbox) endPass(p Pass) {
	b.mu.Lock()
	b.next.PassEnded = &p
	b.mu.Unlock()
	b.signal()
}

func (b *outbox) setStatus(s Status) {
	b.mu.Lock()
	s.HintsDropped += b.dropped
	b.next.Status = &s
	b.mu.Unlock()
	b.signal()
}

func (b *outbox) close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.signal()
}

// take returns what there is, and whether anything was; last says that nothing will follow.
func (b *outbox) take() (u Update, filled, last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	u = b.next
	filled = len(u.Hints)+len(u.Records) > 0 || u.PassEnded != nil || u.Status != nil
	b.next = Update{Node: u.Node}
	switch {
	case len(b.index) > maxHints:
		b.index = make(map[string]int) // a map never shrinks
	case filled:
		clear(b.index)
	}
	return u, filled, b.closed
}
