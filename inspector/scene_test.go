package inspector

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// scene is a store that is fed by hand, on a clock of its own: what a feed delivered, step by step.
type scene struct {
	t     testing.TB
	store *store
	now   time.Time
	next  keyspace.Update
	state keyspace.Status
	seen  uint64        // the last event that was looked at
	at    keyspace.Node // which node speaks
}

const (
	sceneNode = keyspace.Node("127.0.0.1:6379")
	sceneKey  = "lock:orders"
)

// newScene is a feed whose first pass is over.
func newScene(t testing.TB, feed keyspace.Feed) *scene {
	t.Helper()
	c := &scene{
		t: t, store: newStore(Options{Linger: 5 * time.Second}, &eventLog{}), now: schemeNow,
		state: keyspace.Status{Node: sceneNode, Connected: true, Feed: feed}, at: sceneNode,
	}
	c.status()
	c.next.PassEnded = &keyspace.Pass{Generation: 1}
	c.deliver()
	return c
}

// on lets another node speak from now on.
func (c *scene) on(node keyspace.Node) *scene {
	c.at = node
	return c
}

// joins tells that a node is there; its first pass is not over.
func (c *scene) joins(node keyspace.Node) *scene {
	c.store.take(keyspace.Update{Node: node, Status: &keyspace.Status{Node: node, Connected: true, Feed: c.state.Feed}})
	return c
}

// passed tells that a node's pass is over.
func (c *scene) passed(node keyspace.Node) *scene {
	c.store.take(keyspace.Update{Node: node, PassEnded: &keyspace.Pass{Generation: 1}})
	return c
}

// leaves tells that a node is looked at no more.
func (c *scene) leaves(node keyspace.Node) *scene {
	c.store.take(keyspace.Update{Node: node, Left: true})
	return c
}

func (c *scene) status() {
	s := c.state
	c.next.Status = &s
}

// deliver hands over what waits.
func (c *scene) deliver() {
	c.next.Node = c.at
	c.store.take(c.next)
	c.store.wake(c.now)
	c.next = keyspace.Update{}
}

// after lets time pass.
func (c *scene) after(d time.Duration) *scene {
	c.now = c.now.Add(d)
	c.store.wake(c.now)
	return c
}

// hints lets hints arrive, a millisecond apart; they are delivered with the next read.
func (c *scene) hints(events ...string) *scene {
	for _, event := range events {
		c.now = c.now.Add(time.Millisecond)
		c.next.Hints = append(c.next.Hints, keyspace.Hint{Ref: keyspace.Ref{Node: c.at, Key: sceneKey}, Event: event, At: c.now})
	}
	return c
}

// late lets hints arrive that were on their way during the last read.
func (c *scene) late(events ...string) *scene {
	c.hints(events...)
	for n := range c.next.Hints {
		c.next.Hints[n].At = c.now.Add(-time.Duration(2*len(events)-n) * time.Millisecond)
	}
	return c
}

// gap tells that something may have been missed.
func (c *scene) gap(why string) *scene {
	c.state.Gaps++
	c.state.LastGap, c.state.LastGapWhy = c.now, why
	c.status()
	c.deliver()
	return c
}

func (c *scene) read(r keyspace.Record) *scene {
	c.now = c.now.Add(time.Millisecond)
	r.Node, r.Key, r.ReadAt = c.at, sceneKey, c.now
	c.next.Records = append(c.next.Records, r)
	c.deliver()
	return c
}

// text reads a string that expires at a time; zero: never.
func (c *scene) text(value string, expires time.Time) *scene {
	r := stringRecord(sceneKey, value, 0)
	r.ExpiresAt = expires
	return c.read(r)
}

// entry reads a hash with one holder.
func (c *scene) entry(owner string, count int, expires time.Time) *scene {
	r := hashRecord(sceneKey, 0, owner, fmt.Sprint(count))
	r.ExpiresAt = expires
	return c.read(r)
}

func (c *scene) gone() *scene { return c.read(keyspace.Record{Type: keyspace.TypeNone}) }

// in is a moment of the scene's clock.
func (c *scene) in(d time.Duration) time.Time { return c.now.Add(d) }

// expect compares the events since the last look: "kind owner<previous cause".
func (c *scene) expect(want ...string) *scene {
	c.t.Helper()
	events, _ := c.store.log.since(c.seen)
	var got []string
	for _, e := range events {
		c.seen = e.Seq
		line := string(e.Kind) + " " + e.Owner
		if e.PreviousOwner != "" {
			line += "<" + e.PreviousOwner
		}
		if e.Cause != "" {
			line += " " + string(e.Cause)
		}
		got = append(got, line)
	}
	if !slices.Equal(got, want) {
		c.t.Fatalf("events\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	return c
}

// lock is the lock as the next snapshot shows it, or nil.
func (c *scene) lock() *Lock {
	c.t.Helper()
	c.checkTotals()
	for _, l := range c.store.snapshot(c.now).Locks {
		if l.Key == sceneKey {
			return l
		}
	}
	return nil
}

// must is the lock, in a state.
func (c *scene) must(state State) *Lock {
	c.t.Helper()
	l := c.lock()
	if l == nil {
		c.t.Fatalf("there is no lock; want it %s", state)
	}
	if l.State != state {
		c.t.Fatalf("the lock is %s, want %s: %+v", l.State, state, l)
	}
	return l
}

// codes are the findings of a lock, but for what is always so of its library.
func codes(l *Lock) []Code {
	found := []Code{}
	for _, f := range l.Findings {
		if f.Code == CodeUncheckedRelease {
			continue
		}
		found = append(found, f.Code)
		if f.Text == "" || f.Advice == "" || strings.Contains(f.Text, "%!") {
			panic(fmt.Sprintf("a finding without words: %+v", f))
		}
	}
	return found
}

// checkTotals counts anew what the store counts by difference.
func (c *scene) checkTotals() {
	c.t.Helper()
	fresh, past := totals{}, 0
	for i := range c.store.slots {
		at := &c.store.slots[i]
		if at.lock == nil {
			continue
		}
		fresh.add(countedOf(at.lock, c.now), 1)
		past += max(0, len(at.lock.History)-1)
	}
	kept := c.store.totals
	if kept.byState != fresh.byState || kept.suspects != fresh.suspects || kept.contended != fresh.contended || past != c.store.pastHolds {
		c.t.Fatalf("the totals are %v, past holds %d; counted anew they are %v, %d", kept.byState, c.store.pastHolds, fresh.byState, past)
	}
}
