package demo

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// ledger records, for one lane, who was inside which critical section when, and what became of the counter that each lock
// guards: in this process' memory, so that no lock can deceive it. It is safe for concurrent use. Its size does not grow
// with time.
type ledger struct {
	// tolerant: two inside are no fault, because the counter refuses what comes too late.
	tolerant bool
	// lockless: nobody enters anything, and the verdict does not boast of it.
	lockless bool

	mu           sync.Mutex
	inside       map[string][]*visit // by lock
	last         map[string]departure
	waiting      map[string]int
	counters     map[string]*counter
	total        counter // of all counters: a verdict is asked for many times a second, and there may be thousands of locks
	refused      int     // writes with a lower fencing token than one that was seen before
	acquisitions int
	violations   int
	longest      []overlap // the longest ones, at most shownOverlaps
	played       int
	faults       []*incident
	facts        []*incident
	timings      []*timing
	failures     int
	failure      error // the last one
}

// visit is one worker's stay in a critical section.
type visit struct {
	ledger       *ledger
	lock, worker string
	since        time.Time
	read         int   // what the counter was when the worker came in
	token        int64 // the fencing token; 0: it has none
	over         bool
}

// counter is the thing that a lock guards: every worker reads it when it comes in, and writes one more when it goes. Where
// two are inside, an update is lost.
type counter struct {
	value   int
	written int   // how often it was written to
	highest int64 // the highest fencing token that it has seen
}

// lost is by how much the counter is behind what was written to it.
func (c *counter) lost() int { return c.written - c.value }

// departure is how a critical section was left.
type departure struct {
	worker string
	at     time.Time
}

// overlap is a time for which two workers were inside the same critical section.
type overlap struct {
	lock, first, second string
	lasted              time.Duration
}

// incident is something that happened, and how often; the worst time is kept in words.
type incident struct {
	what   string
	times  int
	worst  string
	weight time.Duration
}

// timing is how long something took, each time that it happened.
type timing struct {
	what         string
	times        int
	sum, longest time.Duration
}

// shownOverlaps is how many violations are kept in full.
const shownOverlaps = 5

func newLedger(tolerant bool) *ledger {
	return &ledger{
		tolerant: tolerant, inside: map[string][]*visit{}, last: map[string]departure{}, waiting: map[string]int{},
		counters: map[string]*counter{},
	}
}

// enter records that a worker is inside from now on; others who are inside at that moment make violations.
func (l *ledger) enter(lock, worker string) *visit { return l.enterFenced(lock, worker, 0) }

// enterFenced is enter with a fencing token, which the counter checks at every access.
func (l *ledger) enterFenced(lock, worker string, token int64) *visit {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acquisitions++
	l.violations += len(l.inside[lock])
	c := l.counters[lock]
	if c == nil {
		c = &counter{}
		l.counters[lock] = c
	}
	c.highest = max(c.highest, token)
	v := &visit{ledger: l, lock: lock, worker: worker, since: time.Now(), read: c.value, token: token}
	l.inside[lock] = append(l.inside[lock], v)
	return v
}

// leave records that the worker writes the counter, and is inside no longer. It must be called before the lock is given
// back. It may be called twice. It says false where the counter refused the write, because it has seen a higher token.
func (v *visit) leave() (written bool) { return v.end(true) }

// die records that the worker is inside no longer and has written nothing, because it died or gave up.
func (v *visit) die() { v.end(false) }

func (v *visit) end(write bool) bool {
	l := v.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if v.over {
		return true
	}
	v.over = true
	now := time.Now()
	others := slices.DeleteFunc(l.inside[v.lock], func(other *visit) bool { return other == v })
	if l.inside[v.lock] = others; len(others) == 0 {
		delete(l.inside, v.lock)
	}
	l.last[v.lock] = departure{worker: v.worker, at: now}
	for _, other := range others {
		l.note(overlapOf(v, other, now))
	}
	c := l.counters[v.lock]
	switch {
	case !write:
	case v.token < c.highest:
		l.refused++
		return false
	default:
		l.total.value, l.total.written = l.total.value+v.read+1-c.value, l.total.written+1
		c.value, c.written = v.read+1, c.written+1
	}
	return true
}

// overlapOf is the time that two visits have in common until now.
func overlapOf(a, b *visit, now time.Time) overlap {
	if b.since.Before(a.since) {
		a, b = b, a
	}
	return overlap{lock: a.lock, first: a.worker, second: b.worker, lasted: now.Sub(b.since)}
}

// note keeps an overlap if it is among the longest.
func (l *ledger) note(o overlap) {
	at, _ := slices.BinarySearchFunc(l.longest, o, func(a, b overlap) int { return int(b.lasted - a.lasted) })
	l.longest = slices.Insert(l.longest, at, o)
	l.longest = l.longest[:min(len(l.longest), shownOverlaps)]
}

// holder is a worker who is inside a lock; "" if there is none.
func (l *ledger) holder(lock string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if visits := l.inside[lock]; len(visits) > 0 {
		return visits[0].worker
	}
	return ""
}

// lost is how many updates of the counter under a lock were lost.
func (l *ledger) lost(lock string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.counters[lock]; c != nil {
		return c.lost()
	}
	return 0
}

// wait counts a waiter until the function that it returns is called.
func (l *ledger) wait(lock string) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting[lock]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waiting[lock]--
	}
}

// waiters is how many wait for a lock.
func (l *ledger) waiters(lock string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting[lock]
}

// lastDeparture is who left a critical section last, and when; its zero value is nobody.
func (l *ledger) lastDeparture(lock string) departure {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last[lock]
}

// play counts that the fault, with all that follows from it, was played once to its end: in a sound lane, too, where it
// does no harm.
func (l *ledger) play() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.played++
}

// fault records harm besides two workers inside: what it is in a few words that count it ("a waiter slept beside a free
// lock"), and this time in full. Of all times the weightiest is told.
func (l *ledger) fault(what string, weight time.Duration, format string, args ...any) {
	l.lasting(what)(weight, format, args...)
}

// lasting is a fault that goes on: it counts when it is first told, and is told anew, with its weight by then, for as long as
// it lasts.
func (l *ledger) lasting(what string) (tell func(weight time.Duration, format string, args ...any)) {
	var told *incident
	return func(weight time.Duration, format string, args ...any) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if told == nil {
			told = count(&l.faults, what)
		}
		if told.worst == "" || weight > told.weight {
			told.worst, told.weight = fmt.Sprintf(format, args...), weight
		}
	}
}

// fact counts something that is worth telling and did no harm: "a stranger's release was refused".
func (l *ledger) fact(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	count(&l.facts, what)
}

// timed records how long something took that is worth knowing: "hand-over after a release".
func (l *ledger) timed(what string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.timings, func(t *timing) bool { return t.what == what })
	if at < 0 {
		at = len(l.timings)
		l.timings = append(l.timings, &timing{what: what})
	}
	t := l.timings[at]
	t.times, t.sum, t.longest = t.times+1, t.sum+took, max(t.longest, took)
}

// count finds or adds an incident, and counts it once more.
func count(all *[]*incident, what string) *incident {
	at := slices.IndexFunc(*all, func(i *incident) bool { return i.what == what })
	if at < 0 {
		at = len(*all)
		*all = append(*all, &incident{what: what})
	}
	(*all)[at].times++
	return (*all)[at]
}

// failed counts a command that the server did not answer as it should.
func (l *ledger) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures++
	l.failure = err
}
