package inspector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// findings fails the test unless the lock has these, after some time in which only the clock moved.
func (c *scene) findings(after time.Duration, want ...Code) *Lock {
	c.t.Helper()
	c.after(after)
	l := c.lock()
	if l == nil {
		c.t.Fatal("there is no lock")
	}
	if got := codes(l); fmt.Sprint(got) != fmt.Sprint(want) {
		c.t.Fatalf("findings %v, want %v: %+v", got, want, l.Findings)
	}
	return l
}

// renewing is a scene in which "a" holds a lease of 30 s and renewed it five times, every 10 s.
func renewing(t *testing.T) *scene {
	c, _ := held(t)
	for range 5 {
		c.after(10*time.Second).hints("expire").text("a", c.in(lease))
	}
	c.expect("renewed a", "renewed a", "renewed a", "renewed a", "renewed a")
	return c
}

func TestAboutToLapse(t *testing.T) {
	c := renewing(t)
	c.findings(10 * time.Second)
	l := c.findings(6*time.Second, CodeAboutToLapse) // the renewal is overdue by half a period
	if text := l.Findings[0].Text; !strings.Contains(text, "5 times") || !strings.Contains(text, "every 10 s") {
		t.Errorf("the evidence is %q", text)
	}
	c.hints("expire").text("a", c.in(lease)).expect("renewed a").findings(0)
	c.findings(16*time.Second, CodeAboutToLapse)
	c.findings(15 * time.Second) // it has lapsed
	c.must(StateExpired)
}

func TestRenewingAtTheLastMomentIsNotLate(t *testing.T) {
	const every, of = 4500 * time.Millisecond, 5 * time.Second // as npm redlock does
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "set", "expire").text("a", c.in(of))
	for range 5 {
		c.findings(every)
		c.hints("set", "expire").text("a", c.in(of))
	}
	c.findings(every + time.Millisecond)
	c.findings(of - every)
	c.must(StateExpired)
}

func TestALeaseThatIsNeverRenewedMayRunOut(t *testing.T) {
	c, _ := held(t)
	c.findings(lease - time.Second)
	c.findings(time.Second)
	c.must(StateExpired)
}

func TestRenewedForever(t *testing.T) {
	c, _ := held(t)
	for range 59 {
		c.after(10*time.Second).hints("expire").text("a", c.in(lease)).findings(0)
	}
	c.after(5*time.Second).hints("expire").text("a", c.in(lease))
	l := c.findings(6*time.Second, CodeRenewedForever)
	if l.Severity() != SeverityWarning || !strings.Contains(l.Findings[0].Text, "60 times") {
		t.Errorf("%+v", l.Findings)
	}
}

func TestLongLease(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints("new", "set", "expire").text("a", c.in(time.Hour+time.Minute)).findings(0, CodeLongLease)
	c.hints("del").gone().findings(0)
	c.hints("new", "set", "expire").text("a", c.in(time.Hour)).findings(0)
}

func TestLostWhileHeld(t *testing.T) {
	c := renewing(t)
	c.after(lease + time.Second).hints("expired").gone().expect("expired a expired")
	c.after(time.Second).hints("new", "set", "expire").text("b", c.in(lease)).expect("lost a expired", "acquired b")
	l := c.findings(0, CodeLostWhileHeld)
	if text := l.Findings[0].Text; !strings.Contains(text, "a lost it") || !strings.Contains(text, "b has it now") {
		t.Errorf("the evidence is %q", text)
	}
	c.hints("del").gone().findings(0)
	c.hints("new", "set", "expire").text("d", c.in(lease)).expect("released b freed", "acquired d").findings(0)

	c = renewing(t)
	c.after(lease+time.Second).hints("expired", "new", "set", "expire").text("b", c.in(lease))
	c.expect("expired a expired", "lost a expired", "acquired b<a expired").findings(0, CodeLostWhileHeld)
}

func TestALossIsShownForAWhile(t *testing.T) {
	c, _ := held(t)
	c.hints("set", "expire").text("b", c.in(time.Hour)).findings(0, CodeLostWhileHeld)
	c.findings(4*time.Minute+59*time.Second, CodeLostWhileHeld)
	c.findings(time.Second)
}

func TestCountLeak(t *testing.T) {
	enter := func(c *scene, count int) { c.hints("hincrby", "expire").entry("w", count, c.in(lease)) }
	begin := func(t *testing.T) *scene {
		c := newScene(t, keyspace.FeedPush)
		c.hints("new", "hincrby", "expire").entry("w", 1, c.in(lease))
		return c
	}
	t.Run("an entry that nobody releases", func(t *testing.T) {
		c := begin(t)
		enter(c, 2)
		enter(c, 3)
		enter(c, 2)
		c.findings(23 * time.Second)
		l := c.findings(2*time.Second, CodeCountLeak)
		if text := l.Findings[0].Text; !strings.Contains(text, "count is 2 after 3 entries and 1 release,") {
			t.Errorf("the evidence is %q", text)
		}
		if advice := l.Findings[0].Advice; !strings.Contains(advice, "longer than the lease") {
			t.Errorf("work that outlasts the lease looks the same from outside, but the advice is %q", advice)
		}
		enter(c, 1)
		c.findings(0)
	})
	t.Run("a count that only grows", func(t *testing.T) {
		c := begin(t)
		for round := range 4 {
			enter(c, round+2)
			enter(c, round+3)
			enter(c, round+2)
		}
		c.findings(0, CodeCountLeak)
	})
	t.Run("a count that comes and goes", func(t *testing.T) {
		c := begin(t)
		for range 20 {
			enter(c, 2)
			enter(c, 3)
			enter(c, 2)
			enter(c, 1)
			c.findings(time.Second)
		}
	})
	t.Run("a single entry that runs out", func(t *testing.T) { begin(t).findings(29 * time.Second) })
	t.Run("nested work under a watchdog", func(t *testing.T) {
		c := begin(t)
		enter(c, 2)
		for range 6 {
			c.findings(10 * time.Second)
			c.hints("expire").entry("w", 2, c.in(lease))
		}
	})
}

// TestTimeAlone: what changes by time alone makes a snapshot, and nothing else does.
func TestTimeAlone(t *testing.T) {
	c, end := held(t)
	c.must(StateHeld)
	if c.after(time.Second); c.store.pause(c.now, c.now) > time.Second {
		t.Errorf("it sleeps for %v, but the rate of acquisitions falls", c.store.pause(c.now, c.now))
	}
	c.after(28 * time.Second)
	before := c.must(StateHeld)
	if c.store.changed {
		t.Error("nothing has changed since the snapshot")
	}
	c.text("a", end)
	if c.store.changed || c.must(StateHeld) != before {
		t.Error("a read that tells nothing new made another lock")
	}
	c.after(time.Second)
	if after := c.must(StateExpired); after == before {
		t.Error("a published lock was changed")
	}
	if before.State != StateHeld {
		t.Error("a published lock was changed")
	}
}
