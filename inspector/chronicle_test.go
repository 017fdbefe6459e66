package inspector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"locktop/keyspace"
)

// TestAChronicleIsSmall: the bound on their number is one on memory only if each of them is small.
func TestAChronicleIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(chronicle{}); size > 640 {
		t.Errorf("a chronicle takes %d bytes", size)
	}
}

// TestOnlyWhatChangesHandsHasAChronicle, since there may be a hundred thousand locks.
func TestOnlyWhatChangesHandsHasAChronicle(t *testing.T) {
	c, _ := held(t)
	for range 5 {
		c.after(10*time.Second).hints("expire").text("a", c.in(lease))
	}
	if l := c.must(StateHeld); l.chronicle != nil || l.AcquisitionsPerMinute(c.now).Last(2) != 1 || len(l.Rhythm().Gaps) != 5 {
		t.Errorf("%+v, acquisitions %v, rhythm %+v", l.chronicle, l.AcquisitionsPerMinute(c.now), l.Rhythm())
	}
	c.hints("del", "new", "set", "expire").text("b", c.in(lease))
	l := c.must(StateHeld)
	if l.chronicle == nil || l.AcquisitionsPerMinute(c.now).Last(2) != 2 || c.store.chronicles != 1 {
		t.Errorf("%+v, acquisitions %v", l.chronicle, l.AcquisitionsPerMinute(c.now))
	}
	if l.AcquisitionsPerMinute(c.now.Add(2*time.Hour)) != (Minutes{}) {
		t.Error("what was two hours ago was not in the last hour")
	}
	c.store.chronicles = maxChronicles
	c.store.slots[0].lock.chronicle = nil
	c.hints("del", "new", "set", "expire").text("d", c.in(lease))
	if l := c.must(StateHeld); l.chronicle != nil || l.AcquisitionsPerMinute(c.now).Last(2) != 3 {
		t.Errorf("there are too many chronicles, and still %+v; acquisitions %v", l.chronicle, l.AcquisitionsPerMinute(c.now))
	}
}

func TestAcquisitionsPerMinute(t *testing.T) {
	c, _ := held(t)
	c.after(time.Minute - time.Duration(c.now.Second())*time.Second - time.Second) // a second before a minute begins
	for n := range 240 {
		c.after(15*time.Second-5*time.Millisecond).hints("del", "new", "set", "expire").text(fmt.Sprint("w", n), c.in(lease))
	}
	l := c.must(StateHeld)
	perMinute := l.AcquisitionsPerMinute(c.now)
	for i, n := range perMinute[1 : ChronicleMinutes-1] {
		if n != 4 {
			t.Fatalf("%d acquisitions in the minute %d, want 4: %v", n, i+1, perMinute)
		}
	}
	for range 2 { // what a key has had outlives it
		c.hints("del").gone().after(time.Minute)
		if c.lock() != nil {
			t.Fatal("it lingers")
		}
		c.hints("new", "set", "expire").text("again", c.in(lease))
	}
	perMinute = c.must(StateHeld).AcquisitionsPerMinute(c.now)
	if sum := perMinute.Last(ChronicleMinutes); sum < 4*(ChronicleMinutes-3) || c.store.chronicles != 1 {
		t.Errorf("%d acquisitions: %v; %d chronicles", sum, perMinute, c.store.chronicles)
	}
}

func TestHoldTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	c, _ := held(t)
	var holds []time.Duration
	want := func(q float64) time.Duration {
		sorted := slices.Sorted(slices.Values(holds))
		return quantile(sorted, q)
	}
	for n := range 600 {
		hold := 10*time.Millisecond + time.Duration(random.ExpFloat64()*float64(time.Second)).Truncate(time.Millisecond)
		before := c.lock().HeldSince
		c.after(hold-time.Millisecond).hints("del", "new", "set", "expire").text(fmt.Sprint("w", n), c.in(10*lease))
		h := c.lock().History
		if last := h[len(h)-2]; !last.Since.Equal(before) || !last.whole() {
			t.Fatalf("hold %d: %+v", n, last)
		} else {
			holds = append(holds, last.Until.Sub(last.Since))
		}
		if n != 50 && n != 599 {
			continue
		}
		got := c.lock().HoldTimes()
		for q, value := range map[float64]time.Duration{0.5: got.P50, 0.9: got.P90, 0.99: got.P99} {
			off := float64(value)/float64(want(q)) - 1
			if n == 50 && off != 0 || off > 0.0906 || off < -0.0906 {
				t.Errorf("of %d holds the quantile %v is %v, and really %v", n+1, q, value, want(q))
			}
		}
		bars := 0
		for _, b := range got.Bars {
			bars += b.Count
		}
		if got.Count != n+1 || got.Approximate != (n == 599) || got.Max != slices.Max(holds) || bars != n+1 {
			t.Errorf("of %d holds: %+v", n+1, got)
		}
	}
	if none := (&Lock{}).HoldTimes(); none.Count != 0 || none.Max != 0 || none.Bars != nil {
		t.Errorf("of no hold: %+v", none)
	}
}

// TestBucketsHoldWhatTheySay at their edges.
func TestBucketsHoldWhatTheySay(t *testing.T) {
	for _, d := range []time.Duration{-1, 0, 1, time.Millisecond, time.Millisecond + 1, 3 * time.Second, time.Hour, 1 << 62} {
		i := holdBucket(d)
		if i < 0 || i >= holdBuckets {
			t.Errorf("%v is in the bucket %d", d, i)
		}
		if d > time.Millisecond && d < 48*time.Hour {
			if off := float64(bucketMiddle(i))/float64(d) - 1; off > 0.0906 || off < -0.0906 {
				t.Errorf("%v is told as %v", d, bucketMiddle(i))
			}
		}
	}
	c := &chronicle{}
	h := &Hold{Since: schemeNow, Until: schemeNow.Add(time.Second), SinceExact: true, UntilExact: true}
	for range 70_000 {
		c.held(h)
	}
	if c.counted != 70_000 || c.holds[holdBucket(time.Second)] == 0 {
		t.Errorf("%d counted, the bucket has %d", c.counted, c.holds[holdBucket(time.Second)])
	}
}

// TestASnapshotKeepsItsChronicle: what was published does not change.
func TestASnapshotKeepsItsChronicle(t *testing.T) {
	c, _ := held(t)
	c.hints("del", "new", "set", "expire").text("b", c.in(lease))
	published := c.must(StateHeld)
	before := *published.chronicle
	c.after(time.Second).hints("del", "new", "set", "expire").text("d", c.in(lease))
	c.hints("del").gone()
	c.hints("new", "set", "expire").text("e", c.in(lease))
	if *published.chronicle != before {
		t.Errorf("it was\n%+v, and is\n%+v", before, *published.chronicle)
	}
}

func TestRhythm(t *testing.T) {
	c, _ := held(t)
	for n := range 40 {
		period := 10*time.Second + time.Duration(n%5-2)*100*time.Millisecond
		c.after(period-2*time.Millisecond).hints("expire").text("a", c.in(lease))
	}
	r := c.must(StateHeld).Rhythm()
	if len(r.Gaps) != renewalGaps || (r.Period-10*time.Second).Abs() > 5*time.Millisecond || (r.Jitter-100*time.Millisecond).Abs() > 5*time.Millisecond {
		t.Errorf("every %v ± %v, of %d", r.Period, r.Jitter, len(r.Gaps))
	}
	if want := c.lock().LastRenewal.Add(r.Period); !r.Due().Equal(want) {
		t.Errorf("due at %v, want %v", r.Due(), want)
	}
	c.hints("del", "new", "set", "expire").text("b", c.in(lease))
	if r := c.must(StateHeld).Rhythm(); len(r.Gaps) != 0 || r.Period != 0 || !r.Due().IsZero() {
		t.Errorf("of the next holder nothing is known: %+v", r)
	}
	c.after(5*time.Second).hints("expire").text("b", c.in(lease))
	c.after(5*time.Second).hints("expire").text("b", c.in(lease))
	if r := c.must(StateHeld).Rhythm(); len(r.Gaps) != 2 || (r.Period-5*time.Second).Abs() > 10*time.Millisecond {
		t.Errorf("the next holder's is %+v", r)
	}
}

func TestWaitersPerMinute(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	queued := func(owner string, waiters int) {
		c.entry(owner, 1, c.in(lease))
		l := c.store.edit(0)
		l.Waiters = Waiters{Count: waiters, Exact: true, By: WaitersQueue}
		c.store.chronicleWaited(l, c.now, waiters)
		c.store.settle(0, c.now)
	}
	c.hints("new", "hincrby", "expire")
	queued("a", 3)
	if _, seen := c.lock().WaitersPerMinute(c.now); seen {
		t.Error("a lock that has not changed hands has no chronicle")
	}
	c.hints("del", "new", "hincrby", "expire")
	queued("b", 4)
	queued("b", 2)
	c.after(3 * time.Minute)
	queued("b", 5)
	queued("b", 0)
	most, seen := c.lock().WaitersPerMinute(c.now.Add(time.Minute))
	if !seen || !slices.Equal(most[ChronicleMinutes-6:], []int{0, 4, 2, 2, 5, 0}) { // those who wait go on to, if nobody says otherwise
		t.Errorf("%v, %v", most, seen)
	}
	c.hints("del").gone()
	if l := c.must(StateFreed); l.chronicle.waiting != 0 {
		t.Error("nobody waits for what is free")
	}
}

// TestHowALockWasLostIsKept with the hold, after the finding is over.
func TestHowALockWasLostIsKept(t *testing.T) {
	c, _ := held(t)
	for range 3 {
		c.after(10*time.Second).hints("expire").text("a", c.in(lease))
	}
	c.after(lease).hints("expired", "new", "set", "expire").text("b", c.in(lease))
	first := c.must(StateHeld)
	lost := first.History[0].Lost
	if fmt.Sprint(codes(first)) != "[lost-while-held]" || lost == nil || !lost.At.Equal(first.History[0].Until) || !lost.Until.IsZero() {
		t.Fatalf("%v: %+v", codes(first), first.History)
	}
	c.hints("del", "new", "set", "expire").text("d", c.in(lease))
	if l := c.must(StateHeld); len(codes(l)) != 0 || l.History[0].Lost == nil {
		t.Errorf("%v: %+v", codes(l), l.History)
	}
	c.after(time.Second).hints("del", "new", "set", "expire").text("a", c.in(lease))
	l := c.must(StateHeld)
	if again := l.History[0].Lost; again == nil || !again.Until.Equal(l.HeldSince) {
		t.Errorf("a acquired it again, so that it knows: %+v", again)
	}
	if !first.History[0].Lost.Until.IsZero() {
		t.Error("what was published has changed")
	}
}

// TestALossOutlivesFullMemory: the finding goes by the hold before, which is kept for that.
func TestALossOutlivesFullMemory(t *testing.T) {
	c, _ := held(t)
	for range 3 {
		c.after(10*time.Second).hints("expire").text("a", c.in(lease))
	}
	c.lock()
	c.store.pastHolds += maxPastHolds
	c.after(lease).hints("expired", "new", "set", "expire").text("b", c.in(lease))
	c.store.pastHolds -= maxPastHolds
	if l := c.must(StateHeld); fmt.Sprint(codes(l)) != "[lost-while-held]" || len(l.History) != 2 {
		t.Errorf("%v: %+v", codes(l), l.History)
	}
}

// TestForgottenHoldsAreNotTakenForNone.
func TestForgottenHoldsAreNotTakenForNone(t *testing.T) {
	c, _ := held(t)
	if since := c.lock().RememberedSince(); !since.IsZero() {
		t.Errorf("everything is remembered, and not since %v only", since)
	}
	for n := range maxHolds + 10 {
		c.after(time.Second).hints("del", "new", "set", "expire").text(fmt.Sprint("w", n), c.in(lease))
	}
	if l := c.lock(); !l.RememberedSince().Equal(l.History[0].Since) {
		t.Errorf("remembered since %v, the first is of %v", l.RememberedSince(), l.History[0].Since)
	}
	c.store.past.forgets = true
	r := stringRecord("lock:other", "w", time.Minute)
	r.ReadAt = c.now
	c.store.take(keyspace.Update{Node: sceneNode, Records: []keyspace.Record{r}})
	for _, l := range c.store.snapshot(c.now).Locks {
		if l.Key == "lock:other" && !l.RememberedSince().Equal(l.History[0].Since) {
			t.Errorf("nobody knows whether it was held before: %v", l.RememberedSince())
		}
	}
}
