package keyspace_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// lease is the record of a lock that ends at some time.
func lease(key string, readAt, ends time.Time) keyspace.Record {
	return keyspace.Record{
		Ref: keyspace.Ref{Key: key}, Type: keyspace.TypeString, Value: keyspace.Value{Text: "token"}, ReadAt: readAt, ExpiresAt: ends,
	}
}

// freed is the record of a lock that is gone.
func freed(key string, readAt time.Time) keyspace.Record {
	return keyspace.Record{Ref: keyspace.Ref{Key: key}, Type: keyspace.TypeNone, ReadAt: readAt}
}

// Long leases that are released early leave nothing behind.
func TestDeadlinesLeaveWithTheirKeys(t *testing.T) {
	f := keyspace.NewStepped(connect(t, redistest.Start(t)), keyspace.ObserveOptions{Nudge: true})
	now := time.Now()
	for range 20 {
		for i := range 100 {
			f.Learn(lease(fmt.Sprint("lock:", i), now, now.Add(24*time.Hour)))
		}
		if n := f.Deadlines(); n != 100 {
			t.Fatalf("%d deadlines of 100 keys", n)
		}
		for i := range 100 {
			f.Learn(freed(fmt.Sprint("lock:", i), now))
		}
		if n := f.Deadlines(); n != 0 {
			t.Fatalf("%d deadlines of no keys", n)
		}
	}
}

// Whatever was renewed, shortened, made to last and released before: each key comes up once, in its time.
func TestDeadlinesComeUpInOrder(t *testing.T) {
	f := keyspace.NewStepped(connect(t, redistest.Start(t)), keyspace.ObserveOptions{Nudge: true})
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Now()
	ends := make(map[string]time.Time)
	for range 20_000 {
		key := fmt.Sprint("lock:", random.IntN(300))
		switch random.IntN(4) {
		case 0:
			f.Learn(freed(key, now))
			delete(ends, key)
		case 1:
			f.Learn(lease(key, now, time.Time{}))
			delete(ends, key)
		default:
			ends[key] = now.Add(time.Duration(1+random.IntN(1_000_000)) * time.Millisecond)
			f.Learn(lease(key, now, ends[key]))
		}
	}
	var got []string
	for at := now; at.Before(now.Add(1100 * time.Second)); at = at.Add(time.Second) {
		due := f.Due(at)
		for _, key := range due {
			if end := ends[key]; end.After(at) || end.Before(at.Add(-1100*time.Millisecond)) {
				t.Errorf("%s ends at %v, and came up at %v", key, end.Sub(now), at.Sub(now))
			}
		}
		got = append(got, due...)
	}
	slices.Sort(got)
	var want []string
	for key := range ends {
		want = append(want, key)
	}
	slices.SortFunc(want, cmp.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("%d keys came up, want %d", len(got), len(want))
	}
	if n := f.Deadlines(); n != 0 {
		t.Errorf("%d deadlines are left", n)
	}
}

// A server whose clock is behind what we believe says of each key that it is there, long after its time by our clock.
func TestNudgesOfALivingKeyGetSeldom(t *testing.T) {
	f := keyspace.NewStepped(connect(t, redistest.Start(t)), keyspace.ObserveOptions{Nudge: true})
	start := time.Now()
	ends := start.Add(-36 * time.Second)
	f.Learn(lease("lock:a", start, ends))
	nudges, last, longest := 0, start, time.Duration(0)
	for at := start; at.Before(start.Add(time.Minute)); at = at.Add(10 * time.Millisecond) {
		if len(f.Due(at)) > 0 {
			nudges++
			longest = max(longest, at.Sub(last))
			last = at
			f.Learn(lease("lock:a", at, ends))
		}
	}
	if nudges > 20 || longest > 11*time.Second {
		t.Errorf("%d nudges in a minute, the longest pause is %v", nudges, longest)
	}
	now := start.Add(time.Minute)
	f.Learn(lease("lock:a", now, now.Add(time.Second))) // the clock is known now
	if len(f.Due(now.Add(1100*time.Millisecond))) != 1 {
		t.Error("the key did not come up at its end")
	}
	now = now.Add(1100 * time.Millisecond)
	f.Learn(lease("lock:a", now, now.Add(-10*time.Millisecond)))
	if len(f.Due(now.Add(100*time.Millisecond))) != 1 {
		t.Error("the pause is still that of the wrong clock")
	}
}
