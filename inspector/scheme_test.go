package inspector

import (
	"testing"
	"time"

	"locktop/keyspace"
)

// schemeNow is the moment of all reads in the tests of schemes: 1,767,323,045 s after 1970.
var schemeNow = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// recordOf is a read of a key; ttl 0 stands for none.
func recordOf(t keyspace.Type, key string, ttl time.Duration) keyspace.Record {
	r := keyspace.Record{
		Ref: keyspace.Ref{Node: "127.0.0.1:6379", Key: key}, Type: t, Size: 1, ReadAt: schemeNow,
	}
	if ttl != 0 {
		r.ExpiresAt = schemeNow.Add(ttl)
	}
	return r
}

// stringRecord is a read of a string, cut as keyspace cuts it.
func stringRecord(key, value string, ttl time.Duration) keyspace.Record {
	r := recordOf(keyspace.TypeString, key, ttl)
	r.Size = int64(len(value))
	r.Truncated = len(value) > keyspace.MaxText
	r.Value.Text = value[:min(len(value), keyspace.MaxText)]
	return r
}

// hashRecord is a read of a hash: names and values in turn.
func hashRecord(key string, ttl time.Duration, fields ...string) keyspace.Record {
	r := recordOf(keyspace.TypeHash, key, ttl)
	r.Size = int64(len(fields) / 2)
	for i := 0; i < len(fields); i += 2 {
		r.Value.Fields = append(r.Value.Fields, keyspace.Field{Name: fields[i], Value: fields[i+1]})
	}
	return r
}

// inspected is the lock in a record; it fails the test where there is none of that scheme.
func inspected(t *testing.T, r keyspace.Record, scheme Scheme) *Lock {
	t.Helper()
	l, ok := Rules(nil).Inspect(r, schemeNow)
	if !ok {
		t.Fatalf("%s %q = %q %v is taken for no lock, want %s", r.Type, r.Key, r.Value.Text, r.Value.Fields, scheme)
	}
	if l.Scheme != scheme {
		t.Fatalf("%s %q = %q %v is taken for %s, want %s", r.Type, r.Key, r.Value.Text, r.Value.Fields, l.Scheme, scheme)
	}
	if len(l.Evidence) < 2 {
		t.Errorf("%q: evidence %q, want two facts at least", r.Key, l.Evidence)
	}
	for _, fact := range l.Evidence {
		if fact == "" {
			t.Errorf("%q: an empty fact in the evidence %q", r.Key, l.Evidence)
		}
	}
	if !Rules(nil).Follow(r) {
		t.Errorf("%q is a lock that is not followed", r.Key)
	}
	if l.Mode != ModeExclusive || l.Ref != r.Ref || l.Observed.Key != r.Key || !l.HeldSince.Equal(r.ReadAt) || l.HeldExact {
		t.Errorf("%q: the lock does not repeat what was read: %+v", r.Key, l)
	}
	if l.Waiters != (Waiters{By: WaitersNone}) {
		t.Errorf("%q: waiters %+v, of which a read tells nothing", r.Key, l.Waiters)
	}
	return l
}

// soleHolder is the one holder of a lock.
func soleHolder(t *testing.T, l *Lock) Holder {
	t.Helper()
	if len(l.Holders) != 1 {
		t.Fatalf("%q has %d holders, want 1", l.Key, len(l.Holders))
	}
	return l.Holders[0]
}

func TestSchemesDescribeThemselves(t *testing.T) {
	seen := map[Scheme]bool{}
	for _, s := range Schemes() {
		if s.Name == "" || s.Systems == "" || s.RecognisedBy == "" || s.Shows == "" {
			t.Errorf("scheme %q says too little of itself: %+v", s.Name, s)
		}
		if seen[s.Name] {
			t.Errorf("two schemes are called %q", s.Name)
		}
		seen[s.Name] = true
	}
	for _, name := range []Scheme{
		SchemeToken, SchemeSetNX, SchemeTimestamp, SchemeReentrant, SchemeRedisson, SchemeUnknown,
	} {
		if !seen[name] {
			t.Errorf("no scheme is called %q", name)
		}
	}
}

func TestKeysThatAreGoneOrDeniedAreNoLocks(t *testing.T) {
	gone := keyspace.Record{Ref: keyspace.Ref{Key: "lock:orders"}, Type: keyspace.TypeNone, ReadAt: schemeNow}
	denied := keyspace.Record{Ref: keyspace.Ref{Key: "lock:orders"}, Type: keyspace.TypeDenied, Value: keyspace.Value{Text: "NOPERM"}, ReadAt: schemeNow}
	for _, r := range []keyspace.Record{gone, denied} {
		if l, ok := Rules(nil).Inspect(r, schemeNow); ok || Rules(nil).Follow(r) {
			t.Errorf("%+v is taken for %+v", r, l)
		}
	}
}
