package demo

import (
	"context"
	"sync"
	"time"
)

// meeting lets several goroutines wait for each other, but not for ever.
type meeting struct {
	mu       sync.Mutex
	missing  int
	complete chan struct{}
	patience time.Duration
}

func newMeeting(size int, patience time.Duration) *meeting {
	return &meeting{missing: size, complete: make(chan struct{}), patience: patience}
}

// arrive waits until all have arrived, or the patience or the context is over. Everybody arrives once.
func (m *meeting) arrive(ctx context.Context) {
	m.mu.Lock()
	if m.missing--; m.missing == 0 {
		close(m.complete)
	}
	m.mu.Unlock()
	timer := time.NewTimer(m.patience)
	defer timer.Stop()
	select {
	case <-m.complete:
	case <-timer.C:
	case <-ctx.Done():
	}
}
