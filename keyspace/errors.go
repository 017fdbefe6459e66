package keyspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// What can be wrong with a server that does not let us in. Test with errors.Is on what [Connect] returns.
var (
	ErrUnreachable = errors.New("nothing answers")
	ErrNoAnswer    = errors.New("no answer in time") // the cause where the server may hang, and be there
	ErrAuth        = errors.New("wrong user or password")
	ErrTLS         = errors.New("TLS failed")
	ErrNotRedis    = errors.New("not a Redis server")
	ErrPermission  = errors.New("no permission")
	ErrDatabase    = errors.New("no such database")
	ErrAbsent      = errors.New("the server does not know a command that it takes")
	ErrFull        = errors.New("the server takes no more clients")
)

// ConnectError says what was tried, what went wrong, and what would mend it, without any secret.
type ConnectError struct {
	Addr string // as in [Node]
	Kind error  // one of the sentinels above, or nil
	Err  error  // the cause
	Mend string // what the user can do; may be empty
}

func (e *ConnectError) Error() string {
	text := "connect " + e.Addr + ": "
	if e.Kind != nil {
		text += e.Kind.Error() + ": "
	}
	text += e.Err.Error()
	if e.Mend != "" {
		text += "; " + e.Mend
	}
	return text
}

// Unwrap makes errors.Is find both the sentinel and the cause.
func (e *ConnectError) Unwrap() []error {
	if e.Kind == nil {
		return []error{e.Err}
	}
	return []error{e.Kind, e.Err}
}

// connectError sorts an error of the first commands by what would mend it.
func connectError(o Options, err error) *ConnectError {
	e := &ConnectError{Addr: string(o.Node()), Err: err}
	mend, isTLS := mendTLS(err)
	text := err.Error()
	switch {
	case errors.Is(err, context.Canceled):
		e.Kind, e.Err = ErrUnreachable, fmt.Errorf("no answer until then: %w", err)
	case isTLS:
		e.Kind, e.Mend = ErrTLS, mend
	case hasPrefix(err, "WRONGPASS"), hasPrefix(err, "ERR invalid password"), hasPrefix(err, "ERR AUTH"):
		e.Kind, e.Mend = ErrAuth, "give the right ones with --user and REDISCLI_AUTH"
	case isAbsent(err) && strings.Contains(strings.ToLower(text), "auth"):
		e.Kind, e.Err, e.Mend = ErrAuth, errors.New("the server does not know AUTH"), "leave user and password out, if they are not what it wants"
	case hasPrefix(err, "NOAUTH"):
		e.Kind, e.Mend = ErrAuth, "this server wants a password: set REDISCLI_AUTH, or use --askpass"
	case hasPrefix(err, "ERR DB index"):
		e.Kind, e.Mend = ErrDatabase, fmt.Sprintf("this server has no database %d: give another one with -n", o.DB)
	case hasPrefix(err, "DENIED"):
		e.Kind, e.Err = ErrPermission, errors.New("the server is in protected mode, and refuses other hosts")
		e.Mend = "set a password there, or connect from its own host"
	case isAbsent(err):
		e.Kind, e.Mend = ErrAbsent, "a proxy, a managed service or rename-command hides it"
	case hasPrefix(err, "NOPERM"):
		e.Kind, e.Mend = ErrPermission, "the user needs the ACL rules that `locktop check` prints"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOENT):
		e.Kind = ErrUnreachable
	case hasPrefix(err, "ERR max number of clients"):
		e.Kind, e.Mend = ErrFull, "close some clients, or raise maxclients there"
	case isTimeout(err) && o.TLS != nil && !isDial(err):
		e.Kind, e.Err = ErrTLS, errors.New("no answer to the handshake in time")
		e.Mend = "if this port speaks plain Redis, leave --tls (rediss://) out"
	case isTimeout(err):
		e.Kind = ErrUnreachable
		e.Err = ErrNoAnswer
		if o.TLS == nil {
			e.Mend = "if the server wants TLS, add --tls"
		}
	case isHangUp(err) && !isDial(err) && o.TLS != nil:
		e.Kind, e.Err = ErrTLS, errors.New("the connection was closed without an answer")
		e.Mend = mendHangUp(o.TLS)
	case isHangUp(err) && !isDial(err):
		e.Kind, e.Err = ErrNotRedis, errors.New("the connection was closed without an answer")
		e.Mend = "if the server wants TLS, add --tls"
	case errors.As(err, new(*net.DNSError)), errors.As(err, new(*net.OpError)):
		e.Kind = ErrUnreachable
	case hasPrefix(err, "LOADING"):
		e.Err, e.Mend = errors.New("it is loading its data, and serves nobody meanwhile (LOADING)"), "wait until it has: INFO persistence tells how far it is"
	case hasPrefix(err, "MASTERDOWN"):
		e.Err = errors.New("this replica has lost its master, and serves no old data (MASTERDOWN)")
		e.Mend = "look at its master, or wait until it is back"
	case hasPrefix(err, "CLUSTERDOWN"):
		e.Err = errors.New("the cluster is down: some of its slots have no master (CLUSTERDOWN)")
		e.Mend = "bring that master back, or have a replica take its place: CLUSTER FAILOVER TAKEOVER"
	case hasPrefix(err, "BUSY"):
		e.Err, e.Mend = errors.New("a script runs there, and nobody else is served"), "wait for its end, or stop it: SCRIPT KILL"
	case strings.HasPrefix(text, "redis: can't parse"), strings.Contains(text, "invalid reply"):
		e.Kind, e.Err = ErrNotRedis, errors.New("the answer is not in Redis' protocol")
	}
	return e
}

// lostError is connectError for a server that has answered before: it is one, and it speaks as we do.
func lostError(o Options, err error) *ConnectError {
	e := &ConnectError{Addr: string(o.Node()), Kind: ErrUnreachable}
	switch {
	case isTimeout(err):
		e.Err = ErrNoAnswer
	case isHangUp(err):
		e.Err = errors.New("the connection was closed")
	default:
		return connectError(o, err)
	}
	return e
}

// trouble is the error in its parts.
func (e *ConnectError) trouble() Trouble {
	t := Trouble{Why: e.Err.Error(), Mend: e.Mend}
	if e.Kind != nil {
		t.Kind = e.Kind.Error()
	}
	return t
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

// isHangUp says whether the other side closed the connection.
func isHangUp(err error) bool {
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// isDial says whether not even a connection came about.
func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// hasPrefix says whether a server answered with an error of this code.
func hasPrefix(err error, code string) bool {
	var answer redis.Error
	return errors.As(err, &answer) && strings.HasPrefix(answer.Error(), code)
}

// isDenied says whether the ACL forbade a command, a key or a channel. Of EXEC the server says so in words of its own.
func isDenied(err error) bool {
	return hasPrefix(err, "NOPERM") || hasPrefix(err, "EXECABORT") && strings.Contains(err.Error(), "NOPERM")
}

// isAbsent says whether the server does not know a command, or hides it under another name.
func isAbsent(err error) bool {
	return hasPrefix(err, "ERR unknown command") || hasPrefix(err, "ERR unknown subcommand") ||
		hasPrefix(err, "ERR Unknown subcommand")
}

// isUnknownCommand says whether ACL DRYRUN does not know what it was asked of.
func isUnknownCommand(err error) bool {
	return hasPrefix(err, "ERR Command '") && strings.HasSuffix(err.Error(), "not found")
}

// isAnswer says whether err is the server's own word on what it was asked. That it answers nobody is none.
func isAnswer(err error) bool {
	var answer redis.Error
	return errors.As(err, &answer) && !isRefusal(err)
}

// refusal is an answer of the server that go-redis did not hand on.
type refusal string

func (r refusal) Error() string { return string(r) }

// RedisError makes it one of go-redis' errors of the server.
func (refusal) RedisError() {}

// unlessAnswered drops the server's refusal of what we can do without.
func unlessAnswered(err error) error {
	if isAnswer(err) {
		return nil
	}
	return err
}

// isRefusal says whether the server answers nobody for the time being, or none of us, whatever the command: what a key holds,
// or what we may do there, cannot be told from that.
func isRefusal(err error) bool {
	for _, code := range []string{
		"LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "ERR max number of clients",
		"NOAUTH", "WRONGPASS", "ERR invalid password", "ERR AUTH", "DENIED",
	} {
		if hasPrefix(err, code) {
			return true
		}
	}
	return false
}

// declinesPing says whether a server refused a PING that serves us all the same: an ACL may forbid it, and while the disk is
// full it is refused as a write is.
func declinesPing(err error) bool { return isDenied(err) || isAbsent(err) || hasPrefix(err, "MISCONF") }

// isNil says whether the server answered that there is nothing.
func isNil(err error) bool { return errors.Is(err, redis.Nil) }

// isCommandDenied says whether the ACL forbids the command itself, not only the key.
func isCommandDenied(err error) bool {
	return isDenied(err) && strings.Contains(err.Error(), "to run the")
}

func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}
