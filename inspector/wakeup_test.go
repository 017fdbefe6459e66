package inspector

import (
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// listening is the key that is gone, and so many clients that still listen for it.
func (c *scene) listening(n int64) *scene {
	channel := keyspace.Record{Type: keyspace.TypeChannel, Size: n}
	return c.read(keyspace.Record{Type: keyspace.TypeNone, Companions: []keyspace.Record{channel}})
}

// TestSleepersBesideAFreeLock: DEL does not wake clients that wait for a message.
func TestSleepersBesideAFreeLock(t *testing.T) {
	owned := func(t *testing.T) *scene {
		c := newScene(t, keyspace.FeedPush)
		return c.hints("new", "hincrby", "expire").entry(thread, 1, c.in(lease)).after(time.Second)
	}
	t.Run("as long as they sleep", func(t *testing.T) {
		c := owned(t).hints("del").gone()
		c.listening(2).findings(0) // they may be on their way to the lock
		for range 20 {
			c.after(time.Second).listening(2)
			if f := c.findings(0, CodeLostWakeUp).Findings[0]; f.Severity != SeverityWarning || !strings.Contains(f.Text, "2 clients still listen") {
				t.Error(f)
			}
		}
		if l := c.must(StateFreed); l.Waiters.Count != 2 || l.FreedBy != CauseFreed {
			t.Errorf("%+v, freed by %s", l.Waiters, l.FreedBy)
		}
		if c.after(time.Second).listening(0).after(time.Second); c.lock() != nil {
			t.Error("the row stays, and they are gone")
		}
	})
	t.Run("until one gets it", func(t *testing.T) {
		c := owned(t).hints("del").gone().after(2 * time.Second).listening(2)
		c.findings(0, CodeLostWakeUp)
		c.hints("new", "hincrby", "expire").entry(thread, 1, c.in(lease)).findings(0)
		c.hints("hincrby", "del").gone().findings(0)
	})
	t.Run("and are not counted any more", func(t *testing.T) {
		c := owned(t).hints("del").gone().after(2 * time.Second).listening(2)
		if c.after(6 * time.Second); c.lock() != nil {
			t.Error("the row stays, and nobody knows whether they sleep")
		}
	})
	t.Run("whose time is over with the lease", func(t *testing.T) {
		c := owned(t).after(lease).hints("expired").gone().after(2 * time.Second).listening(2)
		c.findings(0)
	})
}
