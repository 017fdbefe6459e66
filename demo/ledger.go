package demo

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Verdict is the truth about a demo, told by what the workers did and not by what Redis says of it.
type Verdict struct {
	// Acquisitions is how often a worker entered a critical section.
	Acquisitions int
	// Violations is how often a worker entered one while another was still inside.
	Violations int
	// Text says it in words, one line for each of the longest violations.
	Text string
}

// ledger records who was inside which critical section when, in this process' memory, so that no lock can deceive it.
// It is safe for concurrent use. Its size does not grow with time.
type ledger struct {
	mu           sync.Mutex
	inside       map[string][]*visit // by lock
	last         map[string]departure
	waiting      map[string]int
	acquisitions int
	violations   int
	longest      []overlap // the longest ones, at most shownOverlaps
	failures     int
	failure      error // the last one
}

// visit is one worker's stay in a critical section.
type visit struct {
	ledger       *ledger
	lock, worker string
	since        time.Time
	over         bool
}

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

// shownOverlaps is how many violations the verdict tells in full.
const shownOverlaps = 5

func newLedger() *ledger {
	return &ledger{inside: map[string][]*visit{}, last: map[string]departure{}, waiting: map[string]int{}}
}

// enter records that a worker is inside from now on; others who are inside at that moment make violations.
func (l *ledger) enter(lock, worker string) *visit {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acquisitions++
	l.violations += len(l.inside[lock])
	v := &visit{ledger: l, lock: lock, worker: worker, since: time.Now()}
	l.inside[lock] = append(l.inside[lock], v)
	return v
}

// leave records that the worker is inside no longer, because it has finished or because it died. It may be called twice.
// It must be called before the lock is given back.
func (v *visit) leave() {
	l := v.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	if v.over {
		return
	}
	v.over = true
	now := time.Now()
	others := slices.DeleteFunc(l.inside[v.lock], func(other *visit) bool { return other == v })
	l.inside[v.lock] = others
	l.last[v.lock] = departure{worker: v.worker, at: now}
	for _, other := range others {
		l.note(overlapOf(v, other, now))
	}
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

// failed counts a command that the server did not answer as it should.
func (l *ledger) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures++
	l.failure = err
}

// verdict judges what was recorded so far; visits that last count until now.
func (l *ledger) verdict() Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	finished := slices.Clone(l.longest)
	for _, visits := range l.inside {
		for i, a := range visits {
			for _, b := range visits[i+1:] {
				l.note(overlapOf(a, b, now))
			}
		}
	}
	v := Verdict{Acquisitions: l.acquisitions, Violations: l.violations, Text: l.words()}
	l.longest = finished // those that last will be noted when they end
	return v
}

func (l *ledger) words() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s. ", plural(l.acquisitions, "acquisition"))
	if l.violations == 0 {
		text.WriteString("Mutual exclusion held: no two workers were ever inside the same lock.")
	} else {
		fmt.Fprintf(&text, "Mutual exclusion was violated %s.", plural(l.violations, "time"))
		for _, o := range l.longest {
			fmt.Fprintf(&text, "\n  %s: %s came in while %s was still inside, for %s", o.lock, o.second, o.first, span(o.lasted))
		}
		if more := l.violations - len(l.longest); more > 0 {
			fmt.Fprintf(&text, "\n  and %d more", more)
		}
	}
	if l.failures > 0 {
		fmt.Fprintf(&text, "\n%s failed, the last one with: %v", plural(l.failures, "command"), l.failure)
	}
	return text.String()
}

// plural is "1 time", "2 times".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// span is a duration as a person says it: "840 ms", "3.4 s", "5 min".
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 2*time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
	default:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
}
