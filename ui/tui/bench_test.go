package tui

import (
	"strconv"
	"testing"
)

// BenchmarkView is one frame of 200x50 over 100,000 locks; the budget is 0.5 ms.
func BenchmarkView(b *testing.B) {
	h := newHarness(b, 200, 50, "default")
	s := snapshotOf(1, noon, append(fixtureLocks(noon), manyLocks(100_000, noon)...))
	h.m.shown, h.m.latest = s, s
	h.m.table.set(h.m.order.apply(s.Locks, nil, picture{at: noon}))
	b.ReportAllocs()
	for b.Loop() {
		h.m.frame = h.m.render()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/500, "of-budget")
}

// BenchmarkViewOfVotes is one frame of the lock x node map over 100,000 locks, within the same budget.
func BenchmarkViewOfVotes(b *testing.B) {
	h := newHarness(b, 200, 50, "default")
	votes := redlockFixture()
	s := snapshotOf(1, noon, manyLocks(100_000, noon))
	s.Nodes = votes.Nodes
	for i, l := range s.Locks {
		l.Quorum = votes.Locks[i%len(votes.Locks)].Quorum
	}
	h.m.shown, h.m.latest, h.m.view = s, s, viewNodes
	h.m.table.set(h.m.order.apply(s.Locks, nil, picture{at: noon}))
	b.ReportAllocs()
	for b.Loop() {
		h.m.frame = h.m.render()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/500, "of-budget")
}

// BenchmarkViewOfDemo is one frame of the demo that has told a lot, within the same budget.
func BenchmarkViewOfDemo(b *testing.B) {
	h := withDemo(b, 200, 50, "default")
	for i := range 500 {
		h.m.scene.Told = append(h.m.scene.Told, Sentence{At: noon, Text: "worker-" + strconv.Itoa(i) + " " + h.m.scene.Now.Text})
	}
	h.m.view, h.m.staged = viewDemo, h.m.scene
	b.ReportAllocs()
	for b.Loop() {
		h.m.frame = h.m.render()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/500, "of-budget")
}

// BenchmarkSnapshot is the whole Update for a snapshot of 100,000 locks, its frame included.
func BenchmarkSnapshot(b *testing.B) {
	h := newHarness(b, 200, 50, "default")
	s := snapshotOf(1, noon, manyLocks(100_000, noon))
	h.m.shown, h.m.latest = s, s
	h.m.table.set(h.m.order.apply(s.Locks, nil, picture{at: noon}))
	b.ReportAllocs()
	seq := uint64(1)
	for b.Loop() {
		seq++
		next := *s
		next.Seq = seq
		h.m.Update(snapshotMsg{snapshot: &next})
	}
}

// BenchmarkArrange is the sort that runs outside Update.
func BenchmarkArrange(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		locks := manyLocks(n, noon)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				arrangement{}.apply(locks, nil, picture{at: noon})
			}
		})
	}
}
