package keyspace

import (
	"sync"
	"time"
)

// maxDirty is how many keys may wait to be read before we stop naming them and read everything again instead.
const maxDirty = 200_000

// maxMail is how many hints may wait for the feed, which fetches them every few milliseconds unless a read hangs.
const maxMail = 100_000

// maxAnnounced is how many messages of clients may wait for the feed.
const maxAnnounced = 1000

// mailbox is what the listener leaves for the feed: later news of a key replaces earlier news, and nothing ever blocks
// the goroutine that reads the socket.
type mailbox struct {
	mu    sync.Mutex
	hints []Hint
	dirty map[string]struct{}
	// announced are the hints from messages of clients.
	announced []Hint
	// forced are keys that the consumer wants to be read, changed those that were invalidated while events are the feed.
	forced, changed map[string]struct{}
	// adopted are keys that another node of the cluster had, related those to which a key of another node belongs, and owned are
	// the slots that are this node's from now on; nil: they are as they were.
	adopted, related map[string]struct{}
	owned            *slotSet
	// gap says in words why hints may have been missed since the last look; empty: none were.
	gap      string
	gapAt    time.Time
	received uint64
	dropped  uint64 // hints whose keys were marked, but whose names were not kept
	lag      time.Duration
	// down is the listener's trouble in words; empty while it hears the server.
	down      string
	refused   string // the server's word on why it refuses writes, and the last ping as one
	lastAlive time.Time
	hearing   Feed // what the listener has subscribed to, FeedPoll for nothing
	why       string
	renewed   string        // why everything must be read again although nothing was missed that we had not known of
	arrived   chan struct{} // one token
}

// mail is what one look into the mailbox finds.
type mail struct {
	hints     []Hint
	dirty     map[string]struct{}
	announced []Hint
	forced    map[string]struct{}
	changed   map[string]struct{}
	adopted   map[string]struct{}
	related   map[string]struct{}
	owned     *slotSet
	renewed   string
	gap       string
	gapAt     time.Time
	hearing   Feed
	why       string
	down      string
}

func newMailbox() *mailbox {
	return &mailbox{
		dirty: make(map[string]struct{}), forced: make(map[string]struct{}), changed: make(map[string]struct{}),
		adopted: make(map[string]struct{}), related: make(map[string]struct{}), hearing: FeedPoll, arrived: make(chan struct{}, 1),
	}
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
	m.lastAlive = h.At
	if len(m.hints) < maxMail {
		m.hints = append(m.hints, h)
	} else {
		m.dropped++
	}
	m.mark(h.Key)
	m.mu.Unlock()
	m.signal()
}

// announce notes a message of a client. It explains a change and is none itself, so that messages
// beyond a bound are left out: a busy channel must not cost us an event.
func (m *mailbox) announce(h Hint) {
	m.mu.Lock()
	if len(m.announced) < maxAnnounced {
		m.announced = append(m.announced, h)
	}
	m.mu.Unlock()
	m.signal()
}

func (m *mailbox) mark(key string) {
	m.dirty[key] = struct{}{}
	if len(m.dirty) > maxDirty {
		clear(m.dirty)
		m.noteGap("more keys changed at once than could be remembered", time.Now())
	}
}

func (m *mailbox) reread(keys []string) { m.put(&m.forced, keys) }

// put adds keys to one of the sets, which are replaced when the mail is taken.
func (m *mailbox) put(set *map[string]struct{}, keys []string) {
	m.mu.Lock()
	for _, key := range keys {
		(*set)[key] = struct{}{}
	}
	m.mu.Unlock()
	m.signal()
}

// adopt leaves keys to this node that another one had, relate those to which a key of another node belongs.
func (m *mailbox) adopt(keys ...string) { m.put(&m.adopted, keys) }

func (m *mailbox) relate(key string) { m.put(&m.related, []string{key}) }

// own says which slots are this node's from now on.
func (m *mailbox) own(slots *slotSet) {
	m.mu.Lock()
	m.owned = slots
	m.mu.Unlock()
	m.signal()
}

// invalidated notes that a key changed, by the second ear. It is of no use without bounds: a flood of changes is seen by
// its events, or by the first of its keys.
func (m *mailbox) invalidated(key string) {
	m.mu.Lock()
	if len(m.changed) < maxDoubts {
		m.changed[key] = struct{}{}
	}
	m.mu.Unlock()
	m.signal()
}

func (m *mailbox) noteGap(why string, at time.Time) { m.gap, m.gapAt = why, at }

// missed notes that hints may have been missed.
func (m *mailbox) missed(why string) {
	m.mu.Lock()
	m.noteGap(why, time.Now())
	m.mu.Unlock()
	m.signal()
}

// subscribed notes what the listener hears from now on.
func (m *mailbox) subscribed(hearing Feed, why string) {
	m.mu.Lock()
	m.hearing, m.why, m.down, m.lastAlive = hearing, why, "", time.Now()
	m.renewed = "subscribed anew" // from now on nothing is missed, but until now something may have been
	m.mu.Unlock()
	m.signal()
}

// lost notes that the listener hears nothing any more, or, again, that it still does not: that is the same gap. It began when
// the server was heard for the last time.
func (m *mailbox) lost(why string) {
	m.mu.Lock()
	if m.down == "" {
		m.noteGap(why, m.lastAlive)
	}
	m.down = why
	m.mu.Unlock()
	m.signal()
}

// alive notes a pong, and how long it took.
func (m *mailbox) alive(lag time.Duration) {
	m.mu.Lock()
	m.lag, m.lastAlive, m.refused = lag, time.Now(), ""
	m.mu.Unlock()
}

// answered notes a ping that was refused: whoever refuses is there. While the disk is full a ping is refused as a write is.
func (m *mailbox) answered(err error) {
	m.mu.Lock()
	m.lastAlive = time.Now()
	m.refused = ""
	if hasPrefix(err, "MISCONF") {
		m.refused = err.Error()
	}
	m.mu.Unlock()
}

func (m *mailbox) silence() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Since(m.lastAlive)
}

// writesRefused is the server's word on why it refuses writes; empty: it has said nothing of it.
func (m *mailbox) writesRefused() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused
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
		hints: m.hints, announced: m.announced, gap: m.gap, gapAt: m.gapAt,
		hearing: m.hearing, why: m.why, down: m.down, renewed: m.renewed,
	}
	m.hints, m.announced, m.gap, m.renewed = nil, nil, "", ""
	got.forced, m.forced = swap(m.forced)
	got.changed, m.changed = swap(m.changed)
	got.adopted, m.adopted = swap(m.adopted)
	got.related, m.related = swap(m.related)
	got.owned, m.owned = m.owned, nil
	got.dirty, m.dirty = swap(m.dirty)
	return got
}

// swap hands a set over if there is something in it, and puts an empty one in its place.
func swap(keys map[string]struct{}) (full, empty map[string]struct{}) {
	if len(keys) == 0 {
		return nil, keys
	}
	return keys, make(map[string]struct{})
}
