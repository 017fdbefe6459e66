package cli

import (
	"context"

	"github.com/redis/go-redis/v9"
	"github.com/rogpeppe/go-internal/testscript"
)

// client connects a client that calls itself so, until the end of the script.
func (s *scripted) client(ts *testscript.TestScript, _ bool, args []string) {
	c := s.running.Client(func(o *redis.Options) { o.ClientName, o.PoolSize = args[0], 1 })
	ts.Check(c.Ping(context.Background()).Err())
}
