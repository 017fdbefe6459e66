package keyspace

import (
	"context"
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
