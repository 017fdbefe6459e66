package demo

import (
	"slices"
	"sync"
	"time"
)

// Narration is one sentence about what just happened.
type Narration struct {
	At   time.Time
	Text string
	// News is what the scenario is about; the rest is everyday life.
	News bool
}

// How long a sentence stays at least, in real time whatever the demo's speed, for it is people who read.
const (
	readingTime = 2 * time.Second
	newsTime    = 4 * time.Second
	// maxWaiting is how much news may wait; what waited longer would be told too late to be seen on the screen.
	maxWaiting = 2
	// maxHeld is how much may wait while the demo is held: it happened at about the same moment.
	maxHeld = 20
	// maxTold is how many sentences are kept to be read again.
	maxTold = 200
)

// narrator holds the sentence that is to be read now. What comes too soon waits: news, which is what the scenario is about,
// in its order, the oldest being forgotten where too much waits; of everyday sentences the last one, and only where no
// news waits. It has no clock of its own: what waits is told when somebody asks. While the demo is held everything waits, in
// its order, for the user to ask for it. It is safe for concurrent use.
type narrator struct {
	mu      sync.Mutex
	now     Narration
	told    time.Time // when now began to be shown
	waiting []Narration
	log     []Narration // news, and what else was told; the latest last
	halted  bool
	awaited func() // to be called once, when the next sentence is told
}

func (n Narration) readingTime() time.Duration {
	if n.News {
		return newsTime
	}
	return readingTime
}

// say tells of everyday life; news tells of what matters.
func (n *narrator) say(text string)  { n.add(Narration{At: time.Now(), Text: text}) }
func (n *narrator) news(text string) { n.add(Narration{At: time.Now(), Text: text, News: true}) }

func (n *narrator) add(next Narration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn()
	if next.News {
		n.keep(next)
	}
	switch {
	case n.halted:
		n.waiting = append(n.waiting, next)
		n.waiting = n.waiting[max(len(n.waiting)-maxHeld, 0):]
	default:
		if len(n.waiting) > 0 && !n.waiting[0].News { // it has had its chance
			n.waiting = nil
		}
		if next.News || len(n.waiting) == 0 {
			n.waiting = append(n.waiting, next)
		}
		n.waiting = n.waiting[max(len(n.waiting)-maxWaiting, 0):]
		n.turn()
	}
	if n.awaited != nil && n.show() {
		n.awaited()
		n.awaited = nil
	}
}

// current is the sentence to be read now.
func (n *narrator) current() Narration {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn()
	return n.now
}

// sentences are the latest ones that were told, the latest last.
func (n *narrator) sentences() []Narration {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn()
	return slices.Clone(n.log)
}

// turn shows what waits, if its time has come.
func (n *narrator) turn() {
	if !n.halted && (n.told.IsZero() || time.Since(n.told) >= n.now.readingTime()) {
		n.show()
	}
}

// show shows what waits first; false: nothing does.
func (n *narrator) show() bool {
	if len(n.waiting) == 0 {
		return false
	}
	n.now, n.told, n.waiting = n.waiting[0], time.Now(), n.waiting[1:]
	if !n.now.News {
		n.keep(n.now)
	}
	return true
}

func (n *narrator) keep(told Narration) {
	n.log = append(n.log, told)
	n.log = n.log[max(len(n.log)-maxTold, 0):]
}

// halt lets every sentence wait until next is called; flow lets time pass again.
func (n *narrator) halt() { n.setHalted(true) }
func (n *narrator) flow() { n.setHalted(false) }

func (n *narrator) setHalted(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.halted, n.awaited = on, nil
}

// next shows the sentence that waits; false: none does.
func (n *narrator) next() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.show()
}

// awaitNext calls a function when the next sentence is told, which it is at once. The function must not wait for anything.
func (n *narrator) awaitNext(then func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.show() { // it came while somebody made up his mind to ask
		then()
		return
	}
	n.awaited = then
}
