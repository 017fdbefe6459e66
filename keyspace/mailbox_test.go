package keyspace

import (
	"strconv"
	"testing"
	"time"
)

func TestMailboxCountsWhatItCannotHold(t *testing.T) {
	m := newMailbox()
	for i := range maxDirty + 10 {
		m.hint(Hint{Ref: Ref{Key: strconv.Itoa(i)}, Event: "set", At: time.Now()})
		if len(m.dirty) > maxDirty || len(m.hints) > maxMail {
			t.Fatalf("%d keys and %d hints wait", len(m.dirty), len(m.hints))
		}
	}
	if received, dropped, _ := m.counts(); received != maxDirty+10 || dropped != received-maxMail {
		t.Errorf("received %d, dropped %d", received, dropped)
	}
	if got := m.take(); got.gap == "" || got.gapAt.IsZero() {
		t.Errorf("keys were forgotten, and no gap says so: %q at %v", got.gap, got.gapAt)
	}
	if got := m.take(); got.gap != "" {
		t.Errorf("told twice: %q", got.gap)
	}
}

// A listener that tries in vain has not lost the server once more.
func TestMailboxLosesTheServerOnce(t *testing.T) {
	m := newMailbox()
	for round := range 2 {
		m.lost("first")
		if got := m.take(); got.gap != "first" || got.down != "first" {
			t.Errorf("round %d: %+v", round, got)
		}
		m.lost("again")
		if got := m.take(); got.gap != "" || got.down != "again" {
			t.Errorf("round %d, the second try: %+v", round, got)
		}
		m.subscribed(FeedPush, "")
		if got := m.take(); got.down != "" || got.renewed == "" {
			t.Errorf("round %d, at last: %+v", round, got)
		}
	}
}
