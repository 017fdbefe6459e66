package demo

import (
	"context"
	"time"
)

// timestamp is the lock without a TTL whose value says when it ends, and what can happen when that time is over.
func timestamp() script {
	return script{
		Scenario: Scenario{
			Name: "timestamp",
			Shows: "Locks whose value is the end of the lease: holders crash, the time passes, the key stays, and two takers race for " +
				"it, by GETSET and by DEL.",
			LookFor: "The state lapsed (over by its value, still there), then the race: " + getSetLock +
				" lets one in, " + deleteLock + " lets two in.",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "script", Shows: "the takeover is one script: " + calmLock},
				play: func(ctx context.Context, s *stage) {
					for range 4 {
						s.hire(ctx, stamper)
					}
				},
			},
			{
				Variant: Variant{Name: "getset", Shows: "the takeover is GETSET: " + getSetLock},
				play:    race{label: getSetLock, begin: 500 * time.Millisecond, stall: 40 * time.Millisecond, take: (*classic).takeByGetSet}.play,
			},
			{
				Variant: Variant{Name: "del", Shows: "the takeover is DEL, then SETNX: " + deleteLock, Flawed: true},
				play:    race{label: deleteLock, begin: 6 * time.Second, stall: 600 * time.Millisecond, take: (*classic).takeByDelete}.play,
			},
		},
	}
}

const (
	// The stampers' work is at most 1.6 s.
	calmLease = 8 * time.Second

	calmLock   = "orders:checkout_lock"
	getSetLock = "invoice:7731_lock"
	deleteLock = "cart:991_lock"

	stampLease = 4 * time.Second
	// The takers look seldom, so that a lapsed lock can be seen for a while.
	lapsedFor = 5 * time.Second
)

// stamper uses such a lock in good order: taking over is one script, which compares what it replaces.
func stamper(ctx context.Context, w *worker) {
	for w.pause(ctx, w.about(1500*time.Millisecond)) {
		l := &stampLock{claim: w.claim(calmLock, calmLease)}
		if !w.seek(ctx, l, 10*time.Second) {
			continue
		}
		v := w.ledger.enter(l.label, w.name)
		w.tellHandOver(l.label)
		w.pause(ctx, w.about(1200*time.Millisecond))
		v.leave()
		w.giveBack(ctx, l)
	}
}

// stampLock is the timestamp lock of the scripts; its proof of ownership is the value that it wrote.
type stampLock struct {
	claim
	value string
}

func (l *stampLock) acquire(ctx context.Context) (won bool, err error) {
	return l.set(func(ours time.Duration) (bool, error) {
		l.value, won, err = l.locker.AcquireTimestamp(ctx, l.key, ours)
		return won, err
	})
}

func (l *stampLock) extend(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) {
		value, extended, err := l.locker.ExtendTimestamp(ctx, l.key, l.value, ours)
		if extended {
			l.value = value
		}
		return extended, err
	})
}

func (l *stampLock) release(ctx context.Context) (bool, error) {
	return l.locker.ReleaseTimestamp(ctx, l.key, l.value)
}

// race is a lock whose holder crashes, and two takers who go for it at once.
type race struct {
	label string
	begin time.Duration
	stall time.Duration // by which the second taker is later than the first
	take  takeover
}

func (r race) play(ctx context.Context, s *stage) { s.group.Go(func() { r.run(ctx, s) }) }

// run goes on and on: a holder crashes, its lease passes, the key is left for all to see, and the takers come.
func (r race) run(ctx context.Context, s *stage) {
	if !s.clock.sleep(ctx, r.begin) {
		return
	}
	first, second := s.newWorker(), s.newWorker()
	defer first.close()
	defer second.close()
	for ctx.Err() == nil {
		if crashHolding(ctx, s, r.label) {
			s.rest(ctx, lapsedFor)
		}
		r.compete(ctx, first, second)
		s.ledger.play()
		s.rest(ctx, 3*time.Second)
	}
}

// crashHolding lets a worker take the lock and die with it, and returns when its lease is over; false: it did not get it.
func crashHolding(ctx context.Context, s *stage, label string) bool {
	w := s.newWorker()
	defer w.close()
	l := &stampLock{claim: w.claim(label, stampLease)}
	if !w.seek(ctx, l, 10*time.Second) {
		return false
	}
	v := w.ledger.enter(label, w.name)
	w.pause(ctx, 1500*time.Millisecond)
	v.die()
	w.news("%s died holding %s: the key has no TTL, and only its value will say when the lease is over", w.name, label)
	if !s.clock.sleepUntil(ctx, l.until, nil) {
		return false
	}
	s.say("%s has lapsed: its time is over, and the key stays until somebody takes it over", label)
	return true
}
