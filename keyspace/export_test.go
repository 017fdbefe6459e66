package keyspace

import (
	"context"
	"errors"
	"time"
)

// SeeCommands calls f with the name of every command that is sent on the connection from now on.
func SeeCommands(c *Connection, f func(name string)) { c.meter.sees.Store(&f) }

// Try sends any command on the connection that only reads.
func Try(ctx context.Context, c *Connection, command ...any) error {
	return c.reader.Do(ctx, command...).Err()
}

// BytesFetched is how much the server has sent.
func BytesFetched(c *Connection) int64 { return c.meter.fetched.Load() }

// BytesSent is how much was sent to the server.
func BytesSent(c *Connection) int64 { return c.meter.sent.Load() }

// CommandsSent is how many commands were sent.
func CommandsSent(c *Connection) uint64 { return c.meter.commands.Load() }

// ReadNotifications judges a setting for a server of this version.
func ReadNotifications(software, version, old string) Notifications {
	c := &Connection{server: Server{Software: software, Version: version}}
	return c.readNotifications(old)
}

// MatchSet is how a pass matches several patterns.
func MatchSet(patterns ...Pattern) (match func(key string) bool, first func(key string) int) {
	m := newMatcher(patterns)
	return m.match, m.first
}

// Names are the commands in a stream of requests that is cut into pieces of the given size.
func Names(stream string, piece int) []string {
	var names []string
	var r requestReader
	for at := 0; at < len(stream); at += piece {
		r.read([]byte(stream[at:min(at+piece, len(stream))]), func(name string) { names = append(names, name) })
	}
	return names
}

// EndDeafness lets the time pass for which events are not believed after they did not come.
func EndDeafness(o *Observation) {
	o.feed.shared.Lock()
	defer o.feed.shared.Unlock()
	o.feed.shared.deafUntil = time.Now()
}

// SkewClock makes the connection believe that the server's clock is so much before ours, until it is measured again.
func SkewClock(c *Connection, by time.Duration) {
	c.clock.mu.Lock()
	defer c.clock.mu.Unlock()
	c.clock.samples = []clockSample{{offset: by}}
}

// ClockOffset is what a clock says after these measurements, each of a server that is ahead by so much, and of a round trip.
func ClockOffset(measured ...[2]time.Duration) time.Duration {
	c := newClock()
	sent := time.Now()
	for _, m := range measured {
		received := sent.Add(m[1])
		c.add(sent, received, sent.Add(m[1]/2).Add(m[0]))
	}
	return c.offset()
}

// Stepped is a feed without goroutines: the test does its work.
type Stepped struct{ f *feed }

// NewStepped makes a feed of which nothing has been done yet.
func NewStepped(c *Connection, o ObserveOptions) *Stepped {
	return &Stepped{newFeed(c, o.withDefaults(), Notifications{})}
}

// Learn has the feed take what reads have found.
func (s *Stepped) Learn(records ...Record) { s.f.learn(records, asked) }

// Pass goes on until a pass has ended.
func (s *Stepped) Pass(ctx context.Context) error {
	before := s.f.lastPass.Generation
	for range 1000 {
		if err := s.f.step(ctx); err != nil || s.f.lastPass.Generation > before {
			return err
		}
	}
	return errors.New("no pass ends")
}

// MeasureClockAt says when the clock is measured next.
func (s *Stepped) MeasureClockAt(at time.Time) { s.f.nextClock = at }

// Due takes out the keys that are nudged at the given time.
func (s *Stepped) Due(at time.Time) []string { return s.f.deadlines.due(at, nudgeBatch) }

// Deadlines is for how many keys one is kept.
func (s *Stepped) Deadlines() int { return len(s.f.deadlines) }

// Take is what the consumer would be handed now.
func (s *Stepped) Take() Update {
	u, _, _ := s.f.out.take()
	return u
}

// MaxGone is how many records wait before keys that came and went are left out.
const MaxGone = maxGone

// ProbeCommands is what a monitor's connection may send.
func ProbeCommands() []string { return probeCommands }

// Busiest is why a server that runs so many commands a second is not probed.
func Busiest(ops float64) error {
	return busiest([]ProbedNode{{Node: "somewhere:6379", Before: Load{Known: true, Ops: ops}}})
}

// ParseHeard reads one line of MONITOR.
func ParseHeard(line []byte) (Heard, bool) { return new(heardLine).parse(line) }
