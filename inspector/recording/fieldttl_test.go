package recording

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// A lease that ends with a field is replayed as that, with the key's own end; a recording of before
// says nothing of fields, and is replayed as it was.
func TestFieldTTLsAreRecorded(t *testing.T) {
	read := time.Date(2026, 1, 2, 14, 3, 27, 0, time.UTC)
	end := read.Add(3 * time.Second)
	for name, keyEnds := range map[string]time.Time{"the key has no TTL": {}, "the key ends later": read.Add(time.Hour)} {
		l := &inspector.Lock{
			Ref: keyspace.Ref{Key: "lock:h"}, State: inspector.StateHeld, Scheme: inspector.SchemeReentrant, ExpiresAt: end, FieldTTLs: true,
			Holders:  []inspector.Holder{{Owner: "a:1", Label: "a:1", ExpiresAt: end}},
			Observed: keyspace.Record{Type: keyspace.TypeHash, ExpiresAt: keyEnds, ReadAt: read},
		}
		replayed := replay(t, l, nil)
		key, ends := replayed.KeyLeft(read)
		if !replayed.EndsByField() || !replayed.ExpiresAt.Equal(end) || ends == keyEnds.IsZero() || ends && key != time.Hour {
			t.Errorf("%s: ends %v, by its field: %v; the key has %v left (%v)", name, replayed.ExpiresAt, replayed.EndsByField(), key, ends)
		}
	}
	old := &inspector.Lock{
		Ref: keyspace.Ref{Key: "lock:h"}, State: inspector.StateHeld, Scheme: inspector.SchemeReentrant, ExpiresAt: end,
		Holders: []inspector.Holder{{Owner: "a:1", Label: "a:1"}}, Observed: keyspace.Record{Type: keyspace.TypeHash, ExpiresAt: end, ReadAt: read},
	}
	replayed := replay(t, old, []string{"field_ttls", "key_ends", "field_ttls_unread"})
	if replayed.EndsByField() || replayed.EndUnknown() || !replayed.ExpiresAt.Equal(end) || !replayed.Observed.ExpiresAt.Equal(end) {
		t.Errorf("of an old recording: %+v", replayed)
	}
}

// replay writes a lock as a line, which may have none of some fields, and reads it.
func replay(t *testing.T, l *inspector.Lock, without []string) *inspector.Lock {
	t.Helper()
	written, err := json.Marshal(newLockLine(l, nil, l.Kept(), inspector.Kept{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range without {
		if strings.Contains(string(written), name) {
			t.Errorf("%s is written of a lock that has none: %s", name, written)
		}
	}
	var line lockLine
	if err := json.Unmarshal(written, &line); err != nil {
		t.Fatal(err)
	}
	replayed, err := line.lock(nil)
	if err != nil {
		t.Fatal(err)
	}
	return replayed
}
