package demo

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"locktop/keyspace"
)

// stage is what the workers of one demo share. It is safe for concurrent use.
type stage struct {
	conn     *keyspace.Connection
	prefix   string
	seed     uint64
	speed    float64
	ledger   *ledger
	narrator *narrator
	opened   time.Time
	group    sync.WaitGroup // everything that runs

	mu     sync.Mutex
	hired  int
	inUse  []string
	clocks map[string]time.Time
}

func newStage(conn *keyspace.Connection, prefix string, o Options) *stage {
	return &stage{
		conn: conn, prefix: prefix, seed: o.Seed, speed: o.Speed,
		opened: time.Now(), ledger: newLedger(), narrator: &narrator{}, clocks: map[string]time.Time{},
	}
}

// scaled is a duration of the script at the demo's speed; Redis counts in milliseconds, so it is never less than one.
func (s *stage) scaled(d time.Duration) time.Duration {
	return max(time.Duration(float64(d)/s.speed), time.Millisecond)
}

// key is the name of a lock in Redis. Whatever is written is named by it, so that it can be removed.
func (s *stage) key(lock string) string {
	key := s.prefix + lock
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.inUse, key) {
		s.inUse = append(s.inUse, key)
	}
	return key
}

// keys are all names that key gave.
func (s *stage) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.inUse)
}

// hire makes a worker that plays its part in a goroutine of its own until it returns.
func (s *stage) hire(ctx context.Context, play func(context.Context, *worker)) {
	w := s.newWorker()
	s.group.Go(func() {
		defer w.close()
		play(ctx, w)
	})
}

// replace hires another worker after a time, as a supervisor does when one has died.
func (s *stage) replace(ctx context.Context, after time.Duration, play func(context.Context, *worker)) {
	s.group.Go(func() {
		if sleep(ctx, s.scaled(after)) {
			s.hire(ctx, play)
		}
	})
}

// nextName numbers the workers from 1.
func (s *stage) nextName() (name string, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hired++
	return fmt.Sprintf("worker-%d", s.hired), s.hired
}

// due says once in a while that it is time for something: first after the start, and then every so often, counted from the
// last time that it said so.
func (s *stage) due(what string, first, every time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	at, known := s.clocks[what]
	if !known {
		at = s.opened.Add(s.scaled(first))
	}
	if now.Before(at) {
		return false
	}
	s.clocks[what] = now.Add(s.scaled(every))
	return true
}

// postpone makes it due after a time from now.
func (s *stage) postpone(what string, by time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clocks[what] = time.Now().Add(s.scaled(by))
}

// say and news tell a sentence.
func (s *stage) say(format string, args ...any)  { s.narrator.say(fmt.Sprintf(format, args...)) }
func (s *stage) news(format string, args ...any) { s.narrator.news(fmt.Sprintf(format, args...)) }

// sleep waits in real time; false: the context ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
