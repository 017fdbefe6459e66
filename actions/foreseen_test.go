package actions

import (
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
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

// TestRefusedBeforeAgreesWithDo: what is said before an action is what becomes of it where nothing changes in between.
func TestRefusedBeforeAgreesWithDo(t *testing.T) {
	client := redistest.Start(t).Client()
	o := NewOperator(OneServer(client), Options{})
	held := heldLock(t, client, "lock:a", "A")
	freed := *held
	freed.State = inspector.StateFreed
	odd := *held
	odd.Scheme = inspector.SchemeUnknown
	nobody := *held
	nobody.Holders = nil
	for name, c := range map[string]struct {
		r    Request
		want Result
	}{
		"freed":         {Request{Verb: VerbRelease, Owner: "A", Lock: &freed}, ResultGone},
		"no scheme":     {Request{Verb: VerbRelease, Owner: "A", Lock: &odd}, ResultUnsupported},
		"nobody":        {Request{Verb: VerbRelease, Owner: "A", Lock: &nobody}, ResultUnsupported},
		"another":       {Request{Verb: VerbRelease, Owner: "B", Lock: held}, ResultNotHolder},
		"no lease":      {Request{Verb: VerbExtend, Owner: "A", Lock: held}, ResultFailed},
		"longer delay":  {Request{Verb: VerbForceExpire, Owner: "A", Lock: held, TTL: time.Hour}, ResultChanged},
		"shorter delay": {Request{Verb: VerbForceExpire, Owner: "A", Lock: held, TTL: 20 * time.Second, DryRun: true}, ResultDryRun},
		"release":       {Request{Verb: VerbRelease, Owner: "A", Lock: held, DryRun: true}, ResultDryRun},
	} {
		refused, out := RefusedBefore(c.r, time.Now()), o.Do(t.Context(), c.r)
		if out.Result != c.want || (refused == nil) != (c.want == ResultDryRun) || refused != nil && refused.Result != out.Result {
			t.Errorf("%s: foreseen %+v, done %+v, want %s", name, refused, out, c.want)
		}
	}
	if left := client.PTTL(t.Context(), "lock:a").Val(); left > time.Minute {
		t.Errorf("a force-expiry lengthened the lease to %v", left)
	}
}

// TestEveryHolderIsReleased: one after another, each compared with what the one before left.
func TestEveryHolderIsReleased(t *testing.T) {
	client := redistest.Start(t).Client()
	o := NewOperator(OneServer(client), Options{})
	client.HSet(t.Context(), "lock:a", "A", 2, "B", 1, "C", 3)
	lock := observe(t.Context(), t, client, inspector.SchemeReentrant, "lock:a")
	for _, h := range lock.Holders {
		out := o.Do(t.Context(), Request{Verb: VerbRelease, Owner: h.Owner, Lock: lock})
		if out.Result != ResultReleased && out.Result != ResultEntryReleased {
			t.Fatalf("%s: %+v", h.Owner, out)
		}
		lock = WithoutHolder(lock, h.Owner)
	}
	if client.Exists(t.Context(), "lock:a").Val() != 0 || len(lock.Holders) != 0 {
		t.Error("somebody holds it still")
	}
	client.HSet(t.Context(), "lock:a", "A", 1, "B", 1)
	lock = observe(t.Context(), t, client, inspector.SchemeReentrant, "lock:a")
	client.HSet(t.Context(), "lock:a", "intruder", 1)
	if out := o.Do(t.Context(), Request{Verb: VerbRelease, Owner: "B", Lock: WithoutHolder(lock, "A")}); out.Result != ResultChanged {
		t.Errorf("nobody was released before, but %+v", out)
	}
	if !EndsForAll(Request{Verb: VerbForceExpire, Lock: lock}) || EndsForAll(Request{Verb: VerbRelease, Lock: lock}) ||
		EndsForAll(Request{Verb: VerbForceExpire, Lock: &inspector.Lock{Scheme: inspector.SchemeRedissonPermits}}) {
		t.Error("whom a force-expiry concerns is not told")
	}
}
