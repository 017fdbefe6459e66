package keyspace

import "sync"

// maxHints is how many hints wait for a slow consumer before more are only counted.
const maxHints = 10_000

// maxGone is how many records wait before it is no longer told of keys that came and went in between.
const maxGone = 10_000

// outbox holds what the consumer has not taken yet. A later record of a key replaces an earlier one, so that it never holds
// more than one a key; and beyond maxGone it holds none of a key that is gone, if the consumer never heard of it. So it is
// bounded by the keys that there are and those that the consumer knows.
type outbox struct {
	mu      sync.Mutex
	next    Update
	waiting map[string]waiting
	dropped uint64
	closed  bool
	filled  chan struct{} // one token: there is something, or the outbox was closed
}

// waiting is a record that waits: where it is in next.Records, and whether the consumer has heard of its key before.
type waiting struct {
	at    int
	known bool
}

func newOutbox(node Node) *outbox {
	return &outbox{next: Update{Node: node}, waiting: make(map[string]waiting), filled: make(chan struct{}, 1)}
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

// addAnnouncements adds the messages of clients if there is room. They only explain the other
// hints, so that none is counted as dropped.
func (b *outbox) addAnnouncements(hints []Hint) {
	if len(hints) == 0 {
		return
	}
	b.mu.Lock()
	room := max(0, maxHints/2-len(b.next.Hints))
	b.next.Hints = append(b.next.Hints, hints[:min(room, len(hints))]...)
	b.mu.Unlock()
	b.signal()
}

// addRecords takes records of keys of which known says whether they were last told to be there.
func (b *outbox) addRecords(records []Record, known func(key string) bool) {
	if len(records) == 0 {
		return
	}
	b.mu.Lock()
	for _, r := range records {
		w, waits := b.waiting[r.Key]
		if !waits {
			w = waiting{len(b.next.Records), known(r.Key)}
		}
		switch {
		case r.Type == TypeNone && !w.known && len(b.next.Records) > maxGone:
			if waits {
				b.drop(r.Key, w.at)
			}
		case waits:
			b.next.Records[w.at] = r
		default:
			b.waiting[r.Key] = w
			b.next.Records = append(b.next.Records, r)
		}
	}
	b.mu.Unlock()
	b.signal()
}

// drop forgets a record; the last one takes its place.
func (b *outbox) drop(key string, at int) {
	delete(b.waiting, key)
	end := len(b.next.Records) - 1
	if last := b.next.Records[end]; at < end {
		b.next.Records[at] = last
		b.waiting[last.Key] = waiting{at, b.waiting[last.Key].known}
	}
	b.next.Records[end] = Record{}
	b.next.Records = b.next.Records[:end]
}

func (b *outbox) endPass(p Pass) {
	b.mu.Lock()
	b.next.PassEnded = &p
	b.mu.Unlock()
	b.signal()
}

// setRoll replaces a roll that was not taken yet.
func (b *outbox) setRoll(r *Roll) {
	b.mu.Lock()
	b.next.Roll = r
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
	filled = len(u.Hints)+len(u.Records) > 0 || u.PassEnded != nil || u.Status != nil || u.Roll != nil
	b.next = Update{Node: u.Node}
	switch {
	case len(b.waiting) > maxGone:
		b.waiting = make(map[string]waiting) // a map never shrinks
	case filled:
		clear(b.waiting)
	}
	return u, filled, b.closed
}
