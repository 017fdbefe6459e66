package keyspace

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// seat is one server that is, or may be, connected. What is in it is guarded by the lock of the servers, which nobody holds while
// a server is waited for.
type seat struct {
	dialling   chan struct{} // whoever has put the one token in it connects
	connection *Connection
	client     *redis.Client
	left       bool // nobody may sit down here any more
}

var (
	errClosed = errors.New("the servers are closed")
	errLeft   = errors.New("the server is none of ours any more")
)

// connection is the one to a server, which is connected now where it was not.
func (s *Servers) connection(ctx context.Context, o Options) (*Connection, error) {
	at, err := s.seat(o)
	if err != nil {
		return nil, err
	}
	select {
	case at.dialling <- struct{}{}:
	case <-ctx.Done(): // the one who connects has more time than we have
		return nil, connectError(o, ctx.Err())
	}
	defer func() { <-at.dialling }()
	s.mu.Lock()
	c := at.connection
	s.mu.Unlock()
	if c != nil {
		return c, nil
	}
	if c, err = Connect(ctx, o); err != nil {
		return nil, err
	}
	if s.topology == Cluster || c.server.Mode == "cluster" {
		c.beside = func(ctx context.Context, keys []string) ([]Record, error) { return s.readBeside(ctx, c, keys) }
	}
	s.mu.Lock()
	left := at.left
	if !left {
		at.connection = c
	}
	s.mu.Unlock()
	if left { // while it was being connected
		_ = c.Close() // it was never used
		return nil, errLeft
	}
	return c, nil
}

func (s *Servers) seat(o Options) (*seat, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	at := s.seats[o.Node()]
	if at == nil {
		at = &seat{dialling: make(chan struct{}, 1)}
		s.seats[o.Node()] = at
	}
	return at, nil
}

// connected are those of some servers that are connected already.
func (s *Servers) connected(all []Options) []*Connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	var connections []*Connection
	for _, o := range all {
		if at := s.seats[o.Node()]; at != nil && at.connection != nil {
			connections = append(connections, at.connection)
		}
	}
	return connections
}

// leave closes what was opened for a server that is none of ours any more.
func (s *Servers) leave(node Node) {
	s.mu.Lock()
	at := s.seats[node]
	delete(s.seats, node)
	if at != nil {
		at.left = true
	}
	s.mu.Unlock()
	if at != nil {
		_ = at.close() // it may be dead, and nobody waits for it
	}
}

// Close closes everything that was opened, and does not wait for what is being connected, which is closed as soon as it is.
func (s *Servers) Close() error {
	s.mu.Lock()
	s.closed = true
	seats := s.seats
	s.seats = nil
	for _, at := range seats {
		at.left = true
	}
	s.mu.Unlock()
	var errs []error
	for _, at := range seats {
		errs = append(errs, at.close())
	}
	return errors.Join(errs...)
}

// close closes what is in a seat that was left: nothing is put there any more.
func (at *seat) close() error {
	var errs []error
	if at.connection != nil {
		errs = append(errs, at.connection.Close())
	}
	if at.client != nil {
		errs = append(errs, at.client.Close())
	}
	return errors.Join(errs...)
}
