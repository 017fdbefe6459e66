package demo

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"locktop/inspector"
)

// pause is the holder whose process stands still for longer than its lease, and who then goes on as if nothing had been.
func pause() script {
	return script{
		Scenario: Scenario{
			Name: "pause",
			Shows: "A holder's whole process stands still, its watchdog too: the lease runs out, another one gets the lock, and then the " +
				"first one wakes up and writes.",
			LookFor: "Two are inside " + unfencedLock + ", " + fencedLock + " and " + recheckedLock + " alike, for no lock can prevent that; but " +
				"only the fencing token of " + fencedLock + " (see its detail) lets the late write be refused.",
			Fault: "a holder stands still",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "fenced", Shows: "what is written to refuses old fencing tokens: " + fencedLock},
				// That two are inside cannot be helped: the late one is told when it writes.
				tolerant: true,
				play:     pauseLane{label: fencedLock, first: 2 * time.Second, fenced: true}.play,
			},
			{
				Variant: Variant{Name: "unfenced", Shows: "the late write is accepted: " + unfencedLock, Flawed: true},
				play:    pauseLane{label: unfencedLock, first: 2*time.Second + storyLength}.play,
			},
			{
				Variant: Variant{Name: "rechecks", Shows: "a look at the token before each write: " + recheckedLock, Flawed: true},
				play:    pauseLane{label: recheckedLock, first: 2*time.Second + 2*storyLength, rechecks: true}.play,
			},
		},
		rehearse:   rehearseFenced,
		thresholds: inspector.Thresholds{LostFor: 12 * time.Second, AboutToLapse: 0.4},
	}
}

const (
	fencedLock    = "lock:account:4711"
	unfencedLock  = "lock:stock:sku-4711"
	recheckedLock = "lock:invoice:7731"

	pausedLease   = 6 * time.Second
	pausedRenewal = 2 * time.Second
	// A process stands still when its watchdog has renewed twice, and until its lease has been over for a while.
	beforePause  = 2*pausedRenewal + time.Second
	oversleeping = 2500 * time.Millisecond
	// One lane after the other, so that each can be followed: from one pause to the next it takes so long to tell it all.
	storyLength = 14 * time.Second
	nextPause   = 3 * storyLength
	// Whoever got in meanwhile is still inside when the first one wakes up.
	overtakerJob = oversleeping + 2500*time.Millisecond
)

// pauseLane is a lock whose holders stand still now and then.
type pauseLane struct {
	label            string
	first            time.Duration // until somebody stands still
	fenced, rechecks bool
}

func (p pauseLane) play(ctx context.Context, s *stage) {
	state := &pausedState{pauseLane: p}
	for range 3 {
		s.hire(ctx, state.work)
	}
}

// pausedState is such a lane while it is played.
type pausedState struct {
	pauseLane
	pauses    atomic.Int64
	overtaken atomic.Bool // two have been inside, and somebody still is
}

// work is the life of a worker that uses the lock.
func (p *pausedState) work(ctx context.Context, w *worker) {
	owner := w.redissonOwner()
	for w.pause(ctx, w.about(1200*time.Millisecond)) {
		l := p.newLock(w, owner)
		if w.seek(ctx, l, 25*time.Second) {
			p.hold(ctx, w, l)
		}
	}
}

// hold is a worker's stay: it comes in, works, perhaps stands still, writes and goes.
func (p *pausedState) hold(ctx context.Context, w *worker, l pausedLock) {
	other := w.ledger.holder(p.label)
	v := w.ledger.enterFenced(p.label, w.name, l.fencingToken())
	dog := w.watch(ctx, l, pausedRenewal, unlimited)
	defer dog.stop()
	switch {
	case other != "":
		p.overtaken.Store(true)
		w.news("%s got %s%s: %s has lost it, is still inside, and does not know", w.name, p.label, l.words(), other)
		w.pause(ctx, overtakerJob)
		p.write(ctx, w, l, v, "")
	case w.due("pause in "+p.label, p.first, nextPause):
		w.pause(ctx, beforePause)
		p.standStill(ctx, w, l, v, dog)
	default:
		w.tellHandOver(p.label)
		w.pause(ctx, w.about(1500*time.Millisecond))
		p.write(ctx, w, l, v, "")
	}
	if ctx.Err() == nil && w.ledger.holder(p.label) == "" && p.overtaken.CompareAndSwap(true, false) {
		w.ledger.play()
	}
	dog.stop()
	w.handBack(ctx, l)
}

// standStill is what the collection of garbage, a swapped-out process or a migrated machine does to a worker.
func (p *pausedState) standStill(ctx context.Context, w *worker, l pausedLock, v *visit, dog *watchdog) {
	// Of a worker that checks, the first pause comes between its check and its write, the next one before both, and so on.
	checked := p.rechecks && p.pauses.Add(1)%2 == 1
	if checked && !p.isOurs(ctx, w, l) {
		v.die()
		return
	}
	dog.stop()
	still := time.Now()
	if checked {
		w.news("%s looked: %s is its own. Before it can write, its process stands still", w.name, p.label)
	} else {
		w.news("%s's process stands still in %s, its watchdog too, but the lease of %s runs on", w.name, p.label, w.told(pausedLease))
	}
	if !w.clock.sleepUntil(ctx, l.ends().add(oversleeping), nil) {
		v.die()
		return
	}
	woke := fmt.Sprintf(" woke up after %s and", span(time.Since(still)))
	if checked {
		p.writeAtOnce(w, l, v, woke)
		return
	}
	p.write(ctx, w, l, v, woke)
}

// write ends a job with its result: a worker that checks, checks first. woke is what has to be told of it before that.
func (p *pausedState) write(ctx context.Context, w *worker, l pausedLock, v *visit, woke string) {
	if p.rechecks && !p.isOurs(ctx, w, l) {
		v.die()
		if ctx.Err() == nil {
			w.ledger.fact("a look at the token before the write stopped a late one")
			w.news("%s%s looked before it wrote: %s is no longer its own, so it did not", w.name, woke, p.label)
		}
		return
	}
	p.writeAtOnce(w, l, v, woke)
}

// writeAtOnce writes, and tells what became of it where two are or were inside.
func (p *pausedState) writeAtOnce(w *worker, l pausedLock, v *visit, woke string) {
	lost := w.ledger.lost(p.label)
	written := v.leave()
	other := w.ledger.holder(p.label)
	switch {
	case !written:
		w.news("%s%s wrote to %s%s: refused, a higher one has been seen", w.name, woke, p.label, l.words())
	case w.ledger.lost(p.label) > lost:
		w.news("%s%s wrote over what was written to %s meanwhile: an update is lost", w.name, woke, p.label)
	case other != "":
		w.news("%s%s wrote to %s: nothing refused it, and %s is still at work there", w.name, woke, p.label, other)
	case woke != "":
		w.news("%s%s wrote to %s: nobody else wrote meanwhile, and no harm is done", w.name, woke, p.label)
	}
}

// isOurs looks whether the lock is still the worker's own. By the time that it acts on the answer, it may not be any more:
// the gap is narrower than the job, and it is still there.
func (p *pausedState) isOurs(ctx context.Context, w *worker, l pausedLock) bool {
	token, is := l.(unfenced)
	return is && w.try(ctx, token.isOwn)
}

// pausedLock is a lock of this scenario.
type pausedLock interface {
	lock
	// ends is when its lease ends by the worker's own reckoning.
	ends() moment
	fencingToken() int64 // 0: it has none
	// words tell the fencing token, where there is one.
	words() string
}

func (p pauseLane) newLock(w *worker, redissonOwner string) pausedLock {
	if p.fenced {
		return w.fencedLock(p.label, redissonOwner, pausedLease)
	}
	return unfenced{w.tokenLock(p.label, pausedLease)}
}

// unfenced is a token lock: its token proves who has it, and says nothing about who is late.
type unfenced struct{ *tokenLock }

func (unfenced) fencingToken() int64 { return 0 }
func (unfenced) words() string       { return "" }
