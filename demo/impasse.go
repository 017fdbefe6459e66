package demo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// impasse is a lock into which nobody gets for a while, because its holder has died or hangs, and what becomes of that: it
// ends by itself, or lasts for longer than anybody should wait, which is the fault, until somebody frees it by hand. It
// belongs to one lane, and is safe for concurrent use.
type impasse struct {
	stage *stage
	label string
	limit time.Duration // of the script: what lasts for longer is a fault
	// cure is what ends it where the lock is sound: "its lease ended by itself".
	cure string
	// kind is what the scenario lets happen, as due knows it, and next when it may happen again.
	kind string
	next time.Duration

	mu    sync.Mutex
	now   *block // nil: the lock is well
	given moment // when a lease ends that another gave it
}

// block is one time that nobody gets in.
type block struct {
	worker, deed string // "worker-2", "died right after SETNX"
	claim        *claim
	since        time.Time
	began        moment
	gaveUp       int // how often a waiter did
	wait         int // how many wait
	tell         func(weight time.Duration, format string, args ...any)
	late         bool          // it has lasted for longer than the limit
	over         chan struct{} // closed when somebody got in
}

func (s *stage) impasse(label, kind, cure string, limit, next time.Duration) *impasse {
	return &impasse{stage: s, label: label, kind: kind, cure: cure, limit: limit, next: next}
}

// begins is called by a worker who dies or hangs, with what it does in the past tense.
func (i *impasse) begins(ctx context.Context, w *worker, c *claim, deed string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.now = &block{
		worker: w.name, deed: deed, claim: c, since: time.Now(), began: w.clock.now(),
		tell: w.ledger.lasting(i.label + " was stuck"), over: make(chan struct{}),
	}
	b := i.now
	i.stage.group.Go(func() { i.follow(ctx, b) })
}

// gave says until when the lock has a lease that another gave it.
func (i *impasse) gave(until moment) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.given = max(i.given, until)
}

// gaveUp is called by a worker who has waited in vain.
func (i *impasse) gaveUp(ctx context.Context) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.now != nil && ctx.Err() == nil {
		i.now.gaveUp++
	}
}

// passed is called by everybody who gets in. The first one ends the impasse, and tells how.
func (i *impasse) passed(w *worker) {
	i.mu.Lock()
	defer i.mu.Unlock()
	b := i.now
	if b == nil {
		return
	}
	i.now = nil
	close(b.over)
	w.postpone(i.kind, i.next)
	lasted := time.Since(b.since)
	lapsed := max(i.given, b.claim.ends())
	if lapsed > b.began && lapsed <= w.clock.now() {
		w.news("%s got %s %s after %s had %s: %s", w.name, i.label, span(lasted), b.worker, b.deed, i.cure)
		w.ledger.fact(fmt.Sprintf("a worker %s, and it was harmless: %s", b.deed, i.cure))
		w.ledger.play()
		return
	}
	w.news("%s was freed by hand and %s got it: nobody had for %s, and %s", i.label, w.name, span(lasted), b.waiting())
	if b.late {
		i.tell(b, "then it was freed by hand")
	} else {
		w.ledger.fact(i.label + " was freed by hand before it was stuck for long")
	}
}

// follow looks at the lock when it should be over at the latest, and tells the fault for as long as it lasts.
func (i *impasse) follow(ctx context.Context, b *block) {
	s := i.stage
	client := s.conns[0].NewClient("demo-witness")
	defer func() {
		if err := client.Close(); err != nil {
			s.ledger.failed(fmt.Errorf("close: %w", err))
		}
	}()
	if !s.clock.sleepUntil(ctx, b.began.add(i.limit), b.over) {
		return
	}
	owner, err := client.Get(ctx, s.key(i.label)).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		s.did(ctx, fmt.Errorf("GET %s: %w", i.label, err))
	}
	if err != nil || owner != b.claim.owner { // it is over, or as good as over
		return
	}
	for remind := s.clock.now(); i.goesOn(ctx, b); s.clock.sleepUntil(ctx, s.clock.now().add(time.Second), b.over) {
		if ctx.Err() != nil {
			return
		}
		if s.clock.now() < remind {
			continue
		}
		remind = s.clock.now().add(reminder)
		s.news("nobody got %s for %s since %s %s: x on its row breaks it", i.label, span(time.Since(b.since)), b.worker, b.deed)
	}
}

// reminder is how often people are told what they can do.
const reminder = 15 * time.Second

// goesOn tells the fault as it is by now; false: somebody got in.
func (i *impasse) goesOn(ctx context.Context, b *block) bool {
	waiters := i.stage.ledger.waiters(i.label)
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.now != b {
		return false
	}
	if ctx.Err() == nil { // at the end all go home
		b.wait = waiters
	}
	i.tell(b, plural(b.wait, "waiter")+" still there")
	if !b.late {
		b.late = true
		i.stage.ledger.play()
	}
	return true
}

// tell tells the fault.
func (i *impasse) tell(b *block, then string) {
	lasted := time.Since(b.since)
	b.tell(lasted, "nobody got %s for %s after %s %s: %s, %s", i.label, span(lasted), b.worker, b.deed, b.waiting(), then)
}

// waiting is how often waiters gave up, in words.
func (b *block) waiting() string {
	if b.gaveUp == 0 {
		return "nobody gave up"
	}
	return "waiters gave up " + plural(b.gaveUp, "time")
}
