package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
)

const uuidToken = "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11"

// uuidLock is a lock of a UUID with a TTL, as it was read at a time and acquired at another.
func uuidLock(key string, since, readAt time.Time) *inspector.Lock {
	ends := readAt.Add(10 * time.Second)
	return &inspector.Lock{
		Ref: ref(key), Scheme: inspector.SchemeToken, Mode: inspector.ModeExclusive, State: inspector.StateHeld,
		Holders: []inspector.Holder{holder(uuidToken, uuidToken, 0)}, ExpiresAt: ends, HeldSince: since, HeldExact: true,
		Waiters: inspector.Waiters{By: inspector.WaitersNone},
		Observed: keyspace.Record{
			Ref: ref(key), Type: keyspace.TypeString, Size: int64(len(uuidToken)), Value: keyspace.Value{Text: uuidToken},
			ExpiresAt: ends, ReadAt: readAt,
		},
	}
}

// A holder re-creates a lock that was released here: that is reported, and nothing waits for it.
func TestALockThatComesBackIsTold(t *testing.T) {
	h := newHarness(t, 120, 40, "default")
	h.operator.outcome = actions.Outcome{Result: actions.ResultReleased, Woken: -1}
	held := uuidLock("orders_lock", h.now.Add(-time.Minute), h.now.Add(-time.Second))
	h.show(snapshotOf(1, h.now, []*inspector.Lock{held}))
	h.run()
	h.keys("r")
	h.wantSeen("It may come back: clients of", "aioredlock")
	h.wantUnseen("leave ")
	h.keys("tab", "enter")
	h.run(func() bool { return len(h.operator.requests) == 1 && len(h.m.freed) == 1 })
	h.show(snapshotOf(2, h.now, []*inspector.Lock{held})) // a read that was on its way
	if h.m.toast.kind == toastBad {
		t.Errorf("nothing has changed, and it is said that %q", h.m.toast.text)
	}
	h.now = h.now.Add(4900 * time.Millisecond)
	back := uuidLock("orders_lock", h.now, h.now)
	h.show(snapshotOf(3, h.now, []*inspector.Lock{back}))
	if h.m.toast.kind != toastBad || !strings.Contains(h.m.toast.text, "orders_lock came back 4.9 s after it was released") {
		t.Errorf("it came back, and it is said that %q", h.m.toast.text)
	}
	h.run(func() bool {
		h.source.mu.Lock()
		defer h.source.mu.Unlock()
		return slices.ContainsFunc(h.source.notes, func(e inspector.Event) bool { return strings.Contains(e.Text, "came back") })
	})
	h.m.toast = toast{}
	h.show(snapshotOf(4, h.now, []*inspector.Lock{back}))
	if h.m.toast.text != "" {
		t.Errorf("it is told twice: %q", h.m.toast.text)
	}
}

// After the time in which it may come back, a lock is not checked any more: a client that holds it
// then has acquired it.
func TestALockIsNotAwaitedForEver(t *testing.T) {
	h := newHarness(t, 120, 40, "default")
	h.show(snapshotOf(1, h.now, []*inspector.Lock{uuidLock("orders_lock", h.now.Add(-time.Minute), h.now)}))
	h.m.awaitReturn(
		actions.Request{Verb: actions.VerbRelease, Lock: h.m.latest.Locks[0], Owner: uuidToken}, actions.Outcome{Result: actions.ResultReleased}, h.now)
	h.now = h.now.Add(20 * time.Second)
	h.show(snapshotOf(2, h.now, nil))
	h.show(snapshotOf(3, h.now, []*inspector.Lock{uuidLock("orders_lock", h.now, h.now)}))
	if len(h.m.freed) != 0 || h.m.toast.kind == toastBad {
		t.Errorf("%d locks are awaited, and it is said that %q", len(h.m.freed), h.m.toast.text)
	}
}

// The tombstone that a release would leave can be declined, for one lock and for several.
func TestATombstoneCanBeDeclined(t *testing.T) {
	for _, several := range []bool{false, true} {
		h := newHarness(t, 120, 40, "default")
		h.operator.outcome = actions.Outcome{Result: actions.ResultReleased, Woken: -1}
		h.show(snapshotOf(1, h.now, []*inspector.Lock{uuidLock("redlock:orders", h.now.Add(-time.Minute), h.now)}))
		h.run()
		if several {
			h.keys("m")
		}
		h.keys("r")
		h.wantSeen("leave    ‹ a tombstone / nothing ›", "puts a tombstone in its place for")
		for range 9 {
			if h.m.dialog.focus != controlTombstone {
				h.keys("tab")
			}
		}
		h.keys("right")
		h.wantSeen("deletes the key")
		h.wantUnseen("puts a tombstone")
		for range 9 {
			if h.m.dialog.focus != controlConfirm {
				h.keys("tab")
			}
		}
		h.keys("enter")
		h.run(func() bool { return len(h.operator.requests) == 1 })
		if r := h.operator.requests[0]; !r.NoTombstone || r.Verb != actions.VerbRelease {
			t.Errorf("several %v: %+v", several, r)
		}
		h = newHarness(t, 120, 40, "default")
		h.show(snapshotOf(1, h.now, []*inspector.Lock{uuidLock("redlock:orders", h.now.Add(-time.Minute), h.now)}))
		h.run()
		h.keys("x")
		h.wantUnseen("a tombstone / nothing")
	}
}
