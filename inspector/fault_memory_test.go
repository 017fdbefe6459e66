package inspector

import (
	"runtime"
	"testing"
	"time"

	"locktop/keyspace"
)

// Many locks that are gone leave nothing but their events and a bounded past.
func TestLocksThatAreGoneTakeNoMemory(t *testing.T) {
	const many = 100_000
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	now := schemeNow
	bare := heap()
	s := fullStore(t, manyLocks(many, now), now)
	if took := heap() - bare; took < 16<<20 {
		t.Errorf("%d bytes were taken: the test proves nothing", took)
	}
	now = now.Add(time.Second)
	gone := keyspace.Update{Node: sceneNode, Records: manyLocks(many, now)}
	for n := range gone.Records {
		gone.Records[n] = keyspace.Record{Ref: gone.Records[n].Ref, Type: keyspace.TypeNone, ReadAt: now}
	}
	s.take(gone)
	gone = keyspace.Update{}
	now = now.Add(time.Minute)
	s.wake(now)
	if left := len(s.snapshot(now).Locks); left != 0 {
		t.Fatalf("%d locks are left", left)
	}
	s.log, s.gaps, s.past = &eventLog{}, &eventLog{}, newPast()
	s.last = nil
	if left := heap() - bare; left > 2<<20 {
		t.Errorf("%d bytes are left", left)
	}
	runtime.KeepAlive(s)
}
