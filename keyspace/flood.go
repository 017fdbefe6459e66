package keyspace

import (
	"time"

	"github.com/redis/go-redis/v9"
)

// flood measures the messages of clients. They arrive on the connection that brings the events, and
// the server closes a connection that does not keep up. Events are worth more: without the messages
// some releases are shown as freed, and without the events there is a gap. Only the listener uses
// it.
type flood struct {
	since time.Time // when the present second began
	bytes int       // in this second
	until time.Time // until then no message is subscribed to
}

const (
	floodBytes = 16 << 20         // a second, as many as 150,000 short messages have
	perMessage = 64               // bytes that each message costs besides its text
	lostBytes  = 1 << 20          // in the second in which the server closed the connection
	floodedFor = 10 * time.Minute // before the messages are subscribed to again
	floodedWhy = "clients send too many messages on channels such as *release*, so that locktop does not listen there; " +
		"releases that only such a message proves are shown as freed"
)

// add reports whether this message is one too many.
func (f *flood) add(m *redis.Message, now time.Time) bool {
	if now.Sub(f.since) > time.Second {
		f.since, f.bytes = now, 0
	}
	f.bytes += perMessage + len(m.Pattern) + len(m.Channel) + len(m.Payload)
	return f.bytes > floodBytes && f.begin(now)
}

// lost notes that the connection was lost, which may be for the messages.
func (f *flood) lost(now time.Time) {
	if f.bytes > lostBytes && now.Sub(f.since) < 2*time.Second {
		f.begin(now)
	}
}

// begin reports whether the flood begins only now.
func (f *flood) begin(now time.Time) bool {
	if f.lasts(now) {
		return false
	}
	f.until = now.Add(floodedFor)
	return true
}

func (f *flood) lasts(now time.Time) bool { return now.Before(f.until) }
