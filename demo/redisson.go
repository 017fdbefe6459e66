package demo

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/actions"
	"locktop/inspector"
)

// redisson is the lock of Redisson: a hash that a watchdog renews, and waiters who sleep until they are told.
func redisson() script {
	return script{
		Scenario: Scenario{
			Name: "redisson",
			Shows: "Redisson's locks: waiters listen on a channel and sleep. The locks of dead holders are freed as Redisson does it (" + toldLock +
				") and by a bare DEL (" + untoldLock + "), and a fair lock (" + fairLabel + ") serves in the order of coming.",
			LookFor: "The waiters: those who listen, and the queue of " + fairLabel + ". After a bare DEL " + untoldLock +
				" is free, and they sleep on until the lease is over of which they had been told.",
			Fault: "a holder dies, and a waiter of the fair lock",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "release", Shows: "HINCRBY, DEL and PUBLISH: " + toldLock},
				play:    sleepers{label: toldLock, free: releaseForDead, how: "HINCRBY, DEL and PUBLISH"}.play,
			},
			{
				Variant: Variant{Name: "bare-del", Shows: "DEL, of which no waiter is told: " + untoldLock, Flawed: true},
				play:    sleepers{label: untoldLock, free: deleteForDead, how: "a bare DEL"}.play,
			},
			{
				Variant: Variant{Name: "fair", Shows: "first come, first served: " + fairLabel},
				play:    playFair,
			},
		},
		rehearse:   rehearseRedisson,
		thresholds: inspector.Thresholds{RenewedForever: 3 * time.Minute, Settles: time.Second},
	}
}

const (
	toldLock   = "lock:shipment:4711"
	untoldLock = "lock:payout:2026-11"

	// As Redisson has it by default.
	redissonLease   = 30 * time.Second
	redissonRenewal = 10 * time.Second

	// staff is how many workers want each lock. A holder dies when all the others sleep.
	staff    = 3
	audience = 5 * time.Second // for which a holder waits at most for them

	firstDying = 3 * time.Second
	nextDying  = 40 * time.Second
	// Somebody frees the lock of a dead holder after this time.
	noticing = 2500 * time.Millisecond
	// So often it is told that the lock is free and nobody comes.
	reminding = 10 * time.Second
)

// sleepers are workers that want the same lock, and sleep while they do not get it.
type sleepers struct {
	label string
	how   string // in which the lock of a dead holder is freed
	free  func(context.Context, *worker, *redissonLock) (bool, error)
	freed *atomic.Pointer[freeing] // until the next one gets in
}

// releaseForDead frees the lock of a dead holder as Redisson does, the message to the waiters included.
func releaseForDead(ctx context.Context, w *worker, dead *redissonLock) (bool, error) {
	left, err := w.locker.ReleaseRedisson(ctx, dead.key, dead.owner, 0)
	return left == 0, err
}

// deleteForDead deletes the lock of a dead holder. That is what is wrong: the waiters sleep, and nobody tells them.
func deleteForDead(ctx context.Context, w *worker, dead *redissonLock) (bool, error) {
	held, err := w.client.HExists(ctx, dead.key, dead.owner).Result()
	if err != nil || !held { // somebody was quicker, and the lock may be another's
		return false, wrapped("HEXISTS "+dead.key, err)
	}
	deleted, err := w.client.Del(ctx, dead.key).Result()
	return deleted == 1, wrapped("DEL "+dead.key, err)
}

// wrapped names the command of an error; nil stays nil.
func wrapped(command string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", command, err)
}

func (p sleepers) play(ctx context.Context, s *stage) {
	p.freed = &atomic.Pointer[freeing]{}
	for range staff {
		s.hire(ctx, p.work)
	}
}

// work holds the lock again and again, until the worker dies with it.
func (p sleepers) work(ctx context.Context, w *worker) {
	owner := w.redissonOwner()
	for w.pause(ctx, w.about(1200*time.Millisecond)) {
		l := w.redissonLock(p.label, owner, redissonLease)
		asked := time.Now()
		got, untold := w.seekAsleep(ctx, l)
		if !got || w.tooLate(ctx, l) {
			continue
		}
		p.tellWaking(w, asked, untold)
		v := w.ledger.enter(p.label, w.name)
		dog := w.watch(ctx, l, redissonRenewal, unlimited)
		if death := "death in " + p.label; w.due(death, firstDying, nextDying) {
			if p.awaitAudience(ctx, w) {
				dog.stop()
				v.die()
				p.die(ctx, w, l)
				return
			}
			w.postpone(death, time.Second)
		}
		w.finishRenewed(ctx, v, w.jobFor(p.label), &l.claim, dog)
		dog.stop()
		w.giveBack(ctx, l)
	}
}

// jobFor is how long a job takes; now and then it needs its watchdog.
func (w *worker) jobFor(label string) time.Duration {
	if w.dice.IntN(8) > 0 {
		return w.about(1800 * time.Millisecond)
	}
	w.say("%s began a long job in %s: its watchdog renews the lease every %s", w.name, label, w.told(redissonRenewal))
	return redissonRenewal + 3*time.Second
}

// awaitAudience waits until all the others sleep beside the lock.
func (p sleepers) awaitAudience(ctx context.Context, w *worker) bool {
	end := w.clock.now().add(audience)
	for w.pause(ctx, 200*time.Millisecond) && w.clock.now() < end {
		if w.ledger.waiters(p.label) == staff-1 {
			return true
		}
	}
	return false
}

// die leaves the lock of a worker that died behind, and lets somebody free it.
func (p sleepers) die(ctx context.Context, dead *worker, l *redissonLock) {
	dead.news("%s died holding %s, and its watchdog with it: %d sleep until they are told, or for %s at most", dead.name, p.label, staff-1,
		dead.told(l.lease))
	dead.hire(ctx, func(ctx context.Context, w *worker) {
		if w.pause(ctx, noticing) {
			p.help(ctx, w, dead.name, l)
			w.hire(ctx, p.work) // in the dead one's place
		}
	})
}

// help frees the lock of a dead holder, and waits until somebody gets it.
func (p sleepers) help(ctx context.Context, w *worker, dead string, l *redissonLock) {
	now := &freeing{at: time.Now(), over: make(chan struct{})}
	p.freed.Store(now) // before others can get in
	if !w.try(ctx, func(ctx context.Context) (bool, error) { return p.free(ctx, w, l) }) {
		if p.freed.CompareAndSwap(now, nil) && ctx.Err() == nil {
			w.news("%s wanted to free %s, which the dead %s had held, but it is not that one's any more", w.name, p.label, dead)
		}
		return
	}
	w.news("%s freed %s, which the dead %s had held, by %s", w.name, p.label, dead, p.how)
	for began := time.Now(); ; {
		if !w.clock.sleepUntil(ctx, w.clock.now().add(reminding), now.over) {
			return
		}
		select {
		case <-now.over:
			return
		default:
			w.news("%s is free, for %s now, and %d workers sleep beside it: no message woke them", p.label, span(time.Since(began)),
				w.ledger.waiters(p.label))
		}
	}
}

// tellWaking judges how the lock of a dead holder came to the next one, when that one gets in.
func (p sleepers) tellWaking(w *worker, asked time.Time, untold bool) {
	f := p.freed.Swap(nil)
	if f == nil {
		w.timeHandOver(p.label, asked)
		return
	}
	free := time.Since(f.at)
	if untold {
		w.ledger.fault("waiters slept beside a free lock", free, "%s slept for %s beside %s, which was free: %s had woken nobody",
			w.name, span(free), p.label, p.how)
		w.news("%s slept for %s beside %s, which was free: %s had woken nobody", w.name, span(free), p.label, p.how)
	} else {
		w.ledger.fact("the lock of a dead holder was freed, and a message woke the next one")
		w.ledger.timed("from freeing the lock of a dead holder to the next one inside", free)
		w.news("%s is inside %s, %s after it was freed: the message woke it up", w.name, p.label, brief(free))
	}
	w.ledger.play()
	close(f.over)
}

// timeHandOver records how long after a release a waiter who had slept until then was inside.
func (w *worker) timeHandOver(label string, asked time.Time) {
	if left := w.ledger.lastDeparture(label); left.worker != "" && asked.Before(left.at) {
		w.ledger.timed("hand-over to a waiter who had slept", time.Since(left.at))
		w.tellHandOver(label)
	}
}

// rehearseRedisson does what these locks need besides the lock itself: keys and channels that have other names.
func rehearseRedisson(ctx context.Context, client *redis.Client, key string) error {
	locker := actions.NewLocker(client)
	_, _, err := locker.AcquireRedissonFair(ctx, key, "locktop demo", time.Second, time.Second)
	if err == nil {
		_, err = locker.ReleaseRedissonFair(ctx, key, "locktop demo", 0)
	}
	if err == nil {
		err = client.Publish(ctx, actions.RedissonChannel(key), "0").Err()
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("the demo of Redisson's locks cannot run on this server: %w; give a user that may also write redisson_lock_*:{%s* "+
		"and use the channels %s:{%s*", err, Prefix, inspector.RedissonChannel, Prefix)
}

// redissonOwner is how Redisson names a thread of a client: "uuid:thread".
func (w *worker) redissonOwner() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x:%d", w.dice.Uint32(), w.dice.Uint32N(1<<16), w.dice.Uint32N(1<<12),
		w.dice.Uint32N(1<<12), w.dice.Uint64N(1<<48), w.number)
}

// freeing is one time that the lock of a dead holder is freed.
type freeing struct {
	at   time.Time
	over chan struct{} // closed by the one who gets in
}
