package inspector_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// BenchmarkMillionLocks looks at a million keys that are all locks: for how long until all of them are shown, what they take
// here, and whether it is given back when they are gone.
func BenchmarkMillionLocks(b *testing.B) {
	const many = 1_000_000
	for b.Loop() {
		var found time.Time
		before := heapInUse()
		c := newScene(b, nil, func(c *scene, _ *keyspace.Options) {
			for n := range 20 {
				c.do("EVAL", `for i = 1, ARGV[2] do
					redis.call('SET', 'lock:cart:' .. ARGV[1] .. ':' .. i, 'worker-' .. i, 'PX', 3600000 + i)
				end`, 0, n, many/20)
			}
			found = time.Now()
		})
		redistest.Eventually(b, 5*time.Minute, func() (bool, string) {
			shot := c.i.Latest()
			return shot.Complete && shot.Totals.Locks >= many, fmt.Sprintf("%+v", shot.Totals)
		})
		b.ReportMetric(time.Since(found).Seconds(), "s/table")
		b.ReportMetric(float64(heapInUse()-before)/many, "bytes/lock")
		gone := time.Now()
		c.do("FLUSHALL")
		redistest.Eventually(b, 5*time.Minute, func() (bool, string) {
			shot := c.i.Latest()
			return shot.Complete && len(shot.Locks) == 0, fmt.Sprintf("%+v", shot.Totals)
		})
		b.ReportMetric(time.Since(gone).Seconds(), "s/flush")
		redistest.Eventually(b, 10*time.Second, func() (bool, string) {
			left := int64(heapInUse()) - int64(before)
			b.ReportMetric(float64(left)/(1<<20), "MB-left")
			return left < 128<<20, fmt.Sprintf("%d MB are left", left>>20)
		})
		c.leaves()
	}
}

// heapInUse is what is reachable.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
