package keyspace

import (
	"sync"
	"time"
)

// maxDirty is how many keys may wait to be read before we stop naming them and read everything again instead.
const maxDirty = 200_000

// mailbox is what the listener leaves for the feed: later news of a key replaces earlier news, and nothing ever blocks
// the goroutine that reads the socket.
type mailbox struct {
	mu    sync.Mutex
	hints []Hint
	dirty map[string]struct{}
	// gap says in words why hints may have been missed since the last look; empty: none were.
	gap      string
	gapAt    time.Time
	received uint64
	dropped  uint64 // hints whose keys were marked, but whose names were not kept
	lag      time.Duration
	// down is the listener's trouble in words; empty while it hears the server.
	down      string
	lastAlive time.Time
	hearing   Feed // what the listener has subscribed to, FeedPoll for nothing
	why       string
	begun     bool          // a subscription has begun since the last look
	arrived   chan struct{} // one token
}

// mail is what one look into the mailbox finds.
type mail struct {
	hints   []Hint
	dirty   map[string]struct{}
	gap     string
	gapAt   time.Time
	hearing Feed
	why     string
	begun   bool
	down    string
}

func newMailbox() *mailbox {
	return &mailbox{dirty: make(map[string]struct{}), hearing: FeedPoll, arrived: make(chan struct{}, 1)}
}

func (m *mailbox) signal() {
	select {
	case m.arrived <- struct{}{}:
	default:
	}
}

// hint notes an event. Hints that nobody has fetched are bounded by dropping the names of events, never the dirty key.
func (m *mailbox) hint(h Hint) {
	m.mu.Lock()
	m.received++
	if len(m.hints) < maxHints {
		m.hints = append(m.hints, h)
	} else {
		m.dropped++
	}
	m.mark(h.Key)
	m.mu.Unlock()
	m.signal()
}

func (m *mailbox) mark(key string) {
	m.dirty[key] = struct{}{}
	if len(m.dirty) > maxDirty {
		clear(m.dirty)
		m.noteGap("more keys changed at once than could be remembered")
	}
}

func (m *mailbox) reread(keys []string) {
	m.mu.Lock()
	for _, key := range keys {
		m.mark(key)
	}
	m.mu.Unlock()
	m.signal()
}

func (m *mailbox) noteGap(why string) { m.gap, m.gapAt = why, time.Now() }

// missed notes that hints may have been missed.
func (m *mailbox) missed(why string) {
	m.mu.Lock()
	m.noteGap(why)
	m.mu.Unlock()
	m.signal()
}

// subscribed notes what the listener hears from now on.
func (m *mailbox) subscribed(hearing Feed, why string) {
	m.mu.Lock()
	m.hearing, m.why, m.down, m.lastAlive, m.begun = hearing, why, "", time.Now(), true
	m.mu.Unlock()
	m.signal()
}

// lost notes that the listener hears nothing any more.
func (m *mailbox) lost(why string) {
	m.mu.Lock()
	m.down = why
	m.noteGap(why)
	m.mu.Unlock()
	m.signal()
}

// alive notes a pong, and how long it took.
func (m *mailbox) alive(lag time.Duration) {
	m.mu.Lock()
	m.lag, m.lastAlive = lag, time.Now()
	m.mu.Unlock()
}

func (m *mailbox) silence() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Since(m.lastAlive)
}

// counts are for the status.
func (m *mailbox) counts() (received, dropped uint64, lag time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.received, m.dropped, m.lag
}

func (m *mailbox) take() mail {
	m.mu.Lock()
	defer m.mu.Unlock()
	got := mail{
		hints: m.hints, gap: m.gap, gapAt: m.gapAt,
		hearing: m.hearing, why: m.why, down: m.down, begun: m.begun,
	}
	m.hints, m.gap, m.begun = nil, "", false
	if len(m.dirty) > 0 {
		got.dirty, m.dirty = m.dirty, make(map[string]struct{})
	}
	return got
}
