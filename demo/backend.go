package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"locktop/demo/embedded"
	"locktop/keyspace"
)

// backend is the servers that a demo runs on.
type backend interface {
	// connections say how to reach them, one for each server that workers talk to.
	connections() []keyspace.Options
	// Name is what the header calls it.
	Name() string
	// reset makes servers of ours as they were at the beginning: empty, and all of them there.
	reset(ctx context.Context) error
	// Close stops them, if they are ours, and removes their files. It is called once.
	Close() error
}

// ErrNoServer says that no usable redis-server or valkey-server is on PATH.
var ErrNoServer = errors.New("no usable redis-server or valkey-server on PATH")

// Errors of servers that cannot be had.
var (
	errOwnServers = errors.New("this scenario breaks servers, so it only runs on servers of its own: leave out --url")
	errReal       = errors.New("this scenario needs a real server, and not the embedded one: install redis-server or valkey-server " +
		"and leave out --server embedded")
)

// openBackend starts or finds the servers that the scenario needs and the options ask for.
func openBackend(ctx context.Context, o Options, needs Needs) (backend, error) {
	embedded := o.Server == ServerEmbedded
	switch {
	case !slices.Contains([]Server{"", ServerAuto, ServerRedis, ServerEmbedded}, o.Server):
		return nil, unknownServer(o.Server)
	case o.Target != nil && (needs == NeedsMasters || needs == NeedsPair):
		return nil, errOwnServers
	case embedded && (needs == NeedsReal || needs == NeedsPair):
		return nil, errReal
	case o.Target != nil:
		return target{*o.Target}, nil
	case needs == NeedsReal:
		return openProcess(ctx, defaultTransport)
	case needs == NeedsPair:
		p, err := openPair(ctx)
		if err != nil {
			return nil, err
		}
		return p, nil
	case needs == NeedsMasters:
		m, err := openMasters(ctx, independentMasters, o.Server)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	return openOne(ctx, o.Server)
}

// independentMasters is how many a Redlock has in the texts: two may be lost.
const independentMasters = 5

// openOne starts one server.
func openOne(ctx context.Context, kind Server) (backend, error) {
	if kind == ServerEmbedded {
		return openEmbedded(ctx)
	}
	b, err := openProcess(ctx, defaultTransport)
	switch {
	case err == nil:
		return b, nil
	case ctx.Err() != nil: // which is then why it failed
		return nil, ctx.Err()
	case kind == ServerRedis:
		return nil, err
	}
	return openEmbedded(ctx) // Auto means that whatever is wrong with a server on PATH shall not spoil the demo.
}

// empty removes everything from a server of our own.
func empty(ctx context.Context, o keyspace.Options) error {
	o.ClientName = "demo"
	conn, err := keyspace.Connect(ctx, o)
	if err != nil {
		return err
	}
	client := conn.NewClient("demo-cleaner")
	err = client.FlushAll(ctx).Err()
	if err != nil {
		err = fmt.Errorf("empty the server: %w", err)
	}
	return errors.Join(err, client.Close(), conn.Close())
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

func (b inProcess) connections() []keyspace.Options {
	return []keyspace.Options{{Network: "tcp", Addr: b.server.Addr()}}
}
func (b inProcess) reset(ctx context.Context) error { return empty(ctx, b.connections()[0]) }
func (b inProcess) Name() string                    { return "embedded demo server" }
func (b inProcess) Close() error                    { return b.server.Close() }
