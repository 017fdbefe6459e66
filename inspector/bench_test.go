package inspector

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"locktop/keyspace"
)

// manyLocks are records of token locks whose key and value have the usual lengths.
func manyLocks(n int, now time.Time) []keyspace.Record {
	records := make([]keyspace.Record, n)
	for i := range records {
		records[i] = keyspace.Record{
			Ref: keyspace.Ref{Node: sceneNode, Key: fmt.Sprintf("lock:orders:%08d", i)}, Type: keyspace.TypeString,
			ExpiresAt: now.Add(time.Hour - time.Minute), Size: 24, Value: keyspace.Value{Text: fmt.Sprintf("n4L/2ZlftbtoJh%08d==", i)}, ReadAt: now,
		}
	}
	return records
}

func fullStore(tb testing.TB, records []keyspace.Record, now time.Time) *store {
	tb.Helper()
	s := newStore(Options{Linger: 5 * time.Second}, &eventLog{})
	s.take(keyspace.Update{Node: sceneNode, Records: records, Status: &keyspace.Status{Node: sceneNode, Connected: true, Feed: keyspace.FeedPush}})
	s.take(keyspace.Update{Node: sceneNode, PassEnded: &keyspace.Pass{Generation: 1}})
	if got := len(s.snapshot(now).Locks); got != len(records) {
		tb.Fatalf("%d locks, want %d", got, len(records))
	}
	return s
}

// BenchmarkSnapshot makes a snapshot after one lock in a hundred was renewed: the renewals, and the snapshot alone. The
// budget is 5 ms at 10,000 locks.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			now := schemeNow
			records := manyLocks(n, now)
			s := fullStore(b, records, now)
			b.ReportAllocs()
			var shots time.Duration
			for round := 0; b.Loop(); round++ {
				now = now.Add(100 * time.Millisecond)
				u := keyspace.Update{Node: sceneNode}
				for k := range n / 100 {
					r := &records[(round*n/100+k)%n]
					r.ExpiresAt, r.ReadAt = now.Add(time.Hour-time.Minute), now
					u.Records = append(u.Records, *r)
					u.Hints = append(u.Hints, keyspace.Hint{Ref: r.Ref, Event: "expire", At: now})
				}
				s.take(u)
				s.wake(now)
				began := time.Now()
				s.snapshot(now)
				shots += time.Since(began)
			}
			b.ReportMetric(float64(shots.Microseconds())/float64(b.N)/1000, "ms/snapshot")
		})
	}
}

// BenchmarkMemory measures what a lock costs beside its key and its value: once as it was found, and once after it was
// acquired anew and renewed, with two snapshots in hand. The budget is 1024 bytes.
func BenchmarkMemory(b *testing.B) {
	const n = 100_000
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		now := schemeNow
		records := manyLocks(n, now)
		bare := int64(heap())
		s := fullStore(b, records, now)
		shot := s.snapshot(now)
		found := int64(heap()) - bare
		b.ReportMetric(float64(found)/n, "found-bytes/lock")
		for range 2 { // all of them renewed: every lock was copied
			now = now.Add(10 * time.Second)
			u := keyspace.Update{Node: sceneNode}
			for i := range records {
				records[i].ExpiresAt, records[i].ReadAt = now.Add(time.Hour-time.Minute), now
				u.Hints = append(u.Hints, keyspace.Hint{Ref: records[i].Ref, Event: "expire", At: now})
			}
			u.Records = records
			s.take(u)
			s.wake(now)
			shot = s.snapshot(now)
		}
		s.log, s.gaps, shot.Events = &eventLog{}, nil, nil // bounded, whatever the number of locks
		renewed := int64(heap()) - bare
		b.ReportMetric(float64(renewed)/n, "renewed-bytes/lock")
		runtime.KeepAlive(shot)
		runtime.KeepAlive(records)
		runtime.KeepAlive(s)
	}
}

// BenchmarkEventsThroughStore feeds full cycles of locks, of which every one is read once: four hints and one record.
func BenchmarkEventsThroughStore(b *testing.B) {
	const n = 10_000
	now := schemeNow
	records := manyLocks(n, now)
	s := fullStore(b, records, now)
	b.ReportAllocs()
	events := 0
	began := time.Now()
	for round := 0; b.Loop(); round++ {
		u := keyspace.Update{Node: sceneNode}
		now = now.Add(20 * time.Millisecond)
		for k := range 250 { // 50,000 hints a second are 1,000 every 20 ms
			r := &records[(round*250+k)%n]
			for _, event := range [...]string{"del", "new", "set", "expire"} {
				u.Hints = append(u.Hints, keyspace.Hint{Ref: r.Ref, Event: event, At: now})
				events++
			}
			r.Value.Text = fmt.Sprintf("n4L/2ZlftbtoJh%08d==", round)
			r.ExpiresAt, r.ReadAt = now.Add(time.Minute), now
			u.Records = append(u.Records, *r)
		}
		s.take(u)
		s.wake(now)
		if round%5 == 0 {
			s.snapshot(now)
		}
	}
	b.ReportMetric(float64(events)/time.Since(began).Seconds(), "events/s")
}

// BenchmarkUnfollowed feeds hints of keys that are no locks.
func BenchmarkUnfollowed(b *testing.B) {
	s := fullStore(b, manyLocks(10, schemeNow), schemeNow)
	u := keyspace.Update{Node: sceneNode}
	for i := range 1000 {
		u.Hints = append(u.Hints, keyspace.Hint{Ref: keyspace.Ref{Node: sceneNode, Key: fmt.Sprintf("blocklist:%d", i)}, Event: "set", At: schemeNow})
	}
	b.ReportAllocs()
	for b.Loop() {
		s.take(u)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/hint")
}

// BenchmarkJoin joins 100,000 locks anew, of which one in ten is of a client that is there, after one client of 1,000 was replaced.
func BenchmarkJoin(b *testing.B) {
	const n = 100_000
	now := schemeNow
	records := manyLocks(n, now)
	for i := 0; i < n; i += 10 {
		records[i].Value.Text = fmt.Sprintf("worker-%d:%08x", i/10%1000, i)
	}
	s := fullStore(b, records, now)
	s.attendance.status(&keyspace.Status{Node: sceneNode, Connected: true})
	b.ReportAllocs()
	for round := 0; b.Loop(); round++ {
		now = now.Add(5 * time.Second)
		r := &keyspace.Roll{Node: sceneNode, TakenAt: now}
		for i := range 1000 {
			r.Clients = append(r.Clients, keyspace.Client{Node: sceneNode, ID: int64(i + 1000*(round%2)*(i/999)), Name: fmt.Sprintf("worker-%d", i)})
		}
		s.attendance.take(r)
		s.attendance.due = time.Time{}
		s.joinAll(now)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/round")
}
