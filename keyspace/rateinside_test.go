package keyspace

import (
	"testing"
	"time"
)

// TestRateOfTheFirstMoment: sixty commands in the first milliseconds are not ten thousand a second.
func TestRateOfTheFirstMoment(t *testing.T) {
	var r rate
	began := time.Now()
	for _, step := range []struct {
		after time.Duration
		count uint64
		want  float64
	}{{0, 10, 0}, {6 * time.Millisecond, 70, 60}, {2 * time.Second, 90, 40}, {10 * time.Second, 170, 10}} {
		if got := r.add(began.Add(step.after), step.count); got != step.want {
			t.Errorf("after %v: %.0f a second, want %.0f", step.after, got, step.want)
		}
	}
}
