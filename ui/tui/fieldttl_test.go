package tui

import (
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// The detail says what ends a lease if it is the holder's field, and that it is unknown if it is.
func TestLeaseTextOfAField(t *testing.T) {
	now := time.Date(2026, 1, 2, 14, 3, 27, 0, time.UTC)
	l := &inspector.Lock{State: inspector.StateHeld, Scheme: inspector.SchemeReentrant, Holders: []inspector.Holder{{Owner: "a"}}, FieldTTLs: true}
	l.ExpiresAt, l.HeldSince = now.Add(2400*time.Millisecond), now.Add(-600*time.Millisecond)
	if got := fieldLease(l, now); got != "the holder's field expires then; the key has no TTL" {
		t.Errorf("%q", got)
	}
	if got := fieldLease(l, now.Add(time.Minute)); got != "" {
		t.Errorf("when it is over: %q", got)
	}
	l.ExpiresAt, l.FieldTTLs, l.Observed = time.Time{}, false, keyspace.Record{FieldTTLsUnread: true}
	if got := leaseText(l, now); got != "unknown: the TTL of the holder's field could not be read; locktop check says why" {
		t.Errorf("of an unknown end: %q", got)
	}
}
