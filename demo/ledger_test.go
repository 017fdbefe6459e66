package demo

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// judge is the verdict on a lane of no name.
func judge(l *ledger) LaneVerdict { return l.verdict(Variant{}) }

// says tells whether a sentence of the verdict has a text in it.
func says(v LaneVerdict, text string) bool {
	return slices.ContainsFunc(v.Said, func(said string) bool { return strings.Contains(said, text) })
}

func TestLedger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(false)
		a := l.enter("x", "worker-1")
		l.enter("y", "worker-9")
		if v := judge(l); v.Acquisitions != 2 || v.Violations != 0 || !says(v, "no two workers were ever inside together") {
			t.Fatalf("two locks, two workers: %+v", v)
		}
		time.Sleep(time.Second)
		b := l.enter("x", "worker-2")
		if x, y, z := l.holder("x"), l.holder("y"), l.holder("z"); x != "worker-1" || y != "worker-9" || z != "" {
			t.Fatalf("holders %q, %q, %q", x, y, z)
		}
		time.Sleep(2 * time.Second)
		const want = "mutual exclusion violated 1 time: worker-1 and worker-2 were inside together for 2 s (x)"
		for range 2 { // asking changes nothing
			if v := judge(l); v.Violations != 1 || v.Faults != 1 || !says(v, want) {
				t.Fatalf("while it lasts: %+v", v)
			}
		}
		a.leave()
		time.Sleep(time.Minute)
		a.leave()
		b.leave()
		v := judge(l)
		if v.Violations != 1 || v.LostUpdates != 1 || v.Faults != 1 || !says(v, want) || !says(v, "written 2 times and is 1: 1 update lost") {
			t.Fatalf("after it: %+v", v)
		}
		if d := l.lastDeparture("x"); d.worker != "worker-2" || !d.at.Equal(time.Now()) {
			t.Fatalf("last departure %+v", d)
		}
		if l.enter("x", "worker-3"); judge(l).Violations != 1 {
			t.Fatalf("nobody was inside any more: %+v", judge(l))
		}
	})
}

func TestLedgerKeepsTheLongest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(false)
		for seconds := range 20 {
			a, b := l.enter("x", "worker-1"), l.enter("x", "worker-2")
			time.Sleep(time.Duration(seconds+1) * time.Second)
			a.leave()
			b.leave()
		}
		v := judge(l)
		if v.Violations != 20 || !says(v, "violated 20 times: worker-1 and worker-2 were inside together for 20 s (x)") {
			t.Fatalf("%+v", v)
		}
		if len(l.longest) != shownOverlaps {
			t.Fatalf("%d overlaps are kept", len(l.longest))
		}
	})
}

func TestCounterWithoutOverlap(t *testing.T) {
	l := newLedger(false)
	for range 3 {
		if !l.enter("x", "worker-1").leave() {
			t.Fatal("a write was refused")
		}
	}
	l.enter("x", "worker-2").die() // it wrote nothing, so nothing is lost
	v := judge(l)
	if v.LostUpdates != 0 || v.Faults != 0 || !says(v, "written 3 times and is 3: no update was lost") {
		t.Fatalf("%+v", v)
	}
}

func TestFencing(t *testing.T) {
	for name, tokens := range map[string][2]int64{"fenced": {33, 34}, "not fenced": {0, 0}} {
		l := newLedger(true)
		late, next := l.enterFenced("x", "worker-1", tokens[0]), l.enterFenced("x", "worker-2", tokens[1])
		accepted := late.leave() // before the next one has written anything: its reading must not be overtaken
		if !next.leave() {
			t.Fatalf("%s: the holder's write was refused", name)
		}
		v := judge(l)
		if fenced := tokens[0] > 0; accepted == fenced || (v.Refused == 1) != fenced || (v.LostUpdates == 0) != fenced || (v.Faults == 0) != fenced {
			t.Fatalf("%s: late write accepted %v, %+v", name, accepted, v)
		}
		if v.Violations != 1 || !says(v, "1 time two were inside together, which does no harm here") {
			t.Fatalf("%s: the overlap is not told: %+v", name, v)
		}
	}
}

func TestIncidents(t *testing.T) {
	l := newLedger(false)
	l.fact("a stranger was refused")
	l.fact("a stranger was refused")
	l.fault("slept", time.Second, "worker-1 slept for 1 s beside a free lock")
	l.fault("slept", 3*time.Second, "worker-%d slept for 3 s beside a free lock", 2)
	l.fault("slept", 2*time.Second, "worker-3 slept for 2 s beside a free lock")
	l.timed("hand-over", 500*time.Microsecond)
	l.timed("hand-over", 40*time.Millisecond+500*time.Microsecond)
	l.play()
	v := judge(l)
	if !says(v, "hand-over: 20 ms on average, 40 ms at most (2 times)") {
		t.Fatalf("%+v", v)
	}
	if v.Faults != 3 || v.Played != 1 || v.Said[0] != "worker-2 slept for 3 s beside a free lock (3 times)" ||
		!slices.Contains(v.Said, "a stranger was refused (2 times)") {
		t.Fatalf("%+v", v)
	}
}

func TestLastingFault(t *testing.T) {
	l := newLedger(false)
	first, second := l.lasting("stuck"), l.lasting("stuck")
	if v := judge(l); v.Faults != 0 {
		t.Fatalf("told before it was: %+v", v)
	}
	first(time.Second, "x was stuck for 1 s")
	first(3*time.Second, "x was stuck for 3 s")
	if v := judge(l); v.Faults != 1 || v.Said[0] != "x was stuck for 3 s" {
		t.Fatalf("one that goes on: %+v", v)
	}
	second(2*time.Second, "x was stuck for 2 s")
	if v := judge(l); v.Faults != 2 || v.Said[0] != "x was stuck for 3 s (2 times)" {
		t.Fatalf("a lesser one: %+v", v)
	}
	second(4*time.Second, "x was stuck for 4 s")
	if v := judge(l); v.Faults != 2 || v.Said[0] != "x was stuck for 4 s (2 times)" {
		t.Fatalf("it has become the weightiest: %+v", v)
	}
}

func TestLedgerWaitersAndFailures(t *testing.T) {
	l := newLedger(false)
	first, second := l.wait("x"), l.wait("x")
	if n := l.waiters("x"); n != 2 {
		t.Fatalf("%d wait", n)
	}
	first()
	if n := l.waiters("x"); n != 1 {
		t.Fatalf("%d wait", n)
	}
	second()
	if n := l.waiters("x"); n != 0 {
		t.Fatalf("%d wait", n)
	}
	l.failed(errors.New("an early one"))
	l.failed(errors.New("the server is on fire"))
	if v := judge(l); v.Failures != 2 || !says(v, "2 commands failed, the last one with: the server is on fire") {
		t.Fatalf("%+v", v)
	}
}

func TestVerdictOfTheWhole(t *testing.T) {
	sound, flawed := Variant{Name: "good"}, Variant{Name: "bad", Flawed: true}
	s := newShow(t.Context(), Options{Speed: 1}, nil, nil, "", []lane{{Variant: sound}, {Variant: flawed}})
	if text, want := s.verdict().Text, "0 acquisitions. Nobody was ever inside a lock, which proves nothing.\n"; !strings.HasPrefix(text, want) {
		t.Fatalf("%q, want %q", text, want)
	}
	s.stages[0].ledger.enter("x", "worker-1").leave()
	if v := s.verdict(); v.Faults != 0 || v.Text != `1 acquisition. Mutual exclusion held: no two workers were ever inside the same lock.
✔ sound, good
    1 acquisition: no two workers were ever inside together
    the counter under the lock was written 1 time and is 1: no update was lost
◌ flawed, and no fault yet, bad
    nobody was ever inside` {
		t.Fatalf("%+v\n%s", v, v.Text)
	}
	s.stages[1].ledger.enter("y", "worker-2")
	s.stages[1].ledger.enter("y", "worker-3")
	s.stages[1].ledger.fault("stuck", 0, "y was stuck")
	v := s.verdict()
	if v.Violations != 1 || v.Faults != 2 || v.Lanes[1].Faults != 2 || v.Lanes[0].Faults != 0 ||
		!strings.HasPrefix(v.Text, "3 acquisitions. Mutual exclusion violated 1 time: worker-2 and worker-3 were inside together for 0 ms (y). "+
			"Fault: y was stuck.\n") || !strings.Contains(v.Text, "\n✖ flawed, bad\n") {
		t.Fatalf("%+v\n%s", v, v.Text)
	}
}

func TestBrief(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0.0 ms", 400 * time.Microsecond: "0.4 ms", 40 * time.Millisecond: "40 ms"} {
		if got := brief(d); got != want {
			t.Errorf("brief(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 840*time.Millisecond + 900: "840 ms", 3400 * time.Millisecond: "3.4 s", 5 * time.Second: "5 s",
		90 * time.Second: "90 s", 5 * time.Minute: "5 min",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}
