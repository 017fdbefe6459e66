package demo

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// storm is load: as many workers and locks as asked.
func storm() script {
	return script{
		Scenario: Scenario{
			Name: Storm,
			Shows: "As many workers on as many token locks as you ask for (200 on 500 unless told otherwise), a few locks more wanted than " +
				"the others, and now and then a worker that dies. One worker in fifty is careless: a short lease, and DEL without a look.",
			LookFor: "how many acquisitions a second there are and how fast they are answered, what the dashboard itself costs, and which of " +
				"all these locks are in trouble: " + parcel(0) + " and the other careless ones, where a job outlasts its lease and two are inside.",
			Fault: "a holder dies",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "sound", Shows: "leases that outlast the work, compare-and-delete: " + shipment(0) + " and on"},
				measure: newAnswers,
				play: func(ctx context.Context, s *stage) {
					workers, locks := s.stormSize()
					s.swarm(ctx, max(workers-carelessOf(workers), 1), steady(locks))
					s.group.Go(func() { s.report(ctx) })
				},
			},
			{
				Variant: Variant{Name: "careless", Shows: "leases shorter than some jobs, and a bare DEL: " + parcel(0) + " and on", Flawed: true},
				measure: newAnswers,
				play: func(ctx context.Context, s *stage) {
					workers, _ := s.stormSize()
					s.swarm(ctx, carelessOf(workers), careless)
				},
			},
		},
	}
}

const (
	stormWorkers = 200
	stormLocks   = 500

	// A worker waits, acquires any lock and holds it. Two thousand workers so make some thousand acquisitions a second.
	stormPause = 300 * time.Millisecond
	stormWork  = 200 * time.Millisecond
	stormLease = 6 * time.Second
	// stormPatience is how long a worker asks for a lock, before it looks for another.
	stormPatience = 3 * time.Second

	// A few locks are more wanted than the others, but most workers want one of the others.
	stormExponent, stormFlatness = 1.1, 100

	firstStormDeath = 3 * time.Second
	nextStormDeath  = 12 * time.Second
	stormReports    = 6 * time.Second
)

// stormSize is how many workers and locks were asked for.
func (s *show) stormSize() (workers, locks int) {
	return cmp.Or(s.options.Workers, stormWorkers), cmp.Or(s.options.Locks, stormLocks)
}

// carelessOf is how many of the workers are careless: one in fifty, in pairs.
func carelessOf(workers int) int { return max(workers/100, 1) * 2 }

func shipment(n int) string { return fmt.Sprintf("lock:shipment:%04d", n+1) }
func parcel(n int) string   { return fmt.Sprintf("lock:parcel:%02d", n+1) }

// part is what a worker of a swarm does until it dies or the demo ends: in its seat, counted from 0, and as the successor of
// one that died. It returns how it died.
type part func(ctx context.Context, w hand, seat int, before *death) *death

// death is what a dead worker left behind.
type death struct {
	worker, lock string
	at           time.Time
}

// swarm lets so many workers play until the demo ends. They share the connections of one client: a server that is to stand
// the load of thousands of workers need not stand thousands of connections. Who dies is followed by another. All are hired
// before anybody works, so that their dice are the same each time.
func (s *stage) swarm(ctx context.Context, size int, play part) {
	client := s.conns[0].NewClient("demo-" + Storm)
	connections := newQueue(client.Options().PoolSize)
	hire := func() hand { return hand{s.newWorkerOn(client), connections} }
	hands := make([]hand, size)
	for seat := range hands {
		hands[seat] = hire()
	}
	s.group.Go(func() {
		var all sync.WaitGroup
		for seat, w := range hands {
			all.Go(func() {
				for died := play(ctx, w, seat, nil); ctx.Err() == nil; {
					died = play(ctx, hire(), seat, died)
				}
			})
		}
		all.Wait()
		if err := client.Close(); err != nil {
			s.ledger.failed(fmt.Errorf("close: %w", err))
		}
	})
}

// hand is a worker of a swarm.
type hand struct {
	*worker
	connections queue
}

// timedLock is a token lock whose acquisitions are timed, the wait for a connection included.
type timedLock struct {
	*tokenLock
	connections queue
}

func (w hand) timed(label string, lease time.Duration) timedLock {
	return timedLock{w.tokenLock(label, lease), w.connections}
}

func (l timedLock) acquire(ctx context.Context) (bool, error) {
	began := time.Now()
	acquired, err := l.connections.turn(ctx, l.tokenLock.acquire)
	if err == nil {
		l.worker.measures.(*answers).add(time.Since(began), acquired)
	}
	return acquired, err
}

func (l timedLock) release(ctx context.Context) (bool, error) {
	return l.connections.turn(ctx, l.tokenLock.release)
}

// steady is a worker that keeps its leases, on so many locks.
func steady(locks int) part {
	return func(ctx context.Context, w hand, _ int, before *death) *death {
		popularity := rand.NewZipf(w.dice, stormExponent, stormFlatness, uint64(locks-1))
		if before != nil && !w.succeed(ctx, before) {
			return nil
		}
		for w.pause(ctx, w.between(0, 2*stormPause)) {
			l := w.timed(shipment(int(popularity.Uint64())), stormLease)
			if !w.seek(ctx, l, stormPatience) || w.tooLate(ctx, l) {
				continue
			}
			v := w.ledger.enter(l.label, w.name)
			if w.due("death in the storm", firstStormDeath, nextStormDeath) {
				v.die()
				w.news("%s died in %s: until its lease of %s is over nobody gets it, and all the others go on", w.name, l.label,
					w.told(l.lease))
				return &death{worker: w.name, lock: l.label, at: time.Now()}
			}
			w.serve(ctx, v, l)
		}
		return nil
	}
}

// serve does a worker's job inside, and gives the lock back.
func (w hand) serve(ctx context.Context, v *visit, l timedLock) {
	w.finish(ctx, v, w.about(stormWork), &l.claim)
	w.giveBack(ctx, l)
}

// succeed takes over the lock of one that died, as soon as its lease is over; false: the demo ended first.
func (w hand) succeed(ctx context.Context, died *death) bool {
	for ctx.Err() == nil {
		l := w.timed(died.lock, stormLease)
		if !w.seek(ctx, l, stormLease) || w.tooLate(ctx, l) {
			continue
		}
		v := w.ledger.enter(l.label, w.name)
		w.news("%s got %s %s after %s died in it: its lease was over, and nobody had to be woken for that", w.name, l.label,
			span(time.Since(died.at)), died.worker)
		w.serve(ctx, v, l)
		w.ledger.play()
		return true
	}
	return false
}

const (
	carelessLease = 2 * time.Second

	firstCareless = 3 * time.Second
	nextCareless  = 15 * time.Second
)

// careless is a worker that shares a lock with its neighbour, does not look at the clock, and deletes whatever is there.
func careless(ctx context.Context, w hand, seat int, _ *death) *death {
	for w.pause(ctx, w.about(600*time.Millisecond)) {
		l := w.timed(parcel(seat/2), carelessLease)
		if !w.seek(ctx, l, 20*time.Second) {
			continue
		}
		if other := w.ledger.holder(l.label); other != "" {
			w.news("%s got %s while %s is at work in it: the lock, with its lease of %s, ended before the job",
				w.name, l.label, other, w.told(l.lease))
		}
		v := w.ledger.enter(l.label, w.name)
		long := w.due("long job of a careless worker", firstCareless, nextCareless)
		if long {
			w.pause(ctx, 5*carelessLease/2)
		} else {
			w.pause(ctx, w.about(700*time.Millisecond))
		}
		v.leave()
		w.try(ctx, func(ctx context.Context) (bool, error) {
			return w.connections.turn(ctx, l.remove) // the lock may be the neighbour's by now
		})
		if long {
			w.ledger.play()
		}
	}
	return nil
}

// report tells now and then how much is going on.
func (s *stage) report(ctx context.Context) {
	for s.clock.sleep(ctx, stormReports) {
		for _, said := range s.measures.said() {
			s.say("%s", said)
		}
	}
}
