package demo

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLedger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		a := l.enter("x", "worker-1")
		l.enter("y", "worker-9")
		if v := l.verdict(); v.Acquisitions != 2 || v.Violations != 0 || !strings.Contains(v.Text, "Mutual exclusion held") {
			t.Fatalf("two locks, two workers: %+v", v)
		}
		time.Sleep(time.Second)
		b := l.enter("x", "worker-2")
		if x, y, z := l.holder("x"), l.holder("y"), l.holder("z"); x != "worker-1" || y != "worker-9" || z != "" {
			t.Fatalf("holders %q, %q, %q", x, y, z)
		}
		time.Sleep(2 * time.Second)
		want := "x: worker-2 came in while worker-1 was still inside, for 2 s"
		for range 2 { // asking changes nothing
			if v := l.verdict(); v.Violations != 1 || !strings.Contains(v.Text, "violated 1 time.\n  "+want) {
				t.Fatalf("while it lasts: %+v", v)
			}
		}
		a.leave()
		time.Sleep(time.Minute)
		a.leave()
		b.leave()
		if v := l.verdict(); v.Violations != 1 || strings.Count(v.Text, "came in") != 1 || !strings.Contains(v.Text, want) {
			t.Fatalf("after it: %+v", v)
		}
		if d := l.lastDeparture("x"); d.worker != "worker-2" || !d.at.Equal(time.Now()) {
			t.Fatalf("last departure %+v", d)
		}
		if l.enter("x", "worker-3"); l.verdict().Violations != 1 {
			t.Fatalf("nobody was inside any more: %+v", l.verdict())
		}
	})
}

func TestLedgerKeepsTheLongest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLedger()
		for seconds := range 20 {
			a, b := l.enter("x", "worker-1"), l.enter("x", "worker-2")
			time.Sleep(time.Duration(seconds+1) * time.Second)
			a.leave()
			b.leave()
		}
		v := l.verdict()
		if v.Violations != 20 || strings.Count(v.Text, "came in") != shownOverlaps || !strings.Contains(v.Text, "and 15 more") {
			t.Fatalf("%+v", v)
		}
		if !strings.Contains(v.Text, "for 20 s\n") || !strings.Contains(v.Text, "for 16 s\n") {
			t.Fatalf("not the longest: %s", v.Text)
		}
	})
}

func TestLedgerWaitersAndFailures(t *testing.T) {
	l := newLedger()
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
	if text := l.verdict().Text; !strings.Contains(text, "2 commands failed, the last one with: the server is on fire") {
		t.Fatalf("%s", text)
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
