package demo

import (
	"context"
	"sync"
)

// crew are workers who come for a round and go at its end.
type crew struct{ all sync.WaitGroup }

func (c *crew) hire(s *stage, play func(*worker)) {
	w := s.newWorker()
	c.all.Go(func() {
		defer w.close()
		play(w)
	})
}

// rival is a worker who asks for the lock of a round until it has it.
type rival struct {
	crew
	in chan struct{} // closed when it is inside, or has given up
}

func (t turn) rival(ctx context.Context) *rival {
	next := &rival{in: make(chan struct{})}
	next.hire(t.stage, func(w *worker) {
		l := w.replicatedLock(t.label, failoverLease, t.synced)
		if !t.seek(ctx, w, l, 2*failoverLease) {
			close(next.in)
			return
		}
		other := w.ledger.holder(t.label)
		v := w.ledger.enter(t.label, w.name)
		close(next.in)
		switch {
		case other != "":
			w.news("%s got %s from the new master, while %s is still inside: two holders", w.name, t.label, other)
		case t.synced:
			w.news("%s got %s, and WAIT counted a replica that has it: it goes in", w.name, t.label)
		}
		lost := w.ledger.lost(t.label)
		w.finish(ctx, v, beat+beat/2, &l.claim)
		if w.ledger.lost(t.label) > lost {
			w.news("%s wrote over what was written to %s meanwhile: an update is lost", w.name, t.label)
		}
		w.handBack(ctx, l)
	})
	return next
}

// lose is the fault: a lock is acquired of which the replica does not hear any more, and its holder is still at work when the next
// one gets the same lock from the replica.
func (t turn) lose(ctx context.Context) bool {
	rate, cut := t.cut(ctx)
	if !cut {
		return false
	}
	w := t.newWorker()
	defer w.close()
	l := w.replicatedLock(t.label, failoverLease, t.synced)
	if !t.seek(ctx, w, l, failoverLease) {
		return false
	}
	v := w.ledger.enter(t.label, w.name)
	w.news("%s got %s from the master, and goes in: the replica has not heard of it", w.name, t.label)
	next := t.rival(ctx)
	defer next.all.Wait()
	if !w.pause(ctx, beat) || !t.replace(ctx, rate, "The replica has never heard of %s") {
		v.die()
		return false
	}
	// It does not know, and works until its own lease is nearly over, unless another one is inside before that.
	w.clock.sleepUntil(ctx, l.ends().add(-2*beat), next.in)
	w.pause(ctx, beat)
	v.leave()
	w.handBack(ctx, l)
	next.all.Wait()
	return t.did(ctx, t.pair.Rejoin(ctx))
}

// refrain is the same with WAIT: no replica has the lock, so nobody goes in.
func (t turn) refrain(ctx context.Context) bool {
	rate, cut := t.cut(ctx)
	if !cut {
		return false
	}
	w := t.newWorker()
	defer w.close()
	l := w.replicatedLock(t.label, failoverLease, t.synced)
	if w.seek(ctx, l, beat) || l.givenBack == 0 {
		return false // somebody else has mended the network, or has the lock
	}
	w.news("%s had %s on the master alone: WAIT counted 0 replicas, so it gave it back and stays outside", w.name, t.label)
	if !w.pause(ctx, beat) || !t.replace(ctx, rate, "Nobody is inside %s, for WAIT had warned them") {
		return false
	}
	next := t.rival(ctx)
	defer next.all.Wait()
	t.news("The replica is the master now, and has no replica yet: nobody goes in meanwhile, which is the price of WAIT")
	return w.pause(ctx, beat) && t.did(ctx, t.pair.Rejoin(ctx))
}

// keep is a fail-over with a lock that the replica has: it stays locked.
func (t turn) keep(ctx context.Context) bool {
	w := t.newWorker()
	defer w.close()
	l := w.replicatedLock(t.label, failoverLease, t.synced)
	if !t.seek(ctx, w, l, failoverLease) {
		return false
	}
	v := w.ledger.enter(t.label, w.name)
	defer v.die() // unless it has left before
	w.news("%s got %s, and WAIT counted a replica that has it: it goes in", w.name, t.label)
	next := t.rival(ctx)
	defer next.all.Wait()
	if !w.pause(ctx, beat) {
		return false
	}
	rate, err := t.steadily(func() error { return t.pair.WaitSynced(ctx) })
	if !t.did(ctx, err) || !t.replace(ctx, rate, "The replica has %s") {
		return false
	}
	if w.try(ctx, l.isOwn) {
		w.ledger.fact("a lock that a replica had survived its master")
		w.news("The replica is the master now, and %s is in it: %s keeps it, and the others wait", t.label, w.name)
	}
	if !t.did(ctx, t.pair.Rejoin(ctx)) {
		return false
	}
	w.finish(ctx, v, beat, &l.claim)
	w.handBack(ctx, l)
	return true
}
