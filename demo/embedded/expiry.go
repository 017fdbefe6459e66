package embedded

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// The range of the random delay between a deadline and the active cycle: what a real server with some thousand keys shows.
const (
	reapDelayLow  = 100 * time.Millisecond
	reapDelayHigh = 600 * time.Millisecond
)

func (s *Server) reapDelay() time.Duration {
	switch {
	case s.options.ReapDelay < 0:
		return 0
	case s.options.ReapDelay > 0:
		return s.options.ReapDelay
	default:
		return reapDelayLow + rand.N(reapDelayHigh-reapDelayLow)
	}
}

// lookup returns the entry of a key, or nil. A key whose deadline has passed is removed at once, with its event: that is
// how Redis treats every access.
func (s *Server) lookup(db *database, key string) *entry {
	e := db.keys[key]
	if e != nil && e.expired(s.now.UnixMilli()) {
		s.reap(e)
		return nil
	}
	return e
}

func (s *Server) reap(e *entry) {
	db, key := e.db, e.key
	s.remove(e)
	s.statistics.expired++
	s.notify(classExpired, "expired", db, key)
}

// reapers removes keys when their deadline plus the delay has passed, until the server closes.
func (s *Server) runReaper() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-s.closing:
			return
		case <-s.reaperWake:
		case <-timer.C:
		}
		timer.Reset(s.reapOverdue())
	}
}

// reapOverdue removes what is due, and says how long nothing more will be.
func (s *Server) reapOverdue() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverPanic(nil)
	s.now = s.wall()
	for len(s.deadlines) > 0 {
		next := s.deadlines[0]
		wait := time.UnixMilli(next.reapAt).Sub(s.now)
		if wait > 0 {
			return wait
		}
		// A step of the wall clock back can bring the delay to its end before the deadline; then the key has to wait.
		if !next.expired(s.now.UnixMilli()) {
			next.reapAt = next.deadline + 1
			heap.Fix(&s.deadlines, 0)
			continue
		}
		s.reap(next)
	}
	return time.Hour
}

// wakeReaper makes the reaper look at the first deadline again. It never blocks.
func (s *Server) wakeReaper() {
	select {
	case s.reaperWake <- struct{}{}:
	default:
	}
}
