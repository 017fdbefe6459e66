package servers

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// relay passes connections on to a server that can be exchanged behind its back, as a proxy or the primary endpoint of a
// managed service does, and which can be cut off as networks do. It is safe for concurrent use.
type relay struct {
	listener net.Listener
	life     context.Context
	end      context.CancelFunc
	running  sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond // wakes what waits for the way to be healed
	target  string
	isCut   bool
	open    map[*passage]struct{}
}

// passage is one connection, from where it was dialled to the server. It is guarded by the relay's lock.
type passage struct {
	near, far net.Conn // far is nil until it is dialled
	closed    bool
}

// openRelay listens on a free loopback port. It leads nowhere until it is pointed somewhere.
func openRelay() (*relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &relay{listener: listener, open: map[*passage]struct{}{}}
	r.changed = sync.NewCond(&r.mu)
	r.life, r.end = context.WithCancel(context.Background())
	r.running.Go(r.accept)
	return r, nil
}

// addr is where it listens.
func (r *relay) addr() string { return r.listener.Addr().String() }

// point says where new connections go. Those that are open end, and what was under way in them is lost.
func (r *relay) point(addr string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.target = addr
	r.dropAll()
}

// drop ends the connections that are open, and what was under way in them is lost.
func (r *relay) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropAll()
}

func (r *relay) dropAll() {
	for p := range r.open {
		r.close(p)
	}
}

// cut lets nothing pass any more, either way, as when a cable is pulled: connections stay open and are silent, even where
// an end of them is gone, and new ones get no answer.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = true
}

// heal lets what was held back go on.
func (r *relay) heal() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.isCut = false
	r.changed.Broadcast()
}

// Close ends all connections and frees the port. It may be called twice.
func (r *relay) Close() error {
	err := r.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	r.end()
	r.drop()
	r.running.Wait()
	return err
}

func (r *relay) accept() {
	for {
		near, err := r.listener.Accept()
		switch {
		case err == nil:
			r.running.Go(func() { r.serve(near) })
		case r.life.Err() != nil:
			return
		default: // for want of file descriptors, say: it may pass
			wait(r.life, 10*time.Millisecond)
		}
	}
}

// serve leads one connection to the server, and ends it where that cannot be reached.
func (r *relay) serve(near net.Conn) {
	p := &passage{near: near}
	r.admit(p)
	target, mayPass := r.await(p)
	if !mayPass {
		return
	}
	var dialer net.Dialer
	far, err := dialer.DialContext(r.life, "tcp", target)
	if err != nil {
		r.leave(p)
		return
	}
	if r.join(p, far) {
		r.running.Go(func() { r.copy(p, far, near) })
		r.copy(p, near, far)
	}
}

// admit notes a connection, which ends at once if the relay was closed meanwhile.
func (r *relay) admit(p *passage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open[p] = struct{}{}
	if r.life.Err() != nil {
		r.close(p)
	}
}

// join notes the other end; false: the connection was ended meanwhile, for what it leads to is no longer the target.
func (r *relay) join(p *passage, far net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.closed {
		_ = far.Close() // nothing was sent on it
		return false
	}
	p.far = far
	return true
}

// leave ends a connection.
func (r *relay) leave(p *passage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.close(p)
}

// close ends a connection, both of its ends. The relay is locked.
func (r *relay) close(p *passage) {
	if p.closed {
		return
	}
	p.closed = true
	_ = p.near.Close() // whoever copies notices
	if p.far != nil {
		_ = p.far.Close()
	}
	delete(r.open, p)
	r.changed.Broadcast()
}

// copy passes on what one end sends until either is closed, and then closes both.
func (r *relay) copy(p *passage, from, to net.Conn) {
	defer r.leave(p)
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if _, mayPass := r.await(p); !mayPass {
			return
		}
		if _, failure := to.Write(buffer[:n]); failure != nil || err != nil {
			return
		}
	}
}

// await waits while the way is cut, and says where it leads to then; false: the connection was ended.
func (r *relay) await(p *passage) (target string, mayPass bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.isCut && !p.closed {
		r.changed.Wait()
	}
	return r.target, !p.closed
}
