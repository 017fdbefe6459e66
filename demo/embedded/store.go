package embedded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
)

// store is miniredis, used for what it is good at: the data types. It has no listener, no client
// ever speaks to it, and it knows of no TTL. The server is locked whenever it is used.
type store struct {
	redis    *miniredis.Miniredis
	commands *miniserver.Server
	peer     *miniserver.Peer // through which the commands go in
	reply    answerBuffer
	database int // the one that is selected
}

func openStore() (*store, error) {
	st := &store{redis: miniredis.NewMiniRedis()}
	conn, err := st.redis.Dial() // the way to start it without a listener
	if err != nil {
		return nil, fmt.Errorf("start miniredis: %w", err)
	}
	if err := conn.Close(); err != nil {
		return nil, fmt.Errorf("start miniredis: %w", err)
	}
	st.commands = st.redis.Server()
	st.peer = miniserver.NewPeer(bufio.NewWriter(&st.reply))
	return st, nil
}

func (st *store) close() { st.redis.Close() }

// do runs one command.
func (st *store) do(database int, resp3 bool, args ...string) answer {
	if st.database != database {
		st.dispatch("SELECT", strconv.Itoa(database))
		st.database = database
	}
	st.peer.Resp3 = resp3
	return st.dispatch(args...)
}

func (st *store) dispatch(args ...string) (a answer) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case errAnswerTooLong:
			st.repair()
			st.reply = answerBuffer{}
			st.peer = miniserver.NewPeer(bufio.NewWriter(&st.reply))
			a = answer("-ERR " + errAnswerTooLong.Error() + "\r\n")
		default:
			panic(v)
		}
	}()
	st.peer.Flush() // what a panic may have left
	st.reply.data = st.reply.data[:0]
	st.commands.Dispatch(st.peer, args)
	st.peer.Flush()
	return bytes.Clone(st.reply.data)
}

// answerLimit bounds one answer: a key that is named a thousand times has its value in it as often.
const answerLimit = maxWordBytes + 1<<20

var errAnswerTooLong = errors.New("the answer is longer than the embedded server gives")

// answerBuffer is what a command has answered so far. It panics when that is too much: miniredis
// would go on making an answer that cannot be written.
type answerBuffer struct{ data []byte }

func (b *answerBuffer) Write(more []byte) (int, error) {
	if len(b.data)+len(more) > answerLimit {
		panic(errAnswerTooLong)
	}
	b.data = append(b.data, more...)
	return len(more), nil
}

// repair frees the lock that a panic inside miniredis leaves behind. Nobody else can hold it: the
// server is locked.
func (st *store) repair() {
	_ = st.redis.TryLock() // whether it was free or not, it is held now
	st.redis.Unlock()
}

// store runs one command of our own on the values of a database, and gives the answer in the older
// protocol.
func (s *Server) store(db *database, args ...string) answer {
	return s.values.do(db.number, false, args...)
}

// forward runs a client's command on the values, and makes the answer the client's.
func (s *Server) forward(c *call, args ...string) answer {
	a := s.values.do(c.db.number, c.reply.resp3, args...)
	c.reply.raw(a)
	return a
}

// forwardCommand is a command that only reads, and which the store answers rightly as it is.
func forwardCommand(s *Server, c *call) { s.forward(c, c.args...) }

// recoverPanic makes an error of a bug: the client of the call is told, [Server.Close] returns it,
// and the server goes on.
func (s *Server) recoverPanic(c *call) {
	v := recover()
	if v == nil {
		return
	}
	if c == nil || !c.script { // a script goes on after its command has panicked
		s.script = nil
	}
	s.values.repair()
	s.panics++
	if s.failure == nil {
		s.failure = fmt.Errorf("embedded server: a command panicked: %v\n%s", v, debug.Stack())
	}
	if c != nil {
		c.reply.data = c.reply.data[:0]
		c.reply.failure(fmt.Sprintf("ERR internal error of the embedded server: %v", v))
	}
}
