package keyspace_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

func TestAWalkReadsEveryKeyOnce(t *testing.T) {
	s := redistest.Start(t)
	client := s.Client()
	const keys = 1234
	for n := range keys {
		client.Set(t.Context(), fmt.Sprintf("key:%d", n), n, time.Minute)
	}
	client.RPush(t.Context(), "list", "a", "b")
	c := dial(t, keyspace.Place{Servers: addresses(s)})
	seen := map[string]keyspace.Record{}
	var last keyspace.Pass
	err := c.Walk(t.Context(), nil, 1_000_000, func(records []keyspace.Record, p keyspace.Pass) error {
		for _, r := range records {
			seen[r.Key] = r
		}
		if p.Scanned < last.Scanned || p.KeysInDB != keys+1 {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
		return nil
	})
	if err != nil || len(seen) != keys+1 || last.Ended.IsZero() || last.Scanned < keys+1 {
		t.Fatalf("%v: %d keys, %+v", err, len(seen), last)
	}
	if r := seen["key:7"]; r.Value.Text != "7" || r.ExpiresAt.IsZero() {
		t.Errorf("%+v", r)
	}
}

// A walk keeps to its budget, and ends when it is told to.
func TestAWalkIsPacedAndEnds(t *testing.T) {
	s := redistest.Start(t)
	client := s.Client()
	for n := range 5000 {
		client.Set(t.Context(), fmt.Sprintf("key:%d", n), n, 0)
	}
	c := dial(t, keyspace.Place{Servers: addresses(s)})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	batches, began := 0, time.Now()
	err := c.Walk(ctx, nil, 1000, func(_ []keyspace.Record, p keyspace.Pass) error {
		if batches++; batches == 4 {
			// It rested after each of the three batches before.
			if took, least := time.Since(began), time.Duration(p.Scanned-150)*time.Millisecond; took < least {
				t.Errorf("%d keys in %v, and 1000 a second are allowed", p.Scanned, took)
			}
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || batches != 4 {
		t.Errorf("%d batches, then %v", batches, err)
	}
	enough := errors.New("enough")
	if err := c.Walk(t.Context(), nil, 1000, func([]keyspace.Record, keyspace.Pass) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
}
