package keyspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// The bounds of a probe where [ProbeOptions] do not say otherwise, and the greatest ones.
const (
	DefaultProbe      = 2 * time.Second
	LongestProbe      = 30 * time.Second
	defaultProbeLines = 100_000
	defaultProbeBytes = 32 << 20
	// defaultUnread is how much a server may hold for us that we have not read: a MONITOR that nobody reads grows in its memory without
	// a bound.
	defaultUnread = 4 << 20
	// BusyOps is the number of commands a second above which a server is probed only by force: MONITOR took about half of what a
	// server could do.
	BusyOps = 20_000
)

// ErrBusy is why a server is not probed unless that is forced. Test with errors.Is on what [Servers.Probe] returns.
var ErrBusy = errors.New("too busy to be probed")

// ProbeOptions bound a probe.
type ProbeOptions struct {
	// Ref is the key that matters: its master is probed, or all independent ones; nil: all masters are.
	Ref *Ref
	// For is how long it lasts at most; zero: [DefaultProbe]. More than [LongestProbe] is cut to that.
	For time.Duration
	// MaxLines and MaxBytes end it early, counted over all masters; zero: 100,000 and 32 MiB.
	MaxLines, MaxBytes int64
	// MaxUnread ends it where a server holds more bytes than that for us; zero: 4 MiB.
	MaxUnread int64
	// Force probes a server that is above [BusyOps], too.
	Force bool
	// Begun is told, once all masters that let us have begun to tell. Nil: nobody is.
	Begun func(at time.Time)
	// Take is given every command that a master ran, one after the other, those of one master in the order in which it ran them. What it
	// is given it must not keep. It must be quick.
	Take func(Heard)
	// Progress is told ten times a second how far it is; nil: nobody is.
	Progress func(lines, bytes int64)
}

// ProbeEnd is how a probe ended.
type ProbeEnd string

// The ends of a probe. All but the first are earlier than it was asked for.
const (
	ProbeTime      ProbeEnd = "time"
	ProbeLines     ProbeEnd = "lines"
	ProbeBytes     ProbeEnd = "bytes"
	ProbeUnread    ProbeEnd = "unread" // the server sent faster than we read
	ProbeCancelled ProbeEnd = "cancelled"
	ProbeLost      ProbeEnd = "lost" // the connection, to one of the masters at least
)

// ProbeReport is what a probe was, and what it cost.
type ProbeReport struct {
	// From and To are when MONITOR was on, on the local clock.
	From, To time.Time
	Ended    ProbeEnd
	// Lines and Bytes are what came from all masters.
	Lines, Bytes int64
	Nodes        []ProbedNode
	// Clients are the connections of the masters right after the probe; none where they may not be
	// listed, or are too many.
	Clients []Client
}

// ProbedNode is one master of a probe.
type ProbedNode struct {
	Node         Node
	Lines, Bytes int64
	// Before is the load when the probe began, During what it was while it lasted.
	Before, During Load
	// Err is why it was not probed, or not to the end; nil: it was.
	Err error
}

func (o ProbeOptions) withDefaults() ProbeOptions {
	if o.For <= 0 {
		o.For = DefaultProbe
	}
	o.For = min(o.For, LongestProbe)
	if o.MaxLines <= 0 {
		o.MaxLines = defaultProbeLines
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = defaultProbeBytes
	}
	if o.MaxUnread <= 0 {
		o.MaxUnread = defaultUnread
	}
	return o
}

// Probe has the masters tell of every command that they run (MONITOR), for a short time, over connections of its own that do nothing
// else. It costs the servers much, and it shows everything that anybody sends; nothing else in this package sends MONITOR, and only
// whoever was asked for it may call this.
//
// It ends, and the connections are closed, when the time is over, when so many lines or bytes came, when a server has to hold too much
// for us, when ctx ends, or when nobody is left who tells. The error is why nobody told anything; where some masters did, the report
// says of each of the others why it did not.
func (s *Servers) Probe(ctx context.Context, o ProbeOptions) (*ProbeReport, error) {
	o = o.withDefaults()
	connections, nodes, err := s.probed(ctx, o.Ref)
	if err != nil {
		return nil, err
	}
	if err := busiest(nodes); err != nil && !o.Force {
		return nil, err
	}
	p := &probing{options: o, report: &ProbeReport{Nodes: nodes}, stop: make(chan struct{})}
	monitors := p.open(ctx, connections)
	if len(monitors) == 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, firstError(nodes)
	}
	p.listen(ctx, monitors)
	p.afterwards(ctx, connections)
	return p.report, nil
}

// probed are the masters that a probe of a key concerns, and how busy each is.
func (s *Servers) probed(ctx context.Context, ref *Ref) ([]*Connection, []ProbedNode, error) {
	if s.topology == Sentinel { // a fail-over may have been a moment ago
		if err := s.ask(ctx); err != nil {
			return nil, nil, err
		}
	}
	now, _ := s.present()
	var which []Options
	for _, m := range now.members {
		which = append(which, m.options)
	}
	if ref != nil && s.topology != Redlock {
		o, err := s.who(*ref)
		if err != nil {
			return nil, nil, err
		}
		which = []Options{o}
	}
	connections, nodes := make([]*Connection, len(which)), make([]ProbedNode, len(which))
	var asked sync.WaitGroup
	for i, o := range which {
		nodes[i].Node = o.Node()
		asked.Go(func() {
			if connections[i], nodes[i].Err = s.connection(ctx, o); nodes[i].Err == nil {
				nodes[i].Before, nodes[i].Err = connections[i].load(ctx)
			}
		})
	}
	asked.Wait()
	for _, n := range nodes {
		if n.Err == nil {
			return connections, nodes, nil
		}
	}
	return nil, nil, firstError(nodes)
}

// ProbeCost says what a probe of a key would meet, without one; nil: of all masters.
func (s *Servers) ProbeCost(ctx context.Context, ref *Ref) ([]ProbedNode, error) {
	_, nodes, err := s.probed(ctx, ref)
	return nodes, err
}

// busiest is the error of the first master that is too busy.
func busiest(nodes []ProbedNode) error {
	for _, n := range nodes {
		if n.Err == nil && n.Before.Known && n.Before.Ops > BusyOps {
			return fmt.Errorf("%s is %w: it runs %.0f commands a second, and MONITOR would slow it down; above %d it takes force", n.Node, ErrBusy, n.Before.Ops, BusyOps)
		}
	}
	return nil
}

// firstError is why nobody is probed.
func firstError(nodes []ProbedNode) error {
	for _, n := range nodes {
		if n.Err != nil {
			return n.Err
		}
	}
	return errors.New("there is no master to probe")
}

// probing is a probe under way.
type probing struct {
	options ProbeOptions
	report  *ProbeReport

	lines, bytes atomic.Int64
	taking       sync.Mutex // one command at a time

	stopOnce sync.Once
	stop     chan struct{}
	ended    ProbeEnd // why it was stopped
}

// end stops all monitors; the first reason is the one that counts.
func (p *probing) end(why ProbeEnd) {
	p.stopOnce.Do(func() {
		p.ended = why
		close(p.stop)
	})
}

// open opens the monitors of the masters that let us, at the same time.
func (p *probing) open(ctx context.Context, connections []*Connection) []*monitor {
	opened := make([]*monitor, len(connections))
	var opening sync.WaitGroup
	for i, c := range connections {
		if n := &p.report.Nodes[i]; n.Err == nil {
			opening.Go(func() { opened[i], n.Err = openMonitor(ctx, c, n) })
		}
	}
	opening.Wait()
	var monitors []*monitor
	for _, m := range opened {
		if m != nil {
			monitors = append(monitors, m)
		}
	}
	return monitors
}

// listen reads all monitors until the end, and closes them.
func (p *probing) listen(ctx context.Context, monitors []*monitor) {
	p.report.From = time.Now()
	if p.options.Begun != nil {
		p.options.Begun(p.report.From)
	}
	closing := make(chan struct{})
	go func() {
		defer close(closing)
		p.watch(ctx, monitors)
		for _, m := range monitors {
			m.close()
		}
	}()
	var reading sync.WaitGroup
	var left atomic.Int32
	left.Store(int32(len(monitors)))
	for _, m := range monitors {
		reading.Go(func() {
			if err := m.read(p); err != nil {
				m.node.Err = err
			}
			if left.Add(-1) == 0 {
				p.end(ProbeLost) // unless there was another reason before
			}
		})
	}
	reading.Wait()
	<-closing
	p.report.To = time.Now()
	p.report.Ended = p.ended
	if p.ended == ProbeTime && slices.ContainsFunc(monitors, func(m *monitor) bool { return m.node.Err != nil }) {
		p.report.Ended = ProbeLost
	}
	p.report.Lines, p.report.Bytes = p.lines.Load(), p.bytes.Load()
}

// How often progress is told, and how often a server is asked how much it holds for us.
const (
	progressEvery = 100 * time.Millisecond
	unreadEvery   = 250 * time.Millisecond
)

// watch waits for the end of a probe. Meanwhile it tells how far it is, and looks at what the servers hold for us.
func (p *probing) watch(ctx context.Context, monitors []*monitor) {
	over := time.NewTimer(p.options.For)
	defer over.Stop()
	told := time.NewTicker(progressEvery)
	defer told.Stop()
	guarding, stopGuards := context.WithCancel(ctx)
	var guards sync.WaitGroup
	for _, m := range monitors {
		guards.Go(func() { m.guard(guarding, p) })
	}
	defer guards.Wait()
	defer stopGuards()
	for {
		select {
		case <-ctx.Done():
			p.end(ProbeCancelled)
			return
		case <-p.stop:
			return
		case <-over.C:
			p.end(ProbeTime)
			return
		case <-told.C:
			if p.options.Progress != nil {
				p.options.Progress(p.lines.Load(), p.bytes.Load())
			}
		}
	}
}

// afterwardsTimeout bounds what is asked after a probe, which is only to explain it.
const afterwardsTimeout = time.Second

// afterwards finds out what the probe cost, and who the clients are. Nothing of it is worth an error. It is asked also of a probe that
// was cancelled, since what was heard until then is shown.
func (p *probing) afterwards(ctx context.Context, connections []*Connection) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterwardsTimeout)
	defer cancel()
	lists := make([][]Client, len(connections))
	var asked sync.WaitGroup
	for i, c := range connections {
		n := &p.report.Nodes[i]
		if c == nil || !n.Before.asked() {
			continue
		}
		asked.Go(func() {
			after, err := c.load(ctx)
			if err != nil {
				return
			}
			n.During = after.since(n.Before)
			if roll, err := c.listClients(ctx); err == nil { // without it nobody has a name
				lists[i] = roll.Clients
			}
		})
	}
	asked.Wait()
	for _, list := range lists {
		p.report.Clients = append(p.report.Clients, list...)
	}
}
