package actions

import (
	"context"
	"errors"
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

// testCluster is a cluster of which only the first node is known, until it names another.
type testCluster struct {
	*redistest.Cluster
	clients []*redis.Client
	mu      sync.Mutex
	sent    []string // to whom the nodes have sent us
	elder   bool     // as if older than 7.0: no sharded channels
}

func newTestCluster(t *testing.T, masters int) *testCluster {
	t.Helper()
	c := &testCluster{Cluster: redistest.StartCluster(t, masters, 0)}
	for _, node := range c.Nodes {
		c.clients = append(c.clients, node.Client(func(o *redis.Options) { o.Network, o.Addr = "tcp", node.Addr }))
	}
	return c
}

// key is a key of the first node.
func (c *testCluster) key(t *testing.T) string { return c.KeyOf(c.Nodes[0], t.Name()) }

// moving begins to move a key's slot from the first node to the second.
func (c *testCluster) moving(key string) *redistest.SlotMove {
	return c.BeginMove(keyspace.Slot(key), c.Nodes[0], c.Nodes[1])
}

func (c *testCluster) Client(context.Context, keyspace.Ref) (*redis.Client, error) {
	return c.clients[0], nil
}

func (c *testCluster) Redirected(_ context.Context, addr string) (*redis.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, addr)
	for i, node := range c.Nodes {
		if node.Addr == addr {
			return c.clients[i], nil
		}
	}
	return nil, fmt.Errorf("%s is no node", addr)
}

func (c *testCluster) Sharded() bool { return !c.elder }

// byEachWay runs a test by script and by WATCH.
func byEachWay(t *testing.T, servers Servers, o Options, test func(t *testing.T, o *Operator)) {
	t.Helper()
	for _, way := range []executor{byScript{}, byWatch{}} {
		t.Run(way.name(), func(t *testing.T) {
			operator := NewOperator(servers, o)
			operator.scriptsDenied.Store(way == byWatch{})
			test(t, operator)
		})
	}
}

// seededAt leaves a lock on a node, and makes the request that acts on it.
func seededAt(t *testing.T, client *redis.Client, scheme inspector.Scheme, key string, r Request) Request {
	t.Helper()
	if err := seeds[scheme](t.Context(), client, key); err != nil {
		t.Fatal(err)
	}
	r.Owner, r.Lock = ownerA(scheme), observe(t.Context(), t, client, scheme, key)
	return r
}

// endlessAt is the same for a lock without a TTL: one that moves takes with it what is left of its lease, which ends some milliseconds
// later then, and is another for all that a guard knows.
func endlessAt(t *testing.T, client *redis.Client, scheme inspector.Scheme, key string, r Request) Request {
	t.Helper()
	if err := errors.Join(seeds[scheme](t.Context(), client, key), client.Persist(t.Context(), key).Err()); err != nil {
		t.Fatal(err)
	}
	r.Owner, r.Lock = ownerA(scheme), observe(t.Context(), t, client, scheme, key)
	return r
}

// TestOnACluster has tests that leave a cluster as good as they found it, each with keys of its own.
func TestOnACluster(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t, 2)
	for name, test := range map[string]func(*testing.T, *testCluster){
		"follows a cluster":            testFollowsACluster,
		"another holder at the target": testAnotherHolderAtTheTarget,
		"half moved":                   testHalfMoved,
		"move ends meanwhile":          testMoveEndsMeanwhile,
		"sent in circles":              testSentInCircles,
		"unreachable node":             testUnreachableNode,
		"several slots":                testSeveralSlots,
		"wakes while moved":            testWakesWhileMoved,
	} {
		t.Run(name, func(t *testing.T) { test(t, c) })
	}
}

// testFollowsACluster acts on locks whose slot has moved, or is being moved, wherever they are by now.
func testFollowsACluster(t *testing.T, c *testCluster) {
	audit := openAudit(t)
	byEachWay(t, c, Options{Audit: audit}, func(t *testing.T, o *Operator) {
		for i, step := range []struct {
			name string
			move func(key string)
			at   int
		}{
			{"where it was", func(string) {}, 0},
			{"not moved yet", func(key string) { c.moving(key) }, 0},
			{"being moved", func(key string) { c.moving(key).Keys(1) }, 1},
			{"moved", func(key string) { c.MoveSlot(keyspace.Slot(key), c.Nodes[0], c.Nodes[1], nil) }, 1},
		} {
			for _, scheme := range []inspector.Scheme{inspector.SchemeToken, inspector.SchemeReentrant} {
				for _, node := range c.Nodes {
					node.Do("SCRIPT", "FLUSH")
				}
				key := c.KeyOf(c.Nodes[0], fmt.Sprintf("%s:%s:%d", t.Name(), scheme, i))
				r := endlessAt(t, c.clients[0], scheme, key, Request{Verb: VerbRelease})
				step.move(key)
				r.DryRun = true
				if out := o.Do(t.Context(), r); out.Result != ResultDryRun {
					t.Errorf("%s, %s, dry run: %s", step.name, scheme, out.Sentence(r))
				}
				r.DryRun = false
				if out := o.Do(t.Context(), r); out.Result != ResultReleased {
					t.Errorf("%s, %s: %s (%v)", step.name, scheme, out.Sentence(r), out.Err)
				}
				lines := auditLines(t, audit)
				if last := lines[len(lines)-1]; last.Node != c.Nodes[step.at].Addr || last.Outcome != ResultReleased {
					t.Errorf("%s: the audit says %q, %q, and it is on %s", step.name, last.Node, last.Outcome, c.Nodes[step.at].Addr)
				}
				if out := o.Do(t.Context(), r); out.Result != ResultGone {
					t.Errorf("%s, %s, again: %s", step.name, scheme, out.Sentence(r))
				}
			}
		}
	})
}

// testAnotherHolderAtTheTarget: what has become of a lock after its slot moved is compared there.
func testAnotherHolderAtTheTarget(t *testing.T, c *testCluster) {
	byEachWay(t, c, Options{}, func(t *testing.T, o *Operator) {
		key := c.key(t)
		r := seededAt(t, c.clients[0], inspector.SchemeToken, key, Request{Verb: VerbRelease})
		c.moving(key).Keys(1)
		pipe := c.clients[1].Pipeline()
		pipe.Do(t.Context(), "ASKING")
		pipe.Set(t.Context(), key, "B", time.Minute)
		if _, err := pipe.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		if out := o.Do(t.Context(), r); out.Result != ResultNotHolder || out.Holder != "B" {
			t.Errorf("%s", out.Sentence(r))
		}
	})
}

// testHalfMoved has the lock on one node and what belongs to it on none: nothing is done while nobody can tell.
func testHalfMoved(t *testing.T, c *testCluster) {
	byEachWay(t, c, Options{}, func(t *testing.T, o *Operator) {
		key := c.key(t)
		r := seededAt(t, c.clients[0], inspector.SchemeRedisson, key, Request{Verb: VerbRelease})
		move := c.moving(key)
		for _, r.DryRun = range []bool{true, false} {
			out := o.Do(t.Context(), r)
			want := fmt.Sprintf("slot %d is being moved to another node: try again", keyspace.Slot(key))
			if out.Result != ResultFailed || !strings.Contains(out.Detail, want) {
				t.Errorf("dry run %v: %s (%v)", r.DryRun, out.Sentence(r), out.Err)
			}
			move.Keys(1)
		}
		move.Finish()
		if count := c.clients[1].HGet(t.Context(), key, "A").Val(); count != "2" {
			t.Errorf("the count is %q", count)
		}
		if out := o.Do(t.Context(), r); out.Result != ResultReleased {
			t.Errorf("when it has moved: %s (%v)", out.Sentence(r), out.Err)
		}
	})
}

// testMoveEndsMeanwhile: an action waits a while for the end of a move.
func testMoveEndsMeanwhile(t *testing.T, c *testCluster) {
	key := c.key(t)
	r := seededAt(t, c.clients[0], inspector.SchemeRedisson, key, Request{Verb: VerbRelease})
	move := c.moving(key)
	moved := false
	c.clients[0].AddHook(afterSending(func() {
		if !moved {
			moved = true
			move.Keys(1)
			move.Finish()
		}
	}))
	if out := NewOperator(c, Options{}).Do(t.Context(), r); out.Result != ResultReleased || !moved {
		t.Errorf("%s (%v)", out.Sentence(r), out.Err)
	}
}

// afterSending runs after all that a client sends.
type afterSending func()

func (afterSending) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h afterSending) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		defer h()
		return next(ctx, cmd)
	}
}

func (h afterSending) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		defer h()
		return next(ctx, cmds)
	}
}

// testSentInCircles has two nodes that each take the other for the owner of a slot.
func testSentInCircles(t *testing.T, c *testCluster) {
	byEachWay(t, c, Options{}, func(t *testing.T, o *Operator) {
		key := c.key(t)
		r := seededAt(t, c.clients[0], inspector.SchemeToken, key, Request{Verb: VerbRelease})
		c.Nodes[0].Do("DEL", key)
		// The first node sends to the second, which was not told of it and sends back.
		c.Nodes[0].Do("CLUSTER", "SETSLOT", keyspace.Slot(key), "MIGRATING", c.ID(c.Nodes[1]))
		c.sent = nil
		out := o.Do(t.Context(), r)
		if out.Result != ResultFailed || !strings.Contains(out.Detail, "sent it on 5 times") || len(c.sent) != mostHops {
			t.Errorf("%s (%v), sent to %q", out.Sentence(r), out.Err, c.sent)
		}
		c.Nodes[0].Do("CLUSTER", "SETSLOT", keyspace.Slot(key), "STABLE")
	})
}

// testUnreachableNode is sent to a node that nobody knows.
func testUnreachableNode(t *testing.T, c *testCluster) {
	r := seededAt(t, c.clients[0], inspector.SchemeToken, c.key(t), Request{Verb: VerbRelease})
	out := NewOperator(OneServer(c.clients[1]), Options{}).Do(t.Context(), r)
	if out.Result != ResultFailed || !strings.Contains(out.Detail, "nothing was done: the key is on "+c.Nodes[0].Addr) {
		t.Errorf("%s", out.Sentence(r))
	}
}

// testSeveralSlots refuses what no node of a cluster can do in one step, and says why; before anything is sent, or, where the servers
// are not known for a cluster, in the server's stead.
func testSeveralSlots(t *testing.T, c *testCluster) {
	sent, key := 0, c.KeyOf(c.Nodes[0], "a{}b")
	c.clients[0].AddHook(afterSending(func() { sent++ }))
	byEachWay(t, c, Options{}, func(t *testing.T, o *Operator) {
		lock := sample(inspector.SchemeRedisson, key, inspector.Holder{Owner: "A"})
		lock.Observed.Type, lock.Observed.Size = keyspace.TypeHash, 1
		c.Nodes[0].Do("HSET", key, "A", 1)
		r := Request{Verb: VerbRelease, Owner: "A", Lock: lock}
		for _, c.elder = range []bool{false, true} {
			sent = 0
			out := o.Do(t.Context(), r)
			if out.Result != ResultUnsupported || !strings.Contains(out.Detail, fmt.Sprintf("%s (slot %d), redisson_lock_queue:%s (slot ", key, keyspace.Slot(key), key)) {
				t.Errorf("elder %v: %s (%v)", c.elder, out.Sentence(r), out.Err)
			}
			if sent > 0 != c.elder {
				t.Errorf("elder %v: sent %d times", c.elder, sent)
			}
		}
		c.elder = false
		r.Sharded = true
		if line := RedisCLI(r); line != "" {
			t.Errorf("a command line for it: %s", line)
		}
	})
}

// TestClusterDown is told by a node whose slots nobody serves.
func TestClusterDown(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t, 1)
	r := seededAt(t, c.clients[0], inspector.SchemeToken, "down", Request{Verb: VerbRelease})
	c.Nodes[0].Do("CLUSTER", "DELSLOTS", keyspace.Slot("down"))
	byEachWay(t, c, Options{}, func(t *testing.T, o *Operator) {
		if out := o.Do(t.Context(), r); out.Result != ResultFailed || !strings.Contains(out.Detail, "the cluster does not serve this slot") {
			t.Errorf("%s", out.Sentence(r))
		}
	})
}
