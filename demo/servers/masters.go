package servers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"locktop/keyspace"
)

var (
	// ErrNoJump says that a clock stays as it is.
	ErrNoJump = errors.New("the clock of a real server is not ours to set: run the demo with --server embedded")
	// errClosed says that there is nothing any more to do it with.
	errClosed = errors.New("the servers of the demo are closed")
)

// Masters are servers that know nothing of each other, as a Redlock wants them. They are numbered in the order of their
// Connections, from 0. After Close all of them are dead, and whatever would bring one back is an error. It is safe for
// concurrent use.
type Masters struct {
	name string
	// start makes a server, in the place of another where an address is given.
	start func(ctx context.Context, addr string) (Servers, error)

	mu     sync.Mutex
	all    []*master
	closed bool
}

// master is one of them.
type master struct {
	options keyspace.Options // the same also while it is dead
	server  Servers          // nil: it is dead
	ahead   time.Duration    // of the right time
}

// openMasters starts so many servers: embedded ones, whose clocks can be set, unless a real one is asked for.
func openMasters(ctx context.Context, count int, kind Kind) (_ *Masters, err error) {
	m := &Masters{}
	password := rand.Text() // one for all: they are one Redlock to those who look at them
	switch kind {
	case Embedded, Auto, "":
		m.name = fmt.Sprintf("%d embedded demo servers", count)
		m.start = func(ctx context.Context, addr string) (_ Servers, err error) {
			if addr == "" {
				if addr, err = freeAddress(); err != nil {
					return nil, fmt.Errorf("find a free port: %w", err)
				}
			}
			s, err := embeddedAt(ctx, keyspace.Options{Network: "tcp", Addr: addr, Password: password})
			if err != nil {
				return nil, err
			}
			return s, nil
		}
	case Redis:
		b, err := findBinary(ctx)
		if err != nil {
			return nil, err
		}
		m.name = fmt.Sprintf("%d x %s", count, b.private())
		m.start = func(ctx context.Context, addr string) (Servers, error) {
			return launch(ctx, b, placement{over: overLoopback, addr: addr, password: password})
		}
	default:
		return nil, unknownKind(kind)
	}
	for range count {
		s, err := m.start(ctx, "")
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		m.all = append(m.all, &master{options: s.Connections()[0], server: s})
	}
	return m, nil
}

// Connections say how to reach each of them, dead or alive. They never change.
func (m *Masters) Connections() []keyspace.Options {
	all := make([]keyspace.Options, len(m.all))
	for i, one := range m.all {
		all[i] = one.options
	}
	return all
}

// Name is "5 embedded demo servers" or "5 x redis-server 7.0.15 (private)".
func (m *Masters) Name() string { return m.name }

// Alive says whether one of them runs.
func (m *Masters) Alive(i int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[i].server != nil
}

// Kill makes one of them die: connections to it end, new ones are refused, and what it knew is lost. The dead stay dead.
func (m *Masters) Kill(i int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[i].kill()
}

func (one *master) kill() error {
	if one.server == nil {
		return nil
	}
	err := one.server.Close()
	one.server, one.ahead = nil, 0
	return err
}

// Restart brings a dead one back on its address, empty, as a server without persistence comes back, and with the right
// time. One that is alive goes on.
func (m *Masters) Restart(i int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.restartLocked(context.Background(), i) // a start has a time limit of its own
}

func (m *Masters) restartLocked(ctx context.Context, i int) error {
	one := m.all[i]
	switch {
	case m.closed:
		return errClosed
	case one.server != nil:
		return nil
	}
	s, err := m.start(ctx, one.options.Addr)
	if err != nil {
		return fmt.Errorf("restart %s: %w", one.options.Addr, err)
	}
	one.server = s
	return nil
}

// Jump sets the clock of one that is alive forward by so much, or back. Only an embedded server has a clock of its own;
// with others it is ErrNoJump. That of a dead one cannot be set, which is another error.
func (m *Masters) Jump(i int, d time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.all[i].jump(d)
}

func (one *master) jump(d time.Duration) error {
	if one.server == nil {
		return fmt.Errorf("%s is dead: its clock cannot be set", one.options.Addr)
	}
	s, isEmbedded := one.server.(inProcess)
	if !isEmbedded {
		return ErrNoJump
	}
	s.server.Jump(d)
	one.ahead += d
	return nil
}

// Mend brings the dead back, empty, and sets all clocks right. What the living know stays.
func (m *Masters) Mend(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mendLocked(ctx)
}

func (m *Masters) mendLocked(ctx context.Context) error {
	if m.closed {
		return errClosed
	}
	var errs []error
	for i, one := range m.all {
		switch {
		case one.server == nil:
			errs = append(errs, m.restartLocked(ctx, i))
		case one.ahead != 0:
			errs = append(errs, one.jump(-one.ahead))
		}
	}
	return errors.Join(errs...)
}

// Reset makes all of them as they were at first: alive, empty, and with the right time.
func (m *Masters) Reset(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.mendLocked(ctx); err != nil {
		return err
	}
	for _, one := range m.all {
		if _, err := order(ctx, one.options, "FLUSHALL"); err != nil {
			return fmt.Errorf("empty %s: %w", one.options.Addr, err)
		}
	}
	return nil
}

// Close ends all of them and removes their files. It may be called twice.
func (m *Masters) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	var errs []error
	for _, one := range slices.Backward(m.all) {
		errs = append(errs, one.kill())
	}
	return errors.Join(errs...)
}
