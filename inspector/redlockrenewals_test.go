package inspector

import (
	"testing"
	"time"

	"locktop/keyspace"
)

// TestRenewalsOfSomeVotes: a round of renewals is one of the lock, whichever of its votes take part, and
// however many rounds the others missed.
func TestRenewalsOfSomeVotes(t *testing.T) {
	start := func() *scene {
		c := newRedlock(t, 5, keyspace.FeedPush)
		return c.sets(aToken, c.in(lease), 1, 2, 3, 4, 5).expect("acquired " + aToken)
	}
	once := "renewed " + aToken
	round := func(c *scene, masters ...int) *scene {
		return c.after(5*time.Second).renews(aToken, c.in(lease), masters...)
	}

	c := round(start(), 1, 2, 3).expect(once) // one of those that renewed is lost, the others follow
	c.dels(1).expect().renews(aToken, c.in(lease), 4, 5).expect()
	round(c, 2, 3).expect().renews(aToken, c.in(lease), 4, 5).expect(once)

	c = start() // two have missed two rounds, and are needed then
	round(c, 3, 4, 5).expect(once)
	round(c, 3, 4, 5).expect(once).dels(3).expect()
	round(c, 1, 2, 4, 5).expect(once)
	round(c, 1, 2, 4, 5).expect(once)

	c = start() // a new vote is on a level with the others
	for range 3 {
		round(c, 1, 2, 3, 4, 5).expect(once)
	}
	c.dels(5).expect().sets(aToken, c.in(lease), 5).expect().dels(1, 2).expect()
	round(c, 3, 4, 5).expect(once)
	if l := c.must(StateHeld); l.Renewals != 4 || len(l.History) != 1 {
		t.Errorf("%+v", l)
	}
}

// TestRenewalsAreNoUnrest: the votes stay as they are while they are renewed, however often.
func TestRenewalsAreNoUnrest(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	c.sets("a", c.in(2*time.Second), 1, 2, 3, 4)
	for range 5 {
		c.after(400*time.Millisecond).renews("a", c.in(2*time.Second), 1, 2, 3, 4)
	}
	c.row("held a 4/5 degraded-quorum(info)")
	c.sets("a", c.in(2*time.Second), 5).row("held a 5/5")
}

// TestAVoteThatComesAndGoes: how the quorum was made is not told anew from what is left of the votes' histories.
func TestAVoteThatComesAndGoes(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	c.sets(aToken, c.in(10*time.Minute), 1, 2, 3, 4, 5).expect("acquired " + aToken)
	for range 2 * maxVoteHolds {
		c.after(20*time.Second).dels(1).sets(aToken, c.in(8*time.Minute), 1).expect()
	}
	if l := c.must(StateHeld); len(l.History) != 1 || !l.HeldExact || l.Quorum.For != 5 {
		t.Errorf("%+v", l)
	}
}
