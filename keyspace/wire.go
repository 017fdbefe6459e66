package keyspace

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
)

// ReadCommands is every command that this package sends, in capitals, with the subcommand where there are some. None of
// them writes. What is not on it does not leave the process: each connection but those of [Connection.NewClient] parses
// what it is about to send, and refuses anything else. [Servers.Probe] has a list of its own. Only [Connection.Capabilities] and
// [Connection.DryRun] send more, to learn what this user may: scripts that do nothing, a transaction of no commands, and
// ACL DRYRUN.
func ReadCommands() []string { return slices.Clone(readCommands) }

// readCommands is sorted. HELLO, AUTH, SELECT and CLIENT SETNAME open a connection; CLIENT TRACKING, NO-TOUCH and the
// subscriptions concern the connection alone.
var readCommands = []string{
	"ASKING", "AUTH", "CLIENT LIST", "CLIENT NO-TOUCH", "CLIENT SETNAME", "CLIENT TRACKING", "CLUSTER SLOTS", "CONFIG GET", "DBSIZE", "EXISTS", "GETRANGE",
	"HELLO", "HGETALL", "HLEN", "HPEXPIRETIME", "HPTTL", "INFO", "LLEN", "LRANGE", "MEMORY USAGE", "OBJECT ENCODING", "PEXPIRETIME", "PING", "PSUBSCRIBE",
	"PTTL", "PUBSUB CHANNELS", "PUBSUB NUMSUB", "PUBSUB SHARDCHANNELS", "PUBSUB SHARDNUMSUB", "SCAN", "SCARD", "SELECT",
	"SENTINEL GET-MASTER-ADDR-BY-NAME", "SENTINEL MASTERS", "SMEMBERS",
	"STRLEN", "SUBSCRIBE", "TIME", "TYPE", "XLEN", "ZCARD", "ZRANGE",
}

// checkCommands are those of [Connection.Capabilities] and [Connection.DryRun], on connections of their own.
var checkCommands = append([]string{"ACL DRYRUN", "EVAL", "EVALSHA", "EXEC", "MULTI", "UNWATCH", "WATCH"}, readCommands...)

// containers are the commands whose first argument is a part of the name.
var containers = []string{"ACL", "CLIENT", "CLUSTER", "COMMAND", "CONFIG", "MEMORY", "OBJECT", "PUBSUB", "SCRIPT", "SENTINEL"}

// meter counts what passes over the connections of one server, all of it: go-redis' hooks see neither the handshake nor
// what a PubSub sends.
type meter struct {
	commands      atomic.Uint64
	sent, fetched atomic.Int64 // bytes
	// sees is told the name of every command; tests set it.
	sees atomic.Pointer[func(name string)]
}

// bytes are what was read and what was written so far.
func (m *meter) bytes() (fetched, sent uint64) {
	return uint64(max(m.fetched.Load(), 0)), uint64(max(m.sent.Load(), 0))
}

// wire is a connection that counts and guards.
type wire struct {
	net.Conn
	meter   *meter
	allowed []string
	reader  requestReader
	met     bool
	quiet   quiet
	// refused is the error with which the server met the connection before it hung up. go-redis takes it for an answer to its
	// first command, and forgets it, so that what fails afterwards fails with it again.
	refused refusal
}

// socketWire is a wire whose socket go-redis can look at before it uses the connection again, so that one that was closed
// meanwhile is replaced, and not used in vain.
type socketWire struct {
	*wire
	syscall.Conn
}

// Write sends what is on the list. A write that holds anything else is refused as a whole.
func (w *wire) Write(b []byte) (int, error) {
	n := uint64(0)
	var refused string
	w.reader.read(b, func(name string) {
		n++
		if !slices.Contains(w.allowed, name) {
			refused = name
		}
		if sees := w.meter.sees.Load(); sees != nil {
			(*sees)(name)
		}
	})
	if refused != "" {
		return 0, fmt.Errorf("refused to send %s: this connection only reads", refused)
	}
	w.meter.commands.Add(n)
	sent, err := w.Conn.Write(b)
	w.meter.sent.Add(int64(sent))
	return sent, w.because(err)
}

// Read returns what may be seen.
func (w *wire) Read(b []byte) (int, error) {
	for {
		n, err := w.read(b)
		if kept := w.quiet.keep(b[:n]); kept > 0 || n == 0 || err != nil {
			return kept, w.because(err)
		}
	}
}

func (w *wire) read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.meter.fetched.Add(int64(n))
	if n > 0 && !w.met {
		w.met = true
		line, _, _ := bytes.Cut(b[:n], []byte("\r\n"))
		if text, found := bytes.CutPrefix(line, []byte("-")); found && (bytes.HasPrefix(text, []byte("DENIED")) || bytes.HasPrefix(text, []byte("ERR max"))) {
			w.refused = refusal(text)
		}
	}
	return n, err
}

// because is why reading or writing failed.
func (w *wire) because(err error) error {
	if err != nil && w.refused != "" {
		return w.refused
	}
	return err
}

// requestReader finds the names of commands in a stream of requests, which are arrays of bulk strings ("*2\r\n$4\r\nTYPE..."),
// cut at any place.
type requestReader struct {
	line    []byte // of a header, until its "\n"
	left    int    // arguments of the command under way
	body    int    // bytes of the argument under way, with its "\r\n"
	keep    bool   // the argument is a part of the name
	name    []byte
	partial []byte
}

// longestName bounds what is kept of an argument that may be a name.
const longestName = 32

func (r *requestReader) read(b []byte, command func(name string)) {
	for len(b) > 0 {
		if r.body > 0 {
			n := min(r.body, len(b))
			if r.keep {
				r.partial = append(r.partial, b[:min(n, longestName-min(longestName, len(r.partial)))]...)
			}
			r.body -= n
			b = b[n:]
			if r.body == 0 {
				r.argument(command)
			}
			continue
		}
		end := bytes.IndexByte(b, '\n')
		if end < 0 {
			r.line = append(r.line, b...)
			return
		}
		r.line = append(r.line, b[:end]...)
		b = b[end+1:]
		r.header()
	}
}

func (r *requestReader) header() {
	line := bytes.TrimSuffix(r.line, []byte("\r"))
	r.line = r.line[:0]
	if len(line) == 0 {
		return
	}
	n := 0
	for _, c := range line[1:] {
		n = n*10 + int(c-'0')
	}
	switch line[0] {
	case '*':
		r.left, r.name, r.keep = n, r.name[:0], true
	case '$':
		r.body = n + len("\r\n")
		r.partial = r.partial[:0]
	}
}

// argument ends an argument: the name is complete after the first one, or after the second one of a container.
func (r *requestReader) argument(command func(name string)) {
	r.left--
	if !r.keep {
		return
	}
	part := strings.ToUpper(string(bytes.TrimSuffix(r.partial, []byte("\r\n"))))
	if len(r.name) > 0 {
		part = string(r.name) + " " + part
	} else if r.left > 0 && slices.Contains(containers, part) {
		r.name = append(r.name, part...)
		return
	}
	r.keep = false
	command(part)
}
