package keyspace_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// addresses are where to dial some servers.
func addresses(servers ...*redistest.Server) []keyspace.Options {
	var all []keyspace.Options
	for _, s := range servers {
		all = append(all, keyspace.Options{Addr: s.Addr, CommandTimeout: time.Second, DialTimeout: time.Second})
	}
	return all
}

// dial connects to the servers of a place, until the test ends.
func dial(t testing.TB, place keyspace.Place) *keyspace.Servers {
	t.Helper()
	servers, err := keyspace.Dial(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := servers.Close(); err != nil {
			t.Error(err)
		}
	})
	return servers
}

// several is the picture of several servers: each key as the last record told, and from which node, and what is known of the nodes.
type several struct {
	*picture
	nodes map[keyspace.Node]keyspace.Status
	// gone counts how often each key was told to be gone.
	gone map[string]int
}

// watchAll observes servers and keeps a picture until the test ends.
func watchAll(t testing.TB, servers *keyspace.Servers, o keyspace.ObserveOptions) *several {
	t.Helper()
	if o.Patterns == nil {
		o.Patterns = []keyspace.Pattern{{Glob: "lock:*"}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	observation, err := servers.Observe(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	s := &several{
		picture: newPicture(),
		nodes:   make(map[keyspace.Node]keyspace.Status), gone: make(map[string]int),
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for u := range observation.Updates() {
			s.take(u)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return s
}

func (s *several) take(u keyspace.Update) {
	s.picture.take(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range u.Records {
		if !r.Exists() {
			s.gone[r.Key]++
		}
	}
	if u.Status != nil {
		s.nodes[u.Node] = *u.Status
	}
	if u.Left {
		delete(s.nodes, u.Node)
	}
}

// where tells of each key the node that spoke for it last, and of each node whether it is connected.
func (s *several) where() (keys map[string]keyspace.Node, nodes map[keyspace.Node]keyspace.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys = make(map[string]keyspace.Node)
	for key, r := range s.records {
		keys[key] = r.Node
	}
	return keys, maps.Clone(s.nodes)
}

// sees waits until the nodes are these, connected, and have ended a pass.
func (s *several) sees(t testing.TB, servers ...*redistest.Server) {
	t.Helper()
	redistest.Eventually(t, 15*time.Second, func() (bool, string) {
		_, nodes := s.where()
		var said []string
		for _, server := range servers {
			status, known := nodes[keyspace.Node(server.Addr)]
			if !known || !status.Connected || status.LastPass.Generation == 0 {
				said = append(said, fmt.Sprintf("%s: known %v, connected %v, %s", server.Addr, known, status.Connected, status.Err))
			}
		}
		if len(nodes) != len(servers) {
			said = append(said, fmt.Sprintf("%d nodes: %v", len(nodes), slices.Sorted(maps.Keys(nodes))))
		}
		return len(said) == 0, strings.Join(said, "; ")
	})
}

// isAt waits until a key is told of by this server.
func (s *several) isAt(t testing.TB, key string, server *redistest.Server) {
	t.Helper()
	redistest.Eventually(t, 15*time.Second, func() (bool, string) {
		keys, _ := s.where()
		return keys[key] == keyspace.Node(server.Addr), fmt.Sprintf("%s is at %q", key, keys[key])
	})
}

// never fails where a key was ever told to be gone.
func (s *several) never(t testing.TB, gone ...string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range gone {
		if s.gone[key] > 0 {
			t.Errorf("%s was told to be gone %d times, and it never was", key, s.gone[key])
		}
	}
}

// TestClusterIsSeenAsOne is given any one node, a replica, and sees the keys of all masters, as they are and as they change.
func TestClusterIsSeenAsOne(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 1)
	want := make(map[string]string)
	for i, m := range c.Masters() {
		key := c.KeyOf(m, "lock:first:")
		want[key] = fmt.Sprint("worker-", i)
		c.Do(key, "SET", key, want[key], "PX", 60_000)
	}
	servers := dial(t, keyspace.Place{Servers: addresses(c.Replicas()[0])})
	if servers.Topology() != keyspace.Cluster || len(servers.Nodes()) != 3 {
		t.Fatalf("a %s of %v", servers.Topology(), servers.Nodes())
	}
	s := watchAll(t, servers, keyspace.ObserveOptions{})
	s.sees(t, c.Masters()...)
	s.shows(t, want)
	for _, m := range c.Masters() {
		key := c.KeyOf(m, "lock:second:")
		want[key] = "late"
		c.Do(key, "SET", key, "late", "PX", 60_000)
	}
	s.shows(t, want)
	for key := range want {
		c.Do(key, "DEL", key)
	}
	s.shows(t, map[string]string{})
	_, nodes := s.where()
	for node, status := range nodes {
		if status.Topology != keyspace.Cluster || status.Slots < keyspace.Slots/3 || status.Feed != keyspace.FeedPush || len(status.Replication.Replicas) != 1 {
			t.Errorf("%s: %s of %d slots by %s with %v", node, status.Topology, status.Slots, status.Feed, status.Replication)
		}
	}
}

// TestSlotIsMoved moves a slot key by key, and looks in the middle: a lock that moves is told of by the node that has it, what
// happens to it on its way is seen, and none is ever told to be gone that is not.
func TestSlotIsMoved(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 0)
	from, to := c.Masters()[0], c.Masters()[1]
	moving := c.KeyOf(from, "lock:moving:")
	slot := keyspace.Slot(moving)
	var keys []string
	want := make(map[string]string)
	for i := range 40 {
		key := fmt.Sprintf("lock:{%s}:%d", moving, i)
		keys = append(keys, key)
		want[key] = "before"
		c.Do(key, "SET", key, "before", "PX", 600_000)
	}
	if keyspace.Slot(keys[0]) != slot {
		t.Fatalf("%s is not in slot %d", keys[0], slot)
	}
	s := watchAll(t, dial(t, keyspace.Place{Servers: addresses(from)}), keyspace.ObserveOptions{})
	s.sees(t, c.Masters()...)
	s.shows(t, want)

	m := c.BeginMove(slot, from, to)
	m.Keys(20)
	client := c.Client()
	for i, key := range keys {
		switch i % 4 {
		case 0: // written while its slot is on its way, wherever it is
			want[key] = "meanwhile"
			if err := client.Set(t.Context(), key, "meanwhile", time.Minute).Err(); err != nil {
				t.Fatal(err)
			}
		case 1:
			delete(want, key)
			if err := client.Del(t.Context(), key).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.shows(t, want)
	for m.Keys(100) > 0 {
	}
	m.Finish()
	for key := range want {
		s.isAt(t, key, to)
	}
	s.shows(t, want)
	var alive []string
	for key := range want {
		alive = append(alive, key)
	}
	s.never(t, alive...)
	key := keys[2]
	want[key] = "after"
	c.Do(key, "SET", key, "after", "PX", 600_000)
	s.shows(t, want)
}

// TestMasterJoinsAndLeaves moves slots to a master that had none, and away again until it leaves.
func TestMasterJoinsAndLeaves(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 0)
	masters := c.Masters()
	key := c.KeyOf(masters[0], "lock:nomad:")
	c.Do(key, "SET", key, "worker", "PX", 600_000)
	s := watchAll(t, dial(t, keyspace.Place{Servers: addresses(masters[2])}), keyspace.ObserveOptions{})
	s.sees(t, masters...)
	s.shows(t, map[string]string{key: "worker"})
	fresh := c.AddMaster()
	c.MoveSlot(keyspace.Slot(key), masters[0], fresh, func() {})
	s.isAt(t, key, fresh)
	s.sees(t, append(slices.Clone(masters), fresh)...)
	c.MoveSlot(keyspace.Slot(key), fresh, masters[1], func() {})
	s.isAt(t, key, masters[1])
	s.sees(t, masters...)
	s.never(t, key)
}

// TestFailOverOfAMaster kills a master: its replica speaks for its locks, and those that it had not received are gone.
func TestFailOverOfAMaster(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 1)
	old := c.Masters()[0]
	kept := c.KeyOf(old, "lock:kept:")
	lost := c.KeyOf(old, "lock:lost:")
	elsewhere := c.KeyOf(c.Masters()[1], "lock:else:")
	for _, key := range []string{kept, elsewhere} {
		c.Do(key, "SET", key, "worker", "PX", 600_000)
	}
	s := watchAll(t, dial(t, keyspace.Place{Servers: addresses(old)}), keyspace.ObserveOptions{})
	s.sees(t, c.Masters()...)
	replica := c.ReplicasOf(old)[0]
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		return replica.Do("DBSIZE").(int64) == 1, "the replica has not received it"
	})
	replica.Pause() // and cut off: what is written now does not even wait for it in a buffer
	old.Do("CLIENT", "KILL", "TYPE", "replica")
	c.Do(lost, "SET", lost, "worker", "PX", 600_000)
	s.shows(t, map[string]string{kept: "worker", lost: "worker", elsewhere: "worker"})
	old.Kill()
	replica.Resume()
	s.isAt(t, kept, replica)
	s.shows(t, map[string]string{kept: "worker", elsewhere: "worker"})
	s.sees(t, replica, c.Masters()[1], c.Masters()[2])
	s.never(t, kept, elsewhere)
	old.Revive() // as a replica: nobody looks at it
	c.Settle()
	c.Do(kept, "SET", kept, "another", "PX", 600_000)
	s.shows(t, map[string]string{kept: "another", elsewhere: "worker"})
	s.sees(t, replica, c.Masters()[1], c.Masters()[2])
}

// TestSentinels follows the master that sentinels name: after a fail-over that was ordered, and after the master died.
func TestSentinels(t *testing.T) {
	t.Parallel()
	set := redistest.StartSentinel(t)
	place := keyspace.Place{Servers: addresses(set.Sentinels...), Sentinel: set.Name, Master: keyspace.Options{CommandTimeout: time.Second, DialTimeout: time.Second}}
	set.Master().Do("SET", "lock:a", "worker", "PX", 600_000)
	servers := dial(t, place)
	s := watchAll(t, servers, keyspace.ObserveOptions{})
	s.sees(t, set.Master())
	s.shows(t, map[string]string{"lock:a": "worker"})
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		return set.Replica().Do("GET", "lock:a") == "worker", "the replica has not received it"
	})
	second := set.Failover()
	s.isAt(t, "lock:a", second)
	s.sees(t, second)
	second.Do("SET", "lock:b", "worker", "PX", 600_000)
	s.shows(t, map[string]string{"lock:a": "worker", "lock:b": "worker"})
	s.never(t, "lock:a")

	for _, sentinel := range set.Sentinels {
		sentinel.Pause()
	}
	trouble := func(want string) {
		t.Helper()
		redistest.Eventually(t, 15*time.Second, func() (bool, string) {
			_, nodes := s.where()
			status := nodes[keyspace.Node(second.Addr)]
			return status.Connected && (want == "" && status.Err == "" || want != "" && strings.Contains(status.Err, want)), fmt.Sprintf("%+v", status)
		})
	}
	trouble("no sentinel answers")
	for _, sentinel := range set.Sentinels {
		sentinel.Resume()
	}
	trouble("")

	wrong := place
	wrong.Sentinel = "othermaster"
	if _, err := keyspace.Dial(t.Context(), wrong); !errors.Is(err, keyspace.ErrNoMaster) || !strings.Contains(err.Error(), set.Name) {
		t.Errorf("a master that nobody watches: %v", err)
	}
	for _, place := range []keyspace.Place{
		{Servers: addresses(set.Sentinels[0])},
		{Servers: addresses(second), Sentinel: set.Name},
	} {
		if _, err := keyspace.Dial(t.Context(), place); !errors.Is(err, keyspace.ErrSentinel) {
			t.Errorf("%v: %v", place, err)
		}
	}
}

// TestIndependentMasters looks at five, of which two are dead at first, and one dies later.
func TestIndependentMasters(t *testing.T) {
	t.Parallel()
	masters := redistest.StartMasters(t, 5)
	place := keyspace.Place{Servers: addresses(masters...)}
	masters[3].Kill()
	masters[4].Kill()
	servers := dial(t, place)
	if servers.Topology() != keyspace.Redlock || servers.Masters() != 5 {
		t.Fatalf("a %s of %d masters", servers.Topology(), servers.Masters())
	}
	s := watchAll(t, servers, keyspace.ObserveOptions{})
	connected := func(want ...bool) {
		t.Helper()
		redistest.Eventually(t, 10*time.Second, func() (bool, string) {
			_, nodes := s.where()
			got := make([]bool, len(masters))
			for i, m := range masters {
				got[i] = nodes[keyspace.Node(m.Addr)].Connected
			}
			return slices.Equal(got, want) && len(nodes) == len(masters), fmt.Sprint(got)
		})
	}
	connected(true, true, true, false, false)
	masters[3].Revive()
	connected(true, true, true, true, false)
	masters[0].Kill()
	connected(false, true, true, true, false)
	answers := servers.ReadEach(t.Context(), nil, "lock:a")
	failed := 0
	for _, a := range answers {
		if a.Err != nil {
			failed++
		}
	}
	if len(answers) != 5 || failed != 2 {
		t.Errorf("%d of %d masters did not answer, want 2 of 5", failed, len(answers))
	}
	twice := append(addresses(masters[1]), keyspace.Options{Network: "unix", Addr: masters[1].Socket})
	if _, err := keyspace.Dial(t.Context(), keyspace.Place{Servers: twice}); !errors.Is(err, keyspace.ErrMixture) {
		t.Errorf("one server under two names: %v", err)
	}
}
