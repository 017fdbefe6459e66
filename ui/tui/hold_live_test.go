package tui

import (
	"fmt"
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// expiring is a harness with the dialog on a lock whose value repeats, and whose lease is over
// soon.
func expiring(t *testing.T, verb string, lease time.Duration) (*harness, *inspector.Inspector, *redistest.Server) {
	t.Helper()
	s := redistest.Start(t)
	s.Do("SET", "lock:key", "1", "PX", lease.Milliseconds(), "NX")
	h, locks := actOn(t, s, actions.Options{})
	h.await(locks, "1 lock", "lock:key")
	h.keys(verb)
	if h.m.dialog == nil {
		t.Fatalf("no dialog:\n%s", h.screen())
	}
	return h, locks, s
}

// until shows snapshots until the lock is as wanted.
func (h *harness) until(locks *inspector.Inspector, ok func(*inspector.Lock) bool) {
	h.t.Helper()
	redistest.Eventually(h.t, 10*time.Second, func() (bool, string) {
		latest := locks.Latest()
		l := findLock(latest, lockID{key: "lock:key"})
		if !ok(l) {
			return false, fmt.Sprintf("%+v", l)
		}
		h.show(latest)
		return true, ""
	})
}

// acquireAfter is another client that acquires the lock once it is free, with the same bytes.
func acquireAfter(t *testing.T, s *redistest.Server) {
	t.Helper()
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		return s.Do("SET", "lock:key", "1", "EX", 100, "NX") != nil, "it is not free"
	})
}

// TestAcquiredAgainWhileAsked: the lease ends while the dialog is open, and another client acquires
// the lock with the same value. Its lock stays, whether the screen has heard of it or not, until
// the operator has looked at it.
func TestAcquiredAgainWhileAsked(t *testing.T) {
	for _, verb := range []string{"r", "x"} {
		t.Run("unheard "+verb, func(t *testing.T) {
			h, _, s := expiring(t, verb, 2*time.Second)
			acquireAfter(t, s)
			h.keys("tab", "enter") // the dialog has seen nothing of it
			h.answer()
			if s.Do("EXISTS", "lock:key") != int64(1) || h.m.toast.kind != toastBad {
				t.Errorf("the other client's lock is there: %v; %s", s.Do("EXISTS", "lock:key"), h.m.toast.text)
			}
		})
		t.Run("heard "+verb, func(t *testing.T) {
			h, locks, s := expiring(t, verb, 2*time.Second)
			acquireAfter(t, s)
			h.until(locks, func(l *inspector.Lock) bool { return l != nil && len(l.History) > 1 && l.State == inspector.StateHeld })
			h.wantSeen("it expired at ", "and was acquired again; look again", "[ Look again ]")
			h.keys("tab", "enter")
			h.run()
			if s.Do("EXISTS", "lock:key") != int64(1) || h.m.dialog == nil {
				t.Fatalf("the other client's lock is there: %v", s.Do("EXISTS", "lock:key"))
			}
			h.wantUnseen("look again")
			h.keys("tab", "enter") // now it is that one which the operator means
			h.answer()
			if s.Do("EXISTS", "lock:key") != int64(0) {
				t.Errorf("the lock that was looked at again is still there: %s", h.m.toast.text)
			}
		})
	}
}

// TestReleasedWithoutATTLWhileAsked: without an end nothing is left to compare, and what was heard
// of the end decides.
func TestReleasedWithoutATTLWhileAsked(t *testing.T) {
	s := redistest.Start(t)
	h, locks := actOn(t, s, actions.Options{})
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		latest := locks.Latest()
		return latest.Complete && latest.Nodes[0].Feed == keyspace.FeedPush, "events with names do not come"
	})
	s.Do("SET", "lock:key", "1")
	h.await(locks, "1 lock", "lock:key")
	h.keys("r")
	s.Do("DEL", "lock:key")
	s.Do("SET", "lock:key", "1", "NX")
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		l := findLock(locks.Latest(), lockID{key: "lock:key"})
		return l != nil && len(l.History) > 1 && l.State == inspector.StateStuck, fmt.Sprintf("%+v", l)
	})
	h.keys("tab", "enter") // the screen has not shown it yet; the action asks the history
	h.answer()
	if s.Do("EXISTS", "lock:key") != int64(1) || h.m.toast.kind != toastBad {
		t.Errorf("the next holder's lock is there: %v; %s", s.Do("EXISTS", "lock:key"), h.m.toast.text)
	}
}

// TestRenewedWhileAsked: a holder that renews is still the observed one, and is released.
func TestRenewedWhileAsked(t *testing.T) {
	for _, shown := range []bool{false, true} {
		h, locks, s := expiring(t, "r", 20*time.Second)
		for n := range 5 {
			lease := time.Duration(30+10*n) * time.Second
			s.Do("PEXPIRE", "lock:key", lease.Milliseconds())
			renewed := func(l *inspector.Lock) bool { return l != nil && time.Until(l.ExpiresAt) > lease-time.Second }
			if shown {
				h.until(locks, renewed)
			}
		}
		h.wantUnseen("look again")
		h.keys("tab", "enter")
		h.answer()
		if s.Do("EXISTS", "lock:key") != int64(0) || h.m.toast.kind == toastBad {
			t.Errorf("shown %v: it was not released: %s", shown, h.m.toast.text)
		}
	}
}
