package inspector

import (
	"testing"
	"time"

	"locktop/keyspace"
)

const (
	otherNode = keyspace.Node("127.0.0.1:6380")
	aToken    = "n4L/2ZlftbtoJhoNxYjXOg==" // drawn for each acquisition
	bToken    = "u7Qm2Zt7LbWc4RpAnxYjXQ=="
)

// moving is a scene in which a token was acquired before our eyes, on one of two nodes.
func moving(t *testing.T) (*scene, time.Time) {
	c := newScene(t, keyspace.FeedPush)
	c.joins(otherNode).passed(otherNode)
	end := c.in(lease)
	c.hints("new", "set", "expire").text(aToken, end).expect("acquired " + aToken)
	return c, end
}

// only is the lock, of which there is one.
func (c *scene) only(state State) *Lock {
	c.t.Helper()
	if n := len(c.store.snapshot(c.now).Locks); n != 1 {
		c.t.Fatalf("%d locks, want one", n)
	}
	return c.must(state)
}

// TestASlotMoves: a key that is on another node now is the same lock, and nothing has happened to it.
func TestASlotMoves(t *testing.T) {
	c, end := moving(t)
	c.after(time.Second).hints("del") // MIGRATE deletes it here
	c.on(otherNode).hints("new", "restore").text(aToken, end.Add(300*time.Millisecond)).expect()
	l := c.only(StateHeld)
	if l.Node != otherNode || l.Observed.Node != otherNode || !l.HeldExact || len(l.History) != 1 || l.Renewals != 0 {
		t.Errorf("after the move: %+v", l)
	}
	c.on(sceneNode).late("del").deliver() // news from where it was
	c.on(otherNode).after(time.Second).text(aToken, end.Add(300*time.Millisecond)).expect()
	c.after(time.Second).hints("expire").text(aToken, c.in(lease)).expect("renewed " + aToken)
	c.after(time.Second).hints("del").gone().expect("released " + aToken + " freed")
	c.only(StateFreed)
}

// TestANameThatMovesProvesNothing: a client that writes its own name may have released and acquired meanwhile.
func TestANameThatMovesProvesNothing(t *testing.T) {
	c, end := held(t)
	c.joins(otherNode).passed(otherNode)
	c.on(otherNode).text("a", end).expect()
	if l := c.only(StateHeld); l.HeldExact || l.Node != otherNode {
		t.Errorf("after the move: %+v", l)
	}
}

func TestAnotherHolderAfterTheMove(t *testing.T) {
	c, _ := moving(t)
	c.hints("del")
	c.on(otherNode).hints("new", "set", "expire").text(bToken, c.in(lease)).expect("handed-over " + bToken + "<" + aToken + " unknown")
	l := c.only(StateHeld)
	if l.HeldExact || l.History[0].UntilExact || len(l.Findings) != 0 {
		t.Errorf("after the move: %+v", l)
	}
}

// TestLostInAFailOver: the new master never got the key. Nobody released it.
func TestLostInAFailOver(t *testing.T) {
	for name, after := range map[string]time.Duration{"while it was held": time.Second, "after its lease": 2 * lease} {
		t.Run(name, func(t *testing.T) {
			c, _ := moving(t)
			c.hints("expire").leaves(sceneNode).after(after)
			c.store.take(keyspace.Update{Node: otherNode, Status: &keyspace.Status{ // what was flushed there was not this key
				Node: otherNode, Connected: true, Feed: keyspace.FeedPush, Gaps: 1, LastGap: c.now, LastGapWhy: "FLUSHALL was called",
			}})
			c.on(otherNode).gone().expect("gap ", "deleted "+aToken+" unknown")
			if l := c.only(StateFreed); l.FreedBy != CauseUnknown || l.History[0].UntilExact || l.Node != sceneNode {
				t.Errorf("after the fail-over: %+v", l)
			}
		})
	}
}

func TestANodeLeavesAndComesBack(t *testing.T) {
	c, end := moving(t)
	c.hints("del").deliver()
	c.leaves(sceneNode)
	shot := c.store.snapshot(c.now)
	if len(shot.Nodes) != 1 || shot.Nodes[0].Node != otherNode || !shot.Complete || len(shot.Locks) != 1 || shot.Locks[0].State != StateHeld {
		t.Fatalf("after it left: %+v", shot)
	}
	c.hints("del").gone().expect() // still under way when it left
	if shot := c.store.snapshot(c.now); len(shot.Nodes) != 1 || shot.Locks[0].State != StateHeld {
		t.Fatalf("what it had to say when it left: %+v", shot)
	}
	c.joins(sceneNode)
	if shot := c.store.snapshot(c.now); len(shot.Nodes) != 2 || shot.Complete {
		t.Fatalf("back, before its first pass: %+v", shot)
	}
	c.text(aToken, end).expect()
	if l := c.only(StateHeld); !l.HeldExact || len(l.History) != 1 {
		t.Errorf("back: %+v", l)
	}
	if c.passed(sceneNode); !c.store.snapshot(c.now).Complete {
		t.Error("every node was passed over")
	}
	c.leaves(sceneNode).after(time.Second).joins(sceneNode)
	c.gone().expect("deleted " + aToken + " unknown") // nobody heard what happened meanwhile
}

// TestOldReadsOfAnotherNode: two feeds deliver independently, and what one read before the key moved may come last.
func TestOldReadsOfAnotherNode(t *testing.T) {
	c, end := moving(t)
	before := c.now
	c.after(time.Second).on(otherNode).text(aToken, end)
	c.store.take(keyspace.Update{Node: sceneNode, Records: []keyspace.Record{{
		Ref: keyspace.Ref{Node: sceneNode, Key: sceneKey}, Type: keyspace.TypeNone, ReadAt: before,
	}}})
	c.expect()
	if l := c.only(StateHeld); l.Node != otherNode {
		t.Errorf("%+v", l)
	}
}

// TestFreedWhereItWas: a freed lock that is acquired on another node keeps its history, while it lingers and later.
func TestFreedWhereItWas(t *testing.T) {
	for name, after := range map[string]time.Duration{"while it lingers": time.Second, "later": time.Minute} {
		t.Run(name, func(t *testing.T) {
			c, _ := moving(t)
			c.hints("del").gone().expect("released " + aToken + " freed")
			c.after(after).on(otherNode).gone().hints("new", "set", "expire").text(bToken, c.in(lease)).expect("acquired " + bToken)
			if l := c.only(StateHeld); len(l.History) != 2 || !l.HeldExact || l.Node != otherNode {
				t.Errorf("%+v", l)
			}
		})
	}
}

// TestAGapOfOneNode says nothing of the keys of another.
func TestAGapOfOneNode(t *testing.T) {
	c, end := moving(t)
	c.store.take(keyspace.Update{Node: otherNode, Status: &keyspace.Status{
		Node: otherNode, Connected: true, Feed: keyspace.FeedPush, Gaps: 1, LastGap: c.now.Add(time.Millisecond), LastGapWhy: "FLUSHALL was called",
	}})
	c.expect("gap ")
	c.after(lease).hints("expired").gone().expect("expired " + aToken + " expired")
	if l := c.only(StateFreed); !l.History[0].Until.Equal(end) {
		t.Errorf("%+v", l)
	}
}

// TestAWrongTypeMoves: what is no lock is where it was last read.
func TestAWrongTypeMoves(t *testing.T) {
	c := newScene(t, keyspace.FeedPush)
	c.joins(otherNode).passed(otherNode)
	c.read(keyspace.Record{Type: keyspace.TypeList, Size: 2})
	c.on(otherNode).read(keyspace.Record{Type: keyspace.TypeList, Size: 2})
	if l := c.only(StateWrong); l.Node != otherNode {
		t.Errorf("%+v", l)
	}
	c.expect()
}

// TestAcquiredInAFailOver: what appears on a master that took over was acquired meanwhile, if all was known before; else it may have
// been held for long.
func TestAcquiredInAFailOver(t *testing.T) {
	for name, known := range map[string]bool{"all was known": true, "one was never reached": false} {
		t.Run(name, func(t *testing.T) {
			c := newScene(t, keyspace.FeedPush)
			third := keyspace.Node("127.0.0.1:6381")
			joins := func(node keyspace.Node) {
				c.store.take(keyspace.Update{Node: node, Status: &keyspace.Status{Node: node, Connected: true, Feed: keyspace.FeedPush, Topology: keyspace.Cluster}})
			}
			joins(sceneNode)
			joins(otherNode)
			c.passed(sceneNode)
			if known {
				c.passed(otherNode)
			}
			joins(third)
			c.leaves(otherNode)
			c.on(third).text(aToken, c.in(lease))
			if known {
				c.expect("acquired " + aToken)
			} else {
				c.expect()
			}
			if l := c.only(StateHeld); l.HeldExact {
				t.Errorf("nobody heard it: %+v", l)
			}
			c.passed(third).leaves(sceneNode)
			joins(sceneNode)
			c.on(sceneNode).gone().expect("deleted " + aToken + " unknown")
			c.after(time.Minute).text(bToken, c.in(lease)).expect("acquired " + bToken)
		})
	}
}
