package demo

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/actions"
	"locktop/inspector"
)

func TestRedisson(t *testing.T) {
	play(t, "redisson", func(t *testing.T, d *Demo, client *redis.Client) {
		heard := listen(t, client, toldLock, untoldLock, fairLabel)
		i := inspect(t, d)
		want := map[string]bool{toldLock + " subscribers": true, untoldLock + " subscribers": true, fairLabel + " queue": true}
		eventually(t, "locks of Redisson's, and two who wait for each", func(context.Context) bool {
			for _, l := range i.Latest().Locks {
				if l.Scheme == inspector.SchemeRedisson && l.Waiters.Count >= 2 {
					delete(want, l.Key+" "+string(l.Waiters.By))
				}
			}
			return len(want) == 0
		})
		eventually(t, "a bare DEL, after which waiters sleep", func(context.Context) bool { return laneOf(t, d, "bare-del").Faults > 0 })
		eventually(t, "a message, which wakes them", func(context.Context) bool {
			return says(laneOf(t, d, "release"), "the lock of a dead holder was freed, and a message woke the next one")
		})
		eventually(t, "a dead waiter is passed over", func(context.Context) bool {
			return says(laneOf(t, d, "fair"), "a dead waiter was passed over")
		})
		if v := d.Verdict(); v.Violations > 0 || laneOf(t, d, "release").Faults+laneOf(t, d, "fair").Faults > 0 ||
			!says(laneOf(t, d, "fair"), "a waiter was served in the order") || !strings.Contains(v.Text, "beside "+untoldLock+", which was free: a bare DEL") {
			t.Fatal(v.Text)
		}
		if n := heard("expired"); n > 0 {
			t.Fatalf("%d leases ended under a holder", n)
		}
	})
}

// asleep lets a worker seek a lock, and returns when it sleeps; got returns when it has the lock.
func asleep(t *testing.T, w *worker, l sleeperLock) (got func() (untold bool)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	before := w.ledger.waiters(l.name())
	inside, ended := make(chan bool, 1), make(chan struct{})
	go func() {
		defer close(ended)
		if got, untold := w.seekAsleep(ctx, l); got {
			inside <- untold
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	eventually(t, "the waiter sleeps", func(context.Context) bool { return w.ledger.waiters(l.name()) > before })
	return func() bool {
		t.Helper()
		select {
		case untold := <-inside:
			return untold
		case <-time.After(patience):
			t.Fatal("it did not get the lock")
			return false
		}
	}
}

// A waiter sleeps while the lock is another's, and when somebody freed it without a word, until it is told.
func TestWhatWakes(t *testing.T) {
	for name, free := range map[string]func(context.Context, *worker, *redissonLock) (bool, error){
		"release": releaseForDead, "bare DEL": deleteForDead,
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestStage(t)
			dead, waiter, helper := newTestWorker(t, s), newTestWorker(t, s), newTestWorker(t, s)
			l := dead.redissonLock("lock:a", dead.redissonOwner(), time.Hour)
			if !must(l.acquire(t.Context()))(t) {
				t.Fatal("a free lock was not acquired")
			}
			got := asleep(t, waiter, waiter.redissonLock("lock:a", waiter.redissonOwner(), time.Hour))
			if must(free(t.Context(), helper, waiter.redissonLock("lock:a", waiter.redissonOwner(), time.Hour)))(t) {
				t.Fatal("freed for somebody who does not have it")
			}
			if !must(free(t.Context(), helper, l))(t) {
				t.Fatal("not freed")
			}
			if name == "bare DEL" {
				if helper.client.Exists(t.Context(), l.key).Val() != 0 || s.ledger.waiters("lock:a") != 1 {
					t.Fatal("it does not sleep beside a free lock")
				}
				if err := helper.client.Publish(t.Context(), actions.RedissonChannel(l.key), "0").Err(); err != nil {
					t.Fatal(err)
				}
			}
			if got() {
				t.Fatal("it was not the message that woke it")
			}
		})
	}
}

// Without a message a waiter asks again when the lease of which it was told is over.
func TestSleepEndsWithTheLease(t *testing.T) {
	s := newTestStage(t)
	holder, waiter := newTestWorker(t, s), newTestWorker(t, s)
	if !must(holder.redissonLock("lock:a", holder.redissonOwner(), 300*time.Millisecond).acquire(t.Context()))(t) {
		t.Fatal("a free lock was not acquired")
	}
	if got, untold := waiter.seekAsleep(t.Context(), waiter.redissonLock("lock:a", waiter.redissonOwner(), time.Hour)); !got || !untold {
		t.Fatalf("a lock whose lease was over: got it %v, untold %v", got, untold)
	}
}

// freedMeanwhile is a lock that is released after the first question, when nobody listens yet.
type freedMeanwhile struct {
	*redissonLock
	holder *redissonLock
	asked  int
}

func (l *freedMeanwhile) acquire(ctx context.Context) (bool, error) {
	got, err := l.redissonLock.acquire(ctx)
	if l.asked++; l.asked == 1 && err == nil {
		_, err = l.holder.release(ctx)
	}
	return got, err
}

func TestMissedMessage(t *testing.T) {
	s := newTestStage(t)
	holder, waiter := newTestWorker(t, s), newTestWorker(t, s)
	l := &freedMeanwhile{
		redissonLock: waiter.redissonLock("lock:a", waiter.redissonOwner(), time.Hour),
		holder:       holder.redissonLock("lock:a", holder.redissonOwner(), time.Hour),
	}
	if !must(l.holder.acquire(t.Context()))(t) {
		t.Fatal("a free lock was not acquired")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if got, untold := waiter.seekAsleep(ctx, l); !got || untold || l.asked != 2 {
		t.Fatalf("asked %d times", l.asked)
	}
}

func TestFreedLockIsJudged(t *testing.T) {
	s := newTestStage(t)
	w := newTestWorker(t, s)
	p := sleepers{label: "x", how: "a bare DEL", freed: &atomic.Pointer[freeing]{}}
	p.tellWaking(w, time.Now(), true)
	if v := judge(s.ledger); v.Played != 0 {
		t.Fatalf("nothing was freed: %+v", v)
	}
	for _, untold := range []bool{false, true} {
		now := &freeing{at: time.Now(), over: make(chan struct{})}
		p.freed.Store(now)
		p.tellWaking(w, time.Now(), untold)
		select {
		case <-now.over:
		default:
			t.Fatal("it is not over")
		}
	}
	if v := judge(s.ledger); v.Played != 2 || v.Faults != 1 || !says(v, "a message woke the next one") {
		t.Fatalf("%+v", v)
	}
}

func TestLine(t *testing.T) {
	began := time.Now()
	at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
	q := &line{waiting: map[string]*place{}}
	q.ask("holder", at(0))
	if s := q.serve("holder"); s.queued || len(s.overtaken) > 0 || s.skipped != nil {
		t.Fatalf("the only one: %+v", s)
	}
	if q.die("nobody", at(1)) || !q.empty() {
		t.Fatal("who was not in the queue cannot die in it")
	}
	for i, worker := range []string{"a", "b", "c"} {
		q.ask(worker, at(2*i+1))
		q.refuse(worker, at(2*i+2))
	}
	q.ask("d", at(5)) // at the same time as c
	q.refuse("d", at(6))
	if !q.die("a", at(7)) || q.empty() {
		t.Fatal("a is not dead")
	}
	q.ask("d", at(8)) // again: it keeps its place
	s := q.serve("d")
	if !s.queued || !slices.Equal(s.overtaken, []string{"b"}) || s.skipped == nil || s.skipped.worker != "a" || q.dead != nil {
		t.Fatalf("b came before, c may have come later, and a is dead: %+v", s)
	}
	q.ask("b", at(9))
	if s := q.serve("c"); len(s.overtaken) > 0 {
		t.Fatalf("b has asked and may have it already: %+v", s)
	}
}

// Whoever is behind a dead waiter gets in when that one's time is over, and not before those who came before.
func TestFairLine(t *testing.T) {
	s := newTestStage(t)
	q := &line{waiting: map[string]*place{}}
	join := func(lease, wait time.Duration) (*worker, *fairLock) {
		w := newTestWorker(t, s)
		return w, &fairLock{redissonLock: w.redissonLock("lock:a", w.redissonOwner(), lease), wait: wait, line: q}
	}
	ctx := t.Context()
	_, holder := join(time.Second, alive) // the turn of the next one comes with the end of this lease
	dead, mortal := join(time.Minute, 500*time.Millisecond)
	if !must(holder.acquire(ctx))(t) || must(mortal.acquire(ctx))(t) || !q.die(dead.name, time.Now()) {
		t.Fatal("the first got it, the second is in the queue")
	}
	first, before := join(time.Minute, alive)
	got := asleep(t, first, before)
	second, after := join(time.Minute, alive)
	later := asleep(t, second, after)
	must(holder.release(ctx))(t)
	got()
	if before.served.skipped == nil || before.served.skipped.worker != dead.name || len(before.served.overtaken) > 0 {
		t.Fatalf("%+v", before.served)
	}
	turn := must(second.listen(ctx, after.channel()))(t)
	if !must(before.release(ctx))(t) {
		t.Fatal("not released")
	}
	later() // by the message, or because it asked by itself just then
	eventually(t, "it is told of its turn", func(context.Context) bool { return turn.rings.Load() > 0 })
	if err := turn.close(); err != nil {
		t.Fatal(err)
	}
	if !after.served.queued || len(after.served.overtaken) > 0 || after.served.skipped != nil {
		t.Fatalf("%+v", after.served)
	}
}
