package embedded

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"locktop/demo/embedded/script"
)

// Options configure a server. The zero value is good.
type Options struct {
	// ReapDelay is how long after its deadline the active cycle removes a key that nobody touches; until then the key is
	// expired, but neither gone nor announced. 0: at random between 100 and 600 ms for each key; negative: no delay.
	ReapDelay time.Duration
	// Network is "unix" or "tcp"; "" is "tcp".
	Network string
	// Addr is the path of the socket, or an address on loopback: a server that starts on the address of one that was closed
	// takes its place, as one without persistence does that comes back. "" is a free port of 127.0.0.1.
	Addr string
	// Script bounds every script.
	Script script.Limits
	// Password is what AUTH asks for. Without one the server is open to all who can connect, so only a socket in a directory
	// that no other user may enter can do without.
	Password string
}

// databaseCount is how many databases SELECT knows, the default of Redis.
const databaseCount = 16

// Server is a running server. It is safe for concurrent use.
type Server struct {
	options  Options
	listener net.Listener
	runID    string
	started  time.Time
	commands map[string]*command

	closing    chan struct{}
	closeOnce  sync.Once
	running    sync.WaitGroup // every goroutine of the server
	reaperWake chan struct{}
	limitHits  atomic.Int64 // connections dropped because they did not read

	// The lock is held while a command runs: one at a time, as in Redis. It guards everything below.
	mu            sync.Mutex
	closed        bool
	detach        func() bool   // from the context of Start
	ahead         time.Duration // of the clock of this machine; see Jump
	now           time.Time     // the time of the command that runs
	values        *store
	databases     [databaseCount]*database
	deadlines     deadlines
	classes       class
	settings      map[string]string
	clients       map[int64]*client
	lastClient    int64
	subscriptions subscriptions
	monitors      []*client
	watchers      map[watchedKey]map[*client]bool
	waiters       []*waiter
	mayServe      bool // something was pushed that a waiter may want
	script        *runningScript
	engine        script.Engine
	programs      script.Cache
	statistics    statistics
	panics        int
	failure       error // the first panic
}

// Start starts a server. It ends with ctx, or by Close. It refuses to listen where other users of this machine could use it.
func Start(ctx context.Context, o Options) (*Server, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	classes, err := parseClasses(DefaultFlags)
	if err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	id := make([]byte, 20)
	if _, err := rand.Read(id); err != nil {
		return nil, fmt.Errorf("embedded server: run id: %w", err)
	}
	s := &Server{
		options: o, runID: hex.EncodeToString(id), started: time.Now(), commands: commandTable(), closing: make(chan struct{}),
		reaperWake: make(chan struct{}, 1), classes: classes, settings: defaultSettings(), clients: map[int64]*client{},
		subscriptions: subscriptions{channels: map[string][]*client{}}, watchers: map[watchedKey]map[*client]bool{},
		statistics: statistics{commands: map[string]*commandStatistics{}},
	}
	for i := range s.databases {
		s.databases[i] = newDatabase(i)
	}
	s.engine = script.Engine{Limits: o.Script.WithDefaults(), Version: redisVersion, Known: s.knowsCommand}
	if s.values, err = openStore(); err != nil {
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	if s.listener, err = o.listen(); err != nil {
		s.values.close()
		return nil, fmt.Errorf("embedded server: %w", err)
	}
	s.running.Go(s.accept)
	s.running.Go(s.runReaper)
	s.mu.Lock() // the context may end at once
	defer s.mu.Unlock()
	s.detach = context.AfterFunc(ctx, func() { _ = s.Close() }) // who calls Close gets the error
	return s, nil
}

// Addr is "127.0.0.1:port", or the path of the socket.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close ends every connection, frees the port or removes the socket, and waits until all of the server's goroutines have gone. It may be called
// twice. The error is the first panic inside a command, if there was one.
func (s *Server) Close() error {
	s.closeOnce.Do(func() {
		_ = s.listener.Close() // the address is free again in any case
		close(s.closing)
		s.engine.Interrupt()
		s.mu.Lock()
		s.closed = true
		s.detach()
		for _, c := range s.clients {
			c.output.close()
		}
		s.mu.Unlock()
		s.running.Wait()
		s.values.close()
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// isClosing says whether Close was called.
func (s *Server) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		switch {
		case err == nil:
			s.addClient(conn)
		case errors.Is(err, net.ErrClosed):
			return
		default: // for want of file descriptors, say: it may pass
			select {
			case <-s.closing:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}
