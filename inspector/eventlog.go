package inspector

import "sync"

// How many events are remembered, and how many a snapshot carries.
const (
	maxEvents      = 20_000
	snapshotEvents = 500
)

// eventLog is the bounded memory of what happened; safe for concurrent use.
type eventLog struct {
	mu     sync.Mutex
	events []Event // the last ones, oldest first; trimmed by half a memory at a time
	seq    uint64
}

// add takes an event; without a log nobody hears of it.
func (l *eventLog) add(e Event) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	e.Seq = l.seq
	if len(l.events) == maxEvents+maxEvents/2 {
		l.events = append(l.events[:0:0], l.events[maxEvents/2:]...)
	}
	l.events = append(l.events, e)
}

// since returns the events after seq, and how many of them are forgotten.
func (l *eventLog) since(seq uint64) (events []Event, lost uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if seq >= l.seq {
		return nil, 0
	}
	missing := l.seq - seq
	kept := min(missing, uint64(len(l.events)))
	return append([]Event(nil), l.events[uint64(len(l.events))-kept:]...), missing - kept
}

// tail returns the last events; the slice is shared and must not be changed, which add respects: it only appends.
func (l *eventLog) tail(n int) []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	end := len(l.events)
	return l.events[max(0, end-n):end:end]
}
