package actions

import (
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// TestForeseen tells the masters that have the lock for the owner from those that have not, and those from the ones of which
// nobody knows.
func TestForeseen(t *testing.T) {
	seen := func(node keyspace.Node, owner string) keyspace.Record {
		return keyspace.Record{
			Ref: keyspace.Ref{Node: node, Key: "lock:a"}, Type: keyspace.TypeString, Size: int64(len(owner)),
			Value: keyspace.Value{Text: owner}, ExpiresAt: time.Now().Add(time.Minute), ReadAt: time.Now(),
		}
	}
	lock := &inspector.Lock{
		Ref: keyspace.Ref{Node: "m1", Key: "lock:a"}, Scheme: inspector.SchemeToken, Holders: []inspector.Holder{{Owner: "mine"}},
		Quorum: &inspector.Quorum{For: 1, Needed: 3, Votes: []inspector.Vote{
			{Node: "m1", Ballot: inspector.BallotFor, Owner: "mine", Observed: seen("m1", "mine")},
			{Node: "m2", Ballot: inspector.BallotOther, Owner: "other", Observed: seen("m2", "other")},
			{Node: "m3", Ballot: inspector.BallotAbsent},
			{Node: "m4", Ballot: inspector.BallotDown, Detail: "connection refused"},
			{Node: "m5", Ballot: inspector.BallotDenied},
		}},
	}
	nodes := Foreseen(Request{Verb: VerbRelease, Lock: lock, Owner: "mine"})
	for i, want := range []NodeOutcome{
		{Node: "m1", Asked: true},
		{Node: "m2", Result: ResultNotHolder},
		{Node: "m3", Result: ResultGone},
		{Node: "m4", Result: ResultFailed},
		{Node: "m5", Result: ResultDenied},
	} {
		if got := nodes[i]; got.Node != want.Node || got.Asked != want.Asked || got.Result != want.Result {
			t.Errorf("%s is foreseen as %+v", want.Node, got)
		}
	}
	if Foreseen(Request{Verb: VerbRelease, Lock: &inspector.Lock{}}) != nil {
		t.Error("one server has masters")
	}
}
