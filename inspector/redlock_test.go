package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// master is the n-th of the independent masters, from 1.
func master(n int) keyspace.Node { return keyspace.Node(fmt.Sprintf("10.0.0.%d:6379", n)) }

// newRedlock is a scene of several independent masters, each of which has been read.
func newRedlock(t testing.TB, masters int, feed keyspace.Feed) *scene {
	t.Helper()
	c := &scene{
		t: t, store: newStore(Options{Linger: 5 * time.Second, Masters: masters}, &eventLog{}), now: schemeNow,
		state: keyspace.Status{Connected: true, Feed: feed},
	}
	for n := range masters {
		c.joins(master(n + 1)).passed(master(n + 1))
	}
	c.after(0)
	return c
}

// sets lets some masters tell that an owner got their vote, one after the other.
func (c *scene) sets(owner string, end time.Time, masters ...int) *scene {
	for _, n := range masters {
		c.on(master(n)).hints("new", "set", "expire").text(owner, end)
	}
	return c
}

// renews lets some masters tell that their vote was renewed.
func (c *scene) renews(owner string, end time.Time, masters ...int) *scene {
	for _, n := range masters {
		c.on(master(n)).hints("expire").text(owner, end)
	}
	return c
}

// dels lets some masters tell that their vote was released.
func (c *scene) dels(masters ...int) *scene {
	for _, n := range masters {
		c.on(master(n)).hints("del").gone()
	}
	return c
}

// falls lets masters fall silent, for a reason.
func (c *scene) falls(why string, masters ...int) *scene {
	for _, n := range masters {
		c.store.take(keyspace.Update{Node: master(n), Status: &keyspace.Status{
			Node: master(n), Err: why, TimedOut: why == late, StaleSince: c.now, Feed: c.state.Feed,
		}})
	}
	return c.after(0)
}

// answers lets masters answer again after an outage; what is there is not read yet.
func (c *scene) answers(masters ...int) *scene {
	for _, n := range masters {
		c.store.take(keyspace.Update{Node: master(n), Status: &keyspace.Status{
			Node: master(n), Connected: true, Feed: c.state.Feed, Gaps: 1, LastGap: c.now, LastGapWhy: "it did not answer",
		}})
	}
	return c.after(0)
}

const (
	refused = "connect: nothing answers: connection refused"
	late    = "connect: nothing answers: no answer in time"
)

// row says a lock in one line: its state, its holders, its votes and its findings.
func row(l *Lock) string {
	if l == nil {
		return "no row"
	}
	line := string(l.State)
	if l.State != StateFreed {
		for _, h := range l.Holders {
			line += " " + h.Owner
		}
	}
	if l.Quorum != nil {
		line += fmt.Sprintf(" %d/%d", l.Quorum.For, len(l.Quorum.Votes))
	}
	for _, f := range l.Findings {
		if f.Code != CodeUncheckedRelease {
			line += fmt.Sprintf(" %s(%s)", f.Code, f.Severity)
		}
	}
	return line
}

func (c *scene) row(want string) *Lock {
	c.t.Helper()
	l := c.lock()
	if got := row(l); got != want {
		c.t.Fatalf("it is\n  %s\nwant\n  %s\n%+v", got, want, l)
	}
	return l
}

// TestNeeded: how many votes make a quorum.
func TestNeeded(t *testing.T) {
	for masters, needed := range map[int]int{2: 2, 3: 2, 4: 3, 5: 3, 6: 4, 7: 4} {
		c := newRedlock(t, masters, keyspace.FeedPush)
		end := c.in(lease)
		for n := range needed {
			if l := c.lock(); l != nil {
				t.Fatalf("%d masters: held with %d votes: %+v", masters, n, l)
			}
			c.sets("a", end, n+1)
		}
		if l := c.must(StateHeld); l.Quorum.Margin() != 0 || l.Quorum.Needed != needed {
			t.Errorf("%d masters: %+v", masters, l.Quorum)
		}
	}
}

// TestLifeOfARedlock: one acquisition, one renewal and one release are one event each, when the quorum has them.
func TestLifeOfARedlock(t *testing.T) {
	for _, feed := range []keyspace.Feed{keyspace.FeedPush, keyspace.FeedPoll} {
		t.Run(string(feed), func(t *testing.T) {
			c := newRedlock(t, 5, feed)
			c.sets("a", c.in(lease), 1, 2).expect()
			c.sets("a", c.in(lease), 3).expect("acquired a")
			c.sets("a", c.in(lease), 4, 5).expect()
			l := c.must(StateHeld)
			if feed == keyspace.FeedPush && (!l.HeldExact || !l.HeldSince.Equal(schemeNow.Add(9*time.Millisecond))) {
				t.Errorf("held since %v (exact: %v), want the time of the third vote", l.HeldSince, l.HeldExact)
			}
			for n := range 3 {
				c.after(10*time.Second).renews("a", c.in(lease), 1, 2).expect()
				c.renews("a", c.in(lease), 3).expect("renewed a")
				c.after(150*time.Millisecond).renews("a", c.in(lease), 4).after(150*time.Millisecond).renews("a", c.in(lease), 5).expect()
				if l := c.must(StateHeld); l.Renewals != n+1 || l.RenewalPeriod != 0 && l.RenewalPeriod.Round(time.Second) != 10*time.Second {
					t.Errorf("%d renewals, every %s", l.Renewals, l.RenewalPeriod)
				}
			}
			c.after(time.Second).dels(5, 4).expect()
			c.dels(3).expect("released a freed")
			c.dels(2, 1).expect()
			if l := c.row("freed 0/5"); l.FreedBy != CauseFreed || len(l.History) != 1 || l.History[0].Renewals != 3 {
				t.Errorf("%+v", l)
			}
			c.after(time.Second).sets("b", c.in(lease), 1, 2, 3, 4, 5).expect("acquired b")
			if l := c.must(StateHeld); len(l.History) != 2 {
				t.Errorf("%+v", l.History)
			}
			c.after(lease).on(master(1)).hints("expired").gone().on(master(2)).hints("expired").gone().expect()
			c.on(master(3)).hints("expired").gone().expect("expired b expired")
			c.on(master(4)).hints("expired").gone().on(master(5)).hints("expired").gone().expect()
			c.after(10 * time.Second).row("no row")
			if n := len(c.store.urns); n != 0 {
				t.Errorf("%d urns are left", n)
			}
		})
	}
}

// TestEndOfTheQuorum: a Redlock ends with the vote whose loss takes the quorum away, less the drift.
func TestEndOfTheQuorum(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	ends := []time.Time{}
	for n := range 5 {
		ends = append(ends, c.in(lease+time.Duration(n*n)*10*time.Millisecond))
		c.sets("a", ends[n], n+1)
	}
	l := c.row("held a 5/5")
	drift := l.Lease()/100 + 2*time.Millisecond
	if !l.ExpiresAt.Equal(ends[2]) || l.Quorum.Skew != ends[4].Sub(ends[0]) {
		t.Errorf("ends at %v, want %v; skew %v", l.ExpiresAt, ends[2], l.Quorum.Skew)
	}
	if off := l.Quorum.ValidUntil.Sub(ends[2].Add(-drift)).Abs(); off > 2*time.Millisecond {
		t.Errorf("valid until %v, want %v less %v", l.Quorum.ValidUntil, ends[2], drift)
	}
	c.after(ends[2].Sub(c.now)).row("expired a 5/5")
	c.on(master(4)).hints("set").text("a", time.Time{}) // one that never ends does not save it
	c.row("expired a 5/5")
	c.on(master(5)).text("a", time.Time{}).on(master(3)).text("a", time.Time{})
	if l := c.must(StateStuck); !l.Quorum.ValidUntil.IsZero() || !l.ExpiresAt.IsZero() {
		t.Errorf("three never end: %+v", l)
	}
}

// TestSkew: a renewal that did not reach every master leaves votes that end earlier.
func TestSkew(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	c.sets("a", c.in(lease), 1, 2, 3, 4, 5)
	end := c.in(10*time.Second + lease)
	c.after(10*time.Second).renews("a", end, 1, 2, 3, 4)
	c.row("held a 5/5").mustNot(t, CodeDegradedQuorum)
	l := c.after(2 * time.Second).row("held a 5/5 degraded-quorum(warning)")
	if text := l.Findings[0].Text; !strings.Contains(text, "Its votes end 10 s apart") {
		t.Errorf("the evidence is %q", text)
	}
	c.renews("a", end, 5).after(2 * time.Second)
	c.row("held a 5/5")
}

func (l *Lock) mustNot(t testing.TB, code Code) {
	t.Helper()
	if slices.Contains(codes(l), code) {
		t.Errorf("it is too early for %s: %+v", code, l.Findings)
	}
}

// TestVoteRunsOut: a vote whose TTL is over counts no more, even where no server says so.
func TestVoteRunsOut(t *testing.T) {
	c := newRedlock(t, 3, keyspace.FeedPush)
	c.sets("a", c.in(5*time.Second), 1).sets("a", c.in(lease), 2, 3)
	l := c.after(6 * time.Second).row("held a 3/3 degraded-quorum(critical)")
	if text := l.Findings[0].Text; !strings.Contains(text, "2 of 3 votes") || !strings.Contains(text, "10.0.0.1:6379 has let its vote run out") {
		t.Errorf("the evidence is %q", text)
	}
}

// TestAcquisitionsPassThrough: what is below the quorum for a moment is no row, no event and no finding.
func TestAcquisitionsPassThrough(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	for n := range 10 {
		owner := fmt.Sprint("w", n)
		c.sets(owner, c.in(lease), 1, 2).row("no row")
		c.after(400*time.Millisecond).dels(1, 2).row("no row") // failed, and tidied up
		c.after(400 * time.Millisecond)
	}
	c.expect()
	c.sets("a", c.in(lease), 1, 2, 3, 4, 5).expect("acquired a")
	c.after(5*time.Second).dels(1, 2, 3).expect("released a freed").row("freed 2/5")
	c.after(500*time.Millisecond).dels(4, 5).after(2 * time.Second).row("freed 0/5")
	c.expect()
}

// TestPartialRelease: a release that did not reach every master ends the hold with the quorum, and leaves a minority.
func TestPartialRelease(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	end := c.in(lease)
	c.sets("a", end, 1, 2, 3, 4, 5).expect("acquired a")
	c.after(5*time.Second).dels(1, 2, 3).expect("released a freed")
	l := c.after(2 * time.Second).row("minority a 2/5 minority(warning)")
	if len(l.History) != 1 || l.History[0].Cause != CauseFreed || !l.HeldSince.IsZero() || !l.ExpiresAt.Equal(end) {
		t.Errorf("%+v", l)
	}
	c.sets("b", c.in(lease), 1, 2).expect()
	c.after(2 * time.Second).row("split b a 2/5 split(critical)")
	c.sets("b", c.in(lease), 3).expect("acquired b").row("held b 3/5")
	l = c.after(2 * time.Second).row("held b 3/5 degraded-quorum(warning)")
	if len(l.History) != 2 || !l.HeldExact {
		t.Errorf("%+v", l)
	}
	c.dels(1, 2, 3).expect("released b freed").dels(4, 5)
	c.after(10 * time.Second).row("no row")
}

// TestMinorityRunsOut: a claim ends with its last vote, and was never held.
func TestMinorityRunsOut(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	c.sets("a", c.in(lease), 1, 2).after(2 * time.Second).row("minority a 2/5 minority(warning)")
	if total := c.store.snapshot(c.now).Totals; total.ByState[StateMinority] != 1 || total.Locks != 1 || total.Suspects != 1 {
		t.Errorf("%+v", total)
	}
	c.after(lease).row("expired a 2/5")
	c.on(master(1)).hints("expired").gone().on(master(2)).hints("expired").gone()
	c.row("no row")
	c.expect()
}

// TestHandOverOfARedlock: the next holder takes over vote by vote.
func TestHandOverOfARedlock(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	c.sets("a", c.in(lease), 1, 2, 3, 4, 5).expect("acquired a")
	c.after(time.Second)
	released := c.now
	for n := range 5 {
		c.on(master(n+1)).hints("del", "new", "set", "expire").text("b", c.in(lease))
	}
	c.expect("released a freed", "acquired b<a freed")
	if l := c.must(StateHeld); len(l.History) != 2 || !l.HeldExact || !l.History[0].UntilExact || l.History[0].Until.Before(released) {
		t.Errorf("%+v", l.History)
	}
}

// TestSameOwnerAgain: the votes of a client that acquires again under its own name come back before the loss of all is read.
func TestSameOwnerAgain(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	c.sets("worker", c.in(lease), 1, 2, 3, 4, 5).expect("acquired worker")
	c.after(time.Second)
	for n := range 5 {
		c.on(master(n + 1)).hints("del").deliver()
	}
	for n := range 5 {
		c.on(master(n+1)).hints("new", "set", "expire").text("worker", c.in(lease))
	}
	c.expect("released worker freed", "acquired worker<worker freed")
	if l := c.must(StateHeld); len(l.History) != 2 || !l.HeldExact {
		t.Errorf("%+v", l.History)
	}
}

// TestOneMasterLosesIt: what happens on one master does not happen to the lock.
func TestOneMasterLosesIt(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	c.sets("a", c.in(lease), 1, 2, 3, 4, 5).expect("acquired a")
	c.after(time.Second).dels(2).expect()
	c.sets("b", c.in(lease), 2).expect()
	c.row("held a 4/5")
	c.on(master(2)).hints("set").text("a", c.in(lease)).expect()
	if l := c.row("held a 5/5"); len(l.History) != 1 || !l.HeldExact || l.Renewals != 0 {
		t.Errorf("%+v", l)
	}
	c.after(10*time.Second).renews("a", c.in(lease), 1, 2, 3, 4, 5).expect("renewed a")
}

// TestFoundRedlock: what is there when we come is found, not acquired; nobody is a minority only because not everything is read.
func TestFoundRedlock(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	c.store = newStore(Options{Masters: 5, Linger: 5 * time.Second}, &eventLog{})
	for n := range 5 {
		c.joins(master(n + 1))
	}
	end := c.in(lease)
	for n := range 5 {
		c.on(master(n+1)).text("a", end).passed(master(n + 1))
		if n < 2 {
			c.after(5 * time.Second).row("no row")
		}
	}
	c.expect()
	if l := c.after(2 * time.Second).row("held a 5/5"); l.HeldExact {
		t.Errorf("%+v", l)
	}
	if !c.store.snapshot(c.now).Complete {
		t.Error("every master was read")
	}
}
