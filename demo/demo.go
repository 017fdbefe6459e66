// Package demo runs real workers that contend for real locks, on a server of its own or on one that is given.
//
// # Guaranteed
//
//   - The workers are goroutines with connections of their own, and use the scripts of package actions wherever a scenario
//     does not say that it shows something worse. Their dice depend on [Options].Seed alone, so that two runs differ only by
//     who comes first.
//   - A demo ends with the context of [Start] or with [Demo.Close], whichever is first: no goroutine, process, directory,
//     or key on somebody's server is left, as long as that server answers. Killed, it leaves its keys on somebody's server,
//     and those that show a missing TTL stay: no later run can tell them from those of a run that goes on.
//   - A server process of our own dies with us, also when we are killed: by the kernel on Linux, on other Unix systems by a
//     shell that waits for the end of a pipe, and on Windows by a job object. Only on Windows are its directory and
//     configuration left.
//   - On a server that is given, nothing outside of [Prefix] is touched, and nothing inside it but this run's own keys.
//   - [Demo.Verdict] tells what happened by the workers' own account, which no lock can deceive.
package demo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// Server says where a demo runs.
type Server string

// The choices of --server.
const (
	ServerAuto     Server = "auto"     // redis-server or valkey-server on PATH, else embedded
	ServerRedis    Server = "redis"    // a process of our own
	ServerEmbedded Server = "embedded" // inside this process
)

// Options configure a demo.
type Options struct {
	Scenario string // empty: contention
	Server   Server
	// Target is a running server to use instead, under the reserved prefix [Prefix]; nil: none.
	Target *keyspace.Options
	Seed   uint64  // 0: from the clock
	Speed  float64 // 1 is real time; 2 is twice as fast; 0: 1
}

// Prefix is put before every key of a demo that runs on somebody's server.
const Prefix = "locktop:demo:"

// Demo is a running scenario. It is safe for concurrent use.
type Demo struct {
	script  script
	options Options
	backend backend
	conn    *keyspace.Connection
	stage   *stage
	stop    context.CancelFunc
	ended   chan struct{} // closed when nothing is left
	err     error         // of the end
}

// Start starts the server and the workers. They stop when ctx ends or Close is called.
func Start(ctx context.Context, o Options) (*Demo, error) {
	s, err := findScript(o.Scenario)
	if err != nil {
		return nil, err
	}
	if math.IsNaN(o.Speed) || o.Speed < 0 {
		return nil, fmt.Errorf("speed %v: give more than 0", o.Speed)
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Seed == 0 {
		o.Seed = uint64(time.Now().UnixNano())
	}
	b, err := openBackend(ctx, o)
	if err != nil {
		return nil, err
	}
	d := &Demo{script: s, options: o, backend: b, ended: make(chan struct{})}
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.closeServer())
	}
	ctx, d.stop = context.WithCancel(ctx)
	s.play(ctx, d.stage)
	go d.endWith(ctx)
	return d, nil
}

// endWith takes everything down in order when the context ends.
func (d *Demo) endWith(ctx context.Context) {
	defer close(d.ended)
	<-ctx.Done()
	d.stage.group.Wait()
	d.err = errors.Join(d.cleanUp(), d.closeServer())
}

// open connects to the server and sets the stage.
func (d *Demo) open(ctx context.Context) error {
	connection := d.backend.Options()
	connection.ClientName = "demo"
	var err error
	if d.conn, err = keyspace.Connect(ctx, connection); err != nil {
		return err
	}
	prefix := ""
	if d.options.Target != nil {
		if mode := d.conn.Server().Mode; mode != "standalone" {
			return fmt.Errorf("the demo cannot run on this server: it is in %s mode; name a server that stands alone", mode)
		}
		if prefix, err = runPrefix(); err != nil {
			return err
		}
		client := d.conn.NewClient("demo-rehearsal")
		if err := errors.Join(rehearse(ctx, client, prefix), client.Close()); err != nil {
			return err
		}
	}
	d.stage = newStage(d.conn, prefix, d.options)
	return nil
}

// Connection says how to reach the server, for keyspace.Connect.
func (d *Demo) Connection() keyspace.Options { return d.backend.Options() }

// URL is the server's, without a secret; keyspace.ParseURL and client libraries read it. It is "" where the secret is
// one that nobody but this process knows.
func (d *Demo) URL() string {
	o := d.backend.Options()
	u := url.URL{Scheme: "redis", Host: o.Addr, Path: "/" + strconv.Itoa(o.DB)}
	switch {
	case d.options.Target == nil && o.Password != "":
		return ""
	case o.Network == "unix":
		u = url.URL{Scheme: "unix", Path: o.Addr, RawQuery: "db=" + strconv.Itoa(o.DB)}
	case o.TLS != nil:
		u.Scheme = "rediss"
	}
	if o.Username != "" {
		u.User = url.User(o.Username)
	}
	return u.String()
}

// ServerName is what the header says: "redis-server 7.0.15 (private)", "embedded demo server".
func (d *Demo) ServerName() string { return d.backend.Name() }

// Scenario is the one that runs; its Name is set even where Options left it to the default.
func (d *Demo) Scenario() Scenario { return d.script.Scenario }

// Seed is what the dice were made from, also where Options left it to the clock: with it the run can be had again.
func (d *Demo) Seed() uint64 { return d.options.Seed }

// KeyPrefix is what this run puts before the name of every lock: "" on a server of its own.
func (d *Demo) KeyPrefix() string { return d.stage.prefix }

// Narration is the latest sentence. It changes at most every two seconds.
func (d *Demo) Narration() Narration { return d.stage.narrator.current() }

// Thresholds are the limits of findings with which the scenario shows what it is about within seconds; production's are
// minutes and hours.
func (d *Demo) Thresholds() inspector.Thresholds {
	return scaleThresholds(d.script.thresholds, d.options.Speed)
}

// Verdict tells what the workers really did until now, or until the end.
func (d *Demo) Verdict() Verdict { return d.stage.ledger.verdict() }

// Close stops the workers, removes the keys, stops the server and waits for all of it. It may be called twice.
func (d *Demo) Close() error {
	d.stop()
	<-d.ended
	return d.err
}

// cleanUp removes this run's keys from somebody's server. On our own they go with the server.
func (d *Demo) cleanUp() error {
	if d.options.Target == nil {
		return nil
	}
	client := d.conn.NewClient("demo-cleaner")
	// Not the context of Start: it may have ended, and that is why we clean up.
	return errors.Join(sweep(context.Background(), client, d.stage.prefix, d.stage.keys()), client.Close())
}

func (d *Demo) closeServer() error {
	var err error
	if d.conn != nil {
		err = d.conn.Close()
	}
	return errors.Join(err, d.backend.Close())
}
