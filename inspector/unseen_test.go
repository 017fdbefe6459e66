package inspector

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"locktop/keyspace"
)

// unseenBy are the times in which the lock of the scene was not seen, relative to a moment.
func unseenBy(s *Snapshot, l *Lock, since time.Time) string {
	said := []string{}
	relative := func(t time.Time, zero string) string {
		if t.IsZero() {
			return zero
		}
		return t.Sub(since).Round(time.Second).String()
	}
	for _, u := range s.UnseenOf(l) {
		said = append(said, relative(u.From, "ever")+" to "+relative(u.To, "now"))
	}
	return fmt.Sprint(said)
}

func TestWhatWasNotSeenIsTold(t *testing.T) {
	c, _ := held(t)
	began := c.now
	want := func(want string) {
		t.Helper()
		l := c.lock()
		if got := unseenBy(c.store.snapshot(c.now), l, began); got != want {
			t.Errorf("not seen: %s, want %s", got, want)
		}
	}
	want("[ever to 0s]")
	c.after(10 * time.Second).gap("the subscription was lost")
	want("[ever to 0s 10s to 10s]")
	c.after(10 * time.Second)
	published := c.store.snapshot(c.now)
	c.state.Connected, c.state.StaleSince = false, c.now
	c.status()
	c.deliver()
	want("[ever to 0s 10s to 10s 20s to now]")
	c.after(30 * time.Second)
	c.state.Connected, c.state.StaleSince = true, time.Time{}
	c.gap("nothing answered")
	want("[ever to 0s 10s to 10s 20s to 50s]")
	if got := unseenBy(published, published.Locks[0], began); got != "[ever to 0s 10s to 10s]" {
		t.Errorf("what was published has changed: %s", got)
	}
	other := *published.Locks[0]
	if other.Node = otherNode; len(published.UnseenOf(&other)) != 0 {
		t.Error("the gap of one node is not that of another")
	}
	for n := range 2 * maxUnseen {
		c.after(time.Second).gap(fmt.Sprint("gap ", n))
	}
	shot := c.store.snapshot(c.now)
	if n := len(shot.Unseen); n != maxUnseen || !shot.Unseen[0].From.IsZero() || shot.Unseen[0].To.Sub(began) < 90*time.Second {
		t.Errorf("%d times, the first is %+v", n, shot.Unseen[0])
	}
	c.leaves(sceneNode)
	if shot := c.store.snapshot(c.now); len(shot.Unseen) != 0 {
		t.Errorf("of a node that left: %+v", shot.Unseen)
	}
}

// TestBeforeTheFirstPassNothingWasSeen, however long that takes.
func TestBeforeTheFirstPassNothingWasSeen(t *testing.T) {
	s := newStore(Options{}, &eventLog{})
	s.take(keyspace.Update{Node: sceneNode, Status: &keyspace.Status{Node: sceneNode, Connected: true, Feed: keyspace.FeedPush}})
	s.wake(schemeNow)
	if u := s.snapshot(schemeNow).Unseen; len(u) != 1 || !u[0].To.IsZero() {
		t.Errorf("while it goes on: %+v", u)
	}
	s.take(keyspace.Update{Node: sceneNode, PassEnded: &keyspace.Pass{Generation: 1}})
	s.wake(schemeNow.Add(time.Minute))
	if u := s.snapshot(schemeNow).Unseen; len(u) != 1 || !u[0].To.Equal(schemeNow.Add(time.Minute)) {
		t.Errorf("after it: %+v", u)
	}
}

// TestARedlockIsSeenWhileAQuorumIs.
func TestARedlockIsSeenWhileAQuorumIs(t *testing.T) {
	at := func(s int) time.Time { return schemeNow.Add(time.Duration(s) * time.Second) }
	l := &Lock{Quorum: &Quorum{Needed: 2, Votes: []Vote{{Node: "a"}, {Node: "b"}, {Node: "c"}}}}
	s := &Snapshot{Unseen: []Unseen{
		{Node: "a", To: at(0)},
		{Node: "a", From: at(10), To: at(30)},
		{Node: "a", From: at(60)},
		{Node: "b", To: at(1)},
		{Node: "b", From: at(20), To: at(40)},
		{Node: "b", From: at(70)},
		{Node: "c", To: at(2)},
		{Node: "other", To: at(50)},
	}}
	got := s.UnseenOf(l)
	if want := []Span{{To: at(1)}, {From: at(20), To: at(30)}, {From: at(70)}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if s.Unseen = s.Unseen[:3]; len(s.UnseenOf(l)) != 0 {
		t.Error("one of three masters is not needed")
	}
}
