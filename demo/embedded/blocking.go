package embedded

import (
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// waiter is a client that waits for a list. Its fields are guarded by the server's lock, except done and patience.
type waiter struct {
	client   *client
	attempt  func(c *call) bool // tries once more; it has answered if it says so
	call     *call              // what attempt answers into
	nothing  func(r *reply)     // the answer when the time is over
	patience time.Duration      // zero: waits for ever
	served   bool
	done     chan struct{} // closed when served
}

// waitFor tries at once, and makes the client wait if that gave nothing and it may wait.
func (s *Server) waitFor(c *call, timeout string, nothing func(*reply), attempt func(*call) bool) {
	seconds, err := strconv.ParseFloat(timeout, 64)
	switch {
	case err != nil || math.IsNaN(seconds) || seconds > math.MaxInt64/1e9:
		c.reply.failure("ERR timeout is not a float or out of range")
		return
	case seconds < 0:
		c.reply.failure("ERR timeout is negative")
		return
	}
	if attempt(c) {
		return
	}
	if !c.mayWait() {
		nothing(&c.reply)
		return
	}
	w := &waiter{client: c.client, attempt: attempt, call: c, nothing: nothing, done: make(chan struct{})}
	if seconds > 0 {
		w.patience = max(time.Duration(seconds*float64(time.Second)), 1)
	}
	c.waiter = w
	c.client.waiter = w
	s.waiters = append(s.waiters, w)
}

// serveWaiters gives what has been pushed to those who wait, the longest wait first. One service may make the next
// possible (BLMOVE), so it goes on until nobody can be served.
func (s *Server) serveWaiters() {
	for s.mayServe {
		s.mayServe = false
		for i := 0; i < len(s.waiters); i++ {
			w := s.waiters[i]
			w.call.reply.data = w.call.reply.data[:0]
			if !w.attempt(w.call) {
				continue
			}
			w.client.output.write(w.call.reply.data)
			s.endWait(w)
			i--
		}
	}
}

func (s *Server) endWait(w *waiter) {
	w.served = true
	w.client.waiter = nil
	s.waiters = without(s.waiters, w)
	close(w.done)
}

// await holds a client until it is served, its time is over, or it hangs up.
func (s *Server) await(c *client, w *waiter) {
	var timeout <-chan time.Time
	if w.patience > 0 {
		timer := time.NewTimer(w.patience)
		defer timer.Stop()
		timeout = timer.C
	}
	hungUp, stop := c.watchForHangUp()
	defer stop()
	over := false
	select {
	case <-w.done:
	case <-timeout:
		over = true
	case <-hungUp:
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.served {
		return
	}
	s.endWait(w)
	if over {
		r := reply{resp3: c.resp3}
		w.nothing(&r)
		c.output.write(r.data)
	}
}

// watchForHangUp tells when the client closes its connection, while nobody reads from it. Stop must be called before the
// next read.
func (c *client) watchForHangUp() (hungUp <-chan struct{}, stop func()) {
	gone, finished := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(finished)
		if _, err := c.reader.Peek(1); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			close(gone)
		}
	}()
	return gone, func() {
		// An error means that the connection is closed, and then the peek has ended and the next read says so.
		_ = c.conn.SetReadDeadline(time.Unix(1, 0))
		<-finished
		_ = c.conn.SetReadDeadline(time.Time{})
	}
}

// blockingPopCommand is BLPOP or BRPOP: the first list with something in it gives one element.
func blockingPopCommand(pop string) handler {
	return func(s *Server, c *call) {
		keys := c.args[1 : len(c.args)-1]
		s.waitFor(c, c.args[len(c.args)-1], (*reply).nullArray, func(c *call) bool {
			for _, key := range keys {
				e := s.lookup(c.db, key)
				if e == nil {
					continue
				}
				a := s.store(c.db, pop, key)
				if a.failed() {
					if c.waiter != nil {
						continue // what has come meanwhile is no list: go on waiting
					}
					c.reply.raw(a)
					return true
				}
				c.reply.bulks(key, a.text())
				s.shrank(e, classList, strings.ToLower(pop))
				return true
			}
			return false
		})
	}
}

// blockingMoveCommand is BLMOVE or BRPOPLPUSH.
func blockingMoveCommand(s *Server, c *call) {
	s.waitFor(c, c.args[len(c.args)-1], (*reply).null, func(c *call) bool {
		if s.lookup(c.db, c.args[1]) == nil {
			return false
		}
		move := &call{client: c.client, db: c.db, reply: c.reply, args: []string{"lmove", c.args[1], c.args[2], "RIGHT", "LEFT"}}
		if c.command.name == "blmove" {
			move.args = append([]string{"lmove"}, c.args[1:5]...)
		}
		moveElementCommand(s, move)
		c.reply = move.reply
		return true
	})
}
