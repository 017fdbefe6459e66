package actions

import (
	"context"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
)

// Servers are where an [Operator] acts; keyspace.Servers are some. All clients have a MaxRetries of -1, and the Operator does
// not close them.
type Servers interface {
	// Client is for the server that has the key now. Of independent masters it is the one that ref names; in a cluster it is the
	// master of the key's slot, and with sentinels the present master, whichever node the key was seen on.
	Client(ctx context.Context, ref keyspace.Ref) (*redis.Client, error)
	// Redirected is for the address that a cluster's MOVED or ASK named.
	Redirected(ctx context.Context, addr string) (*redis.Client, error)
	// Sharded says whether the servers are a cluster that knows sharded channels (SPUBLISH; Redis 7.0).
	Sharded() bool
}
