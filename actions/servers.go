package actions

import (
	"context"
	"fmt"

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

// OneServer is a server that stands alone, whatever key is asked for. It does not close the client.
func OneServer(client *redis.Client) Servers { return oneServer{client} }

type oneServer struct{ client *redis.Client }

func (s oneServer) Client(context.Context, keyspace.Ref) (*redis.Client, error) { return s.client, nil }

func (oneServer) Redirected(_ context.Context, addr string) (*redis.Client, error) {
	return nil, fmt.Errorf("the key is on %s, and only one node of the cluster is connected", addr)
}

func (oneServer) Sharded() bool { return false }
