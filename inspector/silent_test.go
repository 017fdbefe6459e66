package inspector

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
)

// five is a scene in which an owner has acquired all five votes before our eyes.
func five(t *testing.T, owner string) (*scene, time.Time) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	end := c.in(lease)
	return c.sets(owner, end, 1, 2, 3, 4, 5).expect("acquired " + owner), end
}

// TestOutOfSight: the masters that saw a lock held do not answer. Whether it is held still is not known, and its hold goes on.
func TestOutOfSight(t *testing.T) {
	c, end := five(t, aToken)
	c.falls(refused, 5).row("held " + aToken + " 4/5")
	c.falls(late, 3, 4).row("held " + aToken + " 4/5") // it may pass: the last picture stays for a moment
	l := c.after(2 * time.Second).row("minority " + aToken + " 2/5 minority(warning)")
	for _, words := range []string{
		"has 2 of 5 votes, and 3 make a quorum", "10.0.0.3:6379 does not answer in time (no answer since ", "10.0.0.5:6379 is down (" + refused + ")",
		"It had the quorum before; 3 masters do not answer, and it may still be held.",
	} {
		if !strings.Contains(l.Findings[0].Text, words) {
			t.Errorf("the evidence is %q, want %q in it", l.Findings[0].Text, words)
		}
	}
	if h := l.hold(); h == nil || len(l.History) != 1 || !l.HeldExact {
		t.Errorf("nobody saw it end: %+v", l)
	}
	c.after(time.Minute).row("minority " + aToken + " 2/5 minority(warning)")
	c.answers(3, 4, 5).row("minority " + aToken + " 2/5 minority(warning)")
	for _, n := range []int{3, 4, 5} {
		c.on(master(n)).text(aToken, end).passed(master(n))
	}
	c.after(0)
	if l := c.lock(); l.Quorum.For != 5 || !l.HeldExact || len(l.History) != 1 || l.Renewals != 0 {
		t.Errorf("back: %+v", l)
	}
	c.expect("gap ", "gap ", "gap ")
}

// TestOutOfSightBesideAnother: that another client has the other votes does not make the holder
// lose one that is out of sight.
func TestOutOfSightBesideAnother(t *testing.T) {
	c := newRedlock(t, 5, keyspace.FeedPush)
	end := c.in(lease)
	c.sets("b", c.in(2*lease), 1, 2).sets("a", end, 3, 4, 5)
	l := c.falls(refused, 3).after(2 * time.Second).row("split a 2/5 split(warning)")
	text := l.Findings[0].Text
	if !strings.Contains(text, "b has 2 (") || !strings.Contains(text, "a had the quorum before and may still have it.") {
		t.Errorf("the evidence is %q", text)
	}
	c.answers(3).on(master(3)).text("a", end)
	c.after(2 * time.Second).row("held a 3/5 degraded-quorum(warning)")
}

func TestGoneWhileOutOfSight(t *testing.T) {
	c, _ := five(t, aToken)
	c.falls(refused, 3, 4, 5).after(2 * time.Second)
	c.answers(3, 4, 5).expect("gap ", "gap ", "gap ")
	c.on(master(3)).gone().on(master(4)).gone().expect() // with the last one it may have three
	c.on(master(5)).gone().expect()                      // the others may be about to tell of a release
	c.after(2 * time.Second).expect("lost " + aToken + " unknown")
	l := c.row("minority " + aToken + " 2/5 minority(critical)")
	if l.hold() != nil || l.History[0].Cause != CauseUnknown || l.History[0].UntilExact || strings.Contains(l.Findings[0].Text, "still be held") {
		t.Errorf("%+v", l)
	}
}

// TestReleasedInSight: where enough masters say that it is gone, those that do not answer cannot have kept it.
func TestReleasedInSight(t *testing.T) {
	c, _ := five(t, aToken)
	c.falls(refused, 4, 5).dels(1).expect()
	c.dels(2).expect().dels(3).expect("released " + aToken + " freed")
	c.answers(4, 5).on(master(4)).gone().on(master(5)).gone()
	c.after(10 * time.Second).row("no row")
}

// TestReleasePassedBySilentMasters: what only they have is no claim, until they are back and say so.
func TestReleasePassedBySilentMasters(t *testing.T) {
	c, end := five(t, aToken)
	c.falls(refused, 4, 5).dels(1, 2, 3).expect("released " + aToken + " freed")
	c.after(2 * time.Second).row("freed 0/5")
	c.after(10 * time.Second).row("no row")
	c.answers(4, 5).on(master(4)).text(aToken, end).on(master(5)).text(aToken, end)
	c.after(2 * time.Second).row("minority " + aToken + " 2/5 minority(warning)")
	c.falls(refused, 4, 5).after(2 * time.Second).row("no row")
}

func TestNobodyAnswers(t *testing.T) {
	c, _ := five(t, aToken)
	c.falls(refused, 1, 2, 3, 4, 5)
	l := c.after(2 * time.Second).row("minority " + aToken + " 0/5 minority(warning)")
	if !strings.Contains(l.Findings[0].Text, "5 masters do not answer") {
		t.Errorf("%+v", l.Findings)
	}
	if shot := c.store.snapshot(c.now); shot.Complete || len(shot.Nodes) != 5 {
		t.Errorf("%+v", shot)
	}
	if c.store.failure() == nil {
		t.Error("nobody answers")
	}
}

// TestHang: a master that was slow, and has missed nothing, votes as before.
func TestHang(t *testing.T) {
	c, _ := five(t, aToken)
	c.falls("10.0.0.4:6379 has not answered for 1.6 s", 3, 4, 5).after(2 * time.Second)
	c.row("minority " + aToken + " 2/5 minority(warning)")
	for n := 3; n <= 5; n++ {
		c.joins(master(n))
	}
	c.after(0).row("held " + aToken + " 5/5")
	c.expect()
}

// TestOneAnswersAgain: what a master has is not counted before it is read after an outage.
func TestOneAnswersAgain(t *testing.T) {
	c, end := five(t, aToken)
	l := c.falls(refused, 5).after(2 * time.Second).row("held " + aToken + " 4/5 degraded-quorum(warning)")
	if vote := l.Quorum.Votes[4]; vote.Ballot != BallotDown || vote.Owner != "" || vote.Detail != refused || vote.Observed.Value.Text != aToken {
		t.Errorf("%+v", vote)
	}
	if l = c.answers(5).lock(); l.Quorum.Votes[4].Ballot != BallotUnread {
		t.Errorf("%+v", l.Quorum.Votes[4])
	}
	c.on(master(5)).text(aToken, end)
	c.row("held " + aToken + " 5/5")
}

// TestMasterLeaves: one that is looked at no more has no vote, and what it hears when it comes back it hears anew.
func TestMasterLeaves(t *testing.T) {
	c, end := five(t, aToken)
	l := c.leaves(master(5)).after(2 * time.Second).lock()
	if len(l.Quorum.Votes) != 4 || l.Quorum.For != 4 || l.Quorum.Needed != 3 {
		t.Errorf("%+v", l.Quorum)
	}
	c.joins(master(5)).on(master(5)).text(aToken, end).passed(master(5)).after(0)
	c.row("held "+aToken+" 5/5").mustNot(t, CodeDegradedQuorum)
	c.expect()
}

// TestEntriesOfARedLock: Redisson's RedLock counts entries on every master, and they need not agree.
func TestEntriesOfARedLock(t *testing.T) {
	const owner = "0f4d3a52-6d7e-4b7f-8f2a-4a9d1c6c1e11:42"
	c := newRedlock(t, 3, keyspace.FeedPush)
	enter := func(count int, masters ...int) {
		for _, n := range masters {
			c.on(master(n)).hints("hincrby", "expire").entry(owner, count, c.in(lease))
		}
	}
	enter(1, 1)
	c.expect()
	enter(1, 2)
	c.expect("acquired " + owner)
	enter(2, 1)
	c.expect()
	enter(2, 3)
	c.expect("reentered " + owner)
	l := c.must(StateHeld)
	if l.Scheme != SchemeRedisson || l.Holders[0].Count != (Count{N: 2, Known: true}) || l.Quorum.For != 3 {
		t.Errorf("%+v", l)
	}
	enter(2, 2)
	c.expect()
	enter(1, 1)
	c.expect()
	enter(1, 2)
	c.expect("released " + owner)
	enter(1, 3)
	c.dels(1).expect().dels(2).expect("released " + owner + " freed")
}

// TestInspectVotes: one read of each master, in no order, makes the same lock as watching them does.
func TestInspectVotes(t *testing.T) {
	ref := keyspace.Ref{Key: sceneKey}
	look := func(n int, owner string, ttl time.Duration) Look {
		r := stringRecord(sceneKey, owner, ttl)
		r.Node = master(n)
		return Look{Node: master(n), Record: r}
	}
	none := func(n int) Look {
		return Look{Node: master(n), Record: keyspace.Record{Ref: keyspace.Ref{Node: master(n), Key: sceneKey}, Type: keyspace.TypeNone, ReadAt: schemeNow}}
	}
	failed := func(n int, err error) Look { return Look{Node: master(n), Err: fmt.Errorf("read: %w", err)} }
	for name, test := range map[string]struct {
		looks   []Look
		want    string
		ballots []Ballot
	}{
		"all": {
			[]Look{look(3, "a", lease), look(1, "a", lease), look(2, "a", lease)}, "held a 3/3", []Ballot{BallotFor, BallotFor, BallotFor},
		},
		"two": {
			[]Look{look(1, "a", lease), none(2), look(3, "a", lease)}, "held a 2/3 degraded-quorum(warning)", []Ballot{BallotFor, BallotAbsent, BallotFor},
		},
		"one": {[]Look{none(1), look(2, "a", lease), none(3)}, "minority a 1/3 minority(warning)", []Ballot{BallotAbsent, BallotFor, BallotAbsent}},
		"split, unless the third tells more": {
			[]Look{look(1, "a", lease), look(2, "b", lease), failed(3, context.DeadlineExceeded)},
			"split a b 1/3 split(warning)",
			[]Ballot{BallotFor, BallotOther, BallotTimeout},
		},
		"down": {
			[]Look{failed(1, errors.New("connection refused")), look(2, "a", lease), failed(3, keyspace.ErrPermission)},
			"minority a 1/3 minority(warning)",
			[]Ballot{BallotDown, BallotFor, BallotDenied},
		},
		"skew": {
			[]Look{look(1, "a", lease), look(2, "a", lease), look(3, "a", lease/2)},
			"held a 3/3 degraded-quorum(warning)",
			[]Ballot{BallotFor, BallotFor, BallotFor},
		},
		"stuck":  {[]Look{look(1, "a", 0), look(2, "a", 0), none(3)}, "stuck a 2/3 no-ttl(critical) degraded-quorum(warning)", []Ballot{BallotFor, BallotFor, BallotAbsent}},
		"nobody": {[]Look{none(1), none(2), failed(3, keyspace.ErrUnreachable)}, "no row", nil},
	} {
		t.Run(name, func(t *testing.T) {
			l, is := Rules(nil).InspectVotes(ref, test.looks, schemeNow)
			if got := row(l); got != test.want || is != (l != nil) {
				t.Fatalf("it is\n  %s\nwant\n  %s\n%+v", got, test.want, l)
			}
			if l == nil {
				return
			}
			var ballots []Ballot
			for _, vote := range l.Quorum.Votes {
				ballots = append(ballots, vote.Ballot)
				if vote.Observed.Key != sceneKey || vote.Observed.Node != vote.Node || vote.Ballot.unknown() && vote.Detail == "" {
					t.Errorf("%+v", vote)
				}
			}
			if !slices.Equal(ballots, test.ballots) {
				t.Errorf("ballots %v, want %v", ballots, test.ballots)
			}
			if held := l.Quorum.Margin() >= 0; held != (len(l.History) == 1) || held == l.HeldSince.IsZero() {
				t.Errorf("history %+v", l.History)
			}
			codes(l)
		})
	}
}

// TestAnyOrderOfVotes feeds what may and may not happen on several masters in any order: rows, totals, histories and events stay
// consistent with the votes.
func TestAnyOrderOfVotes(t *testing.T) {
	events := []string{"new", "set", "expire", "del", "expired", "evicted", "hset", "rename_from", "invalidate"}
	for seed := range uint64(200) {
		dice := rand.New(rand.NewPCG(seed, 11))
		masters := 2 + dice.IntN(5)
		c := newRedlock(t, masters, []keyspace.Feed{keyspace.FeedPush, keyspace.FeedTracking, keyspace.FeedPoll}[dice.IntN(3)])
		for range 200 {
			n := 1 + dice.IntN(masters)
			c.on(master(n))
			switch dice.IntN(10) {
			case 0, 1, 2:
				c.hints(events[dice.IntN(len(events))])
			case 3, 4, 5:
				c.text(fmt.Sprint("w", dice.IntN(2)), c.in(time.Duration(dice.IntN(40)-2)*time.Second))
			case 6:
				c.gone()
			case 7:
				c.read([]keyspace.Record{{Type: keyspace.TypeList, Size: 1}, {Type: keyspace.TypeDenied, Value: keyspace.Value{Text: "NOPERM"}}, hashRecord("", 0, "w0", "1")}[dice.IntN(3)])
			case 8:
				c.after(time.Duration(dice.IntN(3000)) * time.Millisecond)
			case 9:
				switch dice.IntN(8) {
				case 0:
					c.falls(refused, n)
				case 1:
					c.answers(n)
				case 2:
					c.passed(master(n)).after(0)
				case 3:
					c.leaves(master(n)).joins(master(n)).after(0)
				}
			}
			l := c.lock()
			if l == nil {
				continue
			}
			if l.StateAt(c.now) != l.State {
				t.Fatalf("seed %d: the state is %s, at that moment it is %s", seed, l.State, l.StateAt(c.now))
			}
			q := l.Quorum
			if q == nil || len(q.Votes) == 0 || q.Needed != masters/2+1 {
				t.Fatalf("seed %d: %+v", seed, q)
			}
			open := l.hold() != nil
			switch l.State {
			case StateFreed, StateWrong:
				if open {
					t.Fatalf("seed %d: %s, and held: %+v", seed, l.State, l)
				}
			case StateMinority, StateSplit:
				if !q.below() {
					t.Fatalf("seed %d: %s with %d votes", seed, l.State, q.For)
				}
			case StateExpired:
			case StateHeld, StateStuck, StateLapsed, StateCooldown:
				if q.below() || !open {
					t.Fatalf("seed %d: %s with %d votes, an open hold: %v", seed, l.State, q.For, open)
				}
			}
			for k, h := range l.History {
				if !h.Until.IsZero() && h.Until.Before(h.Since) || h.Until.IsZero() != (h.Cause == "") || h.Until.IsZero() && k != len(l.History)-1 && len(l.Holders) < 2 {
					t.Fatalf("seed %d: hold %d of %d: %+v", seed, k, len(l.History), h)
				}
			}
			codes(l)
		}
	}
}
