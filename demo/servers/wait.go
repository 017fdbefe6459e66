package servers

import (
	"context"
	"time"
)

// wait waits by our own clock, which is the servers' too, whatever the demo's does; false: the context ended first.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
