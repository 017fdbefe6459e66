package demo

import (
	"sync"
	"time"
)

// Narration is one sentence about what just happened.
type Narration struct {
	At   time.Time
	Text string
}

// How long a sentence stays at least, in real time whatever the demo's speed, for it is people who read.
const (
	readingTime = 2 * time.Second
	newsTime    = 4 * time.Second
	// maxWaiting is how much news may wait; what waited longer would be told too late to be seen on the screen.
	maxWaiting = 2
)

// narrator holds the sentence that is to be read now. What comes too soon waits: news, which is what the scenario is about,
// in its order, the oldest being forgotten where too much waits; of everyday sentences the last one, and only where no
// news waits. It has no clock of its own: what waits is told when somebody asks. It is safe for concurrent use.
type narrator struct {
	mu      sync.Mutex
	now     sentence
	told    time.Time // when now began to be shown
	waiting []sentence
}

// sentence is a narration and its weight.
type sentence struct {
	Narration
	news bool
}

func (s sentence) readingTime() time.Duration {
	if s.news {
		return newsTime
	}
	return readingTime
}

// say tells of everyday life; news tells of what matters.
func (n *narrator) say(text string)  { n.add(text, false) }
func (n *narrator) news(text string) { n.add(text, true) }

func (n *narrator) add(text string, news bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn()
	next := sentence{Narration{At: time.Now(), Text: text}, news}
	if len(n.waiting) > 0 && !n.waiting[0].news { // it has had its chance
		n.waiting = nil
	}
	if news || len(n.waiting) == 0 {
		n.waiting = append(n.waiting, next)
	}
	n.waiting = n.waiting[max(len(n.waiting)-maxWaiting, 0):]
	n.turn()
}

// current is the sentence to be read now.
func (n *narrator) current() Narration {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn()
	return n.now.Narration
}

// turn shows what waits, if its time has come.
func (n *narrator) turn() {
	if len(n.waiting) > 0 && (n.told.IsZero() || time.Since(n.told) >= n.now.readingTime()) {
		n.now, n.told, n.waiting = n.waiting[0], time.Now(), n.waiting[1:]
	}
}
