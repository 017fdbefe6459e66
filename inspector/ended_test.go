package inspector

import (
	"testing"
	"time"

	"locktop/keyspace"
)

const message = keyspace.EventAnnounced

// TestMessagesProveReleases: the message of a library proves that a deletion at the same time was a release, and nothing else.
func TestMessagesProveReleases(t *testing.T) {
	for name, test := range map[string]struct {
		feed   keyspace.Feed
		end    func(c *scene)
		events []string
		cause  Cause
	}{
		"in the same script":  {keyspace.FeedPush, func(c *scene) { c.hints("del", message).gone() }, []string{"released a released"}, CauseReleased},
		"before the deletion": {keyspace.FeedPush, func(c *scene) { c.hints(message, "del").gone() }, []string{"released a released"}, CauseReleased},
		"before the deletion, with a read between them": {
			keyspace.FeedPush, func(c *scene) { c.hints(message).text("a", c.lock().ExpiresAt).hints("del").gone() }, []string{"released a released"}, CauseReleased,
		},
		"after the read": {keyspace.FeedPush, func(c *scene) { c.hints("del").gone().hints(message).deliver() }, []string{"released a freed"}, CauseReleased},
		"while the event is on its way": {
			keyspace.FeedPush, func(c *scene) { c.hints(message).gone() }, []string{"released a released"}, CauseReleased,
		},
		"by tracking": {keyspace.FeedTracking, func(c *scene) { c.hints("invalidate", message).gone() }, []string{"released a released"}, CauseReleased},
		"by polls":    {keyspace.FeedPoll, func(c *scene) { c.hints(message).gone() }, []string{"released a released"}, CauseReleased},
		"none":        {keyspace.FeedPush, func(c *scene) { c.hints("del").gone() }, []string{"released a freed"}, CauseFreed},
		"too late": {
			keyspace.FeedPush, func(c *scene) { c.hints("del").gone().after(time.Second).hints(message).deliver() }, []string{"released a freed"}, CauseFreed,
		},
		"too early": {
			keyspace.FeedPush, func(c *scene) { c.hints(message).deliver(); c.after(time.Second).hints("del").gone() }, []string{"released a freed"}, CauseFreed,
		},
		"from before a gap": {
			keyspace.FeedPoll, func(c *scene) { c.hints(message).deliver(); c.gap("the connection was lost").gone() }, []string{"gap ", "deleted a unknown"}, CauseUnknown,
		},
		"of an expiry":  {keyspace.FeedPush, func(c *scene) { c.after(lease).hints("expired", message).gone() }, []string{"expired a expired"}, CauseExpired},
		"of a takeover": {keyspace.FeedPush, func(c *scene) { c.hints("set", message).text("b", c.in(lease)) }, []string{"lost a taken over", "handed-over b<a taken over"}, CauseTakenOver},
		"of another lock": {
			keyspace.FeedPush, func(c *scene) {
				c.hints("del")
				other := keyspace.Ref{Node: sceneNode, Key: "lock:other"}
				c.next.Hints = append(c.next.Hints, keyspace.Hint{Ref: other, Event: message, At: c.now})
				c.gone()
			}, []string{"released a freed"}, CauseFreed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newScene(t, test.feed)
			c.hints("new", "set", "expire").text("a", c.in(lease)).expect("acquired a").after(3 * time.Second)
			test.end(c)
			c.expect(test.events...)
			l := c.lock()
			hold := l.History[0]
			if hold.Cause != test.cause || !l.FreedAt.IsZero() && l.FreedBy != test.cause {
				t.Errorf("freed by %q, the hold ended by %q; want %q", l.FreedBy, hold.Cause, test.cause)
			}
		})
	}
}

// TestMessagesAmongManyHolds: the next client acquires the lock before the key is read again.
func TestMessagesAmongManyHolds(t *testing.T) {
	for name, test := range map[string]struct {
		feed  keyspace.Feed
		hints []string
		want  []string
	}{
		"push":     {keyspace.FeedPush, []string{"del", "new", "set", "expire", message}, []string{"released a released", "acquired b<a released"}},
		"tracking": {keyspace.FeedTracking, []string{"invalidate", message, "invalidate"}, []string{"handed-over b<a released"}},
		"poll":     {keyspace.FeedPoll, []string{message}, []string{"handed-over b<a released"}},
		"a short hold between": {
			keyspace.FeedPush, []string{"del", message, "new", "set", "del", message, "new", "set"}, []string{"released a released", "acquired b<a released"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newScene(t, test.feed)
			c.hints("new", "set", "expire").text("a", c.in(lease)).expect("acquired a").after(3 * time.Second)
			c.hints(test.hints...).text("b", c.in(lease)).expect(test.want...)
			if l := c.must(StateHeld); l.History[0].Cause != CauseReleased {
				t.Errorf("the hold ended by %q", l.History[0].Cause)
			}
		})
	}
	t.Run("nobody saw the holder", func(t *testing.T) {
		c := newScene(t, keyspace.FeedPush)
		c.hints("new", "set", "expire").text("a", c.in(lease)).hints("del", message).gone().expect("acquired a", "released a released")
		c.hints("new", "set", "del", message).gone().expect("acquired ", "released  released")
	})
}

// TestOneMessageProvesOneRelease: a deletion that follows within a moment needs a message of its own.
func TestOneMessageProvesOneRelease(t *testing.T) {
	const moment = 20 * time.Millisecond
	for name, test := range map[string]struct {
		feed keyspace.Feed
		ends func(c *scene)
	}{
		"each read": {keyspace.FeedPush, func(c *scene) {
			c.hints("del", message).gone().after(moment).hints("new", "set").text("b", c.in(lease)).after(moment).hints("del").gone()
		}},
		"before the deletion": {keyspace.FeedPush, func(c *scene) {
			c.hints(message, "del").gone().after(moment).hints("new", "set").text("b", c.in(lease)).after(moment).hints("del").gone()
		}},
		"after the read": {keyspace.FeedPush, func(c *scene) {
			c.hints("del").gone().hints(message).deliver()
			c.after(moment).hints("new", "set").text("b", c.in(lease)).after(moment).hints("del").gone()
		}},
		"while the event is on its way": {keyspace.FeedPush, func(c *scene) {
			c.hints(message).gone().after(moment).hints("new", "set").text("b", c.in(lease)).after(moment).hints("del").gone()
		}},
		"in one read": {keyspace.FeedPush, func(c *scene) {
			c.hints("del", message).after(moment).hints("new", "set").text("b", c.in(lease)).after(moment).hints("del").gone()
		}},
		"by polls": {keyspace.FeedPoll, func(c *scene) {
			c.hints(message).text("b", c.in(lease)).after(2 * moment).gone()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newScene(t, test.feed)
			c.hints("new", "set", "expire").text("a", c.in(lease)).after(3 * time.Second)
			test.ends(c)
			l := c.lock()
			if len(l.History) != 2 || l.History[0].Cause != CauseReleased || l.History[1].Cause != CauseFreed || l.FreedBy != CauseFreed {
				t.Errorf("freed by %q: %+v", l.FreedBy, l.History)
			}
		})
	}
}

// TestMessagesInACluster: every node delivers a message, and only the one that has the key can tell what ended.
func TestMessagesInACluster(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.joins("node-2").passed("node-2")
	c.hints("new", "set", "expire").text("a", c.in(lease)).expect("acquired a")
	c.on("node-2").hints(message).deliver()
	c.on(sceneNode).hints("del").gone().expect("released a freed")
	if l := c.must(StateFreed); l.FreedBy != CauseFreed {
		t.Errorf("freed by %q", l.FreedBy)
	}
	if trails := c.store.node(keyspace.Ref{Node: "node-2"}).trails; len(trails) > 0 {
		t.Errorf("messages of other nodes' locks are kept: %d", len(trails))
	}
}

// TestMessagesOfNoLockAreNotKept: a flood of messages costs no memory.
func TestMessagesOfNoLockAreNotKept(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.hints(message).deliver()
	c.text("a", c.in(lease)).hints(message).deliver()
	if n := len(c.store.node(keyspace.Ref{Node: sceneNode}).trails); n != 1 {
		t.Errorf("%d trails, want that of the lock", n)
	}
	c.after(trailLives * 2)
	if n := len(c.store.node(keyspace.Ref{Node: sceneNode}).trails); n != 0 {
		t.Errorf("%d trails are left", n)
	}
}

// TestMessagesAboutSleepers: a message woke the clients that listen, so that none of them lost a wake-up.
func TestMessagesAboutSleepers(t *testing.T) {
	for _, heard := range []bool{true, false} {
		c := newScene(t, keyspace.FeedPush)
		c.hints("new", "hincrby", "expire").entry(thread, 1, c.in(lease)).after(time.Second)
		if c.hints("del"); heard {
			c.hints(message)
		}
		c.gone().after(2 * time.Second).listening(2)
		if heard {
			c.findings(0)
		} else {
			c.findings(0, CodeLostWakeUp)
		}
	}
}
