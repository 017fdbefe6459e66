package servers

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
)

// order gives a server of our own one command, once, on a connection that ends with it.
func order(ctx context.Context, o keyspace.Options, words ...any) (any, error) {
	client := orderly(o)
	said, err := client.Do(ctx, words...).Result()
	return said, errors.Join(err, client.Close())
}

// orderly is a client that asks once: what is tried again is for the caller to say.
func orderly(o keyspace.Options) *redis.Client {
	return redis.NewClient(&redis.Options{
		Network: o.Network, Addr: o.Addr, Password: o.Password, Protocol: 2, DisableIdentity: true,
		MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true,
	})
}
