package embedded

import (
	"bufio"
	"bytes"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
)

// store is miniredis, used for what it is good at: the data types and the Lua interpreter. It has no listener, no client
// ever speaks to it, and it knows of no TTL. The server is locked whenever it is used.
type store struct {
	redis    *miniredis.Miniredis
	commands *miniserver.Server

	// Commands go in through one of two peers. A command of Lua must go through a peer with the script's own context:
	// miniredis holds its lock while a script runs, and a nested context is what says that it is held already.
	outer, inner    *miniserver.Peer
	outerReply      bytes.Buffer
	innerReply      bytes.Buffer
	outerDatabase   int         // the one selected on outer
	scriptDatabases map[any]int // the one selected on each context of the running script; at first it is outer's
}

// openStore starts a miniredis. nested is called for every redis.call of a script, with the words of the command.
func openStore(nested func(args []string) answer) (*store, error) {
	st := &store{redis: miniredis.NewMiniRedis(), scriptDatabases: map[any]int{}}
	conn, err := st.redis.Dial() // the way to start it without a listener
	if err != nil {
		return nil, fmt.Errorf("start miniredis: %w", err)
	}
	if err := conn.Close(); err != nil {
		return nil, fmt.Errorf("start miniredis: %w", err)
	}
	st.commands = st.redis.Server()
	st.outer = miniserver.NewPeer(bufio.NewWriter(&st.outerReply))
	st.inner = miniserver.NewPeer(bufio.NewWriter(&st.innerReply))
	st.commands.SetPreHook(func(p *miniserver.Peer, name string, args ...string) bool {
		if p == st.outer || p == st.inner {
			return false
		}
		// Every other peer was made by the interpreter for one redis.call; its context is the script's.
		st.inner.Ctx = p.Ctx
		p.WriteRaw(string(nested(append([]string{name}, args...))))
		return true
	})
	return st, nil
}

func (st *store) close() { st.redis.Close() }

// do runs one command. inScript says that a script is running and has called for this.
func (st *store) do(inScript bool, database int, resp3 bool, args ...string) answer {
	peer, buffer := st.outer, &st.outerReply
	if inScript {
		peer, buffer = st.inner, &st.innerReply
		selected, ok := st.scriptDatabases[peer.Ctx]
		if !ok {
			selected = st.outerDatabase
		}
		if selected != database {
			st.dispatch(peer, buffer, "SELECT", strconv.Itoa(database))
			st.scriptDatabases[peer.Ctx] = database
		}
	} else if st.outerDatabase != database {
		st.dispatch(peer, buffer, "SELECT", strconv.Itoa(database))
		st.outerDatabase = database
	}
	peer.Resp3 = resp3
	return st.dispatch(peer, buffer, args...)
}

func (st *store) dispatch(peer *miniserver.Peer, buffer *bytes.Buffer, args ...string) answer {
	peer.Flush() // what a panic may have left
	buffer.Reset()
	st.commands.Dispatch(peer, args)
	peer.Flush()
	return bytes.Clone(buffer.Bytes())
}

// repair frees the lock that a panic inside miniredis leaves behind. Nobody else can hold it: the server is locked.
func (st *store) repair() {
	_ = st.redis.TryLock() // whether it was free or not, it is held now
	st.redis.Unlock()
}

// store runs one command of our own on the values of a database, and gives the answer in the older protocol.
func (s *Server) store(db *database, args ...string) answer {
	return s.values.do(s.script != nil, db.number, false, args...)
}

// forward runs a client's command on the values, and makes the answer the client's.
func (s *Server) forward(c *call, args ...string) answer {
	a := s.values.do(s.script != nil, c.db.number, c.reply.resp3, args...)
	c.reply.raw(a)
	return a
}

// forwardCommand is a command that only reads, and which the store answers rightly as it is.
func forwardCommand(s *Server, c *call) { s.forward(c, c.args...) }

// recoverPanic makes an error of a bug: the client of the call is told, [Server.Close] returns it, and the server goes on.
func (s *Server) recoverPanic(c *call) {
	v := recover()
	if v == nil {
		return
	}
	if s.script == nil || c == nil || !c.script {
		s.script = nil
		s.values.repair()
	}
	s.panics++
	if s.failure == nil {
		s.failure = fmt.Errorf("embedded server: a command panicked: %v\n%s", v, debug.Stack())
	}
	if c != nil {
		c.reply.data = c.reply.data[:0]
		c.reply.failure(fmt.Sprintf("ERR internal error of the embedded server: %v", v))
	}
}
