package actions

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// listening subscribes, and returns when the server has said so.
func listening(t *testing.T, subscription *redis.PubSub) *redis.PubSub {
	t.Helper()
	t.Cleanup(func() { _ = subscription.Close() })
	if _, err := subscription.Receive(t.Context()); err != nil {
		t.Fatal(err)
	}
	return subscription
}

// TestClusterWakesBothWays has a waiter on the sharded channel, as Redisson has since 3.22, one on the channel of old, and one of old on
// another node; a release by the servers as the product knows them wakes all three.
func TestClusterWakesBothWays(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 2, 0)
	servers, err := keyspace.Dial(t.Context(), keyspace.Place{Servers: []keyspace.Options{{Addr: c.Nodes[1].Addr}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	byEachWay(t, servers, Options{Look: servers.Read}, func(t *testing.T, o *Operator) {
		for verb, result := range map[Verb]Result{VerbRelease: ResultReleased, VerbForceExpire: ResultExpired} {
			key := c.KeyOf(c.Nodes[0], t.Name()+string(verb))
			here, there := c.Nodes[0].Client(), c.Nodes[1].Client()
			channel := RedissonChannel(key)
			waiters := []*redis.PubSub{
				listening(t, here.SSubscribe(t.Context(), channel)), listening(t, here.Subscribe(t.Context(), channel)), listening(t, there.Subscribe(t.Context(), channel)),
			}
			r := seededAt(t, here, inspector.SchemeRedisson, key, Request{Verb: verb, DryRun: true})
			if out := o.Do(t.Context(), r); out.Result != ResultDryRun {
				t.Errorf("dry run: %s (%v)", out.Sentence(r), out.Err)
			}
			r.DryRun = false
			out := o.Do(t.Context(), r)
			if out.Result != result || out.Woken != 2 || !strings.Contains(out.Sentence(r), "at least 2 waiters woken") {
				t.Errorf("%s: %d woken (%v)", out.Sentence(r), out.Woken, out.Err)
			}
			for _, waiter := range waiters {
				if said := heard(t, waiter); said.Payload != "0" || said.Channel != channel {
					t.Errorf("heard %v", said)
				}
			}
		}
	})
}

// TestClusterRights acts in a cluster, and where a slot is being moved, with no other rights than those that are named.
func TestClusterRights(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t, 2)
	for i, node := range c.Nodes {
		node.Do("ACL", "SETUSER", "least", "on", ">x", "-@all", "+cluster|slots")
		c.clients[i] = node.Client(asUser("least"), func(o *redis.Options) { o.Network, o.Addr = "tcp", node.Addr })
	}
	grant := func(rules string) {
		for _, node := range c.Nodes {
			node.Do(append([]any{"ACL", "SETUSER", "least"}, fields(rules)...)...)
		}
	}
	byEachWay(t, c, Options{}, func(t *testing.T, o *Operator) {
		scripts := !o.scriptsDenied.Load()
		for _, moving := range []bool{false, true} {
			grant("reset on >x -@all")
			if !scripts {
				grant("-eval -evalsha")
			}
			key := c.key(t)
			scheme := inspector.SchemeRedisson
			if moving {
				scheme = inspector.SchemeReentrant // its only key can be acted on meanwhile
			}
			r := endlessAt(t, c.Nodes[0].Client(), scheme, key, Request{Verb: VerbRelease})
			if moving {
				c.moving(key).Keys(1)
			}
			var out Outcome
			for range 4 { // by script, ASKING and by WATCH: each is named when it is met
				if out = o.Do(t.Context(), r); out.Result != ResultDenied {
					break
				}
				for line := range strings.SplitSeq(strings.TrimPrefix(out.Detail, "mend: "), "; ") {
					_, rule, _ := strings.Cut(line, "ACL SETUSER least ")
					grant(rule)
				}
			}
			if out.Result != ResultReleased {
				t.Errorf("moving %v: %s (%v)", moving, out.Sentence(r), out.Err)
			}
		}
	})
	rights := RightsFor(Need{Patterns: []keyspace.Pattern{{Glob: "*"}}, Topology: keyspace.Cluster, Sharded: true})
	for _, rule := range []string{"+asking", "+spublish", "+publish"} {
		if !strings.Contains(strings.Join(rights.Commands, " ")+" ", rule+" ") {
			t.Errorf("%s is not among %v", rule, rights.Commands)
		}
	}
	if rights := RightsFor(Need{Patterns: []keyspace.Pattern{{Glob: "*"}}}); strings.Contains(strings.Join(rights.Commands, " "), "spublish") {
		t.Errorf("a server before 7.0 refuses the whole line: %v", rights.Commands)
	}
}

// TestClusterRedisCLI wants the line to say what the action would do, and to follow the cluster.
func TestClusterRedisCLI(t *testing.T) {
	lock := sampleHashes(inspector.SchemeRedisson, "lock")[0]
	r := Request{Verb: VerbRelease, Owner: "owner", Lock: lock, Sharded: true}
	if line := RedisCLI(r); !strings.Contains(line, " -c ") || !strings.Contains(line, "SPUBLISH") {
		t.Error(line)
	}
	r.Sharded = false
	if line := RedisCLI(r); strings.Contains(line, " -c ") || strings.Contains(line, "SPUBLISH") {
		t.Error(line)
	}
	// The channel of an empty tag is in another slot than its lock, and on another node perhaps.
	lock = sampleNumbers(inspector.SchemeRedissonLatch, "a}b")[0]
	if line := RedisCLI(Request{Verb: VerbForceExpire, Lock: lock, Sharded: true}); strings.Contains(line, "SPUBLISH") != (keyspace.Slot("a}b") == keyspace.Slot(inspector.RedissonLatchName("a}b"))) {
		t.Error(line)
	}
}

// TestFollowsAFailOver has the master demoted while its client is known: the action goes to the new one.
func TestFollowsAFailOver(t *testing.T) {
	t.Parallel()
	old, master := redistest.Start(t, "--repl-diskless-sync-delay", "0"), redistest.Start(t, "--repl-diskless-sync-delay", "0")
	host, port, _ := strings.Cut(master.Addr, ":")
	old.Do("REPLICAOF", host, port)
	for _, kill := range []bool{false, true} {
		if kill {
			old.Kill()
		}
		s := &failedOver{before: old.Client(), after: master.Client()}
		byEachWay(t, s, Options{}, func(t *testing.T, o *Operator) {
			seed := func(dry bool) Request {
				r := seededAt(t, s.after, inspector.SchemeToken, "lock", Request{Verb: VerbRelease, DryRun: dry})
				if !kill {
					redistest.Eventually(t, 10*time.Second, func() (bool, string) {
						value := s.before.Get(t.Context(), "lock").Val()
						return value == "A", value
					})
				}
				return r
			}
			for dry, want := range map[bool]Result{true: ResultDryRun, false: ResultReleased} {
				r := seed(dry)
				s.asked = 0
				if out := o.Do(t.Context(), r); out.Result != want || s.asked != 2 {
					t.Errorf("killed %v, dry run %v: %s (%v), asked %d times", kill, dry, out.Sentence(r), out.Err, s.asked)
				}
				r = seed(dry)
				s.asked = -100 // there is no other master now
				want := ResultReplica
				if kill {
					want = ResultFailed
				}
				if out := o.Do(t.Context(), r); out.Result != want || s.asked != -98 {
					t.Errorf("killed %v, dry run %v, no new master: %s (%v), asked %d times", kill, dry, out.Sentence(r), out.Err, s.asked+100)
				}
			}
		})
	}
}

// failedOver are servers whose master is found to be another at the second question.
type failedOver struct {
	before, after *redis.Client
	asked         int
}

func (s *failedOver) Client(context.Context, keyspace.Ref) (*redis.Client, error) {
	if s.asked++; s.asked > 1 {
		return s.after, nil
	}
	return s.before, nil
}

func (s *failedOver) Redirected(context.Context, string) (*redis.Client, error) { return s.after, nil }

func (s *failedOver) Sharded() bool { return false }

// testWakesWhileMoved releases a permit whose key has gone to another node already, while those who wait are still on the first: the whole
// is done or nothing of it, and it is said that they may sleep on.
func testWakesWhileMoved(t *testing.T, c *testCluster) {
	byEachWay(t, c, Options{}, func(t *testing.T, o *Operator) {
		key := c.key(t)
		c.Nodes[0].Do("SET", key, "3")
		lock := sampleNumbers(inspector.SchemeRedissonSemaphore, key)[0]
		channel := inspector.RedissonName(inspector.RedissonSemaphoreChannel, key)
		old := listening(t, c.Nodes[1].Client().Subscribe(t.Context(), channel))
		listening(t, c.Nodes[0].Client().SSubscribe(t.Context(), channel))
		move := c.moving(key)
		move.Keys(1)
		r := Request{Verb: VerbRelease, Lock: lock}
		out := o.Do(t.Context(), r)
		move.Finish()
		if o.scriptsDenied.Load() && out.Result != ResultReleased { // EXEC of Redis 7.0, not of later servers, takes the channel for a key that is not there
			if out.Result != ResultFailed || !strings.Contains(out.Detail, "is being moved to another node: try again") {
				t.Errorf("%s (%v)", out.Sentence(r), out.Err)
			}
			out = o.Do(t.Context(), r)
			out.Detail += "may sleep on"
		}
		if value := c.clients[1].Get(t.Context(), key).Val(); out.Result != ResultReleased || value != "4" || !strings.Contains(out.Detail, "may sleep on") {
			t.Errorf("%s (%v), %s permits are free", out.Sentence(r), out.Err, value)
		}
		if said := heard(t, old); said.Payload != "4" {
			t.Errorf("heard %v", said)
		}
	})
}
