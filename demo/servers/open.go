package servers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"locktop/demo/embedded"
	"locktop/keyspace"
)

// Errors of servers that cannot be had.
var (
	errOwnServers = errors.New("this scenario breaks servers, so it only runs on servers of its own: leave out --url")
	errReal       = errors.New("this scenario needs a real server, and not the embedded one: install redis-server or valkey-server " +
		"and leave out --server embedded")
)

// Open starts the servers that are needed, or takes the one that is given as it is: whether that
// answers is not asked. It returns when all of them accept connections and a replica is in step
// with its master. The context ends a start early, and is of no importance afterwards. The error is
// [ErrNoServer] where a server on PATH is needed and there is none; others say that these options
// do not go together, or why a server did not start.
func Open(ctx context.Context, o Options) (Servers, error) {
	isEmbedded := o.Kind == Embedded
	switch {
	case !slices.Contains([]Kind{"", Auto, Redis, Embedded}, o.Kind):
		return nil, unknownKind(o.Kind)
	case o.Target != nil && (o.Needs == NeedsMasters || o.Needs == NeedsPair):
		return nil, errOwnServers
	case isEmbedded && (o.Needs == NeedsReal || o.Needs == NeedsPair):
		return nil, errReal
	case o.Target != nil:
		return target{*o.Target}, nil
	case o.Needs == NeedsReal:
		return openProcess(ctx, defaultTransport, mustFindBinary)
	case o.Needs == NeedsPair:
		p, err := openPair(ctx)
		if err != nil {
			return nil, err
		}
		return p, nil
	case o.Needs == NeedsMasters:
		m, err := openMasters(ctx, independentMasters, o.Kind)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	return openOne(ctx, o.Kind)
}

// independentMasters is how many a Redlock has in the texts: two may be lost.
const independentMasters = 5

// openOne starts one server.
func openOne(ctx context.Context, kind Kind) (Servers, error) {
	if kind == Embedded {
		return openEmbedded(ctx, defaultTransport)
	}
	b, err := openProcess(ctx, defaultTransport, findBinary)
	switch {
	case err == nil:
		return b, nil
	case ctx.Err() != nil: // which is then why it failed
		return nil, ctx.Err()
	case kind == Redis:
		return nil, err
	}
	return openEmbedded(ctx, defaultTransport) // Auto means that whatever is wrong with a server on PATH shall not spoil the demo.
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

func unknownKind(k Kind) error {
	return fmt.Errorf("unknown kind of server %q: there are %s, %s and %s", k, Auto, Redis, Embedded)
}

// inProcess is the embedded server.
type inProcess struct {
	server  *embedded.Server
	options keyspace.Options
	dir     string // that of its socket; "" if it has none
}

// openEmbedded starts an embedded server that no other user can reach: on a socket in a directory
// that only this user may enter, or on a loopback port with a random password.
func openEmbedded(ctx context.Context, over transport) (Servers, error) {
	if over == overLoopback {
		return embeddedAt(ctx, keyspace.Options{Network: "tcp", Password: rand.Text()})
	}
	dir, err := privateDir()
	if err != nil {
		return nil, err
	}
	s, err := embeddedAt(ctx, keyspace.Options{Network: "unix", Addr: filepath.Join(dir, "redis.sock")})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.dir = dir
	return s, nil
}

// bindPatience is how long an address may stay taken that was ours a moment ago.
const bindPatience = 2 * time.Second

// embeddedAt starts an embedded server. An address is that of a server that was closed. Between
// fork and exec a process that we start elsewhere still has the socket that was closed here, so
// that its address is taken for some milliseconds more.
func embeddedAt(ctx context.Context, o keyspace.Options) (inProcess, error) {
	for begin := time.Now(); ; {
		// It must outlive ctx for as long as the workers need to stop; who opened it closes it.
		server, err := embedded.Start(context.WithoutCancel(ctx), embedded.Options{
			Network: o.Network, Addr: o.Addr, Password: o.Password,
		})
		switch {
		case err == nil:
			o.Addr = server.Addr()
			return inProcess{server: server, options: o}, nil
		case o.Addr == "" || !errors.Is(err, syscall.EADDRINUSE) || time.Since(begin) > bindPatience || !wait(ctx, 5*time.Millisecond):
			return inProcess{}, err
		}
	}
}

func (b inProcess) Connections() []keyspace.Options { return []keyspace.Options{b.options} }
func (b inProcess) Reset(ctx context.Context) error { return empty(ctx, b.options) }
func (b inProcess) Name() string                    { return "embedded demo server" }

// Close ends the server and removes the directory of its socket.
func (b inProcess) Close() error {
	err := b.server.Close()
	if b.dir != "" {
		err = errors.Join(err, os.RemoveAll(b.dir))
	}
	return err
}
