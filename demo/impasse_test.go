package demo

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// told is whether the verdict on a lane has a sentence that fits.
func (l LaneVerdict) told(pattern string) bool {
	return slices.ContainsFunc(l.Said, regexp.MustCompile(pattern).MatchString)
}

// narrated is whether a sentence that fits was told.
func narrated(d *Demo, pattern string) bool {
	fits := regexp.MustCompile(pattern)
	return slices.ContainsFunc(d.Narrated(), func(n Narration) bool { return fits.MatchString(n.Text) })
}

// breakStuck waits until a lock is stuck and the verdict says so, breaks it as an operator does, and waits until the verdict
// tells how that ended. Whose it was must not come back.
func breakStuck(t *testing.T, d *Demo, client *redis.Client, lane, key string, ttl func(left time.Duration) bool) {
	t.Helper()
	eventually(t, "the verdict tells that "+key+" is stuck", func(context.Context) bool { return laneOf(t, d, lane).Faults > 0 })
	v := laneOf(t, d, lane)
	if v.Faults != 1 || v.Played != 1 || !v.told("^nobody got "+key+` for \d.* after worker-\d+ (died|hung) .*gave up.*, \d waiters? still there$`) {
		t.Fatalf("%+v", v)
	}
	stuck := value(t.Context(), t, client, key)
	if left := client.PTTL(t.Context(), key).Val(); stuck == "" || !ttl(left) {
		t.Fatalf("%q has it, with a TTL of %v", stuck, left)
	}
	if !narrated(d, "^nobody got "+key+".*: x on its row breaks it$") {
		t.Fatalf("nobody is told what to do: %+v", d.Narrated())
	}
	if err := client.Del(t.Context(), key).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the verdict tells that it was freed by hand", func(context.Context) bool {
		return laneOf(t, d, lane).told("^nobody got "+key+".*, then it was freed by hand$") &&
			narrated(d, "^"+key+` was freed by hand and worker-\d+ got it`)
	})
	if v := laneOf(t, d, lane); v.Faults-v.Violations-v.LostUpdates != 1 || v.Played != 1 {
		t.Fatalf("one fault is one: %+v", v)
	}
	owners := map[string]bool{}
	eventually(t, "three others get it", func(ctx context.Context) bool {
		if owner := value(ctx, t, client, key); owner != "" {
			owners[owner] = true
		}
		return len(owners) >= 3 && !owners[stuck]
	})
}

// Who dies and leaves its token in a lock is a fault when it was there for too long, and none when it was not.
func TestImpasse(t *testing.T) {
	for name, c := range map[string]struct {
		limit time.Duration
		lease time.Duration // 0: none
		given bool          // by a rival
		early bool          // somebody gets in before the limit
		fault string
		fact  string
	}{
		"stuck":              {limit: time.Millisecond, fault: "^nobody got lock:a for .* after worker-1 died: waiters gave up 1 time, then it was freed by hand$"},
		"freed in time":      {limit: time.Minute, early: true, fact: "^lock:a was freed by hand before it was stuck for long$"},
		"freed before lapse": {limit: time.Minute, lease: time.Minute, early: true, fact: "^lock:a was freed by hand before"},
		"lapsed":             {limit: time.Minute, lease: 10 * time.Millisecond, early: true, fact: "^a worker died, and it was harmless: it healed$"},
		"repaired":           {limit: time.Minute, given: true, early: true, fact: "^a worker died, and it was harmless: it healed$"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTestStage(t)
			ctx, end := context.WithCancel(t.Context())
			defer s.group.Wait()
			defer end()
			dead, next := newTestWorker(t, s), newTestWorker(t, s)
			l := &naiveLock{tokenLock: dead.tokenLock("lock:a", c.lease)}
			if !must(l.acquire(ctx))(t) {
				t.Fatal("a free lock was not acquired")
			}
			i := s.impasse("lock:a", "death", "it healed", c.limit, time.Minute)
			i.passed(next) // all is well
			i.gaveUp(ctx)
			i.begins(ctx, dead, &l.claim, "died")
			i.gaveUp(ctx)
			verdict := func() LaneVerdict { return s.ledger.verdict(Variant{}) }
			switch {
			case !c.early:
				eventually(t, "the fault", func(context.Context) bool { return verdict().Played == 1 })
				if v := verdict(); v.Faults != 1 || !v.told("waiters gave up 1 time, 0 waiters still there") {
					t.Fatalf("%+v", v)
				}
			case c.given:
				i.gave(s.clock.now())
			case c.lease > 0:
				if !must(l.expire(ctx))(t) {
					t.Fatal("there is no lock")
				}
			}
			if c.lease == 10*time.Millisecond {
				s.clock.sleepUntil(ctx, l.ends(), nil)
			}
			i.passed(next)
			i.passed(next) // it is over
			v := verdict()
			if c.fault == "" && v.Faults > 0 || c.fault != "" && (v.Faults != 1 || !v.told(c.fault)) || c.fact != "" && !v.told(c.fact) {
				t.Fatalf("%+v", v)
			}
			if harmless := strings.HasPrefix(c.fact, "^a worker died"); (v.Played == 1) != (harmless || !c.early) {
				t.Fatalf("played %d times", v.Played)
			}
		})
	}
}

// What nobody breaks is told at the end, too, with those who waited then.
func TestStuckUntilTheEnd(t *testing.T) {
	d := begin(t, Options{Scenario: "repair", Variant: "bare-setnx", Server: ServerEmbedded, Seed: 3, Speed: testSpeed})
	eventually(t, "all wait for the lock", func(context.Context) bool {
		return laneOf(t, d, "bare-setnx").told(", 4 waiters still there$")
	})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if v := laneOf(t, d, "bare-setnx"); v.Faults != 1 || !v.told("^nobody got "+bareLock+".*: nobody gave up, 4 waiters still there$") {
		t.Fatalf("%+v", v)
	}
}

// never is the TTL of a lock that has none.
func never(left time.Duration) bool { return left == -1 }

func TestCrash(t *testing.T) {
	play(t, "crash", func(t *testing.T, d *Demo, client *redis.Client) {
		breakStuck(t, d, client, "setnx-then-expire", stuckLock, never)
		if v := laneOf(t, d, "setnx-then-expire"); v.Violations != 0 {
			t.Fatalf("nobody was inside when the lock was broken: %+v", v)
		}
		eventually(t, "the lease of the other one ends by itself", func(context.Context) bool {
			return laneOf(t, d, "set-nx-px").told("^a worker died right after SET NX PX, and it was harmless: its lease ended by itself$")
		})
	})
}

func TestRepair(t *testing.T) {
	play(t, "repair", func(t *testing.T, d *Demo, client *redis.Client) {
		eventually(t, "a waiter repairs, and another gives up in time", func(context.Context) bool {
			return laneOf(t, d, "repaired").told("^a worker died between SETNX and EXPIRE, and it was harmless: a waiter gave the lock a lease")
		})
		if !narrated(d, `^worker-\d+ found `+repairedLock+" without a TTL and gave it one") {
			t.Fatalf("%+v", d.Narrated())
		}
		breakStuck(t, d, client, "bare-setnx", bareLock, never)
		if v := d.Verdict(); v.Violations != 0 || !laneOf(t, d, "bare-setnx").told(": nobody gave up, then") {
			t.Fatalf("nobody was inside, and waiters have no timeout: %s", v.Text)
		}
	})
}

func TestRenewal(t *testing.T) {
	redissonOwner := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}:\d+$`)
	play(t, "renewal", func(t *testing.T, d *Demo, client *redis.Client) {
		renewals := listen(t, client, healthyLock)
		eventually(t, "a Redisson lock that is renewed", func(ctx context.Context) bool {
			for owner := range client.HGetAll(ctx, healthyLock).Val() {
				if !redissonOwner.MatchString(owner) {
					t.Fatalf("%q is not as Redisson names a thread", owner)
				}
			}
			return renewals("expire") > renewals("del")+2 // each acquisition makes one, each release the other
		})
		eventually(t, "two are inside of the lock that lapses", func(context.Context) bool {
			return laneOf(t, d, "four-times").told("violated .*" + lapsingLock)
		})
		eventually(t, "a hung job is ended in time", func(context.Context) bool {
			return laneOf(t, d, "bounded").told("^a worker hung in it, and it was harmless: its watchdog stopped, and its lease ended")
		})
		breakStuck(t, d, client, "hung", hungLock, func(left time.Duration) bool { return left > 0 })
		if v := d.Verdict(); strings.Contains(v.Text, healthyLock) || strings.Contains(v.Text, boundedLock) {
			t.Fatalf("a sound lock is told to fail: %s", v.Text)
		}
	})
}
