package tui

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// watchServers looks at real servers, as the dashboard does.
func watchServers(t *testing.T, place keyspace.Place, masters int) *inspector.Inspector {
	t.Helper()
	servers, err := keyspace.Dial(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	observation, err := servers.Observe(ctx, keyspace.ObserveOptions{Patterns: []keyspace.Pattern{{Glob: "lock:*"}}})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	locks := inspector.Start(context.Background(), observation, inspector.Options{Masters: masters})
	t.Cleanup(func() {
		stop()
		if err := servers.Close(); err != nil {
			t.Error(err)
		}
	})
	return locks
}

// placeOf names servers by their addresses.
func placeOf(servers ...*redistest.Server) keyspace.Place {
	var place keyspace.Place
	for _, s := range servers {
		place.Servers = append(place.Servers, keyspace.Options{Network: "tcp", Addr: s.Addr})
	}
	return place
}

// await shows what the inspector sees until all texts are on the screen.
func (h *harness) await(locks *inspector.Inspector, texts ...string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		s, err := locks.Next(ctx, h.m.sequence)
		if err != nil {
			h.t.Fatalf("%v: the screen does not show %q:\n%s", err, texts, h.screen())
		}
		h.now = time.Now()
		h.show(s)
		missing := false
		for _, want := range texts {
			missing = missing || !strings.Contains(h.screen(), want)
		}
		if !missing {
			return
		}
	}
}

// TestRealCluster shows a cluster, one master of which goes.
func TestRealCluster(t *testing.T) {
	cluster := redistest.StartCluster(t, 3, 0)
	cluster.Do("lock:a", "SET", "lock:a", "worker-1", "PX", 300_000)
	h := newHarness(t, 120, 30, "mono")
	locks := watchServers(t, placeOf(cluster.Nodes[0]), 0)
	h.await(locks, "cluster 3/3", "lock:a", "● held")
	h.keys("4")
	h.await(locks, cluster.Nodes[0].Addr, cluster.Nodes[1].Addr, cluster.Nodes[2].Addr, "5,461 slots", "5,462 slots")
	owner := cluster.MasterOf("lock:a")
	owner.Kill()
	h.await(locks, "✖ cluster 2/3", owner.Addr+" silent since", "✖ silent")
	h.keys("1")
	h.wantSeen("lock:a", "stale ")
}

// TestRealSentinel shows the master that sentinels name, its replica, and what the replica has of a lock; and then the replica
// by itself, on which nothing can be done.
func TestRealSentinel(t *testing.T) {
	set := redistest.StartSentinel(t)
	master := set.Master()
	master.Do("SET", "lock:a", "worker-1", "PX", 300_000)
	place := placeOf(set.Sentinels...)
	place.Sentinel = set.Name
	h := newHarness(t, 120, 30, "mono")
	locks := watchServers(t, place, 0)
	h.await(locks, "sentinel → "+master.Addr, "lock:a")
	h.keys("enter")
	h.await(locks, "1 of 1 replica acknowledged it: WAIT 1 would have confirmed")
	h.keys("4")
	_, port, _ := net.SplitHostPort(set.Replica().Addr)
	h.await(locks, ":"+port+"  online, ")

	h = newHarness(t, 120, 30, "mono")
	h.await(watchServers(t, placeOf(set.Replica()), 0), "lock:a", "replica of "+master.Addr+" · actions refused")
	h.keys("r")
	h.wantSeen("release is refused: ", "is a replica")
}

// TestRealRedlock shows a Redlock of three real masters: whole, with one of them gone, and without a quorum.
func TestRealRedlock(t *testing.T) {
	masters := redistest.StartMasters(t, 3)
	for _, m := range masters {
		m.Do("SET", "lock:a", "0f4d3a52", "PX", 300_000)
	}
	h := newHarness(t, 120, 30, "mono")
	locks := watchServers(t, placeOf(masters...), 3)
	h.await(locks, "redlock 3/3", "● held", " 3/3 ")
	h.keys("4")
	h.await(locks, "3/3      +1")
	masters[2].Kill()
	h.await(locks, "✖ redlock 2/3", "? down", "2/3       0")
	masters[1].Do("SET", "lock:a", "another", "PX", 300_000)
	h.await(locks, "≠ split", "1/3      -1")
	h.keys("enter")
	h.await(locks, "claimed by    0f4d3a52", "another", "1 of 3, 2 needed, 1 not known: it may be held")
	h.keys("r")
	h.await(locks, "acts on", "✖ not on "+masters[2].Addr+" (down)")
}
