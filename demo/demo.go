// Package demo runs real workers that contend for real locks, on a server of its own or on one that is given.
//
// # Guaranteed
//
//   - The workers are goroutines with connections of their own (those of [Storm], who may be thousands, share some). They use
//     the scripts of package actions wherever a scenario does not say that it shows something worse. Their dice depend on
//     [Options].Seed alone, so that two runs differ only by who comes first.
//   - Each variant of a scenario has locks and an account of its own. All are played side by side, or by turns where what
//     happens to the servers happens to all of them. The fault happens by itself, soon and then again and again, and when
//     [Demo.LetHappen] asks for it: a flawed variant shows then what is wrong with it, and a sound one comes to no harm.
//   - A demo ends with the context of [Start] or with [Demo.Close], whichever is first: no goroutine, process, directory,
//     or key on somebody's server is left, as long as that server answers. Killed, it leaves its keys on somebody's server,
//     and those that show a missing TTL stay: no later run can tell them from those of a run that goes on.
//   - Servers of our own are those of package servers, with what it guarantees: they die with us, also when we are killed.
//   - On a server that is given, nothing outside of [Prefix] is touched, and nothing inside it but this run's own keys. What a
//     scheme keeps beside a lock is named as the scheme names it, with the lock's own name in it.
//   - [Demo.Verdict] tells what happened by the workers' own account, which no lock can deceive: it is in this process' memory.
//     What the operator of a dashboard does to the locks is in it, too, and so are commands that failed, which are no faults.
//   - A change of the tempo scales what is left of every lease together with the time by which the workers live, and comes
//     between the commands that set leases. A server may so keep a lock for some milliseconds longer than its holder thinks, and
//     never shorter. A lease that is written into a value, as that of a timestamp lock is, stays as it was written.
//   - After [Demo.Restart] the scenario is played from its beginning, with the same dice, the tempo of the start and an empty
//     account, on servers that are as they were. It is played also where putting the servers right failed, which is returned.
//
// # Who waits for whom
//
//   - Whatever runs for a performance is in its group and ends with its context, but for the watchdog and the subscription of
//     a worker: that worker ends them, and waits for them. Besides, a demo has one goroutine of its own, which takes all
//     down, in order, when the context has ended.
//   - What a screen asks for ([Demo.Verdict], [Demo.Narration], [Demo.Narrated], [Demo.Table], [Demo.Tempo]) and
//     [Demo.LetHappen] never wait for a server. [Demo.Step], [Demo.Hold], [Demo.Slower] and [Demo.Faster] wait for the
//     commands that set leases, and send some to every server. [Start], [Demo.Restart] and [Demo.Close] wait for servers, the
//     latter two also for every worker.
package demo

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"locktop/demo/servers"
	"locktop/inspector"
	"locktop/keyspace"
)

// Server says where a demo runs.
type Server = servers.Kind

// The choices of --server.
const (
	ServerAuto     = servers.Auto     // redis-server or valkey-server on PATH, else embedded
	ServerRedis    = servers.Redis    // a process of our own
	ServerEmbedded = servers.Embedded // inside this process
)

// Options configure a demo.
type Options struct {
	Scenario string // empty: contention
	Variant  string // the only one to play; empty: all of the scenario's
	Server   Server
	// Target is a running server to use instead, under the reserved prefix [Prefix]; nil: none.
	Target *keyspace.Options
	Seed   uint64  // 0: from the clock
	Speed  float64 // 1 is real time; 2 is twice as fast; 0: 1
	// Workers and Locks are how many the scenario [Storm] has; 0: its own numbers.
	Workers, Locks int
}

// Prefix is put before every key of a demo that runs on somebody's server.
const Prefix = "locktop:demo:"

// Storm is the name of the scenario whose workers and locks are as many as asked.
const Storm = "storm"

// ErrEnded says that a demo has ended, and so cannot be played on.
var ErrEnded = errors.New("the demo has ended")

// Demo is a running scenario. It is safe for concurrent use.
type Demo struct {
	script  script
	options Options
	backend servers.Servers
	conns   []*keyspace.Connection
	prefix  string
	ctx     context.Context // of the whole demo
	stop    context.CancelFunc
	ended   chan struct{} // closed when nothing is left
	err     error         // of the end

	changing sync.Mutex // held while one performance follows another, or the last one ends
	show     atomic.Pointer[show]
	curtain  context.CancelFunc // ends the performance
}

// Start starts the servers and the workers. They stop when ctx ends or Close is called.
func Start(ctx context.Context, o Options) (*Demo, error) {
	s, err := findScript(o.Scenario)
	if err == nil {
		s, err = s.choose(o.Variant, o.Server)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case math.IsNaN(o.Speed) || o.Speed < 0 || o.Speed > maxRate:
		return nil, fmt.Errorf("speed %v: give more than 0 and at most %d", o.Speed, maxRate)
	case o.Workers < 0 || o.Locks < 0:
		return nil, fmt.Errorf("%d workers and %d locks: give more than 0", o.Workers, o.Locks)
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Seed == 0 {
		o.Seed = uint64(time.Now().UnixNano())
	}
	b, err := servers.Open(ctx, servers.Options{Kind: o.Server, Needs: s.Needs, Target: o.Target})
	if err != nil {
		return nil, err
	}
	d := &Demo{script: s, options: o, backend: b, ended: make(chan struct{})}
	if err := d.open(ctx); err != nil {
		return nil, errors.Join(err, d.closeServers())
	}
	d.ctx, d.stop = context.WithCancel(ctx)
	d.begin()
	go d.endWithContext()
	return d, nil
}

// begin begins a performance.
func (d *Demo) begin() {
	ctx, curtain := context.WithCancel(d.ctx)
	s := newShow(ctx, d.options, d.backend, d.conns, d.prefix, d.script.lanes)
	d.curtain = curtain
	d.show.Store(s)
	// As a member of the group, so that nobody waits for it before the first worker is hired.
	s.group.Go(func() { s.play(d.script) })
}

// endWithContext takes everything down in order when the context ends.
func (d *Demo) endWithContext() {
	defer close(d.ended)
	<-d.ctx.Done()
	d.changing.Lock()
	defer d.changing.Unlock()
	d.curtain()
	d.show.Load().group.Wait()
	// The context has ended, and that is why we clean up.
	d.err = errors.Join(d.cleanUp(context.WithoutCancel(d.ctx)), d.closeServers())
}

// open connects to the servers.
func (d *Demo) open(ctx context.Context) error {
	for _, connection := range d.backend.Connections() {
		connection.ClientName = "demo"
		conn, err := keyspace.Connect(ctx, connection)
		if err != nil {
			return err
		}
		d.conns = append(d.conns, conn)
	}
	if d.options.Target == nil {
		return nil
	}
	if mode := d.conns[0].Server().Mode; mode != "standalone" {
		return fmt.Errorf("the demo cannot run on this server: it is in %s mode; name a server that stands alone", mode)
	}
	var err error
	if d.prefix, err = runPrefix(); err != nil {
		return err
	}
	client := d.conns[0].NewClient("demo-rehearsal")
	err = rehearse(ctx, client, d.prefix)
	if err == nil && d.script.rehearse != nil {
		err = d.script.rehearse(ctx, client, d.prefix+"rehearsal")
	}
	return errors.Join(err, client.Close())
}

// Place says how to reach the servers, for keyspace.Dial.
func (d *Demo) Place() keyspace.Place { return keyspace.Place{Servers: d.backend.Connections()} }

// URL is the servers', with blanks in between; keyspace.ParseURL and client libraries read each. A server that is given is named
// without its secret. One of our own may have a password, which is random, this run's alone, and in it: whoever asks for the
// URL wants to connect.
func (d *Demo) URL() string {
	var all []string
	for _, o := range d.backend.Connections() {
		u := url.URL{Scheme: "redis", Host: o.Addr, Path: "/" + strconv.Itoa(o.DB)}
		switch {
		case o.Network == "unix":
			u = url.URL{Scheme: "unix", Path: o.Addr, RawQuery: "db=" + strconv.Itoa(o.DB)}
		case o.TLS != nil:
			u.Scheme = "rediss"
		}
		switch {
		case d.options.Target == nil && o.Password != "":
			u.User = url.UserPassword("", o.Password)
		case o.Username != "":
			u.User = url.User(o.Username)
		}
		all = append(all, u.String())
	}
	return strings.Join(all, " ")
}

// ServerName is what the header says: "redis-server 7.0.15 (private)", "embedded demo server".
func (d *Demo) ServerName() string { return d.backend.Name() }

// Scenario is the one that runs; its Name is set even where Options left it to the default.
func (d *Demo) Scenario() Scenario { return d.script.Scenario }

// Seed is what the dice were made from, also where Options left it to the clock: with it the run can be had again.
func (d *Demo) Seed() uint64 { return d.options.Seed }

// KeyPrefix is what this run puts before the name of every lock: "" on a server of its own.
func (d *Demo) KeyPrefix() string { return d.prefix }

// Narration is the sentence to be read now. It changes at most every two seconds, unless the user steps.
func (d *Demo) Narration() Narration { return d.show.Load().narrator.current() }

// Narrated are the latest sentences, the latest last.
func (d *Demo) Narrated() []Narration { return d.show.Load().narrator.sentences() }

// Table are the figures that the scenario measures, the titles first; nil: it measures none.
func (d *Demo) Table() [][]string {
	if d.script.table == nil {
		return nil
	}
	return d.script.table(d.show.Load())
}

// Thresholds are the limits of findings with which the scenario shows what it is about within seconds; production's are
// minutes and hours.
func (d *Demo) Thresholds() inspector.Thresholds {
	return scaleThresholds(d.script.thresholds, d.options.Speed)
}

// Verdict tells what the workers really did until now, or until the end; after a restart, since then.
func (d *Demo) Verdict() Verdict { return d.show.Load().verdict() }

// Tempo is how fast it goes.
func (d *Demo) Tempo() Tempo { return d.show.Load().director.now() }

// LetHappen lets the scenario's fault happen now, or as soon as a worker is where it can.
func (d *Demo) LetHappen() { d.show.Load().letHappen() }

// Step goes on to the next sentence, and holds there.
func (d *Demo) Step(ctx context.Context) error { return d.show.Load().step(ctx) }

// Hold makes time all but stand still, or lets it go on.
func (d *Demo) Hold(ctx context.Context) error { return d.show.Load().hold(ctx) }

// Slower makes it half as fast, Faster twice as fast, within limits.
func (d *Demo) Slower(ctx context.Context) error {
	return d.show.Load().change(ctx, func(t *Tempo) { t.Rate /= 2 })
}

// Faster is the opposite of Slower.
func (d *Demo) Faster(ctx context.Context) error {
	return d.show.Load().change(ctx, func(t *Tempo) { t.Rate *= 2 })
}

// Restart plays the scenario from its beginning, with the same dice: the servers are as they were, and the account is empty.
func (d *Demo) Restart(ctx context.Context) error {
	d.changing.Lock()
	defer d.changing.Unlock()
	if d.ctx.Err() != nil {
		return ErrEnded
	}
	d.curtain()
	d.show.Load().group.Wait()
	err := errors.Join(d.cleanUp(ctx), d.backend.Reset(ctx))
	d.begin() // also after an error: there must be a show
	return err
}

// Close stops the workers, removes the keys, stops the servers and waits for all of it. It may be called twice.
func (d *Demo) Close() error {
	d.stop()
	<-d.ended
	return d.err
}

// cleanUp removes this run's keys from somebody's server. On our own they go with the server.
func (d *Demo) cleanUp(ctx context.Context) error {
	if d.options.Target == nil {
		return nil
	}
	client := d.conns[0].NewClient("demo-cleaner")
	return errors.Join(sweep(ctx, client, d.prefix, d.show.Load().keys()), client.Close())
}

func (d *Demo) closeServers() error {
	var errs []error
	for _, conn := range d.conns {
		errs = append(errs, conn.Close())
	}
	return errors.Join(append(errs, d.backend.Close())...)
}
