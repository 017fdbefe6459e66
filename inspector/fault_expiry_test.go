package inspector_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// TestManyExpireTogether: leases that end in the same millisecond are each told to have expired, and not earlier. A machine that
// is too slow to read them all before does not see whose the rest were.
func TestManyExpireTogether(t *testing.T) {
	t.Parallel()
	const many = 10_000
	c := newScene(t, nil, nil)
	ends := c.do("EVAL", `
		local now = redis.call('TIME')
		local ends = now[1] * 1000 + math.floor(now[2] / 1000) + 4000
		for i = 1, ARGV[1] do redis.call('SET', 'lock:cart:' .. i, 'worker-' .. i, 'PXAT', ends) end
		return ends`, 0, many).(int64)
	redistest.Eventually(t, 30*time.Second, func() (bool, string) {
		shot := c.i.Latest()
		return time.Now().UnixMilli() > ends && shot.Totals.ByState[inspector.StateExpired] == 0, fmt.Sprintf("%+v", shot.Totals)
	})
	c.agrees()
	counts := make(map[inspector.EventKind]int)
	events, _ := c.i.EventsSince(0)
	for _, e := range events {
		if strings.HasPrefix(e.Key, "lock:cart:") {
			counts[e.Kind]++
			if e.Kind == inspector.EventExpired && e.At.Before(time.UnixMilli(ends).Add(-expiryDiffers)) {
				t.Errorf("%s expired at %v, and its lease ended at %v", e.Key, e.At, time.UnixMilli(ends))
			}
		}
	}
	if n := counts[inspector.EventAcquired]; n != counts[inspector.EventExpired] || n < many/4 || len(counts) > 2 {
		t.Errorf("%v", counts)
	}
	if gaps := c.status().Gaps; gaps != 0 {
		t.Errorf("%d gaps", gaps)
	}
	c.leaves()
}
