package keyspace_test

import (
	"fmt"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// A consumer that takes nothing, while ever new keys come and go: it is told of what is there, and of the end of what it knew.
func TestUntakenRecordsAreBounded(t *testing.T) {
	f := keyspace.NewStepped(connect(t, redistest.Start(t)), keyspace.ObserveOptions{})
	now := time.Now()
	f.Learn(lease("lock:known", now, time.Time{}))
	if u := f.Take(); len(u.Records) != 1 {
		t.Fatalf("%d records", len(u.Records))
	}
	const rounds, keys = 20, keyspace.MaxGone / 10
	for round := range rounds {
		came, went := make([]keyspace.Record, keys), make([]keyspace.Record, keys)
		for i := range keys {
			key := fmt.Sprint("lock:", round, ":", i)
			came[i], went[i] = lease(key, now, time.Time{}), freed(key, now)
		}
		f.Learn(came...)
		f.Learn(went...)
		f.Learn(lease(fmt.Sprint("lock:stays:", round), now, time.Time{}))
	}
	f.Learn(freed("lock:known", now), freed("lock:never", now))
	u := f.Take()
	if n := len(u.Records); n > keyspace.MaxGone+keys+rounds+1 || n < keyspace.MaxGone {
		t.Errorf("%d records wait", n)
	}
	stays, told, seen := 0, false, make(map[string]bool)
	for _, r := range u.Records {
		if seen[r.Key] {
			t.Fatalf("%s is there twice", r.Key)
		}
		seen[r.Key] = true
		if r.Exists() {
			stays++
		}
		told = told || r.Key == "lock:known" && !r.Exists()
	}
	if stays != rounds || !told || seen["lock:never"] {
		t.Errorf("%d of %d keys are told to be there; the end of the known one: %v", stays, rounds, told)
	}
	f.Learn(freed("lock:never", now)) // where little waits, everything is told
	if u := f.Take(); len(u.Records) != 1 {
		t.Errorf("%d records", len(u.Records))
	}
}
