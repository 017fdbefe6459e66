package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

const (
	oneID, otherID = "a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11:", "b0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11:"
	thread         = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"
)

// ending writes the value of a timestamp lock.
func (c *scene) ending(id string, d time.Duration) string {
	return id + fmt.Sprint(c.in(d).UnixMilli())
}

// TestHandOversThatNobodyNamed: honest clients release and acquire between two reads. By hints without names, and by polls, it
// cannot be told from a takeover or a renewal, and nobody is accused.
func TestHandOversThatNobodyNamed(t *testing.T) {
	for _, feed := range []keyspace.Feed{keyspace.FeedTracking, keyspace.FeedPoll} {
		for name, ids := range map[string][]string{"times": {""}, "ids and times": {oneID, otherID}} {
			t.Run(string(feed)+", "+name, func(t *testing.T) {
				c := newScene(t, feed)
				var owners []string
				for n := range 700 {
					if feed == keyspace.FeedTracking {
						c.hints("invalidate", "invalidate")
					}
					value := c.ending(ids[n%len(ids)], lease)
					c.text(value, time.Time{})
					owners = append(owners, value)
					if n == 0 {
						c.expect("acquired " + value)
					} else {
						c.expect("handed-over " + value + "<" + owners[n-1] + " unknown")
					}
					c.after(time.Second)
				}
				l := c.findings(0)
				if l.Renewals != 0 || c.now.Sub(l.HeldSince) > 2*time.Second || len(l.History) != 100 {
					t.Errorf("%d renewals, held since %v, %d holds", l.Renewals, c.now.Sub(l.HeldSince), len(l.History))
				}
			})
		}
	}
}

// TestAfterTheLease: a timestamp lock that changes when its lease is past was taken over, but only where hints tell when.
func TestAfterTheLease(t *testing.T) {
	for feed, cause := range map[keyspace.Feed]Cause{
		keyspace.FeedPush: CauseTakenOver, keyspace.FeedTracking: CauseTakenOver, keyspace.FeedPoll: CauseUnknown,
	} {
		for _, ids := range [][2]string{{"", ""}, {oneID, otherID}} {
			c := newScene(t, feed)
			hint := map[keyspace.Feed][]string{keyspace.FeedPush: {"set"}, keyspace.FeedTracking: {"invalidate"}}[feed]
			first := c.ending(ids[0], lease)
			c.hints(hint...).text(first, time.Time{}).expect("acquired " + first)
			c.after(lease + time.Second)
			second := c.ending(ids[1], lease)
			c.hints(hint...).text(second, time.Time{}).expect("handed-over " + second + "<" + first + " " + string(cause))
			if feed == keyspace.FeedPoll {
				c.findings(0)
			} else { // nobody knows whether the first one was done by then
				c.findings(0, CodeOverrun)
			}
		}
	}
}

// TestRenewedByItsID: the value names its holder, who renews; a hint without a name tells when.
func TestRenewedByItsID(t *testing.T) {
	c := newScene(t, keyspace.FeedTracking)
	c.hints("invalidate").text(c.ending(oneID, lease), time.Time{})
	for range 61 {
		c.after(10*time.Second).hints("invalidate").text(c.ending(oneID, lease), time.Time{})
	}
	if l := c.findings(0, CodeRenewedForever); l.Renewals != 61 || l.HeldExact {
		t.Errorf("%d renewals, exact: %v", l.Renewals, l.HeldExact)
	}
}

// TestLeftAndCameBack: a thread's name is the same each time, so that one that releases and acquires again looks like one that
// renews; they differ by the number of hints.
func TestLeftAndCameBack(t *testing.T) {
	run := func(feed keyspace.Feed, every time.Duration, hints ...string) *scene {
		c := newScene(t, feed)
		for range 700 * time.Second / every {
			c.hints(hints...).entry(thread, 1, c.in(lease)).after(every)
		}
		return c
	}
	l := run(keyspace.FeedTracking, time.Second, "invalidate", "invalidate").findings(0)
	if l.HeldExact {
		t.Error("nobody saw how long the thread has it")
	}
	run(keyspace.FeedPoll, time.Second).findings(0)
	c := newScene(t, keyspace.FeedTracking)
	for range 700 {
		end := c.in(lease)
		c.hints("invalidate").entry(thread, 1, end)
		c.hints("invalidate").entry(thread, 1, end).after(time.Second) // the second hint came when both were done
	}
	c.findings(0)
	l = run(keyspace.FeedTracking, 10*time.Second, "invalidate").findings(0, CodeRenewedForever)
	if l.HeldExact || l.Renewals != 69 {
		t.Errorf("a watchdog: %d renewals, exact: %v", l.Renewals, l.HeldExact)
	}
	c = newScene(t, keyspace.FeedTracking)
	c.hints("invalidate").entry(thread, 1, c.in(lease))
	if end := c.in(lease); !c.must(StateHeld).HeldExact || c.hints("invalidate").entry(thread, 1, end).must(StateHeld).HeldExact {
		t.Error("something happened, and nobody knows what")
	}
}

func TestATokenDoesNotComeBack(t *testing.T) {
	c := newScene(t, keyspace.FeedTracking)
	value := c.ending(oneID, lease)
	if c.hints("invalidate").text(value, time.Time{}).hints("invalidate").text(value, time.Time{}); !c.must(StateHeld).HeldExact {
		t.Error("each acquisition would have written another time")
	}
	for value, exact := range map[string]bool{"a0e252f4-5c9b-4d0e-9c37-1f0f6a2b7c11": true, "worker-7": false, "web-1:4711": false} {
		c = newScene(t, keyspace.FeedTracking)
		c.hints("invalidate").text(value, c.in(lease))
		c.after(10*time.Second).hints("invalidate").text(value, c.in(lease))
		if l := c.must(StateHeld); l.HeldExact != exact || l.Renewals != 1 {
			t.Errorf("%s: exact %v, %d renewals", value, l.HeldExact, l.Renewals)
		}
	}
}

// TestRenewedForeverIsCountedFromTheGap: what happened in it, nobody knows.
func TestRenewedForeverIsCountedFromTheGap(t *testing.T) {
	for feed, hint := range map[keyspace.Feed]string{keyspace.FeedPush: "expire", keyspace.FeedTracking: "invalidate"} {
		c := newScene(t, feed)
		watch := func(d time.Duration) {
			for range d / (10 * time.Second) {
				c.after(10*time.Second).hints(hint).entry(thread, 1, c.in(lease))
			}
		}
		watch(5 * time.Minute)
		c.gap("the subscription was lost")
		watch(10 * time.Second)
		again := "at least since " + c.now.Local().Format("15:04:05")
		watch(9 * time.Minute)
		c.findings(0)
		watch(2 * time.Minute)
		if l := c.findings(0, CodeRenewedForever); !strings.Contains(l.Findings[0].Text, again) {
			t.Errorf("the evidence is %q, want %q", l.Findings[0].Text, again)
		}
	}
}

// TestWhenAGapWas: its news may come late, or before those of a read that was made earlier.
func TestWhenAGapWas(t *testing.T) {
	for _, late := range []time.Duration{-time.Second, time.Second} {
		c := acquired(t, keyspace.FeedPush)
		c.state.Gaps, c.state.LastGap = 1, c.now.Add(late)
		c.status()
		c.deliver()
		if late > 0 {
			c.after(late/2).text("a", c.in(lease)).expect("gap ", "renewed a")
		} else {
			c.expect("gap ")
		}
		c.after(lease + time.Second).gone().expect("deleted a unknown")
	}
}

// TestWhatAGapHides: "a" renewed all the time, and released; the end of the lease that was seen last proves nothing.
func TestWhatAGapHides(t *testing.T) {
	cut := func(t *testing.T) *scene {
		return renewing(t).after(time.Minute).gap("the connection was lost")
	}
	t.Run("another holder", func(t *testing.T) {
		c := cut(t)
		c.text("b", c.in(lease)).expect("gap ", "handed-over b<a unknown").findings(0)
	})
	t.Run("nobody", func(t *testing.T) {
		c := cut(t).gone().expect("gap ", "deleted a unknown")
		l := c.must(StateFreed)
		if hold := l.History[0]; l.FreedBy != CauseUnknown || hold.UntilExact {
			t.Errorf("%+v", hold)
		}
		events, _ := c.store.log.since(0)
		if last := events[len(events)-1]; !strings.Contains(last.Text, "run out by then, or it was released") || last.HeldExact {
			t.Errorf("%+v", last)
		}
		c.hints("new", "set", "expire").text("b", c.in(lease)).expect("acquired b").findings(0)
	})
	t.Run("a release that is heard", func(t *testing.T) {
		cut(t).hints("del").gone().expect("gap ", "released a freed")
	})
	t.Run("an expiry that is heard", func(t *testing.T) {
		c := cut(t).hints("expired").gone().expect("gap ", "expired a expired")
		if hold := c.must(StateFreed).History[0]; c.now.Sub(hold.Until) > time.Second {
			t.Errorf("it ended %v ago, with a lease that was over long before", c.now.Sub(hold.Until))
		}
	})
	t.Run("a write after it", func(t *testing.T) {
		c := cut(t).hints("set", "expire")
		c.text("b", c.in(lease)).expect("gap ", "handed-over b<a unknown").findings(0)
		if l := c.must(StateHeld); l.HeldExact {
			t.Error("the write may have been a renewal")
		}
	})
	t.Run("an end that is not heard", func(t *testing.T) { // and a beginning that is
		c, _ := held(t)
		c.after(time.Second).hints("new", "set", "expire", "set", "expire").text("b", c.in(lease)).expect("handed-over b<a unknown").findings(0)
	})
	t.Run("data", func(t *testing.T) {
		cut(t).text(`{"a":1}`, time.Time{}).expect("gap ", "deleted a unknown")
	})
	t.Run("a lease that ran on", func(t *testing.T) {
		c, _ := held(t)
		c.after(time.Second).gap("the connection was lost").gone().expect("gap ", "deleted a unknown")
	})
}

// TestPollsThatBecomeHints: what happened before the hints came, no hint told; afterwards they do.
func TestPollsThatBecomeHints(t *testing.T) {
	c := newScene(t, keyspace.FeedPoll)
	c.text("a", c.in(lease)).expect("acquired a")
	c.state.Feed = keyspace.FeedPush
	c.status()
	c.after(lease+time.Second).text("b", c.in(lease)).expect("handed-over b<a unknown")
	c.after(lease+time.Second).text("d", c.in(lease)).expect("handed-over d<b expired")
}

// acquired is a scene in which "a" has acquired the lock before the eyes of a feed.
func acquired(t testing.TB, feed keyspace.Feed) *scene {
	c := newScene(t, feed)
	end := c.in(lease)
	if feed == keyspace.FeedTracking {
		c.hints("invalidate")
	} else {
		c.hints("new", "set", "expire")
	}
	return c.text("a", end).expect("acquired a")
}

// TestHintsThatWereDropped: those of a renewal may be among them.
func TestHintsThatWereDropped(t *testing.T) {
	c := acquired(t, keyspace.FeedPush)
	c.state.HintsDropped++
	c.status()
	c.after(lease + time.Second).gone().expect("deleted a unknown")
}

// TestRenewedBeforeTheEnd: the end that was read last is not the last one, where something happened before it came.
func TestRenewedBeforeTheEnd(t *testing.T) {
	for feed, hints := range map[keyspace.Feed][2]string{keyspace.FeedPush: {"expire", "del"}, keyspace.FeedTracking: {"invalidate", "invalidate"}} {
		c := acquired(t, feed)
		c.after(lease - time.Second).hints(hints[0]).after(2 * time.Second).hints(hints[1]).gone().expect("released a freed")
		c = acquired(t, feed)
		c.after(lease - time.Second).hints(hints[0]).after(2 * time.Second).hints(hints[1])
		want := []string{"released a freed", "acquired b<a freed"}
		if feed == keyspace.FeedTracking {
			want = []string{"handed-over b<a unknown"}
		} else {
			c.hints("new", "set", "expire")
		}
		c.text("b", c.in(lease)).expect(want...)
	}
}

// TestReadsThatCannotTellTheInstant: the expiry moves from read to read, and nobody touched it.
func TestReadsThatCannotTellTheInstant(t *testing.T) {
	const off = 30 * time.Millisecond
	for _, feed := range []keyspace.Feed{keyspace.FeedPush, keyspace.FeedTracking, keyspace.FeedPoll} {
		c := newScene(t, feed)
		end := c.in(10 * time.Minute)
		read := func(shift time.Duration) {
			r := stringRecord(sceneKey, "a", 0)
			r.ExpiresAt, r.ExpiryError = end.Add(shift), keyspace.InMicros(off)
			if feed == keyspace.FeedTracking {
				c.hints("invalidate")
			}
			c.after(time.Second).read(r)
		}
		for _, shift := range []time.Duration{-off, off, 0, -off, off, -off, off} {
			read(shift)
		}
		c.expect("acquired a")
		if l := c.findings(0); l.Renewals != 0 {
			t.Errorf("%s: %d renewals", feed, l.Renewals)
		}
		end = end.Add(time.Second)
		read(0)
		c.expect("renewed a")
		if feed != keyspace.FeedPoll {
			c.after(end.Sub(c.now) - off - unannouncedJitter).gone().expect("expired a expired") // the read said so too late
		}
	}
}

func TestWhoIsSaidToHaveLostIt(t *testing.T) {
	lost := func(c *scene) bool {
		events, _ := c.store.log.since(0)
		return slices.ContainsFunc(events, func(e Event) bool { return e.Kind == EventLost })
	}
	renewed := func(t *testing.T, times int) *scene {
		c, _ := held(t)
		for range times {
			c.after(10*time.Second).hints("expire").text("a", c.in(lease))
		}
		return c.after(lease + time.Second)
	}
	t.Run("renewed, and expired", func(t *testing.T) {
		for times, want := range []bool{false, false, true, true} {
			c := renewed(t, times).hints("expired", "new", "set", "expire")
			if c.text("b", c.in(lease)); lost(c) != want {
				t.Errorf("renewed %d times: lost %v", times, lost(c))
			}
			c = renewed(t, times).hints("expired").gone().hints("new", "set", "expire")
			if c.text("b", c.in(lease)); lost(c) != want {
				t.Errorf("renewed %d times, and gone for a while: lost %v", times, lost(c))
			}
		}
	})
	t.Run("and acquired by itself again", func(t *testing.T) {
		c := renewed(t, 3).hints("expired", "new", "set", "expire")
		if c.text("a", c.in(lease)); lost(c) {
			t.Error("nobody else has it")
		}
		c = renewed(t, 3).hints("expired").gone().hints("new", "set", "expire")
		if c.text("a", c.in(lease)); lost(c) {
			t.Error("nobody else has it, after a while")
		}
	})
	t.Run("renewed, and released", func(t *testing.T) {
		c := renewing(t).hints("del", "new", "set", "expire")
		if c.text("b", c.in(lease)); lost(c) {
			t.Error("it was released")
		}
	})
	t.Run("overwritten", func(t *testing.T) {
		for owner, want := range map[string]bool{"a": false, "b": true} {
			c, _ := held(t)
			c.after(time.Second).hints("set", "expire")
			if c.text(owner, c.in(lease)); lost(c) != want {
				t.Errorf("overwritten by %s: lost %v", owner, lost(c))
			}
		}
	})
	t.Run("a time, past its end", func(t *testing.T) {
		for _, times := range []int{0, 3} {
			c := newScene(t, keyspace.FeedPush)
			c.hints("new", "set").text(c.ending(oneID, lease), time.Time{})
			for range times {
				c.after(10*time.Second).hints("set").text(c.ending(oneID, lease), time.Time{})
			}
			c.after(lease + time.Second).hints("set")
			if c.text(c.ending(otherID, lease), time.Time{}); lost(c) != (times > 0) {
				t.Errorf("renewed %d times: lost %v", times, lost(c))
			}
		}
	})
}
