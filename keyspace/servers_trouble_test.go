package keyspace_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// TestHungMaster stops a master of a cluster: it answers nothing and closes nothing. Its replica takes over, and the old one, when
// it goes on, is believed in nothing any more.
func TestHungMaster(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 1)
	old := c.Masters()[1]
	key := c.KeyOf(old, "lock:hung:")
	c.Do(key, "SET", key, "worker", "PX", 600_000)
	s := watchAll(t, dial(t, keyspace.Place{Servers: addresses(c.Masters()[0])}), keyspace.ObserveOptions{})
	s.sees(t, c.Masters()...)
	s.isAt(t, key, old)
	replica := c.ReplicasOf(old)[0]
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		return replica.Do("DBSIZE").(int64) == 1, "the replica has not received it"
	})
	old.Pause()
	redistest.Eventually(t, 5*time.Second, func() (bool, string) {
		_, nodes := s.where()
		status, known := nodes[keyspace.Node(old.Addr)]
		silent := !status.Connected && !status.StaleSince.IsZero()
		return silent || !known, "nobody says that the master is silent" // its replica may have been as quick
	})
	s.isAt(t, key, replica)
	old.Resume()
	s.sees(t, replica, c.Masters()[0], c.Masters()[2])
	s.never(t, key)
}

// TestFailOverByOrder swaps a master and its replica, both alive, there and back.
func TestFailOverByOrder(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 1)
	first := c.Masters()[0]
	second := c.ReplicasOf(first)[0]
	key := c.KeyOf(first, "lock:swap:")
	c.Do(key, "SET", key, "worker", "PX", 600_000)
	s := watchAll(t, dial(t, keyspace.Place{Servers: addresses(first)}), keyspace.ObserveOptions{})
	s.isAt(t, key, first)
	c.Failover(second)
	s.isAt(t, key, second)
	c.Do(key, "SET", key, "another", "PX", 600_000)
	s.shows(t, map[string]string{key: "another"})
	c.Failover(first)
	s.isAt(t, key, first)
	s.never(t, key)
}

// TestCompanionsOnOtherNodes has a lock whose companions are in slots of other masters: they are read with it, and what happens
// to them has it read again.
func TestCompanionsOnOtherNodes(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 0)
	key, queue := "", ""
	for n := 0; key == "" || c.MasterOf(key) == c.MasterOf(queue); n++ {
		key, queue = fmt.Sprint("base:", n), fmt.Sprint("queue:", n)
	}
	c.Do(key, "SET", key, "worker")
	c.Do(queue, "RPUSH", queue, "w1")
	s := watchAll(t, dial(t, keyspace.Place{Servers: addresses(c.Masters()[0])}), keyspace.ObserveOptions{
		Patterns: []keyspace.Pattern{{Glob: "base:*"}, {Glob: "queue:*"}}, Companions: family{},
		Follow: func(r keyspace.Record) bool { return r.Exists() && strings.HasPrefix(r.Key, "base:") },
	})
	queued := func(want string) {
		t.Helper()
		redistest.Eventually(t, 10*time.Second, func() (bool, string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			got := ""
			for _, companion := range s.records[key].Companions {
				if companion.Key == queue {
					got = shown(companion)
				}
			}
			return got == want, fmt.Sprintf("%q, want %q", got, want)
		})
	}
	queued("list " + queue + " 1 w1")
	c.Do(queue, "RPUSH", queue, "w2")
	queued("list " + queue + " 2 w1 w2")
	c.Do(queue, "DEL", queue)
	queued("")
}

// TestOneLookWhileASlotMoves looks once, while half of a slot's keys are on one master and half on another: each key is told of
// once, and none is missing.
func TestOneLookWhileASlotMoves(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 0)
	from, to := c.Masters()[0], c.Masters()[2]
	tag := c.KeyOf(from, "lock:half:")
	want := make(map[string]string)
	for n := range 30 {
		key := fmt.Sprintf("lock:{%s}:%d", tag, n)
		want[key] = "worker"
		c.Do(key, "SET", key, "worker")
	}
	m := c.BeginMove(keyspace.Slot(tag), from, to)
	m.Keys(15)
	servers := dial(t, keyspace.Place{Servers: addresses(to)})
	observation, err := servers.Observe(t.Context(), keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "lock:*"}}, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for u := range observation.Updates() {
		for _, r := range u.Records {
			if r.Exists() {
				got[r.Key]++
			} else {
				t.Errorf("%s was told to be gone", r.Key)
			}
		}
	}
	for key := range want {
		if got[key] != 1 {
			t.Errorf("%s was told %d times", key, got[key])
		}
	}
	records, err := servers.Read(t.Context(), fmt.Sprintf("lock:{%s}:0", tag), fmt.Sprintf("lock:{%s}:29", tag))
	if err != nil || records[0].Value.Text != "worker" || records[1].Value.Text != "worker" {
		t.Errorf("reading by name while the slot moves: %v, %+v", err, records)
	}
}

// TestReshardingUnderLoad moves slots to and fro while clients write to their keys. In the end the picture is what the cluster
// has, and no key was told to be gone that nobody deleted.
func TestReshardingUnderLoad(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 0)
	masters := c.Masters()
	s := watchAll(t, dial(t, keyspace.Place{Servers: addresses(masters[0])}), keyspace.ObserveOptions{})
	s.sees(t, masters...)
	tags := []string{c.KeyOf(masters[0], "a"), c.KeyOf(masters[1], "b"), c.KeyOf(masters[2], "c")}
	var lasting []string
	for n := range 30 {
		key := fmt.Sprintf("lock:{%s}:lasting:%d", tags[n%3], n)
		lasting = append(lasting, key)
		c.Do(key, "SET", key, "0")
	}
	client := c.Client()
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan struct{})
	dice := rand.New(rand.NewPCG(1, 2))
	go func() {
		defer close(written)
		for n := 0; ctx.Err() == nil; n++ {
			key := lasting[dice.IntN(len(lasting))]
			_ = client.Set(ctx, key, n, 0).Err() // the picture is compared with what was written
			short := fmt.Sprintf("lock:{%s}:short:%d", tags[dice.IntN(3)], dice.IntN(30))
			if n%3 == 0 {
				_ = client.Del(ctx, short).Err()
			} else {
				_ = client.Set(ctx, short, n, 0).Err()
			}
		}
	}()
	for round := range 4 {
		for i, tag := range tags {
			from := c.MasterOf(tag)
			c.MoveSlot(keyspace.Slot(tag), from, masters[(i+round+1)%3], nil)
		}
	}
	cancel()
	<-written
	want := make(map[string]string)
	for _, m := range masters {
		for _, key := range m.Do("KEYS", "lock:*").([]any) {
			want[key.(string)], _ = c.Do(key.(string), "GET", key).(string)
		}
	}
	s.shows(t, want)
	s.never(t, lasting...)
}

// TestSentinelThatWasAway: two of three sentinels are away when we come, and the one that is there is wrong. That only one says so is
// told, and the others are heard as soon as they are back.
func TestSentinelThatWasAway(t *testing.T) {
	t.Parallel()
	set := redistest.StartSentinel(t)
	other := redistest.Start(t)
	for _, sentinel := range set.Sentinels[1:] {
		sentinel.Kill()
	}
	_, port, err := net.SplitHostPort(other.Addr)
	if err != nil {
		t.Fatal(err)
	}
	wrong := set.Sentinels[0]
	wrong.Do("SENTINEL", "REMOVE", set.Name)
	wrong.Do("SENTINEL", "MONITOR", set.Name, "127.0.0.1", port, 1)
	s := watchAll(t, dial(t, keyspace.Place{Servers: addresses(set.Sentinels...), Sentinel: set.Name}), keyspace.ObserveOptions{})
	s.sees(t, other)
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		_, nodes := s.where()
		status := nodes[keyspace.Node(other.Addr)]
		return strings.Contains(status.Err, "only 1 of 3 sentinels"), status.Err
	})
	for _, sentinel := range set.Sentinels[1:] {
		sentinel.Revive()
	}
	s.sees(t, set.Servers[0])
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		_, nodes := s.where()
		status := nodes[keyspace.Node(set.Servers[0].Addr)]
		return status.Connected && status.Err == "", status.Err
	})
}

// TestGuest: a master without slots is looked at while a slot is on its way to it, however long that takes, and no longer.
func TestGuest(t *testing.T) {
	t.Parallel()
	c := redistest.StartCluster(t, 3, 0)
	masters := c.Masters()
	tag := c.KeyOf(masters[0], "lock:guest:")
	for n := range 10 {
		key := fmt.Sprintf("lock:{%s}:%d", tag, n)
		c.Do(key, "SET", key, "worker")
	}
	guest := c.AddMaster()
	s := watchAll(t, dial(t, keyspace.Place{Servers: addresses(masters[2])}), keyspace.ObserveOptions{})
	s.sees(t, masters...)
	move := c.BeginMove(keyspace.Slot(tag), masters[0], guest)
	move.Keys(5)
	s.sees(t, append(slices.Clone(masters), guest)...)
	if os.Getenv("CI") == "true" { // it takes long
		came := time.Now()
		redistest.Eventually(t, time.Minute, func() (bool, string) {
			if _, nodes := s.where(); len(nodes) != 4 {
				t.Fatalf("it left after %v, and the slot is still on its way", time.Since(came))
			}
			return time.Since(came) > 25*time.Second, "25 s are not over"
		})
	}
	client := c.Client()
	for n := range 10 {
		if err := client.Del(t.Context(), fmt.Sprintf("lock:{%s}:%d", tag, n)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range []*redistest.Server{masters[0], guest} {
		m.Do("CLUSTER", "SETSLOT", keyspace.Slot(tag), "STABLE")
	}
	s.shows(t, map[string]string{})
	s.sees(t, masters...)
}

// TestStaleSinceTheMasterDied has sentinels promote a replica: until it is connected to, the picture is as old as the master's last answer.
func TestStaleSinceTheMasterDied(t *testing.T) {
	t.Parallel()
	set := redistest.StartSentinel(t)
	servers := dial(t, keyspace.Place{
		Servers: addresses(set.Sentinels...), Sentinel: set.Name, Master: keyspace.Options{CommandTimeout: time.Second, DialTimeout: time.Second},
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	observation, err := servers.Observe(ctx, keyspace.ObserveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first := set.Master()
	var died time.Time
	for u := range observation.Updates() {
		s := u.Status
		switch {
		case s == nil:
		case died.IsZero() && s.Connected && s.LastPass.Generation > 0:
			first.Kill()
			died = time.Now()
		case died.IsZero():
		case s.Connected && s.Node != keyspace.Node(first.Addr):
			cancel() // the new master was reached
		case !s.Connected && s.StaleSince.Sub(died) > 300*time.Millisecond:
			t.Errorf("%s is stale since %v after the master died", s.Node, s.StaleSince.Sub(died))
		}
	}
}
