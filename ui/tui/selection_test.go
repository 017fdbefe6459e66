package tui

import (
	"testing"

	"locktop/inspector"
)

func TestSelectionFollowsTheLock(t *testing.T) {
	h := withFixture(t, 120, 30, "default")
	h.keys("j", "j", "j")
	chosen := h.m.table.current().Ref
	locks := fixtureLocks(noon)
	worse := *locks[1]
	worse.Ref = ref("a:new:stuck:lock")
	h.show(snapshotOf(2, noon, append([]*inspector.Lock{&worse}, locks...)))
	if got := h.m.table.current().Ref; got != chosen {
		t.Errorf("the cursor went from %v to %v", chosen, got)
	}
	wantIndex(t, h, 4)
	// Its lock goes: the cursor keeps its place on the screen.
	var rest []*inspector.Lock
	for _, l := range locks {
		if l.Ref != chosen {
			rest = append(rest, l)
		}
	}
	h.show(snapshotOf(3, noon, rest))
	wantIndex(t, h, 4)
	h.show(snapshotOf(4, noon, nil))
	h.wantSeen("no locks in database 0")
	h.keys("j", "enter", "r", "y", "m", "G")
	h.wantSeen("there is no lock here to release")
}

func TestFreedRowsKeepTheirPlace(t *testing.T) {
	h := withFixture(t, 120, 40, "default")
	if got := h.m.table.rows[0].Key; got != "lock:invoice:7731" {
		t.Fatalf("the first row is %s", got)
	}
	locks := fixtureLocks(noon)
	freed := *locks[1]
	freed.State, freed.FreedAt, freed.FreedBy, freed.Findings = inspector.StateFreed, noon, inspector.CauseReleased, nil
	locks[1] = &freed
	for seq := range uint64(3) {
		h.show(snapshotOf(2+seq, noon, locks))
		if got := h.m.table.rows[0].Key; got != "lock:invoice:7731" {
			t.Errorf("the freed row went away from the top: %s is there", got)
		}
	}
	h.wantSeen("◌ freed    lock:invoice:7731")
}
