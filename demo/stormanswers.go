package demo

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// answers tell how fast a server answers those who want a lock. Its size does not grow with time. It is safe for concurrent use.
type answers struct {
	mu          sync.Mutex
	since, last time.Time
	acquired    int
	asked       int
	sum         time.Duration
	slots       [answerSlots]int // how many answers took at most firstAnswer * answerStep^slot
}

const (
	firstAnswer = 10 * time.Microsecond
	answerStep  = 1.1 // a percentile is exact to a tenth of it
	answerSlots = 160 // the last is for more than half a minute
)

func newAnswers() measures { return &answers{since: time.Now()} }

// add counts an answer and how long it took, the wait for a connection included.
func (a *answers) add(took time.Duration, acquired bool) {
	slot := 0
	if took > firstAnswer {
		slot = min(int(math.Ceil(math.Log(float64(took)/float64(firstAnswer))/math.Log(answerStep))), answerSlots-1)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = time.Now()
	a.asked++
	a.sum += took
	a.slots[slot]++
	if acquired {
		a.acquired++
	}
}

// percentile is how long the answers took, but for a share of them.
func (a *answers) percentile(but float64) time.Duration {
	over := int(float64(a.asked) * but)
	for slot := answerSlots - 1; slot > 0; slot-- {
		if over -= a.slots[slot]; over < 0 {
			return time.Duration(float64(firstAnswer) * math.Pow(answerStep, float64(slot)))
		}
	}
	return firstAnswer
}

func (a *answers) said() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.acquired == 0 {
		return nil
	}
	rate := float64(a.acquired) / a.last.Sub(a.since).Seconds()
	return []string{fmt.Sprintf("%s acquisitions a second; who asked for a lock was answered in %s on average, 99 of 100 within %s; %d%% were told that somebody has it",
		ratio(rate), millisWords(a.sum/time.Duration(a.asked)), millisWords(a.percentile(0.01)), 100*(a.asked-a.acquired)/a.asked)}
}
