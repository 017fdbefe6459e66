package demo

import (
	"context"
	"time"

	"locktop/demo/servers"
)

// failover is the lock that dies with its master, because replication is asynchronous.
func failover() script {
	return script{
		Scenario: Scenario{
			Name: "failover",
			Shows: "A master dies before its replica has heard of a lock; the replica takes its place, and another one gets the same " +
				"lock while the first one is still at work.",
			LookFor: "How far the replica is behind (4), then two holders of " + asyncLock + ". For " + syncedLock + " everybody asks WAIT whether " +
				"a replica has it, which is enough with one replica; with more it narrows the gap and does not close it, for another one may be promoted.",
			Fault: "the master dies",
			Needs: NeedsPair,
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "wait", Shows: "nobody goes in before a replica has the lock: " + syncedLock},
				play: failoverLane{
					label: syncedLock, everyday: []string{"lock:stock:sku-4711", "lock:mail:newsletter"}, synced: true,
				}.play,
			},
			{
				Variant: Variant{Name: "asynchronous", Shows: "SET NX PX, and in: " + asyncLock, Flawed: true},
				play:    failoverLane{label: asyncLock, everyday: []string{"lock:orders:checkout", "lock:cart:991"}}.play,
			},
		},
		turns:   true,
		between: 2 * time.Second,
	}
}

const (
	asyncLock  = "lock:payout:2026-11"
	syncedLock = "lock:invoice:7731"

	// The master dies and is replaced within a lease.
	failoverLease = 20 * time.Second
	everydayLease = 6 * time.Second
	// calm is how long everyday life goes on before anything breaks.
	calm = 4 * time.Second
	// beat is how long each step of a fail-over can be looked at.
	beat = 3 * time.Second
)

// failoverLane is a lock for which workers ask while its master is replaced, and others for which they ask all the time.
type failoverLane struct {
	label    string
	everyday []string
	synced   bool
}

// turn is a lane's turn: one fail-over.
type turn struct {
	*stage
	failoverLane
	pair *servers.Pair
}

// play plays a round, in the midst of everyday life.
func (l failoverLane) play(ctx context.Context, s *stage) {
	t := turn{stage: s, failoverLane: l, pair: s.backend.(*servers.Pair)}
	if !t.did(ctx, t.pair.Rejoin(ctx)) {
		return
	}
	shift, goHome := context.WithCancel(ctx)
	var clerks crew
	for range 3 {
		clerks.hire(s, func(w *worker) { t.clerk(shift, ctx, w) })
	}
	if s.rest(ctx, calm) && t.fault(ctx) {
		s.ledger.play()
	}
	goHome()
	clerks.all.Wait()
}

// fault plays what the lane is about. The sound one alternates: once no replica confirms the lock, once one does.
func (t turn) fault(ctx context.Context) bool {
	switch {
	case !t.synced:
		return t.lose(ctx)
	case t.ledger.verdict(t.lane.Variant).Played%2 == 0:
		return t.refrain(ctx)
	}
	return t.keep(ctx)
}

// seek asks for a lock until the worker may go in: one that was delayed since it got it may not.
func (t turn) seek(ctx context.Context, w *worker, l *replicatedLock, patience time.Duration) bool {
	return w.seek(ctx, l, patience) && !w.tooLate(ctx, l)
}

// clerk does small jobs under the everyday locks until its shift is over, and ends the last one as it must.
func (t turn) clerk(shift, ctx context.Context, w *worker) {
	for w.pause(shift, w.about(900*time.Millisecond)) {
		l := w.replicatedLock(t.everyday[w.dice.IntN(len(t.everyday))], everydayLease, t.synced)
		if !t.seek(shift, w, l, 2*everydayLease) {
			continue
		}
		v := w.ledger.enter(l.label, w.name)
		w.tellHandOver(l.label)
		w.finish(ctx, v, w.about(1300*time.Millisecond), &l.claim)
		w.handBack(ctx, l)
	}
}

// cut lets nothing that is written from now on reach the replica. It says how fast time goes by the leases that the replica has.
func (t turn) cut(ctx context.Context) (rate float64, done bool) {
	rate, err := t.steadily(func() error {
		defer t.pair.CutReplication()
		return t.pair.WaitSynced(ctx)
	})
	if !t.did(ctx, err) {
		return 0, false
	}
	t.news("The network between the master and its replica fails: what is written from now on, only the master knows")
	return rate, t.clock.sleep(ctx, beat)
}

// replace lets the master die, and its replica take its place after a while, as whoever watches over them does. The leases that
// the replica has are those of a rate of time.
func (t turn) replace(ctx context.Context, rate float64, told string) bool {
	t.outage.begin()
	if !t.did(ctx, t.pair.KillMaster()) {
		t.outage.end()
		return false
	}
	t.news("The master dies, and nobody is answered. "+told, t.label)
	t.clock.sleep(ctx, beat)
	return t.did(ctx, t.takeOver(ctx, rate, t.pair.Promote))
}
