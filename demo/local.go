package demo

import (
	"context"
	"sync"
	"time"
)

// local is re-entrancy in the client alone: a token lock is acquired once, and who has it counts its further entries in its own
// memory, where nobody else sees them.
func local() script {
	return script{
		Scenario: Scenario{
			Name: "local",
			Shows: "Workers enter token locks three times over and keep the count in their own memory: Redis has the token, and no count. " +
				"Now and then the nested work outlasts the lease.",
			LookFor: "The count of both locks, which nobody but the holder knows; the TTL of " + extendingLock + ", which every entry sets anew, " +
				"and that of " + trustingLock + ", which runs out while its holder still counts 3.",
			Fault: "nested work outlasts the lease",
		},
		lanes: []lane{
			{
				Variant: Variant{Name: "extends", Shows: "each entry extends the lease, or the job stops: " + extendingLock},
				play:    nested{label: extendingLock}.play,
			},
			{
				Variant: Variant{Name: "trusts-its-count", Shows: "further entries only count: " + trustingLock, Flawed: true},
				play:    nested{label: trustingLock, trusts: true}.play,
			},
		},
	}
}

const (
	extendingLock = "lock:basket:5150"
	trustingLock  = "lock:wallet:77"

	localLease = 12 * time.Second

	firstSlow = 2 * time.Second
	nextSlow  = 30 * time.Second
)

// The work in each entry. That of a slow job outlasts the lease in its third entry, but each part by itself takes half of it at
// most, so that a machine may be late by as much.
var (
	quickParts = []time.Duration{600 * time.Millisecond, 600 * time.Millisecond, 600 * time.Millisecond}
	slowParts  = []time.Duration{4500 * time.Millisecond, 4500 * time.Millisecond, 6 * time.Second}
)

// localCounts are the counts in the memory of each worker, for nobody but the narration. It is safe for concurrent use.
type localCounts struct {
	mu sync.Mutex
	of map[string]int // by worker
}

func (c *localCounts) set(worker string, count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[worker] = count
}

func (c *localCounts) get(worker string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[worker]
}

// nested is work in three entries.
type nested struct {
	label string
	// trusts: a further entry only counts, and never looks at Redis. That is what is wrong: the count says that the lock was the
	// worker's once, and not that it still is.
	trusts bool
	counts *localCounts
}

func (n nested) play(ctx context.Context, s *stage) {
	n.counts = &localCounts{of: map[string]int{}}
	for range 3 {
		s.hire(ctx, n.work)
	}
}

func (n nested) work(ctx context.Context, w *worker) {
	for w.pause(ctx, w.about(1200*time.Millisecond)) {
		l := w.tokenLock(n.label, localLease)
		// Nobody is kept out for longer than a slow job takes.
		if !w.seek(ctx, l, 60*time.Second) || w.tooLate(ctx, l) {
			continue
		}
		slow := w.due("slow job in "+n.label, firstSlow, nextSlow)
		done, took := n.stay(ctx, w, l, slow)
		n.release(ctx, w, l, slow && done, took)
		if slow && (done || n.trusts) {
			w.ledger.play()
		}
	}
}

// stay is the time inside: one entry after the other, and the work in each. It says whether the job was finished.
func (n nested) stay(ctx context.Context, w *worker, l *tokenLock, slow bool) (done bool, took time.Duration) {
	if other := w.ledger.holder(n.label); other != "" {
		w.news("%s got %s while %s is inside and counts %d: Redis had the lock no more, and has never seen that count",
			w.name, n.label, other, n.counts.get(other))
	}
	v, began := w.ledger.enter(n.label, w.name), time.Now()
	parts := quickParts
	if slow {
		parts = slowParts
		w.news("%s began a slow job in %s: its three entries take %s, and the lease is %s", w.name, n.label, w.told(total(parts)),
			w.told(l.lease))
	}
	for i, part := range parts {
		if i > 0 && !n.enter(ctx, w, l) {
			v.die()
			return false, time.Since(began)
		}
		n.counts.set(w.name, i+1)
		if i > 0 {
			w.say("%s entered %s for the %s time and counts %d by itself: in Redis there is its token, and no count", w.name, n.label,
				ordinal(int64(i+1)), i+1)
		}
		if !n.spend(ctx, w, l, part) {
			v.die() // what is not done in time is left to the next one
			return false, time.Since(began)
		}
	}
	v.leave()
	return true, time.Since(began)
}

// enter is a further entry; false: the lock is no longer the worker's own, and its job must stop.
func (n nested) enter(ctx context.Context, w *worker, l *tokenLock) bool {
	return n.trusts || w.try(ctx, l.extend)
}

// spend is the work in one entry; false: the lease did not suffice for it, or the demo is over.
func (n nested) spend(ctx context.Context, w *worker, l *tokenLock, part time.Duration) bool {
	if n.trusts {
		return w.pause(ctx, part)
	}
	return w.work(ctx, part, &l.claim)
}

// release gives the lock back when the count is down to 0. The comparison in Redis is the first to tell a worker that
// trusted its count.
func (n nested) release(ctx context.Context, w *worker, l *tokenLock, slow bool, took time.Duration) {
	counted := n.counts.get(w.name)
	n.counts.set(w.name, 0)
	released, err := l.release(ctx)
	switch {
	case err != nil:
		w.trouble(ctx, err)
	case !released && n.trusts:
		w.ledger.fact("a release was refused to a worker that still counted its entries")
		w.news("%s counted from %d down to 0, released %s, and was refused: the lock had not been its own any more", w.name, counted, n.label)
	case !released:
		w.news("%s stopped its job in %s: the lock is not its own any more", w.name, n.label)
	case slow && !n.trusts:
		w.ledger.fact("a job outlasted its first lease, which every entry had extended")
		w.news("%s was in %s for %s under a lease of %s, and alone: every entry had extended it", w.name, n.label, span(took),
			w.told(l.lease))
	}
}

// total is how long all parts take.
func total(parts []time.Duration) (sum time.Duration) {
	for _, part := range parts {
		sum += part
	}
	return sum
}
