package redistest

import (
	"testing"
	"time"
)

// Eventually polls until ok says true, every 5 ms, and fails the test after the given time with what ok last said.
func Eventually(tb testing.TB, within time.Duration, ok func() (bool, string)) {
	tb.Helper()
	deadline := time.Now().Add(within)
	for {
		done, state := ok()
		if done {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatalf("not within %v: %s", within, state)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
