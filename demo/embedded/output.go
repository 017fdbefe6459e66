package embedded

import (
	"net"
	"sync"
	"time"
)

const (
	// pushLimit is how many bytes may wait for a subscriber before its connection is dropped (Redis' soft limit of
	// client-output-buffer-limit pubsub; here it is a hard one).
	pushLimit = 8 << 20
	// replyLimit is how many bytes of answers may wait before the client's next command has to.
	replyLimit = 1 << 20
	// farewell is how long the last bytes may take when the connection is to be closed.
	farewell = 2 * time.Second
)

// output is what a client has still to be sent. Writing into it never blocks: a goroutine sends, so that no client that
// stops reading can stop the others.
type output struct {
	conn    net.Conn
	dropped func() // called once when the limit was hit; it must not lock the server

	mu      sync.Mutex
	changed sync.Cond // of waiting, sending, ending, closed
	waiting []byte
	sending int // bytes on their way
	ending  bool
	closed  bool
}

func newOutput(conn net.Conn, dropped func()) *output {
	o := &output{conn: conn, dropped: dropped}
	o.changed.L = &o.mu
	return o
}

// write queues an answer.
func (o *output) write(data []byte) { o.add(data, 0) }

// push queues a message that the client did not ask for, and drops the connection if too much is waiting already.
func (o *output) push(data []byte) { o.add(data, pushLimit) }

func (o *output) add(data []byte, limit int) {
	if len(data) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	if limit > 0 && len(o.waiting)+o.sending+len(data) > limit {
		o.closeLocked()
		o.dropped()
		return
	}
	o.waiting = append(o.waiting, data...)
	o.changed.Broadcast()
}

// queued is how many bytes wait.
func (o *output) queued() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.waiting) + o.sending
}

// room waits until the client has read most of its answers, and says whether it may send another command.
func (o *output) room() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for !o.closed && !o.ending && len(o.waiting)+o.sending > replyLimit {
		o.changed.Wait()
	}
	return !o.closed && !o.ending
}

// end closes the connection after what is queued has been sent.
func (o *output) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ending && !o.closed {
		o.ending = true
		_ = o.conn.SetWriteDeadline(time.Now().Add(farewell)) // on a connection that is gone already it does not matter
		o.changed.Broadcast()
	}
}

// close closes the connection at once.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closeLocked()
}

func (o *output) closeLocked() {
	if o.closed {
		return
	}
	o.closed = true
	o.waiting = nil
	_ = o.conn.Close() // the client is gone for us, whatever the socket says
	o.changed.Broadcast()
}

// run sends until the connection is closed.
func (o *output) run() {
	var spare []byte
	for {
		o.mu.Lock()
		for len(o.waiting) == 0 && !o.ending && !o.closed {
			o.changed.Wait()
		}
		if o.closed || len(o.waiting) == 0 {
			o.closeLocked()
			o.mu.Unlock()
			return
		}
		batch := o.waiting
		o.waiting, o.sending = spare[:0], len(batch)
		o.mu.Unlock()

		_, err := o.conn.Write(batch)

		if cap(batch) > replyLimit {
			batch = nil // do not keep what one big answer took
		}
		o.mu.Lock()
		spare, o.sending = batch, 0
		if err != nil {
			o.closeLocked()
		}
		o.changed.Broadcast()
		o.mu.Unlock()
	}
}
