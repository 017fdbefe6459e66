package tui

import (
	"strings"
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
)

func TestDetailListsTheVotes(t *testing.T) {
	h := showing(t, 120, 40, redlockFixture())
	h.keys("j", "j", "enter")
	h.wantSeen("Votes 3 of 5, 3 needed: none may be lost", "● for      10.0.0.1:6379    22 s  worker-1",
		"! type     10.0.0.3:6379       -  the key holds no lock there: a list of 12 elements",
		"? down     10.0.0.4:6379       -  nothing answers there: connection refused",
		"validity      21 s left, until 14:03:48", "41 ms between the first and the last end", "database 0 of 5 masters")
	// Everything counts down by itself.
	h.now = noon.Add(10 * time.Second)
	h.send(tickMsg{})
	h.wantSeen("10.0.0.1:6379    12 s", "validity      11 s left")
	h.now = noon.Add(22 * time.Second)
	h.send(tickMsg{})
	h.wantSeen("10.0.0.1:6379    over", "over since 14:03:48: the holder must not rely on it")

	h = showing(t, 120, 40, redlockFixture())
	h.keys("enter")
	h.wantSeen("claimed by    worker-3", "✖ other    10.0.0.5:6379     9 s  worker-x", "2 of 5, 3 needed, 1 not known: it may be held",
		"none: no quorum is seen; its votes run out in 14 s")
}

// TestPaneShowsWhoClaims holds the pane under the table to the votes where nobody held the lock.
func TestPaneShowsWhoClaims(t *testing.T) {
	h := showing(t, 80, 24, redlockFixture())
	h.wantSeen("billing:month-3 · 2 of 5, 3 needed", "● for      10.0.0.2:6379    14 s  worker-3", "✖ other    10.0.0.5:6379     9 s  worker-x")
	h.keys("j", "j")
	h.wantSeen("orders:checkout-1 · who held it in the last 60 s")
}

func TestQuorumSentence(t *testing.T) {
	nodes := redlockFixture().Nodes
	for ballots, want := range map[string]string{
		"fffff": "5 of 5, 3 needed: 2 more may be lost",
		"fffaa": "3 of 5, 3 needed: none may be lost",
		"ffaaa": "2 of 5, 3 needed: nobody holds it",
		"ffdaa": "2 of 5, 3 needed, 1 not known: it may be held",
		"fdaaa": "1 of 5, 3 needed: nobody holds it",
		"ftnua": "1 of 5, 3 needed, 3 not known: it may be held",
	} {
		if got := quorumSentence(votesOf(nodes, ballots, "a", "b", time.Second)); got != want {
			t.Errorf("%s: %q, want %q", ballots, got, want)
		}
	}
}

// TestDetailSaysWhatReplicasHave proves that a lock that no replica is known to have is not taken for a safe one.
func TestDetailSaysWhatReplicasHave(t *testing.T) {
	second := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }
	for _, c := range []struct {
		until []time.Time
		want  string
	}{
		{[]time.Time{noon, noon}, "2 of 2 replicas acknowledged it: WAIT 2 would have confirmed"},
		{[]time.Time{noon, second(-60)}, "1 of 2 replicas acknowledged it: WAIT 1 would have confirmed"},
		{[]time.Time{second(-30), second(-60)}, "not known yet: none of 2 is known to have it"},
		{[]time.Time{{}, {}}, "not known yet"},
		{nil, "not known yet"},
	} {
		s := sentinelFixture()
		s.Nodes[0].Replication.AcknowledgedUntil = c.until
		h := showing(t, 120, 40, s)
		h.keys("/", "c", "h", "e", "c", "k", "enter", "enter") // since 7.6 s
		h.wantSeen("replicas      " + c.want)
	}
	h := withFixture(t, 120, 40, "mono")
	h.keys("enter")
	h.wantUnseen("replicas")
}

// TestDialogNamesTheMasters holds the dialog to the masters that it acts on, for each claimant, and to those out of reach.
func TestDialogNamesTheMasters(t *testing.T) {
	h := showing(t, 80, 24, redlockFixture())
	h.keys("r")
	h.wantSeen("claimant worker-3", "acts on  10.0.0.1:6379, 10.0.0.2:6379", "✖ not on 10.0.0.4:6379 (down)")
	h.keys("shift+tab", "shift+tab", "right")
	h.wantSeen("claimant worker-x", "acts on  10.0.0.3:6379, 10.0.0.5:6379")
	h = showing(t, 80, 24, redlockFixture())
	h.keys("j", "x")
	h.wantSeen("acts on  10.0.0.1:6379", "10.0.0.3:6379 (down)", "(timeout)", "(denied)")

	names := strings.Split(strings.Repeat("10.0.0.1:6379,", 99)+"10.0.0.1:6379", ",")
	if got := enumerate(names, 60); got != "10.0.0.1:6379, 10.0.0.1:6379, 10.0.0.1:6379 and 97 more" {
		t.Errorf("a hundred masters are %q", got)
	}
}

func TestReplicasTakeNoAction(t *testing.T) {
	for key, verb := range map[string]actions.Verb{"r": actions.VerbRelease, "e": actions.VerbExtend, "x": actions.VerbForceExpire} {
		h := showing(t, 120, 30, replicaFixture())
		h.keys(key)
		if h.m.dialog != nil {
			t.Errorf("%s opens a dialog on a replica", verb)
		}
		h.wantSeen(string(verb) + " is refused: 10.0.0.8:6379 is a replica of 10.0.0.1:6379; look at that one")
	}
}

// TestVoteOf finds a master's vote also where the votes are not in the order of the nodes.
func TestVoteOf(t *testing.T) {
	q := &inspector.Quorum{Votes: []inspector.Vote{{Node: "a"}, {Node: "b"}}}
	for node, want := range map[keyspace.Node]*inspector.Vote{"a": &q.Votes[0], "b": &q.Votes[1], "c": nil} {
		for at := range 3 {
			if got := voteOf(q, node, at); got != want {
				t.Errorf("the vote of %s at %d: %v", node, at, got)
			}
		}
	}
	if voteOf(nil, "a", 0) != nil {
		t.Error("a lock without a quorum has a vote")
	}
}

// TestOutcomeOfEachMaster shows an action that some of the masters took: a line a master that did not, and how the quorum
// stands, however many they are.
func TestOutcomeOfEachMaster(t *testing.T) {
	h := showing(t, 80, 24, redlockFixture())
	h.operator.outcome = actions.Outcome{
		Result: actions.ResultPartly, Woken: -1, Nodes: []actions.NodeOutcome{
			{Node: "10.0.0.1:6379", Asked: true, Result: actions.ResultReleased},
			{Node: "10.0.0.2:6379", Asked: true, Result: actions.ResultUnknown},
		},
		Detail: "10.0.0.2:6379: unknown, look again; 10.0.0.3:6379 has another key there; 10.0.0.4:6379 could not be asked: down" +
			" (connection refused); 10.0.0.5:6379 does not have it; worker-1 has no quorum",
	}
	h.keys("j", "j", "r", "tab", "enter")
	h.answer()
	h.wantSeen("▲ ", "\n   10.0.0.3:6379 has another key there;", "\n   worker-1 has no quorum")
	if err := checkFrame(h.m.View(), 80, 24); err != nil {
		t.Error(err)
	}
}
