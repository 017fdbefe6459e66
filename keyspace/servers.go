package keyspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Servers are the servers that belong together: one, the masters of a cluster, the one that sentinels name, or several
// independent masters. They are safe for concurrent use.
//
// Which servers those are changes while they are looked at. Whoever asks for one by [Servers.Client] or [Servers.ReadWith] is
// served by the one that was last known to be right, and follows a cluster's redirections from there.
type Servers struct {
	place    Place
	topology Topology

	mu     sync.Mutex
	roster roster
	words  string // of the answer that the roster comes from
	few    string // says so in words where fewer than half of the sentinels give that answer; empty: enough do
	seats  map[Node]*seat
	closed bool
}

// What a Place can be wrong about, besides the errors of [Connect]. Test with errors.Is on what [Dial] returns.
var (
	ErrSentinel = errors.New("sentinel")
	ErrMixture  = errors.New("these servers do not belong together")
)

// Dial connects to the servers of a place, and finds out how they belong together. Where one server is named, or a cluster's
// node, or sentinels, the error is that of [Connect]; of several independent masters it is enough that one answers.
func Dial(ctx context.Context, place Place) (*Servers, error) {
	s := &Servers{place: place, topology: Standalone, seats: make(map[Node]*seat)}
	for i := range place.Servers {
		s.place.Servers[i] = place.Servers[i].withDefaults()
	}
	if err := s.dial(ctx); err != nil {
		_ = s.Close() // the error of dial says more
		return nil, err
	}
	return s, nil
}

func (s *Servers) dial(ctx context.Context) error {
	connections, errs := s.connectAll(ctx, s.place.Servers)
	if len(connections) == 0 {
		return errs[0]
	}
	var cluster, sentinel []*Connection
	for _, c := range connections {
		switch c.server.Mode {
		case "cluster":
			cluster = append(cluster, c)
		case "sentinel":
			sentinel = append(sentinel, c)
		}
	}
	switch {
	case s.place.Sentinel != "" && len(sentinel) < len(connections):
		return fmt.Errorf("%w: %s is none: leave --sentinel out, or give the addresses of sentinels", ErrSentinel, notIn(connections, sentinel).Node())
	case s.place.Sentinel != "":
		s.topology = Sentinel
	case len(sentinel) > 0:
		return fmt.Errorf("%w: %s is one, and keeps no keys: name the master that it watches with --sentinel; %s",
			ErrSentinel, sentinel[0].Node(), watched(ctx, sentinel[0]))
	case len(cluster) > 0 && len(cluster) < len(connections):
		return fmt.Errorf("%w: %s is a node of a cluster, and %s is not", ErrMixture, cluster[0].Node(), notIn(connections, cluster).Node())
	case len(cluster) > 0:
		s.topology = Cluster
	case len(s.place.Servers) > 1:
		s.topology = Redlock
		if err := independent(s.place.Servers, connections); err != nil {
			return err
		}
		fallthrough
	default:
		for _, o := range s.place.Servers {
			s.roster.members = append(s.roster.members, member{options: o})
		}
		slices.SortFunc(s.roster.members, func(a, b member) int { return cmp.Compare(a.options.Node(), b.options.Node()) })
		return nil
	}
	if err := s.ask(ctx); err != nil {
		return s.wrong(err)
	}
	_, err := s.AnyMaster(ctx)
	return err
}

// wrong makes an error about who belongs together one for people.
func (s *Servers) wrong(err error) error {
	var known *ConnectError
	if errors.As(err, &known) {
		return err
	}
	e := &ConnectError{Addr: string(s.place.Servers[0].Node()), Err: err}
	if isDenied(err) {
		rule := "+cluster|slots"
		if s.topology == Sentinel {
			rule = "+sentinel|get-master-addr-by-name"
		}
		e.Kind, e.Mend = ErrPermission, "ACL SETUSER "+ACLWord(cmp.Or(s.place.Servers[0].Username, "default"))+" "+rule
	}
	return e
}

// independent refuses servers that cannot each have a vote of their own.
func independent(named []Options, connections []*Connection) error {
	for i, c := range connections {
		for _, other := range connections[:i] {
			if id := c.server.RunID; id != "" && id == other.server.RunID || c.Node() == other.Node() {
				return fmt.Errorf("%w: %s and %s are the same server, which has one vote", ErrMixture, other.Node(), c.Node())
			}
		}
	}
	for _, o := range named {
		if o.DB != named[0].DB {
			return fmt.Errorf("%w: a Redlock has its keys in one database, and these are %d and %d", ErrMixture, named[0].DB, o.DB)
		}
	}
	return nil
}

// notIn is the first of all that is not among some.
func notIn(all, some []*Connection) *Connection {
	for _, c := range all {
		if !slices.Contains(some, c) {
			return c
		}
	}
	return nil
}

// connectAll connects at the same time; the errors are those of the servers that did not answer.
func (s *Servers) connectAll(ctx context.Context, all []Options) (connections []*Connection, errs []error) {
	type answer struct {
		connection *Connection
		err        error
	}
	answers := make([]answer, len(all))
	var dialled sync.WaitGroup
	for i, o := range all {
		dialled.Go(func() { answers[i].connection, answers[i].err = s.connection(ctx, o) })
	}
	dialled.Wait()
	for _, a := range answers {
		if a.err != nil {
			errs = append(errs, a.err)
		} else {
			connections = append(connections, a.connection)
		}
	}
	return connections, errs
}

// present is the roster as it was last known, and the words that it comes from.
func (s *Servers) present() (roster, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.roster, s.words
}

// doubtful is the roster, and why it may be wrong; empty: it is not doubted.
func (s *Servers) doubtful() (now roster, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.roster, s.few
}

// AnyMaster is the first master that answers.
func (s *Servers) AnyMaster(ctx context.Context) (*Connection, error) {
	now, _ := s.present()
	var first error
	for _, m := range now.members {
		c, err := s.connection(ctx, m.options)
		if err == nil {
			return c, nil
		}
		first = cmp.Or(first, err)
	}
	return nil, cmp.Or(first, errors.New("there is no master"))
}

// Topology is how the servers belong together.
func (s *Servers) Topology() Topology { return s.topology }

// Nodes are the masters as they were last known.
func (s *Servers) Nodes() []Node {
	now, _ := s.present()
	var nodes []Node
	for _, m := range now.members {
		nodes = append(nodes, m.options.Node())
	}
	return nodes
}

// Masters is the number of independent masters that vote: more than one of a Redlock, else one, however many nodes there are.
func (s *Servers) Masters() int {
	if s.topology != Redlock {
		return 1
	}
	return len(s.place.Servers)
}

// Connection connects to one of the masters, or returns the connection that there is. It lives as long as the server is one of ours.
func (s *Servers) Connection(ctx context.Context, node Node) (*Connection, error) {
	now, _ := s.present()
	m, found := now.of(node)
	if !found {
		return nil, fmt.Errorf("%s is none of the masters now", node)
	}
	return s.connection(ctx, m.options)
}

// who has the key of a ref now: see [Servers.Client].
func (s *Servers) who(ref Ref) (Options, error) {
	now, _ := s.present()
	switch s.topology {
	case Cluster:
		m, served := now.owner(Slot(ref.Key))
		if !served {
			return Options{}, fmt.Errorf("no master serves slot %d, to which the key belongs: see CLUSTER INFO", Slot(ref.Key))
		}
		return m.options, nil
	case Redlock:
		m, found := now.of(ref.Node)
		if !found {
			return Options{}, fmt.Errorf("%s is none of the masters", ref.Node)
		}
		return m.options, nil
	case Standalone, Sentinel:
	}
	return now.members[0].options, nil
}

// Client is a client with MaxRetries -1, for those who write, to the server that has the key now. Of independent masters it is the
// one that the ref names; in a cluster it is the master of the key's slot, and with sentinels the present master, whichever node the
// key was seen on. It is ours: the caller does not close it.
func (s *Servers) Client(ctx context.Context, ref Ref) (*redis.Client, error) {
	if s.topology == Sentinel { // a fail-over may have been a moment ago
		if err := s.ask(ctx); err != nil {
			return nil, err
		}
	}
	o, err := s.who(ref)
	if err != nil {
		return nil, err
	}
	return s.client(ctx, o)
}

// Redirected is [Servers.Client] for the address that a cluster's MOVED or ASK names.
func (s *Servers) Redirected(ctx context.Context, addr string) (*redis.Client, error) {
	c, err := s.AnyMaster(ctx)
	if err != nil {
		return nil, err
	}
	return s.client(ctx, c.options.at(c.reachable(addr)))
}

func (s *Servers) client(ctx context.Context, o Options) (*redis.Client, error) {
	c, err := s.connection(ctx, o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.seats[o.Node()]
	if at == nil || at.connection != c {
		return nil, errLeft
	}
	if at.client == nil {
		at.client = c.NewClient(c.options.ClientName)
	}
	return at.client, nil
}

// Sharded says whether the servers are a cluster that knows sharded channels (SPUBLISH; Redis 7.0).
func (s *Servers) Sharded() bool {
	if s.topology != Cluster {
		return false
	}
	now, _ := s.present()
	for _, m := range now.members {
		for _, c := range s.connected([]Options{m.options}) {
			return c.server.AtLeast(7, 0)
		}
	}
	return false
}

// SentinelAnswer is what one sentinel says.
type SentinelAnswer struct {
	Node   Node
	Master string // the address that it names
	Err    error
}

// Sentinels asks each sentinel at the same time where the master is; none where there are no sentinels.
func (s *Servers) Sentinels(ctx context.Context) []SentinelAnswer {
	if s.topology != Sentinel {
		return nil
	}
	answers := make([]SentinelAnswer, len(s.place.Servers))
	var asked sync.WaitGroup
	for i, o := range s.place.Servers {
		answers[i].Node = o.Node()
		asked.Go(func() {
			c, err := s.connection(ctx, o)
			if err == nil {
				answers[i].Master, err = askSentinel(ctx, c, s.place.Sentinel)
			}
			answers[i].Err = err
		})
	}
	asked.Wait()
	return answers
}

// redialEvery is how often a server that does not answer is tried again, and how often a cluster or sentinels are asked.
const (
	redialEvery = time.Second
	askEvery    = 2 * time.Second
	askSoon     = 200 * time.Millisecond
)
