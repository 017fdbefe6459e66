package demo

import (
	"strings"
	"testing"
	"time"
)

// Who was held up since it got a lock stays outside, and does not keep the others waiting until the lease is over.
func TestTooLateToGoInside(t *testing.T) {
	s := newTestStage(t)
	w := newTestWorker(t, s)
	ctx := t.Context()
	l := w.tokenLock("lock:a", time.Minute)
	if !must(l.acquire(ctx))(t) || w.tooLate(ctx, l) || value(ctx, t, w.client, l.key) != l.owner {
		t.Fatal("who is in time has to stay outside")
	}
	l.until = w.clock.now().add(time.Second) // less than what is left to be safe
	if !w.tooLate(ctx, l) {
		t.Fatal("who is late may go inside")
	}
	if now := value(ctx, t, w.client, l.key); now != "" {
		t.Fatalf("the lock is still there: %s", now)
	}
	if !w.tooLate(ctx, l) {
		t.Fatal("who is later still may go inside")
	}
	if v := s.ledger.verdict(Variant{}); !v.told("^a late release was refused$") {
		t.Errorf("%q", v.Said)
	}
}

// What is not done in time is left to the next one.
func TestFinishIsInTime(t *testing.T) {
	s := newTestStage(t)
	w := newTestWorker(t, s)
	l := w.tokenLock("lock:a", time.Minute)
	if !must(l.acquire(t.Context()))(t) {
		t.Fatal("a free lock was not acquired")
	}
	w.finish(t.Context(), s.ledger.enter(l.label, w.name), time.Millisecond, &l.claim)
	l.until = w.clock.now() // its time is over
	w.finish(t.Context(), s.ledger.enter(l.label, w.name), time.Millisecond, &l.claim)
	v := s.ledger.verdict(Variant{})
	if said := strings.Join(v.Said, "\n"); s.ledger.holder(l.label) != "" || !strings.Contains(said, "was written 1 time and is 1") {
		t.Fatal(said)
	}
}
