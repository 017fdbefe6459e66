package keyspace

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// Connection is a server that answered. It is safe for concurrent use.
type Connection struct {
	options Options
}

// Connect dials the server, and finds out its version, role and what this user may do there. The error is a
// *[ConnectError], which says what was tried, what went wrong and what would mend it.
func Connect(ctx context.Context, o Options) (*Connection, error) {
	return nil, errors.New("not built yet")
}

// Node is the name of the server.
func (c *Connection) Node() Node { return c.options.Node() }

// NewClient makes a client of its own for the same server, for those who write (package actions, the demo's workers).
// MaxRetries is -1: a command whose answer was lost is never sent twice. The caller closes it.
func (c *Connection) NewClient(name string) *redis.Client { return nil }

// Read reads the named keys once, bounded as in [Record]; a Record each, in the same order.
func (c *Connection) Read(ctx context.Context, keys ...string) ([]Record, error) {
	return nil, errors.New("not built yet")
}

// Observe starts the feed. It returns an error where the options cannot be met (NotifyRequire without the flags, a
// pattern that the ACL denies); everything later is told in the Status. The feed ends with ctx.
func (c *Connection) Observe(ctx context.Context, o ObserveOptions) (*Observation, error) {
	return nil, errors.New("not built yet")
}

// Close closes the connection's clients.
func (c *Connection) Close() error { return nil }

// Observation is a running feed.
type Observation struct {
	updates chan Update
}

// Updates delivers what the feed saw; it is closed after the feed's last goroutine has ended. A consumer that is slow
// makes the feed coalesce records and count dropped hints; it never makes it block the server or grow without bound.
func (o *Observation) Updates() <-chan Update { return o.updates }

// Reread marks keys dirty, so that their state is delivered once more. It does not block.
func (o *Observation) Reread(keys ...string) {}
