package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func showing(t *testing.T, width, height int, s *inspector.Snapshot) *harness {
	t.Helper()
	h := newHarness(t, width, height, "mono")
	h.show(s)
	return h
}

// TestHeaderSaysTheTopology holds the header to what must be known at every width: that a master is silent, that nothing can
// be done here.
func TestHeaderSaysTheTopology(t *testing.T) {
	for _, width := range []int{45, 60, 80, 120, 200} {
		h := showing(t, width, 24, clusterFixture())
		h.wantSeen("✖ cluster 2/3", "○ polling", "10.0.0.2:6379 silent since 14:03:20")
		h = showing(t, width, 24, replicaFixture())
		h.wantSeen("· actions refused")
		if width > 45 {
			h.wantSeen("replica of 10.0.0.1:6379 · actions refused")
		}
		h = showing(t, width, 24, redlockFixture())
		h.wantSeen("✖ redlock 4/5", "10.0.0.4:6379 silent since 14:03:20")
	}
	h := showing(t, 80, 24, sentinelFixture())
	h.wantSeen("sentinel → 10.0.0.7:6379")
	h.wantUnseen("nodes", "✖ sentinel")
	h = showing(t, 120, 40, clusterFixture())
	h.wantSeen("connection refused", "8 cmd/s", "2 gaps", "pass 20 s ago", "0.9 ms")
	whole := clusterFixture()
	whole.Nodes[1].Connected = true
	showing(t, 80, 24, whole).wantSeen("· cluster 3/3")
}

// TestAnotherNodesLocksStandStill proves that the leases of a silent node do not count on, and say that they are old, while
// those of the others do.
func TestAnotherNodesLocksStandStill(t *testing.T) {
	s := clusterFixture()
	s.Locks = []*inspector.Lock{
		{
			Ref: keyspace.Ref{Node: "10.0.0.1:6379", Key: "cart:lively"}, Scheme: inspector.SchemeToken, State: inspector.StateHeld,
			Holders: []inspector.Holder{holder("a", "a", 0)}, ExpiresAt: noon.Add(-time.Second),
		},
		{
			Ref: keyspace.Ref{Node: "10.0.0.2:6379", Key: "cart:silent"}, Scheme: inspector.SchemeToken, State: inspector.StateExpired,
			Holders: []inspector.Holder{holder("b", "b", 0)}, ExpiresAt: noon.Add(-time.Second),
		},
	}
	h := showing(t, 120, 24, s)
	lines := strings.Split(h.screen(), "\n")
	row := func(key string) string {
		i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, " "+key+" ") })
		return lines[max(i, 0)]
	}
	if got := row("cart:lively"); !strings.Contains(got, "expired") {
		t.Errorf("the lease on a node that answers does not end: %q", got)
	}
	if got := row("cart:silent"); !strings.Contains(got, "● held") || !strings.Contains(got, "stale 7 s") {
		t.Errorf("the lease on a silent node counts on: %q", got)
	}
}

// TestManyNodes holds the layout to 100 nodes, half of which are silent.
func TestManyNodes(t *testing.T) {
	for _, topology := range []keyspace.Topology{keyspace.Cluster, keyspace.Redlock} {
		s := fixture()
		s.Nodes = nil
		for i := range 100 {
			n := nodeAt(fmt.Sprintf("lock-master-%02d.eu-central-1.cache.example.com:6379", i), topology)
			if i%2 == 1 {
				silence(&n, "i/o timeout")
			}
			s.Nodes = append(s.Nodes, n)
		}
		if topology == keyspace.Redlock {
			for _, l := range s.Locks {
				l.Quorum = votesOf(s.Nodes, strings.Repeat("ftoda", 20), "a", "b", 20*time.Second)
			}
		}
		for _, keys := range [][]string{{"1"}, {"4"}, {"4", "G"}, {"1", "enter"}, {"esc", "x"}} {
			h := showing(t, 80, 24, s)
			h.keys(keys...)
			for _, size := range [][2]int{{45, 10}, {60, 15}, {80, 24}, {120, 40}, {200, 50}} {
				h.m.width, h.m.height = size[0], size[1]
				if err := checkFrame(h.m.render(), size[0], size[1]); err != nil {
					t.Fatalf("%s after %v: %v", topology, keys, err)
				}
			}
		}
	}
}

func TestVotesInTheTable(t *testing.T) {
	h := showing(t, 80, 24, redlockFixture())
	h.wantSeen("VOTES", "≠ split", "◒ minority", "3/5", "4/5", "1 split", "1 minority")
	if first := h.m.table.rows[0].Key; first != "billing:month-3" {
		t.Errorf("%s comes before the split lock", first)
	}
	h.keys("s", "s", "s") // of the columns that are shown
	if h.m.order.column != sortVotes || h.m.table.rows[0].Key != "cart:reindex-9" {
		t.Errorf("by %s, %s is first", sortNames[h.m.order.column], h.m.table.rows[0].Key)
	}
	h = showing(t, 80, 24, fixture())
	h.wantUnseen("VOTES")
	h.keys("s", "s", "s", "s")
	if h.m.order.column != sortTTL {
		t.Errorf("without a Redlock, %s follows the count", sortNames[h.m.order.column])
	}
}

// TestNothingFoundOnManyNodes holds the empty screen to a few lines, whatever the number of nodes, and the first pass to the
// sum of those that answer.
func TestNothingFoundOnManyNodes(t *testing.T) {
	s := snapshotOf(1, noon, nil)
	s.Nodes = nil
	for i := range 100 {
		s.Nodes = append(s.Nodes, nodeAt(fmt.Sprintf("10.0.0.%d:6379", i), keyspace.Cluster))
	}
	silence(&s.Nodes[7], "i/o timeout")
	s.Nodes[7].LastPass = keyspace.Pass{}
	h := showing(t, 100, 24, s)
	h.wantSeen("no locks in database 0 of 99 of 100 nodes, which have 4,772,889 keys", "locktop check --discover", "✖ cluster 99/100")
	h.wantUnseen("first pass")

	s.Seq = 2
	for i := range 50 {
		s.Nodes[i].LastPass, s.Nodes[i].Scanning = keyspace.Pass{}, &keyspace.Pass{
			Scanned: int64(i) * 1000, KeysInDB: 98_000, Started: noon.Add(-2 * time.Second), At: noon,
		}
	}
	h.show(s)
	// 1,218,000 of 4,802,000 keys of the nodes whose first pass goes on, and 2,410,550 of those that have ended it.
	h.wantSeen("first pass 50 %", "3,628,550 of 7,212,550 keys seen", "609,000 keys/s", "50 of 99 nodes done")
	h.wantUnseen("left") // of one nothing can be told yet
	s.Seq++
	s.Nodes[0].Scanning.Scanned = 2000
	h.show(s)
	h.wantSeen("about 3m14s left")
}

func TestShortWhere(t *testing.T) {
	for where, want := range map[string]string{
		"10.0.0.1:6379/0":                                 "10.0.0.1:6379/0",
		"10.0.0.1:6379, 10.0.0.2:6379/0":                  "10.0.0.1:6379, 10.0.0.2:6379/0",
		"10.0.0.1:6379, 10.0.0.2:6379, 10.0.0.3:6379/0":   "10.0.0.1:6379 +2",
		"lock-master.eu-central-1.cache.example.com:6379": "lock-master.eu-central-1.cache.…",
	} {
		if got := shortWhere(where, 32); got != want {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
}
