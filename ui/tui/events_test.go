package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/inspector"
)

// eventsUpTo is a snapshot of so many events of one lock, a second apart.
func eventsUpTo(n int) *inspector.Snapshot {
	s := fixture()
	s.Seq, s.Events = uint64(n), nil
	for i := range n {
		s.Events = append(s.Events, inspector.Event{
			Seq: uint64(i + 1), At: noon.Add(time.Duration(i-n) * time.Second), Ref: ref("cart:991"), Kind: inspector.EventRenewed, Owner: "w",
		})
	}
	return s
}

func TestEventsSayThatTheNewestIsNotFollowed(t *testing.T) {
	h := newHarness(t, 100, 16, "mono")
	h.show(eventsUpTo(40))
	h.keys("3")
	h.wantUnseen("newer event")
	h.keys("k")
	h.wantSeen("↓ 1 newer event below; G follows again")
	h.keys("k", "k", "k")
	h.wantSeen("↓ 4 newer events below; G follows again")
	rows := func() []string { return strings.Split(h.screen(), "\n")[4:10] }
	before := rows()
	h.show(eventsUpTo(48))
	h.wantSeen("↓ 12 newer events below; G follows again")
	if after := rows(); !slices.Equal(before, after) {
		t.Errorf("the rows moved from\n%s\nto\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	h.keys("G")
	h.wantUnseen("newer event")
	if e := h.m.events.current(filter{}); e.Seq != 48 {
		t.Errorf("the cursor is on %d", e.Seq)
	}
	h.keys("k", "j")
	h.wantUnseen("newer event")
	h.keys("g")
	h.wantSeen("47 newer events below")
	if !strings.Contains(strings.Split(h.screen(), "\n")[4], "▌") {
		t.Errorf("the first event is not on top:\n%s", h.screen())
	}
}

func TestEventsOfTroubleOnly(t *testing.T) {
	h := withFixture(t, 120, 30, "mono")
	h.keys("3", "!")
	h.wantSeen(" TROUBLE ONLY  5 events", "✖ lost", "◔ expired", "◌ deleted", "▲ gap", "▸ operator")
	h.wantUnseen("renewed", "● acquired", "⇄ handed-over", "SUSPECTS ONLY")
	taken := fixture()
	taken.Seq = 2
	taken.Events = append(taken.Events, inspector.Event{
		Seq: 12, At: noon, Ref: ref("cart:1"), Kind: inspector.EventHandedOver, Owner: "b", PreviousOwner: "a", Cause: inspector.CauseTakenOver,
	})
	h.show(taken)
	h.wantSeen("⇄ handed-over", "6 events", "taken over")
	h.keys("/", "c", "a", "r", "t", "enter")
	h.wantSeen("/cart", "1 event")
	h.keys("esc")
	h.wantSeen("TROUBLE ONLY")
	h.keys("esc")
	h.wantUnseen("TROUBLE ONLY")
	h.wantSeen("renewed")
	h.keys("1")
	if h.m.order.suspects {
		t.Error("trouble among the events is no filter of the locks")
	}
	calm := newHarness(t, 120, 30, "mono")
	calm.show(eventsUpTo(3))
	calm.keys("3", "!")
	calm.wantSeen("no trouble since locktop looks; ! shows every event")
}

func TestEventsAreCopied(t *testing.T) {
	h := withFixture(t, 120, 30, "mono")
	h.keys("3", "y")
	h.answer()
	h.keys("Y")
	h.run(func() bool { return len(h.copied) == 2 })
	h.keys("k", "k", "k", "y")
	h.run(func() bool { return len(h.copied) == 3 })
	want := []string{
		"cart:991",
		"2026-01-02 14:03:26.000 released cart:991 before b3c1f6f2 held 0.8 s cause released on 127.0.0.1:6379",
		"2026-01-02 14:03:15.000 gap the subscription was lost for 1.2 s",
	}
	if !slices.Equal(h.copied, want) {
		t.Errorf("copied %q, want %q", h.copied, want)
	}
	h.keys("/", "d", "e", "l", "e", "t", "enter", "Y")
	h.run(func() bool { return len(h.copied) == 4 })
	if got := h.copied[3]; strings.ContainsAny(got, "\x1b\n\a") || !strings.Contains(got, `evil\x1b[2J\nkey`) {
		t.Errorf("copied %q", got)
	}
}

func TestFrozenEventsSayHowManyCame(t *testing.T) {
	h := newHarness(t, 100, 16, "mono")
	h.show(eventsUpTo(10))
	h.keys("3", " ")
	h.show(eventsUpTo(34))
	h.wantSeen("FROZEN", "24 events since")
	h.keys(" ")
	h.wantUnseen("events since")
}
