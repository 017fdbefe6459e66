package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

func TestNodesView(t *testing.T) {
	h := showing(t, 200, 50, clusterFixture())
	h.keys("4")
	h.wantSeen("FEED", "5,461 slots", "✖ silent", "○ polling", "+1.4 ms", "48 kB", "9 s", "1/2", "connect: connection refused")
	h.keys("j", "j")
	h.wantSeen("▌ ○ polling", "receives its first copy, 48 kB behind, heard 9 s ago", "2, the last 1m35s ago: the subscription was lost",
		"1.4 ms ahead of ours")
	// The cursor stays on its node, wherever that is by now.
	s := clusterFixture()
	s.Seq = 2
	slices.Reverse(s.Nodes)
	h.show(s)
	if h.m.nodes.index != 0 || h.m.nodes.selected != "10.0.0.3:6379" {
		t.Errorf("the cursor is on %d, %s", h.m.nodes.index, h.m.nodes.selected)
	}
	h.keys("r")
	if h.m.dialog != nil {
		t.Error("an action is offered where no lock is selected")
	}
	h.keys("esc")
	h.wantSeen("STATE", "KEY")
}

// TestNodesViewScrolls holds the cursor on the screen among more nodes than it has lines.
func TestNodesViewScrolls(t *testing.T) {
	s := clusterFixture()
	for i := range 60 {
		n := nodeAt("10.0.1."+string(rune('a'+i%26))+string(rune('a'+i/26)), keyspace.Cluster)
		s.Nodes = append(s.Nodes, n)
	}
	h := showing(t, 80, 24, s)
	h.keys("4", "G")
	h.wantSeen("▌ ● push      " + string(s.Nodes[62].Node))
	h.keys("g")
	h.wantSeen("▌ ● push      10.0.0.1:6379")
}

// TestMapShowsTheVotes holds the lock x node map to a sign for each ballot, in words where there is room, and to the order
// and the selection of the view of locks.
func TestMapShowsTheVotes(t *testing.T) {
	h := showing(t, 200, 50, redlockFixture())
	h.keys("j", "4")
	h.wantSeen("✖ worker-x", "· absent", "! type", "? down", "⧗ timeout", "⊘ denied", "… unread", "● 22 s", "● never",
		"2/5", "-1", "+1", "21 s", "41 ms", "no end", "✖4 10.0.0.4")
	if l := h.m.selected(); l == nil || l.Key != "cart:reindex-9" {
		t.Errorf("the map has another cursor: %v", l)
	}
	h = showing(t, 60, 24, redlockFixture())
	h.keys("4")
	h.wantSeen("● ● ✖ ? ✖", "● · ? ⧗ ⊘", "● ● ! ? ●", "⧗ timeout")
	// What is left counts down by itself.
	h.now = noon.Add(10 * time.Second)
	h.send(tickMsg{})
	h.wantSeen("11 s")
	h.keys("/", "o", "r", "d", "enter")
	h.wantUnseen("billing")
	h.keys("enter")
	if h.m.detail == nil || h.m.detail.lock.Key != "orders:checkout-1" {
		t.Error("the map does not open its lock")
	}
}

func TestMasterNames(t *testing.T) {
	for _, c := range []struct {
		nodes []string
		width int
		want  string
	}{
		{[]string{"10.0.0.1:6379", "10.0.0.2:6379"}, 16, "1 10.0.0.1:6379,2 10.0.0.2:6379"},
		{[]string{"10.0.0.1:6379", "10.0.0.2:6379"}, 9, "1 …1,2 …2"},
		{[]string{"127.0.0.1:7001", "127.0.0.1:7002"}, 9, "1 …7001,2 …7002"},
		{[]string{"lock-01.eu.example.com:6379", "lock-02.eu.example.com:6379"}, 9, "1 …01,2 …02"},
		{[]string{"a.example.com:6379", "b.example.org:6380"}, 9, "1 a.exam…,2 b.exam…"},
		{[]string{"10.0.0.1:6379", "10.0.0.2:6379"}, 1, "1,2"},
		{[]string{"10.0.0.1:6379"}, 9, "1 10.0.0…"},
		{[]string{"same", "same"}, 4, "1 s…,2 s…"},
	} {
		var nodes []keyspace.Status
		for _, n := range c.nodes {
			nodes = append(nodes, nodeAt(n, keyspace.Redlock))
		}
		if got := strings.Join(masterNames(nodes, c.width), ","); got != c.want {
			t.Errorf("%v at %d: %s, want %s", c.nodes, c.width, got, c.want)
		}
	}
}

// TestMapFits holds the columns of the map to every window, for few masters and for many.
func TestMapFits(t *testing.T) {
	for _, masters := range []int{0, 1, 3, 5, 9, 13, 100} {
		var nodes []keyspace.Status
		for range masters {
			nodes = append(nodes, nodeAt("n", keyspace.Redlock))
		}
		for width := 40; width <= 300; width++ {
			columns, gap := planMapColumns(width, 30, nodes)
			total, words, key := rowPrefix, false, 0
			for i, c := range columns {
				total += c.width
				if i > 0 {
					total += gap + c.gap
				}
				words = words || c.id == columnMaster && c.width > voteGlyph
				if c.id == columnKey {
					key = c.width
				}
			}
			if total > width || key < min(mapKeyLeast, width-32) {
				t.Fatalf("%d masters at %d: the columns take %d, the key %d of them", masters, width, total, key)
			}
			if masters == 5 && width >= 120 && !words {
				t.Errorf("five masters have no words at %d", width)
			}
		}
	}
}

func TestLocksPerNode(t *testing.T) {
	s := redlockFixture()
	counts := countPerNode(s.Locks)
	if counts["10.0.0.1:6379"] != 13 || counts["10.0.0.4:6379"] != 0 {
		t.Errorf("%v", counts)
	}
	freed := &inspector.Lock{Ref: ref("a"), State: inspector.StateFreed}
	if counts := countPerNode([]*inspector.Lock{freed}); counts[testNode] != 0 {
		t.Errorf("a freed lock is counted: %v", counts)
	}
}
