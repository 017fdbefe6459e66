package demo

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestReentrant(t *testing.T) {
	play(t, "reentrant", func(t *testing.T, d *Demo, client *redis.Client) {
		leaky := listen(t, client, leakyLock)
		counts := map[string]bool{}
		eventually(t, "one owner at a time, who enters three times", func(ctx context.Context) bool {
			fields, err := client.HGetAll(ctx, balancedLocks[0]).Result()
			if err != nil || len(fields) > 1 {
				t.Fatalf("%v, %v", fields, err)
			}
			for owner, count := range fields {
				if !strings.HasPrefix(owner, "worker-") || count > "3" {
					t.Fatalf("%s: %s", owner, count)
				}
				counts[count] = true
			}
			return len(counts) == 3
		})
		eventually(t, "a count is left behind, and goes with its lease", func(context.Context) bool { return leaky("expired") > 0 })
		eventually(t, "the verdict tells for how long nobody was inside", func(context.Context) bool {
			return laneOf(t, d, "leak").Faults > 0
		})
		eventually(t, "a stranger is refused, and a job fails", func(context.Context) bool {
			v := laneOf(t, d, "balanced")
			return says(v, "a stranger's release was refused") && says(v, "and left as often as it had entered")
		})
		if v := d.Verdict(); v.Violations != 0 || !strings.Contains(v.Text, "left "+leakyLock+" once too little: worker-") {
			t.Fatalf("hash locks exclude: %s", v.Text)
		}
	})
}

// Whoever gets in after an entry was left behind was kept out since then, or since it asked, whichever is later.
func TestLeakIsMeasured(t *testing.T) {
	s := newTestStage(t)
	w := newTestWorker(t, s)
	n := nesting{label: "x", leaks: &atomic.Pointer[leak]{}}
	n.tellLeak(w, time.Now())
	if v := judge(w.ledger); v.Faults != 0 || v.Played != 0 {
		t.Fatalf("nothing was left behind: %+v", v)
	}
	n.leaks.Store(&leak{by: "worker-9", at: time.Now().Add(-time.Minute)})
	n.tellLeak(w, time.Now().Add(-5*time.Second))
	n.tellLeak(w, time.Now().Add(-time.Hour)) // it is told once
	v := judge(w.ledger)
	if v.Faults != 1 || v.Played != 1 || !strings.HasPrefix(v.Said[0], "worker-9 left x once too little: "+w.name+" waited 5 s") {
		t.Fatalf("%+v", v)
	}
}

func TestStrangerIsRefused(t *testing.T) {
	s := newTestStage(t)
	holder, stranger := newTestWorker(t, s), newTestWorker(t, s)
	l := holder.hashLock("lock:a", time.Minute)
	if !must(l.acquire(t.Context()))(t) {
		t.Fatal("a free lock was not acquired")
	}
	stranger.intrude(t.Context(), stranger.hashLock("lock:a", time.Minute))
	if v := judge(s.ledger); says(v, "refused") {
		t.Fatalf("nobody was inside, as far as anybody knows: %+v", v)
	}
	holder.ledger.enter("lock:a", holder.name)
	stranger.intrude(t.Context(), stranger.hashLock("lock:a", time.Minute))
	if v := judge(s.ledger); !says(v, "a stranger's release was refused") || !must(l.acquire(t.Context()))(t) || l.count != 2 {
		t.Fatalf("count %d, %+v", l.count, v)
	}
}

// Who cannot enter again stops at once, and writes nothing: the lock is another's by now.
func TestRefusedEntryStopsTheJob(t *testing.T) {
	s := newTestStage(t)
	w, other := newTestWorker(t, s), newTestWorker(t, s)
	l := w.hashLock("lock:a", time.Minute)
	if !must(l.acquire(t.Context()))(t) {
		t.Fatal("a free lock was not acquired")
	}
	if err := other.client.Del(t.Context(), l.key).Err(); err != nil {
		t.Fatal(err)
	}
	if !must(other.hashLock("lock:a", time.Minute).acquire(t.Context()))(t) {
		t.Fatal("a broken lock was not acquired")
	}
	n := nesting{label: "lock:a", leaks: &atomic.Pointer[leak]{}}
	n.nest(t.Context(), w, l)
	if c := s.ledger.counters["lock:a"]; c.written != 0 || s.ledger.holder("lock:a") != "" {
		t.Fatalf("it wrote %d times, and %q is inside", c.written, s.ledger.holder("lock:a"))
	}
}

// A job that fails inside leaves as often as it has entered, unless it forgets one release.
func TestJobThatFailsInside(t *testing.T) {
	t.Parallel()
	for _, forgets := range []bool{false, true} {
		s := newTestStage(t)
		w := newTestWorker(t, s)
		l := w.hashLock("lock:a", nestLease)
		if !must(l.acquire(t.Context()))(t) {
			t.Fatal("a free lock was not acquired")
		}
		n := nesting{label: "lock:a", forgets: forgets, leaks: &atomic.Pointer[leak]{}}
		s.letHappen()
		n.nest(t.Context(), w, l)
		left := must(w.client.HLen(t.Context(), l.key).Result())(t) > 0
		if leaks := n.leaks.Load() != nil; left != forgets || leaks != forgets || l.count > 0 != forgets {
			t.Errorf("forgets %v: the lock is left %v, a leak is known %v, the count is %d", forgets, left, leaks, l.count)
		}
		if c := s.ledger.counters["lock:a"]; c.written > 0 || s.ledger.holder("lock:a") != "" {
			t.Errorf("forgets %v: a job that failed wrote, or is still inside", forgets)
		}
	}
}
