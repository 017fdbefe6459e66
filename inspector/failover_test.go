package inspector

import (
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// says has a node tell how far its stream of writes has come, and until where it had copied the one
// before.
func (c *scene) says(node keyspace.Node, r keyspace.Replication) *scene {
	r.Asked, r.Answered = c.now, c.now
	c.store.take(keyspace.Update{Node: node, Status: &keyspace.Status{
		Node: node, Connected: true, Feed: c.state.Feed, Replication: r, Topology: keyspace.Sentinel,
	}})
	return c
}

// failOver is a scene in which the old master tells its offset, a token is acquired and, if that is
// wanted, renewed at the offset 2000, it tells its offset again, and goes; another one takes over
// that had copied so much.
func failOver(t *testing.T, feed keyspace.Feed, renewed bool, copied int64) *scene {
	c := newScene(t, feed)
	c.says(sceneNode, keyspace.Replication{Stream: "old", Offset: 1000})
	hints := map[keyspace.Feed][]string{keyspace.FeedPush: {"new", "set", "expire"}, keyspace.FeedTracking: {"invalidate"}}[feed]
	end := c.after(time.Second).in(time.Minute)
	c.hints(hints...).text(aToken, end).expect("acquired " + aToken)
	c.after(time.Second).says(sceneNode, keyspace.Replication{Stream: "old", Offset: 1500})
	if renewed {
		c.after(time.Second).hints("expire").text(aToken, c.in(time.Minute)).expect("renewed " + aToken)
		c.after(time.Second).says(sceneNode, keyspace.Replication{Stream: "old", Offset: 2500})
	}
	c.after(time.Second).leaves(sceneNode).after(2 * time.Second)
	return c.says(otherNode, keyspace.Replication{Stream: "new", Offset: copied, Before: "old", Copied: copied}).on(otherNode)
}

// TestALockThatAFailOverLost: the new master had not copied what was written when it was acquired.
func TestALockThatAFailOverLost(t *testing.T) {
	const lost = "lost " + aToken + " fail-over"
	finding := func(c *scene, says ...string) {
		c.t.Helper()
		f := c.findings(0, CodeLostInFailOver).Findings[0]
		if f.Severity != SeverityCritical {
			c.t.Error(f.Severity)
		}
		for _, said := range says {
			if !strings.Contains(f.Text, said) {
				c.t.Errorf("%q is not in %s", said, f.Text)
			}
		}
	}
	for _, feed := range []keyspace.Feed{keyspace.FeedPush, keyspace.FeedTracking} {
		t.Run(string(feed)+", and no client has it", func(t *testing.T) {
			c := failOver(t, feed, false, 900).gone().expect(lost)
			finding(c, "the new master "+string(otherNode)+" had not copied", "acquired the lock at", "its lease had 56 s left", "no client has it now")
			l := c.must(StateFreed)
			if l.FreedBy != CauseFailOver || l.History[0].Cause != CauseFailOver || !l.History[0].WasLost() {
				t.Errorf("freed by %s, %+v", l.FreedBy, l.History)
			}
			finding(c.after(20 * time.Second))
			c.text(bToken, c.in(lease)).expect("acquired " + bToken)
			finding(c, "u7Qm2Zt7LbWc4RpAnxYjXQ== has it now")
			c.findings(5 * time.Minute)
		})
		t.Run(string(feed)+", and the row goes with the lease", func(t *testing.T) {
			c := failOver(t, feed, false, 900).gone().expect(lost)
			if c.after(time.Minute); c.lock() != nil {
				t.Error("it stays")
			}
		})
		t.Run(string(feed)+", and another client has it", func(t *testing.T) {
			c := failOver(t, feed, false, 900)
			c.text(bToken, c.in(lease)).expect(lost, "acquired "+bToken+"<"+aToken+" fail-over")
			finding(c, "its lease had 56 s left", "u7Qm2Zt7LbWc4RpAnxYjXQ== has it now")
		})
		t.Run(string(feed)+", and another client had it", func(t *testing.T) {
			c := failOver(t, feed, false, 900)
			if feed == keyspace.FeedPush {
				c.hints("new", "set", "expire", "del").gone().expect(lost)
			}
		})
	}
	t.Run("with a renewal", func(t *testing.T) { // it had the acquisition, and let its lease run out
		finding(failOver(t, keyspace.FeedPush, true, 1400).gone().expect("lost "+aToken+" fail-over"), "renewed the lock at")
	})
	t.Run("behind one address", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		c.says(sceneNode, keyspace.Replication{Stream: "old", Offset: 1000})
		end := c.after(time.Second).in(time.Minute)
		c.hints("new", "set", "expire").text(aToken, end).after(time.Second).gap("the connection was lost")
		c.state.Replication = keyspace.Replication{Stream: "new", Before: "old", Copied: 1000, Asked: c.now, Answered: c.now}
		c.status()
		c.gone().expect("acquired "+aToken, "gap ", "lost "+aToken+" fail-over")
		finding(c, "the server that now answers at "+string(sceneNode)+" had not copied")
	})
}

// TestWhatAFailOverDoesNotProve: a key that the new master does not have may have been released
// while nobody could look.
func TestWhatAFailOverDoesNotProve(t *testing.T) {
	unknown := func(c *scene, says string) {
		c.t.Helper()
		c.gone().expect("deleted " + aToken + " unknown").findings(0)
		events, _ := c.store.log.since(0)
		if text := events[len(events)-1].Text; !strings.Contains(text, says) {
			c.t.Errorf("%q is not in %q", says, text)
		}
	}
	const left = "the new master does not have it, and its lease had 56 s left"
	t.Run("it had copied the acquisition", func(t *testing.T) { unknown(failOver(t, keyspace.FeedPush, false, 1500), left) })
	t.Run("it may have copied the acquisition", func(t *testing.T) { unknown(failOver(t, keyspace.FeedPush, false, 1200), left) })
	t.Run("it had copied the renewal", func(t *testing.T) { unknown(failOver(t, keyspace.FeedPush, true, 2500), "does not have it") })
	t.Run("the lease is over", func(t *testing.T) {
		unknown(failOver(t, keyspace.FeedPush, false, 900).after(time.Minute), "run out by then")
	})
	t.Run("nobody heard the acquisition", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPoll)
		c.says(sceneNode, keyspace.Replication{Stream: "old", Offset: 1000}).after(time.Second)
		c.text(aToken, c.in(time.Minute)).expect("acquired " + aToken).leaves(sceneNode).after(3 * time.Second)
		unknown(c.says(otherNode, keyspace.Replication{Stream: "new", Before: "old", Copied: 900}).on(otherNode), "does not have it")
	})
	t.Run("it was acquired after the fail-over", func(t *testing.T) {
		c := failOver(t, keyspace.FeedPush, false, 900).text(aToken, c0(t)).after(time.Second)
		c.expect()
		c.hints("del").gone().expect("released " + aToken + " freed")
		c.after(time.Second).hints("new", "set", "expire").text(bToken, c.in(time.Minute)).expect("acquired " + bToken)
		c.state.Node, c.state.Replication = otherNode, keyspace.Replication{Stream: "new", Before: "old", Copied: 900, Asked: c.now, Answered: c.now}
		c.after(time.Second).gap("the subscription was lost").gone().expect("gap ", "deleted "+bToken+" unknown")
		c.findings(0)
	})
	t.Run("it is still there", func(t *testing.T) {
		c := failOver(t, keyspace.FeedPush, false, 900)
		c.text(aToken, c.in(55*time.Second)).findings(0)
	})
}

// c0 is a moment at which a lock of these scenes ends.
func c0(t *testing.T) time.Time { t.Helper(); return schemeNow.Add(time.Minute) }
