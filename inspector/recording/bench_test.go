package recording

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// BenchmarkRecord writes frames of 10,000 locks that have all changed hands, each with 2,500 events. The recorder makes them twice a
// second, or so seldom that they take a twentieth of a core.
func BenchmarkRecord(b *testing.B) {
	for _, name := range []string{"rec.jsonl", "rec.jsonl.gz"} {
		b.Run(name, func(b *testing.B) {
			w, err := Create(filepath.Join(b.TempDir(), name), Header{Started: time.Now()}, 1<<40)
			if err != nil {
				b.Fatal(err)
			}
			defer w.Close("")
			const locks, events = 10_000, 2_500
			locksAt := make([]*inspector.Lock, locks)
			at, seq := time.Now(), uint64(0)
			next := func() *inspector.Snapshot {
				at = at.Add(every)
				shot := &inspector.Snapshot{TakenAt: at, Locks: make([]*inspector.Lock, locks)}
				for i := range locksAt {
					owner := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
					l := &inspector.Lock{
						Ref: keyspace.Ref{Node: "127.0.0.1:6379", Key: fmt.Sprintf("lock:orders:%d", i)}, Scheme: inspector.SchemeToken,
						Mode: inspector.ModeExclusive, State: inspector.StateHeld, Holders: []inspector.Holder{{Owner: owner, Label: owner}},
						ExpiresAt: at.Add(30 * time.Second), HeldSince: at, HeldExact: true, Waiters: inspector.Waiters{By: inspector.WaitersNone},
						Evidence: []string{"it has a TTL", "its value is a token"}, SparkStart: uint32(at.Unix()),
						Observed: keyspace.Record{Type: keyspace.TypeString, Value: keyspace.Value{Text: owner}, ReadAt: at, Size: 32},
					}
					if was := locksAt[i]; was != nil {
						l.History = append(l.History, was.History[max(0, len(was.History)-99):]...)
						l.History[len(l.History)-1].Until, l.History[len(l.History)-1].UntilExact = at, true
					}
					l.History = append(l.History, inspector.Hold{Owner: owner, Label: owner, Since: at, SinceExact: true})
					locksAt[i] = l
				}
				copy(shot.Locks, locksAt)
				for i := range events {
					seq++
					shot.Events = append(shot.Events, inspector.Event{
						Seq: seq, At: at, Ref: locksAt[i].Ref, Kind: inspector.EventHandedOver, Scheme: inspector.SchemeToken,
						Owner: locksAt[i].Holders[0].Owner, TTL: 30 * time.Second, TTLKnown: true,
					})
				}
				return shot
			}
			if err := w.Frame(next(), nil); err != nil {
				b.Fatal(err)
			}
			before, took := w.Bytes(), time.Duration(0)
			for b.Loop() {
				b.StopTimer()
				shot := next()
				b.StartTimer()
				began := time.Now()
				if err := w.Frame(shot, shot.Events); err != nil {
					b.Fatal(err)
				}
				took += time.Since(began)
			}
			one := took / time.Duration(b.N)
			pace := min(max(every, one*part), seldom)
			b.ReportMetric(100*one.Seconds()/pace.Seconds(), "%core")
			b.ReportMetric(float64(w.Bytes()-before)/float64(b.N)/pace.Seconds()/1e6, "MB/s")
			b.ReportMetric(1/pace.Seconds(), "frames/s")
		})
	}
}

// BenchmarkWeigh weighs a lock with a long history, which is done for each lock of a frame that is replayed.
func BenchmarkWeigh(b *testing.B) {
	l := &inspector.Lock{Holders: make([]inspector.Holder, 1), History: make([]inspector.Hold, 100), Evidence: []string{"it has a TTL"}}
	for b.Loop() {
		_ = weighLock(l)
	}
}
