package keyspace

import (
	"context"
	"errors"
)

// Observe starts the feed. It returns an error where the options cannot be met (NotifyRequire without the flags, a
// pattern that the ACL denies); everything later is told in the Status. The feed ends with ctx.
func (c *Connection) Observe(ctx context.Context, o ObserveOptions) (*Observation, error) {
	return nil, errors.New("not built yet")
}

// Observation is a running feed.
type Observation struct {
	updates chan Update
}

// Updates delivers what the feed saw; it is closed after the feed's last goroutine has ended. A consumer that is slow
// makes the feed coalesce records and count dropped hints; it never makes it block the server or grow without bound.
func (o *Observation) Updates() <-chan Update { return o.updates }

// Reread marks keys dirty, so that their state is delivered once more. It does not block.
func (o *Observation) Reread(keys ...string) {}
