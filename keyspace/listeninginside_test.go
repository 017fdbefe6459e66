package keyspace

import (
	"testing"
	"time"
)

// TestListApart keeps lists of channels at one part in a hundred of the server's time, and within what is worth receiving.
func TestListApart(t *testing.T) {
	for _, c := range []struct {
		took  time.Duration
		bytes int
		want  time.Duration
	}{
		{0, 0, attendEvery},
		{-time.Millisecond, 100, attendEvery}, // the round trip took longer than usual when it was measured
		{115 * time.Millisecond, 0, 11500 * time.Millisecond},
		{10 * time.Millisecond, 4 << 20, 16 * time.Second},
	} {
		if got := listApart(c.took, c.bytes); got != c.want {
			t.Errorf("%v, %d bytes: %v, want %v", c.took, c.bytes, got, c.want)
		}
	}
}
