package embedded

import (
	"bufio"
	"errors"
	"net"
	"time"
)

// client is one connection. Its fields are guarded by the server's lock, except conn, reader and output.
type client struct {
	id     int64
	conn   net.Conn
	reader *bufio.Reader // only the client's own goroutine reads
	output *output

	since, used                  time.Time
	name, library, libraryIs     string
	lastCommand                  string
	db                           *database
	resp3, authenticated         bool
	noTouch, noEvict, monitoring bool
	transaction                  *transaction
	watched                      map[watchedKey]bool // whether it had expired by then
	watchBroken                  bool
	channels, patterns           []string
	waiter                       *waiter
}

// runClient serves a connection until it ends.
func (s *Server) runClient(c *client) {
	defer s.dropClient(c)
	for c.output.room() {
		// Only this goroutine changes what is asked here.
		args, err := readRequest(c.reader, s.options.Password != "" && !c.authenticated)
		if errors.Is(err, errProtocol) {
			var r reply
			r.failure("ERR " + err.Error())
			c.output.write(r.data)
			c.output.end()
			return
		}
		if err != nil {
			return // the client has gone
		}
		if len(args) == 0 {
			continue
		}
		if isWebRequest(args) {
			c.output.close()
			return
		}
		if w := s.serve(c, args); w != nil {
			s.await(c, w)
		}
	}
}

// addClient takes a new connection on.
func (s *Server) addClient(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = conn.Close() // it came too late
		return
	}
	s.lastClient++
	s.statistics.connections++
	now := s.wall()
	c := &client{
		id: s.lastClient, conn: conn, reader: bufio.NewReaderSize(conn, 16<<10), db: s.databases[0], since: now, used: now,
		output: newOutput(conn, func() { s.limitHits.Add(1) }), watched: map[watchedKey]bool{},
	}
	s.clients[c.id] = c
	s.running.Go(func() { s.runClient(c) })
	s.running.Go(c.output.run)
}

// dropClient forgets a connection that has ended.
func (s *Server) dropClient(c *client) {
	c.output.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resetClient(c)
	delete(s.clients, c.id)
}

// resetClient ends everything that a connection has begun: its transaction, subscriptions and MONITOR.
func (s *Server) resetClient(c *client) {
	s.endTransaction(c)
	s.unsubscribeAll(c)
	if c.monitoring {
		c.monitoring = false
		s.monitors = without(s.monitors, c)
	}
}
