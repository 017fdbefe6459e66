package tui

import (
	"testing"

	"locktop/inspector"
	"locktop/keyspace"
)

// TestALockThatMovedIsTheSame moves a lock to another node, as a fail-over and a resharding do, and the first vote of a Redlock:
// the cursor, the marks, the detail and the dialog stay with it.
func TestALockThatMovedIsTheSame(t *testing.T) {
	on := func(seq uint64, node keyspace.Node) *inspector.Snapshot {
		s := clusterFixture()
		s.Seq = seq
		for _, l := range s.Locks {
			l.Node = node
		}
		return s
	}
	h := showing(t, 120, 40, on(1, "10.0.0.1:6379"))
	h.keys("/", "c", "h", "e", "c", "k", "enter", "m")
	h.show(on(2, "10.0.0.3:6379"))
	h.wantSeen("▌+")
	h.keys("enter")
	h.show(on(3, "10.0.0.1:6379"))
	h.wantSeen("database 0 of 10.0.0.1:6379")
	h.wantUnseen("it is not there any more")
	h.keys("r")
	h.show(on(4, "10.0.0.3:6379"))
	h.wantSeen("release orders:checkout")
	h.wantUnseen("by now")
}
