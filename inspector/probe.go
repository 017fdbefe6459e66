package inspector

import (
	"context"
	"sync"
	"time"

	"locktop/keyspace"
)

// Probing is what a contention probe is carried out by; *keyspace.Servers is one.
type Probing interface {
	Probe(ctx context.Context, o keyspace.ProbeOptions) (*keyspace.ProbeReport, error)
	ProbeCost(ctx context.Context, ref *keyspace.Ref) ([]keyspace.ProbedNode, error)
	Read(ctx context.Context, keys ...string) ([]keyspace.Record, error)
	ReadEach(ctx context.Context, companions keyspace.Companions, key string) []keyspace.Answer
	Masters() int
}

// Prober finds out who waits for a lock by listening to all that is sent to its servers, for a short time and only when it is asked.
type Prober struct {
	servers Probing
	rules   Rules
	keeper  *Inspector // nil: nobody keeps the samples
}

// NewProber makes one. The inspector, where there is one, keeps the samples, and tells who was seen holding the lock.
func NewProber(servers Probing, rules Rules, keeper *Inspector) *Prober {
	return &Prober{servers, rules, keeper}
}

// ProbeOptions are those of package keyspace, as far as a user chooses them.
type ProbeOptions struct {
	For   time.Duration
	Force bool
	// Progress is told ten times a second how far it is; nil: nobody is.
	Progress func(lines, bytes int64)
}

// ProbeCost is what a probe would meet.
type ProbeCost struct {
	// Known is false where not all masters tell how busy they are.
	Known bool
	// Ops is how many commands a second they run together, Busiest how many the busiest of them does.
	Ops, Busiest float64
	Masters      int
}

// Lines is about how many lines a probe of that length would bring.
func (c ProbeCost) Lines(span time.Duration) int64 { return int64(c.Ops * span.Seconds()) }

// TooBusy says whether such a probe takes force.
func (c ProbeCost) TooBusy() bool { return c.Busiest > keyspace.BusyOps }

// Cost says what a probe of a lock would meet, without one.
func (p *Prober) Cost(ctx context.Context, l *Lock) (ProbeCost, error) {
	nodes, err := p.servers.ProbeCost(ctx, &l.Ref)
	if err != nil {
		return ProbeCost{}, err
	}
	cost := ProbeCost{Known: true, Masters: len(nodes)}
	for _, n := range nodes {
		cost.Known = cost.Known && n.Before.Known && n.Err == nil
		cost.Ops += n.Before.Ops
		cost.Busiest = max(cost.Busiest, n.Before.Ops)
	}
	return cost, nil
}

// Probe samples a lock. What was heard until ctx ended is a sample too; an error is why nothing was heard.
func (p *Prober) Probe(ctx context.Context, l *Lock, o ProbeOptions) (*Sample, error) {
	s := newSampler(l, p.rules)
	seen := p.events()
	var (
		reading sync.WaitGroup
		seeds   []seedAt
	)
	report, err := p.servers.Probe(ctx, keyspace.ProbeOptions{
		Ref: &l.Ref, For: o.For, Force: o.Force, Progress: o.Progress,
		Take:  s.take,
		Begun: func(time.Time) { reading.Go(func() { seeds = p.seeds(ctx, l) }) },
	})
	reading.Wait()
	if err != nil {
		return nil, err
	}
	for _, at := range seeds {
		if place := s.nodes[at.node]; place != nil {
			place.seeds = append(place.seeds, at.seed)
		}
	}
	for _, place := range s.nodes {
		s.follow(place)
	}
	s.conclude(p.heldSince(seen, l))
	sample := s.sample(report, p.servers.Masters()/2+1)
	if p.keeper != nil {
		p.keeper.Keep(sample)
	}
	return sample, nil
}

// A read that something happens to the key while it is under way tells nothing, so that there are some, so far apart.
const (
	seedReads = 4
	seedEvery = 70 * time.Millisecond
)

// seeds reads the key some times while the probe goes on.
func (p *Prober) seeds(ctx context.Context, l *Lock) []seedAt {
	var all []seedAt
	for range seedReads {
		all = append(all, p.read(ctx, l)...)
		select {
		case <-ctx.Done():
			return all
		case <-time.After(seedEvery):
		}
	}
	return all
}

// seedAt is what a master said of the key while the probe went on.
type seedAt struct {
	node keyspace.Node
	seed seed
}

// read reads the key from all masters that vote on it; of what is not to be had there is none.
func (p *Prober) read(ctx context.Context, l *Lock) []seedAt {
	asked := time.Now()
	var seeds []seedAt
	if p.servers.Masters() > 1 {
		for _, a := range p.servers.ReadEach(ctx, nil, l.Key) {
			if a.Err == nil {
				seeds = append(seeds, seedAt{a.Node, seed{asked, a.Record}})
			}
		}
		return seeds
	}
	if records, err := p.servers.Read(ctx, l.Key); err == nil && records[0].Type != keyspace.TypeDenied {
		seeds = append(seeds, seedAt{records[0].Node, seed{asked, records[0]}})
	}
	return seeds
}

// events is the number of the last event so far.
func (p *Prober) events() uint64 {
	if p.keeper == nil {
		return 0
	}
	events := p.keeper.Latest().Events
	if len(events) == 0 {
		return 0
	}
	return events[len(events)-1].Seq
}

// heldSince are the tokens that were seen getting the lock since an event.
func (p *Prober) heldSince(seq uint64, l *Lock) map[string]bool {
	held := make(map[string]bool)
	if p.keeper == nil {
		return held
	}
	events, _ := p.keeper.EventsSince(seq)
	for i := range events {
		e := &events[i]
		if e.Key == l.Key && e.DB == l.DB && (e.Kind == EventAcquired || e.Kind == EventHandedOver) {
			held[e.Owner] = true
		}
	}
	return held
}
