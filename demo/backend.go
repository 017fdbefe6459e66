package demo

import (
	"context"
	"errors"
	"fmt"

	"locktop/demo/embedded"
	"locktop/keyspace"
)

// backend is the server that a demo runs on.
type backend interface {
	// Options say how to reach it.
	Options() keyspace.Options
	// Name is what the header calls it.
	Name() string
	// Close stops it, if it is ours, and removes its files. It is called once.
	Close() error
}

// ErrNoServer says that no usable redis-server or valkey-server is on PATH.
var ErrNoServer = errors.New("no usable redis-server or valkey-server on PATH")

// openBackend starts or finds the server that the options ask for.
func openBackend(ctx context.Context, o Options) (backend, error) {
	if o.Target != nil {
		return target{*o.Target}, nil
	}
	switch o.Server {
	case ServerEmbedded:
		return openEmbedded(ctx)
	case ServerRedis, ServerAuto, "":
		b, err := openProcess(ctx, defaultTransport)
		switch {
		case err == nil:
			return b, nil
		case ctx.Err() != nil: // which is then why it failed
			return nil, ctx.Err()
		case o.Server == ServerRedis:
			return nil, err
		}
		return openEmbedded(ctx) // Auto means that whatever is wrong with a server on PATH shall not spoil the demo.
	}
	return nil, unknownServer(o.Server)
}

func unknownServer(s Server) error {
	return fmt.Errorf("unknown kind of server %q: there are %s, %s and %s", s, ServerAuto, ServerRedis, ServerEmbedded)
}

// inProcess is the embedded server.
type inProcess struct{ server *embedded.Server }

func openEmbedded(ctx context.Context) (backend, error) { return embeddedAt(ctx, "") }

// embeddedAt starts an embedded server, in the place of another where an address is given.
func embeddedAt(ctx context.Context, addr string) (backend, error) {
	// It must outlive ctx for as long as the workers need to stop; who opened it closes it.
	server, err := embedded.Start(context.WithoutCancel(ctx), embedded.Options{Addr: addr})
	if err != nil {
		return nil, err
	}
	return inProcess{server}, nil
}

func (b inProcess) Options() keyspace.Options {
	return keyspace.Options{Network: "tcp", Addr: b.server.Addr()}
}
func (b inProcess) Name() string { return "embedded demo server" }
func (b inProcess) Close() error { return b.server.Close() }
