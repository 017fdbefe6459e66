package actions

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// testMasters are independent masters.
type testMasters struct {
	servers []*redistest.Server
	clients map[keyspace.Node]*redis.Client
	admins  []*redis.Client
}

func newTestMasters(t *testing.T, n int) *testMasters {
	t.Helper()
	m := &testMasters{servers: redistest.StartMasters(t, n), clients: map[keyspace.Node]*redis.Client{}}
	for _, s := range m.servers {
		m.admins = append(m.admins, s.Client())
		m.clients[keyspace.Node(s.Addr)] = s.Client(func(o *redis.Options) {
			o.Network, o.Addr, o.ReadTimeout = "tcp", s.Addr, time.Second
		})
	}
	return m
}

func (m *testMasters) Client(_ context.Context, ref keyspace.Ref) (*redis.Client, error) {
	return m.clients[ref.Node], nil
}

func (m *testMasters) Redirected(context.Context, string) (*redis.Client, error) {
	return nil, fmt.Errorf("masters do not redirect")
}

func (m *testMasters) Sharded() bool { return false }

// hold gives the lock to an owner on some of the masters, by number.
func (m *testMasters) hold(t *testing.T, owner string, lease time.Duration, on ...int) {
	t.Helper()
	for _, i := range on {
		if err := m.admins[i].Set(t.Context(), "lock", owner, lease).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// see is the lock as all masters have it, but for those that are down.
func (m *testMasters) see(t *testing.T, down ...int) *inspector.Lock {
	t.Helper()
	q := &inspector.Quorum{Needed: len(m.servers)/2 + 1}
	claims := map[string]int{}
	for i, s := range m.servers {
		vote := inspector.Vote{Node: keyspace.Node(s.Addr), Ballot: inspector.BallotAbsent}
		for _, is := range down {
			if is == i {
				vote.Ballot, vote.Detail = inspector.BallotDown, "connection refused"
			}
		}
		if vote.Ballot != inspector.BallotDown {
			if lock := observe(t.Context(), t, m.admins[i], inspector.SchemeToken, "lock"); lock.Observed.Exists() {
				vote.Observed, vote.Owner, vote.ExpiresAt = lock.Observed, lock.Holders[0].Owner, lock.ExpiresAt
				vote.Observed.Node = vote.Node
				claims[vote.Owner]++
			}
		}
		q.Votes = append(q.Votes, vote)
	}
	first := ""
	for owner, n := range claims {
		if n > claims[first] || first == "" {
			first = owner
		}
	}
	lock := &inspector.Lock{
		Ref: keyspace.Ref{Key: "lock"}, Scheme: inspector.SchemeToken, Mode: inspector.ModeExclusive, State: inspector.StateHeld, Quorum: q,
	}
	q.For = claims[first]
	if q.For < q.Needed {
		lock.State = inspector.StateMinority
	}
	lock.Holders = []inspector.Holder{{Owner: first, Label: first}}
	for i := range q.Votes {
		switch vote := &q.Votes[i]; vote.Owner {
		case "":
		case first:
			vote.Ballot, lock.Observed, lock.ExpiresAt = inspector.BallotFor, vote.Observed, vote.ExpiresAt
		default:
			vote.Ballot = inspector.BallotOther
		}
	}
	return lock
}

// left are the owners on each of the masters, "-" where there is none.
func (m *testMasters) left(t *testing.T) string {
	t.Helper()
	var all []string
	for _, admin := range m.admins {
		owner := admin.Get(context.WithoutCancel(t.Context()), "lock").Val()
		if owner == "" {
			owner = "-"
		}
		all = append(all, owner)
	}
	return strings.Join(all, " ")
}

// short writes numbers for the masters' addresses.
func (m *testMasters) short(said string) string {
	for i, s := range m.servers {
		said = strings.ReplaceAll(said, s.Addr, fmt.Sprintf("m%d", i))
	}
	return said
}

func TestRedlock(t *testing.T) {
	m := newTestMasters(t, 5)
	audit := openAudit(t)
	all := []int{0, 1, 2, 3, 4}
	for _, test := range []struct {
		name    string
		hold    map[string][]int
		down    []int
		between func() // after it was seen
		r       Request
		want    Result
		said    string // its words, with the masters' numbers
		left    string // afterwards
	}{
		{
			name: "all well", hold: map[string][]int{"A": all}, r: Request{Verb: VerbRelease}, want: ResultReleased,
			said: "released lock from A on 5 of 5 masters: A has no quorum", left: "- - - - -",
		},
		{
			name: "all well, extended", hold: map[string][]int{"A": all}, r: Request{Verb: VerbExtend, TTL: time.Hour}, want: ResultExtended,
			said: "extended lock to 1h00m for A on 5 of 5 masters: A has the quorum for 59m2", left: "A A A A A",
		},
		{
			name: "all well, force-expired", hold: map[string][]int{"A": all}, r: Request{Verb: VerbForceExpire}, want: ResultExpired,
			said: "force-expired lock, which A had on 5 of 5 masters: A has no quorum", left: "- - - - -",
		},
		{
			name: "all well, soon", hold: map[string][]int{"A": all}, r: Request{Verb: VerbForceExpire, TTL: 10 * time.Second}, want: ResultExpired,
			said: "lock ends in 10 s on 5 of 5 masters, and A has it until then: A has the quorum for 9.", left: "A A A A A",
		},
		{
			name: "one down", hold: map[string][]int{"A": all}, down: []int{1}, r: Request{Verb: VerbRelease}, want: ResultReleased,
			said: "released lock from A on 4 of 5 masters: m1 could not be asked: down (connection refused); A has no quorum", left: "- A - - -",
		},
		{
			name: "three down", hold: map[string][]int{"A": all}, down: []int{1, 2, 3}, r: Request{Verb: VerbRelease}, want: ResultReleased,
			said: "released lock from A on 2 of 5 masters: m1 could not be asked: down (connection refused); m2 could not be asked: down (connection refused); m3 could not be asked: down (connection refused); A may have the quorum still: look again",
			left: "- A A A -",
		},
		{
			name: "another holder on two", hold: map[string][]int{"A": {0, 1, 2}, "B": {3, 4}}, r: Request{Verb: VerbRelease}, want: ResultReleased,
			said: "released lock from A on 3 of 5 masters: m3 has another holder, B; m4 has another holder, B; A has no quorum", left: "- - - B B",
		},
		{
			name: "what another has beside the quorum", hold: map[string][]int{"A": {0, 1, 2}, "B": {3, 4}}, r: Request{Verb: VerbRelease, Owner: "B"}, want: ResultReleased,
			said: "released lock from B on 2 of 5 masters: m0 has another holder, A", left: "A A A - -",
		},
		{
			name: "extend what another has beside the quorum", hold: map[string][]int{"A": {0, 1, 2}, "B": {3, 4}}, r: Request{Verb: VerbExtend, TTL: time.Hour, Owner: "B"}, want: ResultNotHolder,
			said: "lock was not extended: held by A, not by B", left: "A A A B B",
		},
		{
			name: "nobody's", hold: map[string][]int{"A": {0, 1, 2}}, r: Request{Verb: VerbRelease, Owner: "C"}, want: ResultNotHolder,
			said: "lock was not released: held by A, not by C", left: "A A A - -",
		},
		{
			name: "taken over on one meanwhile", hold: map[string][]int{"A": all}, between: func() { m.hold(t, "B", time.Minute, 2) }, r: Request{Verb: VerbRelease}, want: ResultPartly,
			said: "partly done: released lock of A on 4 of 5 masters: m2 has another holder, B; A has no quorum", left: "- - B - -",
		},
		{
			name: "taken over on all meanwhile", hold: map[string][]int{"A": all}, between: func() { m.hold(t, "B", time.Minute, all...) }, r: Request{Verb: VerbRelease}, want: ResultNotHolder,
			said: "lock was not released: changed while you were reading: now held by B: m0 has another holder, B", left: "B B B B B",
		},
		{
			name: "extended on too few", hold: map[string][]int{"A": {0, 1}}, r: Request{Verb: VerbExtend, TTL: time.Hour}, want: ResultExtended,
			said: "extended lock to 1h00m for A on 2 of 5 masters: m2 does not have it; m3 does not have it; m4 does not have it; A has no quorum", left: "A A - - -",
		},
		{
			name: "extended where one vote was renewed", hold: map[string][]int{"A": all}, between: func() { m.hold(t, "A", 2*time.Hour, 0) }, r: Request{Verb: VerbExtend, TTL: time.Hour}, want: ResultPartly,
			said: "partly done: extended lock of A on 4 of 5 masters: m0: it was renewed, or released and acquired again, since you looked", left: "A A A A A",
		},
		{
			name: "gone meanwhile where it is extended", hold: map[string][]int{"A": {0, 1, 2}}, between: func() { m.admins[0].Del(t.Context(), "lock") }, r: Request{Verb: VerbExtend, TTL: time.Hour}, want: ResultPartly,
			said: "partly done: extended lock of A on 2 of 5 masters: m0 does not have it; m3 does not have it; m4 does not have it; A has no quorum", left: "- A A - -",
		},
		{
			name: "a number that no lock has", hold: map[string][]int{"A": all}, r: Request{Verb: VerbExtend, TTL: -1}, want: ResultFailed, said: "lock was not extended: failed: a lease must be", left: "A A A A A",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, admin := range m.admins {
				admin.FlushAll(t.Context())
			}
			for owner, on := range test.hold {
				m.hold(t, owner, time.Minute, on...)
			}
			r := test.r
			if r.Owner == "" {
				r.Owner = "A"
			}
			r.Lock = m.see(t, test.down...)
			o := NewOperator(m, Options{Audit: audit})
			before := m.left(t)
			if line := RedisCLI(r); (line == "") != (test.want == ResultNotHolder && test.between == nil || test.want == ResultFailed) {
				t.Errorf("command line %q", line)
			}
			dry := r
			dry.DryRun = true
			if test.between == nil {
				if out := o.Do(t.Context(), dry); out.Result.Done() || out.Result == ResultUnknown || m.left(t) != before {
					t.Errorf("dry run: %s", m.short(out.Sentence(dry)))
				} else {
					t.Log(m.short(out.Sentence(dry)))
				}
			} else {
				test.between()
			}
			t.Log(m.short(Consequence(r)))
			out := o.Do(t.Context(), r)
			said := m.short(out.Sentence(r))
			if out.Result != test.want || !strings.HasPrefix(said, test.said) {
				t.Errorf("%s: %q, want %s: %q", out.Result, said, test.want, test.said)
			}
			if left := m.left(t); left != test.left {
				t.Errorf("left %q, want %q", left, test.left)
			}
			lines := auditLines(t, audit)
			if last := lines[len(lines)-1]; last.Outcome != out.Result || len(last.Nodes) != len(out.Nodes) {
				t.Errorf("the audit says %+v", last)
			}
			if extended := r.Verb == VerbExtend && strings.Contains(said, "has the quorum for"); extended != !out.ValidUntil.IsZero() && r.Verb == VerbExtend {
				t.Errorf("valid until %v", out.ValidUntil)
			}
		})
	}
}

// TestRedlockStalled has masters that hang when they are asked, or are dead by then.
func TestRedlockStalled(t *testing.T) {
	t.Parallel()
	m := newTestMasters(t, 5)
	for _, admin := range m.admins { // the scripts are known, so that what is lost is what acts
		admin.ScriptLoad(t.Context(), act.text)
	}
	m.hold(t, "A", time.Minute, 0, 1, 2, 3, 4)
	r := Request{Verb: VerbRelease, Owner: "A", Lock: m.see(t)}
	for _, client := range m.clients {
		client.Ping(t.Context()) // a connection that is there already
	}
	m.servers[1].Pause()
	m.servers[3].Kill()
	out := NewOperator(m, Options{}).Do(t.Context(), r)
	m.servers[1].Resume()
	said := m.short(out.Sentence(r))
	if out.Result != ResultPartly || !strings.HasPrefix(said, "partly done: released lock of A on 3 of 5 masters: m1: unknown, look again: ") || !strings.Contains(said, "; m3: ") {
		t.Errorf("%s: %s", out.Result, said)
	}
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		owner := m.admins[1].Get(t.Context(), "lock").Val()
		return owner == "", "the one that hung still has " + owner
	})
}

// TestRedlockTwoOperators act at once: on each master one of them does.
func TestRedlockTwoOperators(t *testing.T) {
	m := newTestMasters(t, 5)
	for range 20 {
		m.hold(t, "A", time.Minute, 0, 1, 2, 3, 4)
		r := Request{Verb: VerbRelease, Owner: "A", Lock: m.see(t)}
		outcomes := make([]Outcome, 2)
		var both sync.WaitGroup
		for i := range outcomes {
			both.Go(func() { outcomes[i] = NewOperator(m, Options{}).Do(t.Context(), r) })
		}
		both.Wait()
		for i := range m.servers {
			done := 0
			for _, out := range outcomes {
				switch out.Nodes[i].Result {
				case ResultReleased:
					done++
				case ResultGone:
				default:
					t.Errorf("%+v", out.Nodes[i])
				}
			}
			if done != 1 {
				t.Errorf("m%d: done %d times", i, done)
			}
		}
		if left := m.left(t); left != "- - - - -" {
			t.Fatal(left)
		}
	}
}

// TestRedlockAsSeen acts on what the product sees of Redisson's locks on five masters, one of which is dead: as it sees it.
func TestRedlockAsSeen(t *testing.T) {
	masters := redistest.StartMasters(t, 5)
	var place keyspace.Place
	for _, s := range masters {
		place.Servers = append(place.Servers, keyspace.Options{Addr: s.Addr})
	}
	servers, err := keyspace.Dial(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	see := func() *inspector.Lock {
		var looks []inspector.Look
		for _, answer := range servers.ReadEach(t.Context(), inspector.Rules(nil), "lock:{orders}") {
			looks = append(looks, inspector.Look(answer))
		}
		lock, is := inspector.Rules(nil).InspectVotes(keyspace.Ref{Key: "lock:{orders}"}, looks, time.Now())
		if !is {
			t.Fatal("it is taken for no lock")
		}
		return lock
	}
	for i, s := range masters {
		s.Do("HSET", "lock:{orders}", threadA, i%2+1) // the counts need not be the same
		s.Do("PEXPIRE", "lock:{orders}", 60000)
	}
	var waiters []*redis.PubSub
	for _, s := range masters[1:] {
		waiters = append(waiters, listener(t, s.Client(), RedissonChannel("lock:{orders}")))
	}
	masters[0].Kill()
	o := NewOperator(servers, Options{Look: servers.Read})
	r := Request{Verb: VerbExtend, TTL: time.Hour, Owner: threadA, Lock: see()}
	if out := o.Do(t.Context(), r); out.Result != ResultExtended || out.ValidUntil.Before(time.Now().Add(59*time.Minute)) {
		t.Errorf("%s (%v)", out.Sentence(r), out.Err)
	}
	r = Request{Verb: VerbRelease, Owner: threadA, Lock: see()}
	out := o.Do(t.Context(), r)
	if out.Result != ResultReleased || out.Woken != 4 || !strings.Contains(out.Sentence(r), "on 4 of 5 masters; 4 waiters woken") {
		t.Errorf("%s (%v)", out.Sentence(r), out.Err)
	}
	for _, waiter := range waiters {
		if said := heard(t, waiter); said.Payload != "0" {
			t.Errorf("heard %v", said)
		}
	}
}
