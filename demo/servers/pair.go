package servers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"locktop/keyspace"
)

// Pair is a master with a replica, which takes over when the master dies. Clients reach whichever is the master by one
// address, and the replica follows the master on a way that can be cut: what was not replicated by then is what a fail-over
// loses. Both are processes, for the embedded server has no replication.
//
// It is safe for concurrent use: what changes who is who is done one after the other. Each takes ten seconds at most, or as long
// as its context allows, and leaves the two as far as it got, which Reset puts right. After Close they are errors.
type Pair struct {
	binary   binary
	password string
	front    *relay // leads clients to the master
	link     *relay // leads the replica to the master
	life     context.Context
	end      context.CancelFunc

	mu              sync.Mutex // held by whoever changes who is who
	master, replica *member
}

// member is one of the two, dead or alive.
type member struct {
	options keyspace.Options
	server  *process // nil: it is dead
}

// settling is how long anything that is done with a pair may take; a tenth of a second is usual.
const settling = 10 * time.Second

// openPair starts a master and a replica that is in step with it.
func openPair(ctx context.Context) (_ *Pair, err error) {
	b, err := mustFindBinary(ctx)
	if err != nil {
		return nil, fmt.Errorf("a master with a replica cannot be embedded: %w", err)
	}
	p := &Pair{binary: b, password: rand.Text(), master: &member{}, replica: &member{}}
	p.life, p.end = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	if p.front, err = openRelay(); err != nil {
		return nil, fmt.Errorf("listen for clients: %w", err)
	}
	if p.link, err = openRelay(); err != nil {
		return nil, fmt.Errorf("listen for the replica: %w", err)
	}
	return p, p.alone(ctx, func(ctx context.Context) error {
		if err := p.start(ctx, p.master); err != nil {
			return err
		}
		p.lead()
		return p.follow(ctx)
	})
}

// Name is "redis-server 7.0.15 with a replica (private)".
func (p *Pair) Name() string {
	return p.binary.name + " " + p.binary.version + " with a replica (private)"
}

// endpoint says how to reach the master, whichever it is. It never changes.
func (p *Pair) endpoint() keyspace.Options {
	return keyspace.Options{Network: "tcp", Addr: p.front.addr(), Password: p.password}
}

// Connections are what workers and the dashboard know of the two.
func (p *Pair) Connections() []keyspace.Options { return []keyspace.Options{p.endpoint()} }

// CutReplication lets nothing that is written from now on reach the replica, until Rejoin or Reset.
func (p *Pair) CutReplication() { p.link.cut() }

// healReplication lets the replica have what it missed, if the master still lives, and does not wait for that.
func (p *Pair) healReplication() { p.link.heal() }

// KillMaster makes the master die at once, with whatever the replica does not have yet. Clients are refused from then on.
// A dead one stays dead.
func (p *Pair) KillMaster() error {
	return p.alone(context.Background(), func(context.Context) error {
		err := p.master.kill()
		p.link.drop() // what it had sent, and the way still holds, is not to arrive after its death
		return err
	})
}

// Promote makes the replica the master, and leads clients to it. The one that was the master is the replica from then on,
// and has yet to rejoin. A dead replica is an error.
func (p *Pair) Promote(ctx context.Context) error {
	return p.alone(ctx, p.promoteAlone)
}

func (p *Pair) promoteAlone(ctx context.Context) error {
	if p.replica.server == nil {
		return errors.New("the replica is dead and cannot be promoted")
	}
	if _, err := order(ctx, p.replica.options, "REPLICAOF", "NO", "ONE"); err != nil {
		return fmt.Errorf("promote the replica: %w", err)
	}
	p.master, p.replica = p.replica, p.master
	p.lead()
	return nil
}

// Rejoin makes the one that is not the master its replica, and returns when it is in step. If it is dead it comes back on
// its old port, empty. A cut between the two is healed. Without a master it is an error.
func (p *Pair) Rejoin(ctx context.Context) error {
	return p.alone(ctx, p.follow)
}

// WaitSynced waits until the replica has all that the master has by now, and takes part in what comes.
func (p *Pair) WaitSynced(ctx context.Context) error {
	return p.alone(ctx, p.awaitStep)
}

// Reset makes the two as they were at first: both alive, connected, in step and empty.
func (p *Pair) Reset(ctx context.Context) error {
	return p.alone(ctx, func(ctx context.Context) error {
		if err := p.bringMaster(ctx); err != nil {
			return err
		}
		if err := p.follow(ctx); err != nil {
			return err
		}
		if _, err := order(ctx, p.master.options, "FLUSHALL"); err != nil {
			return fmt.Errorf("empty the master: %w", err)
		}
		return p.awaitStep(ctx)
	})
}

// bringMaster makes one of the two the master where there is none.
func (p *Pair) bringMaster(ctx context.Context) error {
	switch {
	case p.master.server != nil:
		return nil
	case p.replica.server != nil:
		return p.promoteAlone(ctx)
	}
	return p.start(ctx, p.master)
}

// Close ends both, early if something is under way with them, and removes their files. It may be called twice.
func (p *Pair) Close() error {
	p.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	errs := []error{p.replica.kill(), p.master.kill()}
	for _, r := range []*relay{p.front, p.link} {
		if r != nil {
			errs = append(errs, r.Close())
		}
	}
	return errors.Join(errs...)
}

// alone does something that nothing else may interfere with but Close, which ends it.
func (p *Pair) alone(ctx context.Context, do func(context.Context) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life.Err() != nil {
		return errClosed
	}
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	defer context.AfterFunc(p.life, cancel)()
	return do(ctx)
}

// lead points clients and the replica to the master.
func (p *Pair) lead() {
	p.front.point(p.master.options.Addr)
	p.link.point(p.master.options.Addr)
}

// follow makes the one that is not the master its replica, and returns when it is in step.
func (p *Pair) follow(ctx context.Context) error {
	if p.master.server == nil {
		return errors.New("the master is dead: promote the replica first")
	}
	if p.replica.server == nil {
		if err := p.start(ctx, p.replica); err != nil {
			return err
		}
	}
	p.link.heal()
	host, port, err := net.SplitHostPort(p.link.addr())
	if err != nil {
		return err
	}
	// It connects at once, where one that has lost its master tries once a second.
	if _, err := order(ctx, p.replica.options, "REPLICAOF", host, port); err != nil {
		return fmt.Errorf("follow the master: %w", err)
	}
	return p.awaitStep(ctx)
}

// start starts a member, on its old port if it had one. It is a master on its own until it is told to follow.
func (p *Pair) start(ctx context.Context, m *member) error {
	s, err := launch(ctx, p.binary, placement{
		over: overLoopback, addr: m.options.Addr, password: p.password,
		// By way of a file the replica is in step as soon as it has loaded it, within a tenth of a second. Without one it may
		// confirm before the master has seen its own child end, and is then not sent anything until it confirms again: a second.
		lines: []string{"masterauth " + p.password, "repl-diskless-sync no"},
	})
	if err != nil {
		return err
	}
	m.options, m.server = s.options, s
	return nil
}

func (m *member) kill() error {
	if m.server == nil {
		return nil
	}
	err := m.server.Close()
	m.server = nil
	return err
}
