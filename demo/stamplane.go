package demo

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// stampLane is a timestamp lock that some workers use in turn until something happens to it: its holder crashes and two of
// the others race for it, or a worker with a wrong clock asks for it. Who is to meet whom is led from here, so that it does.
type stampLane struct {
	label  string
	way    stampWay
	first  time.Duration // when it happens for the first time
	rivals time.Duration // by how much the second of two takers is later than the first
	flawed bool          // both takers get it
	ahead  time.Duration // by how much a clock is wrong; 0: what happens is a crash
}

func (l stampLane) play(ctx context.Context, s *stage) { s.group.Go(func() { l.run(ctx, s) }) }

func (l stampLane) run(ctx context.Context, s *stage) {
	workers := []*worker{s.newWorker(), s.newWorker(), s.newWorker()}
	defer func() {
		for _, w := range workers {
			w.close()
		}
	}()
	for ctx.Err() == nil {
		struck := l.everyday(ctx, workers)
		switch {
		case ctx.Err() != nil:
		case struck == nil:
			l.race(ctx, workers[0], workers[1])
		case l.ahead > 0:
			if l.rob(ctx, s, struck) {
				s.ledger.play()
			}
		case l.die(ctx, struck):
			dead := slices.Index(workers, struck.worker)
			workers = append(slices.Delete(workers, dead, dead+1), s.newWorker())
			if l.lapse(ctx, s, struck) && l.race(ctx, workers[0], workers[1]) {
				s.ledger.play()
			}
		}
	}
}

// stamp is the lock as a worker of the lane wants it; the lease is in our time, and that of a takeover.
func (l stampLane) stamp(w *worker, lease time.Duration) *stamp {
	return &stamp{worker: w, way: l.way, label: l.label, key: w.key(l.label), lease: lease, signed: l.ahead > 0}
}

// everyday lets the workers use the lock in turn. It ends when something is to happen, and returns the lock with the worker
// who has just acquired it, while no other asks for it. It also ends when a worker sees that the lock has lapsed without a
// crash, because its holder came too late to release it, and then returns nil.
func (l stampLane) everyday(ctx context.Context, workers []*worker) *stamp {
	day, end := context.WithCancel(ctx)
	defer end()
	var struck atomic.Pointer[stamp]
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() {
			for w.pause(day, w.about(1500*time.Millisecond)) {
				c := l.stamp(w, 0)
				c.lapsed = end
				if !w.seek(day, c, time.Minute) {
					continue
				}
				if w.due("fault in "+l.label, l.first, nextStrike) && struck.CompareAndSwap(nil, c) {
					end()
					return
				}
				if v, in := c.enter(ctx); in {
					w.tellHandOver(l.label)
					c.stay(ctx, v, w.about(1200*time.Millisecond))
				}
			}
		})
	}
	all.Wait()
	return struck.Load()
}

// die lets the holder die at work, and its connection end; false: it was too late to begin.
func (l stampLane) die(ctx context.Context, c *stamp) bool {
	v, in := c.enter(ctx)
	if !in {
		return false
	}
	c.work(ctx, time.Second)
	v.die()
	c.worker.close()
	c.worker.news("%s died holding %s: the key has no TTL, and only its value says when the lease is over", c.worker.name, l.label)
	return true
}

// lapse waits until the lock of a worker who died has lapsed and everybody could see it; false: the context ended first.
func (l stampLane) lapse(ctx context.Context, s *stage, c *stamp) bool {
	if !wait(ctx, time.Until(endOf(c.wrote).Add(time.Millisecond))) {
		return false
	}
	s.say("the time in %s is over, %s after its holder died; the key stays until somebody takes it over", l.label,
		span(time.Since(s.ledger.lastDeparture(l.label).at)))
	return s.rest(ctx, lapsedFor)
}

// race lets two workers take over a lock that has lapsed. Where seeing that and taking it over are two steps, both have seen it
// before either takes it over. It says whether all went as the lane is there to show: somebody else may have released
// the lock meanwhile.
func (l stampLane) race(ctx context.Context, first, second *worker) (shown bool) {
	lease := first.scaled(stampLease) // the same for both, see takeByGetSet
	a, b := l.stamp(first, lease), l.stamp(second, lease)
	if l.way.look != nil && (!first.try(ctx, a.looks) || !second.try(ctx, b.looks) || a.seen != b.seen) {
		return false
	}
	if !first.try(ctx, a.takes) {
		return false
	}
	v, in := a.enter(ctx)
	if !in {
		return false
	}
	var both sync.WaitGroup
	defer both.Wait()
	both.Go(func() { a.stay(ctx, v, 3500*time.Millisecond) })
	if !second.pause(ctx, l.rivals) {
		return false
	}
	won, err := b.takes(ctx)
	switch {
	case err != nil:
		second.trouble(ctx, err)
		return false
	case !won && l.way.lost != nil:
		l.way.lost(b, a)
		return !l.flawed
	case !won:
		return false
	}
	other := second.ledger.holder(l.label)
	w, in := b.enter(ctx)
	if !in {
		return false
	}
	if other != "" {
		second.ledger.fact("a takeover deleted the lock of a worker who had just taken it over")
		second.news("%s took over %s %s after %s: its DEL deleted a valid lock, and both are inside", second.name, l.label,
			span(time.Since(v.since)), other)
	}
	both.Go(func() { b.stay(ctx, w, 2*time.Second) })
	return l.flawed && other != ""
}

// rob lets a worker whose clock is wrong take a lock from its holder, who is at work; false: it did not come to that.
func (l stampLane) rob(ctx context.Context, s *stage, held *stamp) (shown bool) {
	v, in := held.enter(ctx)
	if !in {
		return false
	}
	var both sync.WaitGroup
	defer both.Wait()
	both.Go(func() { held.stay(ctx, v, 4*time.Second) })
	w := s.newWorker()
	defer w.close()
	if !w.pause(ctx, time.Second) {
		return false
	}
	c := l.stamp(w, w.scaled(stampLease))
	c.ahead = l.ahead
	if !w.try(ctx, c.looks) || !w.try(ctx, c.takes) {
		return false
	}
	other := w.ledger.holder(l.label)
	robber, in := c.enter(ctx)
	if !in {
		return false
	}
	if other != "" {
		w.ledger.fact("a worker whose clock was ahead took a lock that was not over")
		w.news("%s, whose clock is %s ahead, took %s while %s had %s left: both are inside", w.name, span(l.ahead), l.label, other,
			span(time.Until(held.ends)))
	}
	c.stay(ctx, robber, 2*time.Second)
	return other != ""
}
