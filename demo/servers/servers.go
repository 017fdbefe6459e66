// Package servers starts the Redis servers that a demo runs on, breaks them where a scenario wants
// that, and stops them.
//
// # Guaranteed
//
//   - What [Open] returns runs until Close, whatever becomes of the context. After Close, and after
//     an Open that failed, no goroutine, process or directory of ours is left.
//   - A server process dies with us, also when we are killed: by the kernel on Linux, on other Unix
//     systems by a shell that waits for the end of a pipe, and on Windows by a job object. That
//     shell, which Linux has too, removes the directory; only on Windows are the directory and the
//     configuration left.
//   - A server process has a directory of its own, and is without persistence, within 128 MB and
//     with notifications on. It gets none of the passwords that are in our environment.
//   - No other user reaches a server of ours, process or embedded: it listens on a socket in a
//     directory that only this user may enter, or on a loopback port with a random password, which
//     is in no command line. Where the servers must keep their address when they restart, and on
//     Windows, it is the port. A relay leads to such a port, and adds nothing to it.
//   - The directory of an embedded server's socket goes with Close; if we are killed it stays
//     behind, with a socket that leads nowhere.
//   - A server that is given is neither started, emptied, broken nor stopped.
package servers

import (
	"context"
	"errors"

	"locktop/keyspace"
)

// Servers are those that a demo runs on. They are safe for concurrent use. What Open returns for
// [NeedsMasters] is a *[Masters], and for [NeedsPair] a *[Pair], which can be broken.
type Servers interface {
	// Connections say how to reach them, one for each server that workers talk to. They never
	// change, and may be asked for also after Close.
	Connections() []keyspace.Options
	// Name is what the header calls them: "redis-server 7.0.15 (private)", "embedded demo server".
	Name() string
	// Reset makes servers of ours as they were at the beginning: empty, and all of them there. What
	// is on a server that is given stays.
	Reset(ctx context.Context) error
	// Close stops them, if they are ours, and removes their files. It is called once.
	Close() error
}

// Kind says what servers run as.
type Kind string

// The kinds; "" is Auto.
const (
	Auto     Kind = "auto"     // redis-server or valkey-server on PATH, else embedded; for NeedsMasters embedded
	Redis    Kind = "redis"    // a process of our own
	Embedded Kind = "embedded" // inside this process
)

// Needs says which servers a scenario runs on.
type Needs string

// What scenarios need.
const (
	NeedsOne     Needs = ""        // one server, embedded or not
	NeedsReal    Needs = "real"    // one server that is not embedded
	NeedsMasters Needs = "masters" // five independent servers of its own, embedded or not
	NeedsPair    Needs = "pair"    // a master and a replica of its own, not embedded
)

// Options say which servers are to be had.
type Options struct {
	Kind  Kind
	Needs Needs
	// Target is a running server to use instead, where one server is enough; nil: none.
	Target *keyspace.Options
}

// ErrNoServer says that no usable redis-server or valkey-server is on PATH.
var ErrNoServer = errors.New("no usable redis-server or valkey-server on PATH")
