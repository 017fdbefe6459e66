package actions

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace/redistest"
)

// fairLine is a fair lock on a server, as its clients use it.
type fairLine struct {
	t      *testing.T
	client *redis.Client
	locker *Locker
	key    string
}

// asks wants the owner to get this count, or 0 if it has to wait, and is how long it is told to.
func (f fairLine) asks(owner string, wait time.Duration, want int64) time.Duration {
	f.t.Helper()
	n, left, err := f.locker.AcquireRedissonFair(f.t.Context(), f.key, owner, time.Minute, wait)
	if n != want || err != nil {
		f.t.Fatalf("%s asks and is told %d, %v, %v, want %d", owner, n, left, err, want)
	}
	return left
}

// leaves wants so many entries to be left after the owner's release.
func (f fairLine) leaves(owner string, want int64) {
	f.t.Helper()
	if left := must(f.locker.ReleaseRedissonFair(f.t.Context(), f.key, owner, time.Minute))(f.t); left != want {
		f.t.Fatalf("%s released, and %d are left, want %d", owner, left, want)
	}
}

func (f fairLine) givesUp(owner string) {
	f.t.Helper()
	if err := f.locker.LeaveRedissonQueue(f.t.Context(), f.key, owner); err != nil {
		f.t.Fatal(err)
	}
}

// queue wants these waiters in the queue, in this order, and no deadlines but theirs, which it returns.
func (f fairLine) queue(want ...string) map[string]time.Time {
	f.t.Helper()
	got := f.client.LRange(f.t.Context(), inspector.RedissonName(inspector.RedissonQueue, f.key), 0, -1).Val()
	deadlines := map[string]time.Time{}
	for _, z := range f.client.ZRangeWithScores(f.t.Context(), inspector.RedissonName(inspector.RedissonDeadlines, f.key), 0, -1).Val() {
		deadlines[z.Member.(string)] = time.UnixMilli(int64(z.Score))
	}
	for _, waiter := range want {
		if _, has := deadlines[waiter]; !has {
			f.t.Errorf("%s has no deadline", waiter)
		}
	}
	if !slices.Equal(got, want) || len(deadlines) != len(want) {
		f.t.Fatalf("the queue is %q with %v, want %q", got, deadlines, want)
	}
	return deadlines
}

func onFairLine(t *testing.T, test func(t *testing.T, f fairLine)) {
	t.Helper()
	onServers(t, func(t *testing.T, client *redis.Client) { test(t, fairLine{t, client, NewLocker(client), "lock"}) })
}

// near says whether two durations are the same but for the time that a loaded machine takes.
func near(got, want time.Duration) bool { return (got - want).Abs() < 30*time.Second }

// TestLockerFair lets them in as they came, and tells none of them but the next.
func TestLockerFair(t *testing.T) {
	onFairLine(t, func(t *testing.T, f fairLine) {
		waiters := waitersOf(t, f.client)
		f.asks("A", time.Hour, 1)
		f.asks("A", time.Hour, 2)
		f.queue()
		if left := f.asks("B", time.Hour, 0); !near(left, time.Minute) {
			t.Errorf("the first waiter is told to wait for %v", left)
		}
		if left := f.asks("C", 2*time.Hour, 0); !near(left, time.Minute+time.Hour) {
			t.Errorf("the second waiter is told to wait for %v", left)
		}
		if left := f.asks("D", 0, 0); !near(left, time.Minute+3*time.Hour) {
			t.Errorf("the third waiter is told to wait for %v", left)
		}
		if left := f.asks("C", 2*time.Hour, 0); !near(left, time.Minute) {
			t.Errorf("who is in the queue is told to wait for %v", left)
		}
		before := f.queue("B", "C", "D")
		if !near(time.Until(before["B"]), time.Minute+time.Hour) || before["C"].Sub(before["B"]) != 2*time.Hour || before["D"].Sub(before["C"]) != 5*time.Minute {
			t.Errorf("the deadlines are %v", before)
		}

		held := dump(t.Context(), t, f.client, "lock")
		for _, stranger := range []string{"B", "E", ""} {
			f.leaves(stranger, -1)
		}
		if now := dump(t.Context(), t, f.client, "lock"); now != held {
			t.Errorf("a stranger made %q of %q", now, held)
		}
		f.leaves("A", 1)
		onlyHeard(t, f.client, waiters)
		f.leaves("A", 0)
		onlyHeard(t, f.client, waiters, plainChannel+":B")

		if left := f.asks("C", 2*time.Hour, 0); left != 0 {
			t.Errorf("the second waiter of a free lock is told to wait for %v", left)
		}
		f.asks("A", time.Hour, 0)
		f.asks("B", time.Hour, 1)
		after := f.queue("C", "D", "A")
		if before["C"].Sub(after["C"]) != time.Hour || before["D"].Sub(after["D"]) != time.Hour {
			t.Errorf("B entered, and the deadlines %v became %v", before, after)
		}
		f.asks("B", time.Hour, 2)
		f.leaves("B", 1)
		f.leaves("B", 0)
		onlyHeard(t, f.client, waiters, plainChannel+":C")
		f.asks("C", 2*time.Hour, 1)
		f.givesUp("A")
		f.leaves("C", 0)
		onlyHeard(t, f.client, waiters, plainChannel+":D")
		f.asks("D", 0, 1)
		f.leaves("D", 0)
		onlyHeard(t, f.client, waiters)
		if left := f.client.Keys(t.Context(), "*").Val(); len(left) > 0 {
			t.Errorf("%q are left", left)
		}
	})
}

// TestLockerFairDead lets nobody in before a waiter whose time is not over, and takes those out whose time is.
func TestLockerFairDead(t *testing.T) {
	onFairLine(t, func(t *testing.T, f fairLine) {
		ctx := t.Context()
		waiters := waitersOf(t, f.client)
		const soon = 100 * time.Millisecond
		if n, _, err := f.locker.AcquireRedissonFair(ctx, "lock", "A", soon, 0); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		f.asks("B", soon, 0)
		ends := f.queue("B")["B"]
		f.client.Del(ctx, "lock")
		redistest.Eventually(t, 30*time.Second, func() (bool, string) {
			n, left, err := f.locker.AcquireRedissonFair(ctx, "lock", "C", time.Minute, time.Hour)
			if n > 0 && time.Now().UnixMilli() < ends.UnixMilli() {
				t.Fatalf("C entered before %v", ends)
			}
			return n == 1, fmt.Sprint(n, left, err)
		})
		f.queue()

		f.asks("B", time.Hour, 0)
		f.asks("D", time.Hour, 0)
		alive := f.queue("B", "D")
		over := redis.Z{Member: "B", Score: float64(time.Now().UnixMilli())}
		f.client.ZAdd(ctx, "redisson_lock_timeout:{lock}", over)
		f.leaves("C", 0)
		onlyHeard(t, f.client, waiters, plainChannel+":D")
		if after := f.queue("D"); after["D"] != alive["D"] {
			t.Errorf("a dead waiter was taken out, and the next one's deadline %v became %v", alive["D"], after["D"])
		}

		f.client.ZRem(ctx, "redisson_lock_timeout:{lock}", "D")
		f.asks("B", time.Hour, 0)
		f.leaves("C", -1)
		onlyHeard(t, f.client, waiters, plainChannel+":D")
		f.asks("D", time.Hour, 1)
		f.queue("B")
	})
}

// TestLockerFairLapsed releases a lock whose lease was over: it is refused, and the next one is told.
func TestLockerFairLapsed(t *testing.T) {
	onFairLine(t, func(t *testing.T, f fairLine) {
		waiters := waitersOf(t, f.client)
		f.asks("A", time.Hour, 1)
		f.asks("B", time.Hour, 0)
		f.asks("C", time.Hour, 0)
		f.client.Del(t.Context(), "lock")
		f.leaves("A", -1)
		onlyHeard(t, f.client, waiters, plainChannel+":B")
		f.client.Set(t.Context(), "lock", "of another scheme", 0)
		f.leaves("A", -1)
		onlyHeard(t, f.client, waiters)
		if _, _, err := f.locker.AcquireRedissonFair(t.Context(), "lock", "B", time.Minute, 0); err == nil || !strings.Contains(err.Error(), `acquire_fair "lock"`) {
			t.Errorf("a fair lock on a string: %v", err)
		}
		if _, _, err := f.locker.AcquireRedissonFair(t.Context(), "lock", "B", time.Microsecond, 0); err == nil {
			t.Error("a lease of a microsecond")
		}
		f.queue("B", "C")
	})
}

// TestLockerFairGivesUp: the deadlines behind a waiter that gave up are as if it had never been there.
func TestLockerFairGivesUp(t *testing.T) {
	onFairLine(t, func(t *testing.T, f fairLine) {
		f.asks("A", 0, 1)
		f.asks("B", time.Hour, 0)
		f.asks("C", 2*time.Hour, 0)
		f.asks("D", 3*time.Hour, 0)
		all := f.queue("B", "C", "D")
		f.givesUp("nobody")
		if after := f.queue("B", "C", "D"); !reflect.DeepEqual(after, all) {
			t.Errorf("nobody gave up, and %v became %v", all, after)
		}
		f.givesUp("C")
		after := f.queue("B", "D")
		if after["B"] != all["B"] || after["D"].Sub(after["B"]) != 3*time.Hour {
			t.Errorf("C gave up, and %v became %v", all, after)
		}
		f.client.LPush(t.Context(), "redisson_lock_queue:{lock}", "without a deadline")
		f.givesUp("without a deadline")
		if got := f.queue("B", "D"); !reflect.DeepEqual(got, after) {
			t.Errorf("one without a deadline gave up, and %v became %v", after, got)
		}
		f.givesUp("B")
		if ends := f.queue("D")["D"]; !near(time.Until(ends), time.Minute+3*time.Hour) {
			t.Errorf("the head gave up, and the next one has until %v", ends)
		}
		f.givesUp("D")
		f.queue()
	})
}

// TestLockerFairInspected: what the clients of a fair lock leave is what locktop knows as one, and what it does to it they heed.
func TestLockerFairInspected(t *testing.T) {
	s := newFixtureServer(t)
	const threadC = "9c2b1e77-02a4-4f51-a1c0-5d1f3c5a7b9e:8"
	for _, key := range []string{"orders", "{orders}:7"} {
		f := fairLine{t, s.client, NewLocker(s.client), key}
		sees := func(label string, waiters inspector.Waiters) *inspector.Lock {
			t.Helper()
			lock := s.see(t, fixture{key: key})
			if lock == nil || lock.Scheme != inspector.SchemeRedisson || !slices.Equal(labelsOf(lock), []string{label}) || lock.Waiters != waiters {
				t.Fatalf("%s: locktop sees %+v, want the holder %s and %+v", key, lock, label, waiters)
			}
			return lock
		}
		inQueue := func(n int) inspector.Waiters {
			return inspector.Waiters{Count: n, Exact: true, By: inspector.WaitersQueue}
		}
		f.asks(threadA, time.Hour, 1)
		sees(labelA, inspector.Waiters{By: inspector.WaitersSubscribers})
		f.asks(threadB, time.Hour, 0)
		f.asks(threadC, time.Hour, 0)
		waiter := listener(t, s.client, RedissonFairChannel(key, threadB))
		r := Request{Verb: VerbRelease, Owner: threadA, Lock: sees(labelA, inQueue(2))}
		if out := s.operator().Do(t.Context(), r); !out.Result.Done() || out.Woken != 1 {
			t.Fatalf("%s: %s", key, out.Sentence(r))
		}
		if message := heard(t, waiter); message.Payload != "0" {
			t.Errorf("%s: the head of the queue heard %v", key, message)
		}
		f.asks(threadC, time.Hour, 0)
		f.asks(threadB, time.Hour, 1)
		sees(labelB, inQueue(1))
		f.givesUp(threadC)
		sees(labelB, inspector.Waiters{By: inspector.WaitersSubscribers})
		f.leaves(threadB, 0)
	}
}

func TestRedissonFairChannel(t *testing.T) {
	for key, want := range map[string]string{"a": "redisson_lock__channel:{a}:B:1", "a:{b}": "redisson_lock__channel:a:{b}:B:1"} {
		if got := RedissonFairChannel(key, "B:1"); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}
