package text

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestDurationsAtTheEnds: the distance between two instants that are far apart is the smallest or
// the greatest duration, and the smallest one has no positive counterpart.
func TestDurationsAtTheEnds(t *testing.T) {
	for _, d := range []struct {
		name       string
		format     func(time.Duration) string
		least, max string
	}{
		{"Duration", Duration, "-106751d", "106751d"},
		{"Lag", Lag, "-106751d", "106751d"},
		{"Ago", Ago, "just now", "106751d ago"},
		{"Span", Span, "-2562047h47m16.854775808s", "2562047h47m16.854775807s"},
	} {
		if got := d.format(math.MinInt64); got != d.least {
			t.Errorf("%s of the smallest duration is %q, want %q", d.name, got, d.least)
		}
		if got := d.format(math.MaxInt64); got != d.max {
			t.Errorf("%s of the greatest duration is %q, want %q", d.name, got, d.max)
		}
	}
}

func FuzzDurations(f *testing.F) {
	for _, d := range []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, int64(time.Second), math.MaxInt64} {
		f.Add(d)
	}
	f.Fuzz(func(t *testing.T, n int64) {
		d := time.Duration(n)
		for _, got := range []string{Duration(d), Lag(d)} {
			if strings.HasPrefix(got, "-") != (d < 0) || strings.Count(got, "-") > 1 || len(got) > len("-106751d") {
				t.Fatalf("%d ns is %q", n, got)
			}
		}
		if got := Ago(d); strings.Contains(got, "-") {
			t.Fatalf("%d ns ago is %q", n, got)
		}
	})
}
