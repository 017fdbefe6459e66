package keyspace_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// Many keys come, and go with a flush: the pass that finds them gone gives back what they took.
func TestKeysThatAreGoneTakeNoMemory(t *testing.T) {
	const many = 200_000
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	c := connect(t, redistest.Start(t))
	f := keyspace.NewStepped(c, keyspace.ObserveOptions{
		Nudge: true, Follow: func(r keyspace.Record) bool { return r.Size > 0 },
	})
	bare := heap()
	for n := range many {
		f.Learn(keyspace.Record{
			Ref: keyspace.Ref{Key: fmt.Sprint("lock:", n)}, Type: keyspace.TypeString, Size: int64(n % 2),
			ReadAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
		})
		f.Take()
	}
	if took := heap() - bare; took < 16<<20 {
		t.Errorf("%d bytes were taken: the test proves nothing", took)
	}
	if err := f.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Take()
	if left := heap() - bare; left > 2<<20 {
		t.Errorf("%d bytes are left", left)
	}
	runtime.KeepAlive(f)
}
