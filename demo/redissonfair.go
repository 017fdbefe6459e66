package demo

import (
	"context"
	"strings"
	"sync"
	"time"

	"locktop/actions"
	"locktop/inspector"
)

const (
	fairLabel = "lock:seats:row-12"

	fairLease = 8 * time.Second
	fairStaff = 4
	// Now and then nobody is in the queue.
	fairJob   = 1200 * time.Millisecond
	fairPause = 3500 * time.Millisecond

	// For so long a waiter counts as alive when it is its turn. It is by the clocks of the clients, and so no shorter where time
	// stands still for people to talk.
	alive = 24 * time.Hour
	// The time of one that will die is shorter, so that people see how it is passed over.
	mortal = time.Second

	deathOfWaiter   = "death of a waiter for " + fairLabel
	firstDeadWaiter = 5 * time.Second
	nextDeadWaiter  = 25 * time.Second
)

// playFair plays the fair lock: everybody is served in turn, and now and then somebody in the queue dies.
func playFair(ctx context.Context, s *stage) {
	q := &line{waiting: map[string]*place{}}
	key := s.key(fairLabel)
	s.use(inspector.RedissonName(inspector.RedissonQueue, key))
	s.use(inspector.RedissonName(inspector.RedissonDeadlines, key))
	for range fairStaff {
		s.hire(ctx, q.work)
	}
}

// fairLock is Redisson's fair lock: who does not get it is in its queue, and is told on a channel of its own.
type fairLock struct {
	*redissonLock
	wait   time.Duration // of ours: for how long from its turn on it counts as alive
	line   *line
	served service // by the acquisition
}

func (l *fairLock) channel() string { return actions.RedissonFairChannel(l.key, l.owner) }

func (l *fairLock) acquire(ctx context.Context) (bool, error) {
	l.line.ask(l.worker.name, time.Now())
	got, err := l.set(func(ours time.Duration) (bool, error) {
		count, left, err := l.locker.AcquireRedissonFair(ctx, l.key, l.owner, ours, l.wait)
		// Never later than after a lease: a waiter of whose turn nobody told, because the one before it is gone, asks by then.
		l.told = l.worker.clock.now().add(min(l.worker.clock.scripted(left), fairLease))
		return count > 0, err
	})
	switch {
	case err != nil:
	case got:
		l.served = l.line.serve(l.worker.name)
	default:
		l.line.refuse(l.worker.name, time.Now())
	}
	return got, err
}

func (l *fairLock) release(ctx context.Context) (bool, error) {
	return l.set(func(ours time.Duration) (bool, error) {
		left, err := l.locker.ReleaseRedissonFair(ctx, l.key, l.owner, ours)
		return left >= 0, err
	})
}

// line is who came when to a fair lock, by the workers' own account. It is safe for concurrent use.
type line struct {
	mu      sync.Mutex
	waiting map[string]*place // by worker
	dead    *place            // one who died in the queue
}

// place is a worker's in the queue. It came between its first question and the answer to it.
type place struct {
	worker          string
	asked, answered time.Time // the first time
	asleep          bool      // it was refused, and has not asked again since
	died            time.Time
}

// service is how a worker was served.
type service struct {
	queued    bool
	overtaken []string // those who surely came before, and were still in the queue
	skipped   *place   // one who surely came before, and is dead
}

// ask notes that a worker asks.
func (q *line) ask(worker string, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.waiting[worker]
	if p == nil {
		p = &place{worker: worker, asked: now}
		q.waiting[worker] = p
	}
	p.asleep = false
}

// refuse notes that it was refused, and is in the queue.
func (q *line) refuse(worker string, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.waiting[worker]
	if p.answered.IsZero() {
		p.answered = now
	}
	p.asleep = true
}

// serve notes that it has the lock, and judges whether it was its turn.
func (q *line) serve(worker string) (s service) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.waiting[worker]
	delete(q.waiting, worker)
	s.queued = !p.answered.IsZero()
	for _, other := range q.waiting {
		if other.asleep && other.answered.Before(p.asked) {
			s.overtaken = append(s.overtaken, other.worker)
		}
	}
	if q.dead != nil && q.dead.answered.Before(p.asked) {
		s.skipped, q.dead = q.dead, nil
	}
	return s
}

// leave notes that a worker waits no longer, because the demo is over.
func (q *line) leave(worker string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.waiting, worker)
}

// die notes that a worker is dead; false: it was not in the queue.
func (q *line) die(worker string, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.waiting[worker]
	delete(q.waiting, worker)
	if p == nil || p.answered.IsZero() {
		return false
	}
	p.died, q.dead = now, p
	return true
}

// empty says whether nobody is known to be in the queue, dead or alive.
func (q *line) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dead == nil && len(q.waiting) == 0
}

// work wants the lock again and again, until the worker dies in its queue.
func (q *line) work(ctx context.Context, w *worker) {
	owner := w.redissonOwner()
	for w.pause(ctx, w.about(fairPause)) {
		l := &fairLock{redissonLock: w.redissonLock(fairLabel, owner, fairLease), wait: alive, line: q}
		asked, got := time.Now(), true
		// Next in turn, for the time of one further behind may be over before its turn comes, and nobody would see it.
		dies := q.empty() && w.ledger.holder(fairLabel) != "" && w.due(deathOfWaiter, firstDeadWaiter, nextDeadWaiter)
		switch {
		case dies:
			l.wait = w.scaled(mortal)
			if !w.try(ctx, l.acquire) {
				q.bury(ctx, w)
				return
			}
			w.postpone(deathOfWaiter, time.Second) // it did not have to wait
		default:
			got, _ = w.seekAsleep(ctx, l)
		}
		if !got {
			q.leave(w.name)
			continue
		}
		if w.tooLate(ctx, l) {
			continue
		}
		q.tellService(w, l, asked)
		v := w.ledger.enter(fairLabel, w.name)
		w.finish(ctx, v, w.about(fairJob), &l.claim)
		w.giveBack(ctx, l)
	}
}

// bury leaves the place of a worker that died in the queue behind.
func (q *line) bury(ctx context.Context, w *worker) {
	if q.die(w.name, time.Now()) {
		w.news("%s died as the next in the queue of %s: nobody gets in until its time is over", w.name, fairLabel)
	}
	w.replace(ctx, q.work)
}

// tellService judges how a worker was served, when it gets in.
func (q *line) tellService(w *worker, l *fairLock, asked time.Time) {
	s := l.served
	if len(s.overtaken) > 0 {
		names := strings.Join(s.overtaken, ", ")
		w.ledger.fault("a waiter of a fair lock was overtaken", time.Since(asked), "%s got %s before %s, who had come before", w.name, fairLabel, names)
		w.news("%s got %s before %s, who had come before: that is not fair", w.name, fairLabel, names)
	} else if s.queued {
		w.ledger.fact("a waiter was served in the order in which they had come")
	}
	if s.skipped == nil {
		w.timeHandOver(fairLabel, asked)
		return
	}
	since := s.skipped.died
	if left := w.ledger.lastDeparture(fairLabel).at; left.After(since) {
		since = left
	}
	free := time.Since(since)
	w.ledger.fact("a dead waiter was passed over")
	w.ledger.timed("free beside a dead waiter, until its time was over", free)
	w.news("%s got %s, which was free for %s: until then it was the turn of %s, who is dead", w.name, fairLabel, span(free), s.skipped.worker)
	w.ledger.play()
}
