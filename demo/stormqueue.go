package demo

import "context"

// queue lets the workers that share a client wait for one of its connections for as long as it takes. The client itself
// would tell them after some seconds that it has none, as if the server had failed, where it is only slow: an embedded one
// under the load of thousands. It is safe for concurrent use.
//
// It is no hook of the client: the greeting of a new connection goes through the hooks, too, in the turn of the one who needs it.
type queue chan struct{}

// newQueue makes a queue for so many connections.
func newQueue(connections int) queue { return make(queue, connections) }

// turn does something that needs a connection, as soon as one is free.
func (q queue) turn(ctx context.Context, do func(context.Context) (bool, error)) (bool, error) {
	select {
	case q <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-q }()
	return do(ctx)
}
