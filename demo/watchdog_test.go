package demo

import (
	"testing"
	"time"
)

// renewing is a worker inside a lock that a watchdog renews.
func renewing(t *testing.T, s *stage, lease, every time.Duration, times int) (*worker, *tokenLock, *watchdog) {
	t.Helper()
	w := newTestWorker(t, s)
	l := w.tokenLock("lock:a", lease)
	if !must(l.acquire(t.Context()))(t) {
		t.Fatal("a free lock was not acquired")
	}
	dog := w.watch(t.Context(), l, every, times)
	t.Cleanup(dog.stop)
	return w, l, dog
}

func TestWorkRenewed(t *testing.T) {
	t.Run("longer than the lease", func(t *testing.T) {
		t.Parallel()
		w, l, dog := renewing(t, newTestStage(t), 3*time.Second, 100*time.Millisecond, unlimited)
		first := l.ends()
		if !w.workRenewed(t.Context(), 4*time.Second, &l.claim, dog) {
			t.Fatal("it was stopped")
		}
		if now := w.clock.now(); now < first || l.ends() < now {
			t.Fatalf("the first lease ended at %v, it is %v, and this one ends at %v", first, now, l.ends())
		}
	})
	t.Run("no renewal any more", func(t *testing.T) {
		t.Parallel()
		w, l, dog := renewing(t, newTestStage(t), 2*time.Second, 100*time.Millisecond, 3)
		first := l.ends()
		if w.workRenewed(t.Context(), noTimeout, &l.claim, dog) {
			t.Fatal("it went on for ever")
		}
		if dog.refused() || l.ends() <= first || w.clock.now() < l.safe() {
			t.Fatalf("refused: %v; it stopped at %v, with a lease until %v, and before until %v", dog.refused(), w.clock.now(), l.ends(), first)
		}
	})
	t.Run("taken away", func(t *testing.T) {
		t.Parallel()
		w, l, dog := renewing(t, newTestStage(t), time.Minute, 100*time.Millisecond, unlimited)
		if err := w.client.Del(t.Context(), l.key).Err(); err != nil {
			t.Fatal(err)
		}
		if w.workRenewed(t.Context(), noTimeout, &l.claim, dog) || !dog.refused() {
			t.Fatal("it did not hear of that")
		}
		if w.clock.now() > l.safe() {
			t.Fatal("it stopped only when its lease was over")
		}
	})
	t.Run("read while it is renewed", func(t *testing.T) { // for the race detector
		t.Parallel()
		_, l, dog := renewing(t, newTestStage(t), time.Minute, time.Millisecond, unlimited)
		for before, changes := l.ends(), 0; changes < 5; {
			if now := l.ends(); now != before {
				before, changes = now, changes+1
			}
			if dog.refused() {
				t.Fatal("it was refused")
			}
		}
	})
	t.Run("over before it begins", func(t *testing.T) {
		t.Parallel()
		s := newTestStage(t)
		w := newTestWorker(t, s)
		l := w.tokenLock("lock:a", time.Second) // never acquired
		dog := &watchdog{lost: make(chan struct{})}
		if w.workRenewed(t.Context(), 0, &l.claim, dog) {
			t.Fatal("it was done under a lease that it never had")
		}
	})
}
