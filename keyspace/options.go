package keyspace

import (
	"crypto/tls"
	"net"
	"time"
)

// Options say where the server is and who we are there.
type Options struct {
	// Network is "tcp" or "unix"; Addr is "host:port" or the socket's path.
	Network, Addr  string
	Username       string
	Password       string
	DB             int
	TLS            *tls.Config // nil: no TLS
	ClientName     string      // CLIENT SETNAME; empty: "locktop"
	DialTimeout    time.Duration
	CommandTimeout time.Duration
}

// Node is the name under which records, hints and status carry this server.
func (o Options) Node() Node {
	if o.Network == "unix" {
		return Node("unix:" + o.Addr)
	}
	return Node(o.Addr)
}

// host is the name or address of the server; empty: it is on this machine.
func (o Options) host() string {
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil || o.Network == "unix" {
		return ""
	}
	return host
}

// Notify says what to do about keyspace notifications.
type Notify string

// The choices of --notify.
const (
	NotifyAuto    Notify = "auto"    // push if the server has the flags, else tracking, else poll
	NotifyRequire Notify = "require" // push, or fail with the CONFIG line that mends it
	NotifyEnable  Notify = "enable"  // set the missing flags, and restore them at the end
	NotifyOff     Notify = "off"     // poll
)

// ObserveOptions say which keys to follow and how.
type ObserveOptions struct {
	Patterns []Pattern
	Notify   Notify
	// Poll is the interval between reads of all followed keys when the feed is FeedPoll; zero: one second.
	Poll time.Duration
	// ScanCount is the COUNT of each SCAN; zero: 1000. PassInterval is the pause between passes; zero: 30 s with push
	// or tracking, 5 s when polling. With push or tracking a pass is paced to two SCANs a second, except the first, and
	// one after a gap, which run at full speed.
	ScanCount    int64
	PassInterval time.Duration
	// Nudge lets the feed send one EXISTS for a followed key whose expiry passed on the local clock, which makes the
	// server delete it and say so. It is a read, but a primary then replicates a DEL; strict read-only mode turns it off,
	// and the feed then also never reads a key that is overdue. (SCAN may delete expired keys that it meets, whoever asks.)
	Nudge bool
	// Follow is asked once a Record whether its key is worth following (deadlines, polls, re-reads). It must be pure and
	// quick, and may be called from several goroutines. A key that is not followed is read again when a hint names it: soon
	// the first times, then ever more seldom, down to once in ten seconds. Nil follows everything.
	Follow func(Record) bool
	// Keep is asked once a Record whether a key that is followed, and that Follow would not follow, stays followed all the same. It is
	// called as Follow is; nil: it does not.
	Keep func(Record) bool
	// Companions says what is read together with a key; nil: nothing.
	Companions Companions
	// Clients has the feed tell who is connected to the node ([Update.Roll]), as often as that may be asked.
	Clients bool
	// Once ends the stream after the first complete pass (no notifications are subscribed to), or at the first error that a
	// retry does not mend: the last Status is then not Connected, and has it as its Err.
	Once bool

	// others are the other nodes of a cluster; nil: there are none.
	others neighbours
}
