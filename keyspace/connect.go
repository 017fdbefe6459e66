package keyspace

import (
	"cmp"
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// How long a server may take where [Options] do not say otherwise.
const (
	defaultDialTimeout    = 3 * time.Second
	defaultCommandTimeout = 3 * time.Second
)

// go-redis writes what it meets to standard error, which would tear the dashboard; we see the same errors as values.
func init() { redis.SetLogger(&logging.VoidLogger{}) }

// Connection is a server that answered. It is safe for concurrent use.
type Connection struct {
	options Options
	reader  *redis.Client
	meter   *meter // of the reader and of every feed
	clock   *clock
	server  Server
	// Commands that turned out to be unknown here, or denied, are not tried again.
	noPExpireTime, noPTTL, noMemoryUsage, noNumSub, noShardNumSub atomic.Bool
	noFieldTTLs                                                   atomic.Bool
	canNoTouch                                                    atomic.Bool
	registrar                                                     registrar
	asking                                                        asking
	listing                                                       listing
	// beside reads companions that other nodes of the cluster have; nil: all are here.
	beside func(ctx context.Context, keys []string) ([]Record, error)
}

// Server is what a server says of itself.
type Server struct {
	Software string // "redis", "valkey"
	Version  string
	RunID    string
	OS       string // as INFO has it; a managed service may say its name there
	Role     string // "master" or "replica"
	Mode     string // "standalone", "cluster" or "sentinel"
	// Limited says in words why INFO was not to be had; empty where it was.
	Limited string
}

// Connect dials the server, and finds out its version, role and what this user may do there. The error is a
// *[ConnectError], which says what was tried, what went wrong and what would mend it.
func Connect(ctx context.Context, o Options) (*Connection, error) {
	o = o.withDefaults()
	if err := probe(ctx, o); err != nil {
		return nil, connectError(o, err)
	}
	c := &Connection{options: o, meter: new(meter), registrar: registrar{most: rollMost}}
	c.reader = redis.NewClient(c.readOptions(o.ClientName, readersAtOnce+1, readCommands))
	c.reader.AddHook(askingHook{&c.asking})
	c.clock = newClock()
	// go-redis looks at the context before it waits for an answer, and not while it waits.
	stay := context.AfterFunc(ctx, func() { _ = c.reader.Close() })
	err := c.greet(ctx)
	if !stay() {
		return nil, connectError(o, ctx.Err())
	}
	if err != nil {
		_ = c.reader.Close() // the error of greet says more
		return nil, connectError(o, err)
	}
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.Network == "" {
		o.Network = "tcp"
	}
	if o.Addr == "" {
		o.Addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(DefaultPort))
	}
	if o.ClientName == "" {
		o.ClientName = "locktop"
	}
	if o.DialTimeout == 0 {
		o.DialTimeout = defaultDialTimeout
	}
	if o.CommandTimeout == 0 {
		o.CommandTimeout = defaultCommandTimeout
	}
	return o
}

// probe dials once without the client library, whose pool would try five times and hide the first error.
func probe(ctx context.Context, o Options) error {
	dialer := net.Dialer{Timeout: o.DialTimeout}
	conn, err := dialer.DialContext(ctx, o.Network, o.Addr)
	if err != nil {
		return err
	}
	return conn.Close()
}

// redisOptions are the options of every client that we make: nothing is ever sent twice, a context ends a wait, and the size of
// a reply is bounded.
func (c *Connection) redisOptions(name string, poolSize int) *redis.Options {
	o := c.options
	made := &redis.Options{
		// ClientName would fail the connection of a user who may not CLIENT SETNAME.
		OnConnect: func(ctx context.Context, conn *redis.Conn) error {
			return unlessAnswered(conn.Do(ctx, "CLIENT", "SETNAME", name).Err())
		},
		Network: o.Network, Addr: o.Addr,
		Username: o.Username, Password: o.Password, DB: o.DB,
		TLSConfig:             o.TLS,
		DisableIdentity:       true, // CLIENT SETINFO is unknown before 7.2, and one more thing for an ACL to allow
		Protocol:              3,
		MaxRetries:            -1,
		DialerRetries:         1,
		DialTimeout:           o.DialTimeout,
		ReadTimeout:           o.CommandTimeout,
		WriteTimeout:          o.CommandTimeout,
		ContextTimeoutEnabled: true,
		PoolSize:              poolSize,
		MaintNotificationsConfig: &maintnotifications.Config{
			Mode: maintnotifications.ModeDisabled, // a service's own maintenance protocol; it would add handshakes
		},
	}
	boundReplies(made)
	return made
}

// readOptions are those of a client that may send nothing but these commands.
func (c *Connection) readOptions(name string, poolSize int, allowed []string) *redis.Options {
	o := c.redisOptions(name, poolSize)
	dial := o.Dialer
	o.Dialer = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		w := &wire{Conn: conn, meter: c.meter, allowed: allowed}
		if socket, is := conn.(syscall.Conn); is {
			return socketWire{w, socket}, nil
		}
		return w, nil
	}
	named := o.OnConnect
	o.OnConnect = func(ctx context.Context, conn *redis.Conn) error {
		if err := named(ctx, conn); err != nil || !c.canNoTouch.Load() {
			return err
		}
		return unlessAnswered(conn.Do(ctx, noTouch...).Err()) // where the ACL forbids it, reads count as use, as anybody's do
	}
	return o
}

// noTouch keeps our reads from making keys look recently used, which under maxmemory would decide who is evicted.
var noTouch = []any{"CLIENT", "NO-TOUCH", "ON"}

// NewClient makes a client of its own for the same server, for those who write (package actions, the demo's workers).
// MaxRetries is -1: a command whose answer was lost is never sent twice. The caller closes it.
func (c *Connection) NewClient(name string) *redis.Client {
	return redis.NewClient(c.redisOptions(name, 16))
}

// greet asks for what must work (PING) and for what may be denied (INFO).
func (c *Connection) greet(ctx context.Context) error {
	if err := c.reader.Ping(ctx).Err(); err != nil && !declinesPing(err) {
		return err
	}
	server, err := c.askServer(ctx)
	if err != nil {
		return err
	}
	c.server = server
	if server.AtLeast(7, 2) {
		c.canNoTouch.Store(true)
		if err := unlessAnswered(c.reader.Do(ctx, noTouch...).Err()); err != nil { // the one connection that is open
			return err
		}
	}
	for range clockMemory {
		if err := c.measureClock(ctx); err != nil {
			return err
		}
	}
	return nil
}

// askServer asks INFO, and where that is denied HELLO, which nobody is denied but which knows no run id.
func (c *Connection) askServer(ctx context.Context) (Server, error) {
	pipe := c.reader.Pipeline()
	server, replication := pipe.Info(ctx, "server"), pipe.Info(ctx, "replication")
	if err := exec(ctx, pipe); err != nil {
		return Server{}, err
	}
	if err := errors.Join(server.Err(), replication.Err()); err == nil {
		return parseServer(server.Val() + "\r\n" + replication.Val()), nil
	}
	s := Server{Software: "redis", Role: "master", Mode: "standalone", Limited: "INFO: " + errors.Join(server.Err(), replication.Err()).Error()}
	hello, err := c.reader.Do(ctx, "HELLO", 3).Result()
	if err != nil && !isAnswer(err) {
		return Server{}, err
	}
	facts, _ := hello.(map[any]any)
	for name, field := range map[string]*string{"server": &s.Software, "version": &s.Version, "role": &s.Role, "mode": &s.Mode} {
		if text, ok := facts[name].(string); ok {
			*field = text
		}
	}
	s.Limited = strings.ReplaceAll(s.Limited, "\n", "; ")
	return s, nil
}

// AtLeast compares versions by their first two numbers. A version that is not known is as old as can be.
func (s Server) AtLeast(major, minor int) bool {
	first, rest, _ := strings.Cut(s.Version, ".")
	second, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(second)
	return errA == nil && errB == nil && (a > major || a == major && b >= minor)
}

// HasFieldTTLs reports whether the fields of a hash can have TTLs of their own on this server.
func (s Server) HasFieldTTLs() bool {
	return s.Software == "redis" && s.AtLeast(7, 4) || s.Software == "valkey" && s.AtLeast(9, 0)
}

// limits says in words what lasting trouble this server gives; empty where it gives none.
func (s Server) limits() string {
	switch {
	case s.Version != "" && !s.AtLeast(6, 2):
		return s.Software + " " + s.Version + " is older than 6.2, the oldest that locktop is made for; some of it will not work"
	default:
		return s.Limited
	}
}

func parseServer(info string) Server {
	fields := InfoFields(info)
	s := Server{
		Software: "redis", Version: fields["redis_version"], RunID: fields["run_id"], OS: fields["os"], Role: roleOf(fields),
		Mode: cmp.Or(fields["redis_mode"], fields["server_mode"], "standalone"), // Valkey has both, if it does not hide the former
	}
	if version := fields["valkey_version"]; version != "" {
		s.Software, s.Version = "valkey", version
	}
	return s
}

// Node is the name of the server.
func (c *Connection) Node() Node { return c.options.Node() }

// userName is the ACL's name for who we are.
func (c *Connection) userName() string { return cmp.Or(c.options.Username, "default") }

// Mend is the ACL line that gives our user these rules.
func (c *Connection) Mend(rules string) string {
	return "ACL SETUSER " + ACLWord(c.userName()) + " " + rules
}

// DB is the number of the database that is looked at.
func (c *Connection) DB() int { return c.options.DB }

// Server is what the server said of itself when it was connected.
func (c *Connection) Server() Server { return c.server }

// Close closes the connection's clients.
func (c *Connection) Close() error { return c.reader.Close() }
