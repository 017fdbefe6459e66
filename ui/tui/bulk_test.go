package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
)

// marked is a harness with marks on the locks of these keys, and the cursor on the first row.
func marked(t testing.TB, width, height int, keys ...string) *harness {
	t.Helper()
	h := withFixture(t, width, height, "default")
	markKeys(h, keys...)
	return h
}

func markKeys(h *harness, keys ...string) {
	for i, l := range h.m.table.rows {
		if slices.Contains(keys, l.Key) {
			h.m.table.move(i)
			h.keys("m")
		}
	}
	h.m.table.move(0)
}

// finishRun runs what was confirmed until all of it has an outcome.
func (h *harness) finishRun() {
	h.t.Helper()
	h.run(func() bool { return h.m.run != nil && h.m.run.ended() })
}

func TestBulkListsAllThatItTouches(t *testing.T) {
	h := marked(t, 120, 40, "lock:invoice:7731", "cart:100", "cart:991", "mutex:queue", "锁:订单:42")
	h.keys("r")
	h.wantSeen("release 5 marked locks", "5 marked, 6 actions, 4 will be released, 2 cannot",
		"lock:invoice:7731", "held ≥3h12m, never ends", "cart:100", "cannot be: it is free already", "cannot be: nobody holds it", "工人-1 ×2", "worker-5", "[ Release 4 ]", "[ Cancel ]")
	h.keys("enter")
	h.run()
	if len(h.operator.requests) != 0 || h.m.dialog != nil {
		t.Fatal("Enter in a fresh dialog acted")
	}
	h.operator.outcome = actions.Outcome{Result: actions.ResultReleased, Woken: -1}
	h.keys("r", "tab", "enter")
	h.finishRun()
	var did []string
	for _, r := range h.operator.requests {
		did = append(did, r.Lock.Key+" "+r.Owner)
		if r.Verb != actions.VerbRelease || r.Entries != 0 || r.Force {
			t.Errorf("requested %+v", r)
		}
	}
	slices.Sort(did)
	want := []string{"cart:100 worker-0:5f0e9d", "lock:invoice:7731 worker-7", "锁:订单:42 worker-5", "锁:订单:42 工人-1"}
	if !slices.Equal(did, want) {
		t.Errorf("done: %q, want %q", did, want)
	}
	h.wantSeen("4 in all: 4 released", "released cart:100 from worker-0", "✔")
	if len(h.m.table.marks) != 2 {
		t.Errorf("%d marks are left, want those of the 2 that cannot be released", len(h.m.table.marks))
	}
	h.keys("r", "x", "j", " ", "tab", "enter") // the report does nothing
	h.run()
	if len(h.operator.requests) != 4 || h.m.run == nil {
		t.Error("a key in the report did something")
	}
	h.keys("y")
	h.run(func() bool { return len(h.copied) == 1 })
	if !strings.HasPrefix(h.copied[0], "release 5 marked locks: 4 in all: 4 released\n") || strings.Count(h.copied[0], "\n") != 4 {
		t.Errorf("copied %q", h.copied[0])
	}
	h.keys("esc")
	if h.m.run != nil {
		t.Error("esc closes the report")
	}
}

// TestBulkWarnsAsTheDialogOfOneDoes: what to beware of is told once, with the number of locks of which it is true, and only where it is.
func TestBulkWarnsAsTheDialogOfOneDoes(t *testing.T) {
	const unchecked = "Clients of this kind delete the key without looking whose it is"
	h := marked(t, 120, 40, "lock:invoice:7731", "legacy:import", "orders:checkout")
	h.keys("r")
	h.wantSeen("▲ 2 locks: " + unchecked)
	h.keys("esc", "e")
	h.wantSeen("extend 3 marked locks", "cannot be: it has no TTL", "discouraged and left out")
	h.wantUnseen(unchecked)
	h = marked(t, 120, 40, "orders:checkout")
	h.keys("r")
	h.wantSeen("release 1 marked lock")
	h.wantUnseen(unchecked)
	h = marked(t, 45, 20, "legacy:import")
	h.keys("r")
	h.wantSeen("▲ what to beware of is said below", "legacy:import") // the list comes first where there is little room
	h.keys("pgdown", "pgdown")
	h.wantSeen("▲ 1 lock: Clients of this kind")
}

// TestBulkNeverTouchesWhatIsHidden: what a filter hides is said, and left alone.
func TestBulkNeverTouchesWhatIsHidden(t *testing.T) {
	h := marked(t, 120, 40, "lock:invoice:7731", "cart:100", "cart:137")
	h.keys("/", "c", "a", "r", "t", "enter", "x")
	h.wantSeen("force-expire 2 marked locks", "2 marked, 2 will be force-expired", "▲ 1 more is marked and hidden by the filter: not touched")
	h.wantUnseen("lock:invoice:7731")
	h.keys("tab", "enter")
	h.finishRun()
	for _, r := range h.operator.requests {
		if !strings.HasPrefix(r.Lock.Key, "cart:") {
			t.Errorf("touched %s", r.Lock.Key)
		}
	}
	h = marked(t, 120, 40, "lock:invoice:7731")
	h.keys("/", "c", "a", "r", "t", "enter", "x")
	h.wantSeen("what is marked is hidden by the filter, and not touched")
	if h.m.dialog != nil {
		t.Error("a dialog about nothing, or about the lock of the cursor")
	}
}

// TestBulkReportsEach: one is done, one has changed hands, one failed, and of one nobody knows.
func TestBulkReportsEach(t *testing.T) {
	h := marked(t, 120, 40, "cart:100", "cart:137", "cart:174", "cart:211")
	h.operator.answers = func(r actions.Request) actions.Outcome {
		switch r.Lock.Key {
		case "cart:100":
			return actions.Outcome{Result: actions.ResultReleased, Woken: -1}
		case "cart:137":
			return actions.Outcome{Result: actions.ResultNotHolder, Holder: "worker-\x1b9"}
		case "cart:174":
			return actions.Outcome{Result: actions.ResultUnknown, Detail: "the answer was lost"}
		}
		return actions.Outcome{Result: actions.ResultReplica}
	}
	h.keys("r", "tab", "enter")
	h.finishRun()
	h.wantSeen("4 in all", "1 released", "1 not holder", "1 unknown", "now held by worker-\\x1b9", "look again", "the server is a replica")
	if len(h.m.table.marks) != 3 {
		t.Errorf("%d marks are left, want 3", len(h.m.table.marks))
	}
	if len(h.source.notes) != 4 {
		t.Errorf("%d events were noted, want one each", len(h.source.notes))
	}
}

// TestBulkIsCancelled: what is under way ends, the rest is not done, and no more than a few are under way at a time.
func TestBulkIsCancelled(t *testing.T) {
	keys := make([]string, 14)
	for i := range keys {
		keys[i] = fmt.Sprintf("cart:%d", 100+i*37)
	}
	h := marked(t, 120, 40, keys...)
	slow := &slowOperator{answer: make(chan struct{})}
	slow.outcome = actions.Outcome{Result: actions.ResultReleased, Woken: -1}
	h.m.config.Operator = slow
	h.keys("r", "tab", "enter")
	if h.m.run.underWay != bulkLanes {
		t.Fatalf("%d are under way", h.m.run.underWay)
	}
	h.wantSeen("0 of 14")
	h.keys("q")
	h.wantSeen("0 of 14")
	h.keys("esc")
	h.wantSeen("cancelled: waiting for 4 under way")
	close(slow.answer)
	h.finishRun()
	h.wantSeen("14 in all: 4 released, 10 not done: cancelled")
	if len(slow.requests) != bulkLanes {
		t.Errorf("%d were done after the cancellation", len(slow.requests))
	}
	if len(h.m.table.marks) != 10 {
		t.Errorf("%d marks are left, want 10", len(h.m.table.marks))
	}
}

func TestBulkSaysWhatHasChanged(t *testing.T) {
	h := marked(t, 120, 40, "lock:invoice:7731", "cart:100")
	h.keys("r")
	locks := fixtureLocks(noon)
	changed := *locks[1]
	changed.Holders = []inspector.Holder{holder("worker-8", "worker-8", 0)}
	locks[1] = &changed
	h.show(snapshotOf(2, noon, locks))
	h.wantSeen("1 lock changed since", "by now it is held by worker-8: the action will be refused")
	h.keys("tab", "enter")
	h.finishRun()
	for _, r := range h.operator.requests {
		if r.Lock == &changed {
			t.Error("the action is on the lock as it is by now, which nobody saw")
		}
	}
}

// TestBulkLeavesOutWhatIsDiscouraged, unless the switch says otherwise.
func TestBulkLeavesOutWhatIsDiscouraged(t *testing.T) {
	h := withFixture(t, 120, 40, "default")
	locks := fixtureLocks(noon)[:2]
	odd, uuid := *locks[1], "0f4d3a52-8c1e-4f0a-9d2b-5a6c7d8e9f01"
	odd.Ref, odd.Scheme, odd.Holders = ref("{hangfire}:lock:job"), inspector.SchemeToken, []inspector.Holder{holder(uuid, uuid, 0)}
	odd.Observed = observed(&odd)
	if !actions.EffectOf(actions.Request{Verb: actions.VerbRelease, Lock: &odd, Owner: uuid}).Discouraged {
		t.Fatal("the lock is not of a library that does not survive it")
	}
	h.show(snapshotOf(2, noon, append(locks, &odd)))
	markKeys(h, "lock:invoice:7731", "{hangfire}:lock:job")
	h.keys("r")
	h.wantSeen("2 marked, 1 will be released, 1 left out", "left out: discouraged")
	h.keys("tab", "tab", "right")
	h.wantSeen("2 marked, 2 will be released", "[ Release 2 ]")
	h.keys("shift+tab", "enter")
	h.finishRun()
	if len(h.operator.requests) != 2 || !h.operator.requests[0].Force {
		t.Errorf("requested %+v", h.operator.requests)
	}
}

// TestBulkOfOneHolder touches that holder's holds alone.
func TestBulkOfOneHolder(t *testing.T) {
	h := withFixture(t, 120, 40, "default")
	locks := fixtureLocks(noon)
	mine := func(o *inspector.Holder) bool { return o.Label == "worker-5" }
	h.m.openBulk(actions.VerbRelease, locks[8:9], "worker-5", mine)
	h.send(tickMsg{})
	h.wantSeen("release 1 lock of worker-5", "1 lock of worker-5, 1 will be released")
	h.keys("tab", "enter")
	h.finishRun()
	if len(h.operator.requests) != 1 || h.operator.requests[0].Owner != "worker-5" {
		t.Errorf("requested %+v", h.operator.requests)
	}
	h.keys("esc")
	h.m.openBulk(actions.VerbForceExpire, locks[8:9], "worker-5", mine)
	h.send(tickMsg{})
	h.wantSeen("1 cannot", "it would take it from its other holders too")
	h.keys("tab", "enter")
	if h.run(); len(h.operator.requests) != 1 {
		t.Error("the other holders' was taken")
	}
}

func TestBulkForceExpiryIsOneAction(t *testing.T) {
	h := marked(t, 120, 40, "锁:订单:42")
	h.keys("x")
	h.wantSeen("1 marked, 1 will be force-expired", "工人-1 +1")
	h.keys("tab", "enter")
	h.finishRun()
	if len(h.operator.requests) != 1 {
		t.Errorf("requested %+v", h.operator.requests)
	}
}

func TestBulkIsBounded(t *testing.T) {
	h := newHarness(t, 120, 40, "default")
	locks := manyLocks(bulkMost+7, noon)
	h.m.shown = snapshotOf(1, noon, locks)
	h.m.openBulk(actions.VerbRelease, locks, "worker-1", nil)
	h.send(tickMsg{})
	h.wantSeen("the first 1,000; 7 more: not touched")
	if len(h.m.dialog.bulk.items) != bulkMost {
		t.Errorf("%d items", len(h.m.dialog.bulk.items))
	}
}

func TestBulkExtendsAndDelays(t *testing.T) {
	h := marked(t, 120, 40, "cart:100", "cart:137")
	h.operator.outcome = actions.Outcome{Result: actions.ResultExtended, TTL: time.Minute}
	h.keys("e", "up", "up")
	for range 5 {
		h.keys("backspace")
	}
	h.wantSeen("2 cannot", "write a time such as 30s", "[ Extend 0 ]", "there is nothing to do")
	h.keys("1", "m", "tab", "I", "N", "C", "tab", "tab")
	h.wantSeen("2 marked, 2 will be extended")
	h.keys("enter")
	h.finishRun()
	for _, r := range h.operator.requests {
		if r.TTL != time.Minute || r.Reason != "INC" || r.Verb != actions.VerbExtend {
			t.Errorf("requested %+v", r)
		}
	}
	h.keys("esc")
	markKeys(h, "cart:100", "cart:137")
	h.keys("x", "up", "up", "backspace", "9", "9")
	h.wantSeen("2 cannot", "it ends sooner already")
	h.keys("tab", "tab", "tab", "enter")
	if h.run(); len(h.operator.requests) != 2 {
		t.Error("a delay that is longer than the lease was asked for")
	}
}

func TestBulkQuitEndsWhatIsUnderWay(t *testing.T) {
	h := marked(t, 120, 40, "cart:100", "cart:137")
	h.operator.outcome = actions.Outcome{Result: actions.ResultReleased}
	h.keys("r", "tab", "enter", "ctrl+c")
	if !h.m.quitting {
		t.Fatal("ctrl-c does not quit")
	}
	for _, cmd := range h.pending {
		go cmd()
	}
}

// TestBulkOfRedlocks says on how many masters each is done.
func TestBulkOfRedlocks(t *testing.T) {
	h := showing(t, 120, 40, redlockFixture())
	h.keys("m", "r")
	h.wantSeen("release 1 marked lock", "worker-3", "worker-x", "on 2 of 5 masters; 1 cannot be reached, and may keep it")
	h.keys("tab", "enter")
	h.finishRun()
	owners := make(map[string]bool)
	for _, r := range h.operator.requests {
		owners[r.Owner] = true
	}
	if len(owners) != len(h.m.table.rows[0].Holders) {
		t.Errorf("asked for %v", owners)
	}
}

// TestNoKeyIsCutOff: two long keys that differ at their ends can be told apart before anything is done to one of them.
func TestNoKeyIsCutOff(t *testing.T) {
	for _, width := range []int{45, 80, 120} {
		h := newHarness(t, width, 40, "mono")
		locks := fixtureLocks(noon)[1:3]
		prefix := strings.Repeat("lock:of-a-long-name:", 6)
		for i, l := range locks {
			l.Key = prefix + fmt.Sprint("the-end-", i)
			l.Observed.Key = l.Key
		}
		h.show(snapshotOf(1, noon, locks))
		h.m.config.Production = true
		h.keys("r")
		if got := unwrapped(h.screen()); strings.Count(got, prefix+"the-end-0") < 2 {
			t.Errorf("at %d the dialog shows the key, and what is to be typed, as\n%s", width, h.screen())
		}
		h.keys("esc", "m", "m", "r")
		if got := unwrapped(h.screen()); !strings.Contains(got, prefix+"the-end-0") || !strings.Contains(got, prefix+"the-end-1") {
			t.Errorf("at %d the preview is\n%s", width, h.screen())
		}
	}
}

// unwrapped is what stands in a box, without what breaks its lines.
func unwrapped(screen string) string {
	var b strings.Builder
	for _, line := range strings.Split(screen, "\n") {
		if _, inside, framed := strings.Cut(line, "│"); framed {
			inside, _, _ = strings.Cut(inside, "│")
			b.WriteString(strings.TrimSpace(inside))
		}
	}
	return b.String()
}

// TestBulkOfNumberedKeys: a lock that may have more keys than are listed is told of, and not one of which all keys are.
func TestBulkOfNumberedKeys(t *testing.T) {
	const value, warning = "gSq5Zkf2r0WmE1xVtPpLwA8c", "Keys that are not in this list have the same value"
	h := withFixture(t, 120, 40, "default")
	locks := fixtureLocks(noon)[:1]
	for _, key := range []string{"app:0:orders-lock", "app:1:orders-lock", "app:0:other-lock"} {
		l := *locks[0]
		l.Ref, l.Scheme, l.Holders = ref(key), inspector.SchemeToken, []inspector.Holder{holder(value, value, 0)}
		l.Observed = observed(&l)
		l.Observed.Type, l.Observed.Value.Text = keyspace.TypeString, value
		locks = append(locks, &l)
	}
	h.show(snapshotOf(2, noon, locks))
	markKeys(h, "app:0:orders-lock", "app:0:other-lock")
	h.keys("r")
	h.wantSeen("release 2 marked locks", "▲ 1 lock: "+warning)
	h.keys("esc")
	markKeys(h, "app:1:orders-lock")
	h.keys("r")
	h.wantSeen("release 3 marked locks")
	h.wantUnseen(warning)
}

// TestBulkThatNoEventTellsOf: without events a lock without an end may be another hold than the one that was seen.
func TestBulkThatNoEventTellsOf(t *testing.T) {
	const warning = "1 lock: It has no TTL: if it was released and acquired again with the same value"
	h := withFixture(t, 120, 40, "default")
	endless := *fixtureLocks(noon)[1]
	for feed, warned := range map[keyspace.Feed]bool{keyspace.FeedPoll: true, keyspace.FeedPush: false} {
		s := snapshotOf(h.m.latest.Seq+1, noon, []*inspector.Lock{&endless})
		for i := range s.Nodes {
			s.Nodes[i].Feed = feed
		}
		h.show(s)
		markKeys(h, endless.Key)
		h.keys("r")
		if warned {
			h.wantSeen("release 1 marked lock", warning)
		} else {
			h.wantSeen("release 1 marked lock")
			h.wantUnseen(warning)
		}
		h.keys("esc", "esc")
	}
}
