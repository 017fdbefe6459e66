package tui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
)

// open is a harness with the dialog of a verb on one lock of the fixture.
func open(t *testing.T, filter, key string) *harness {
	t.Helper()
	h := withFixture(t, 120, 40, "default")
	h.keys("/")
	for _, r := range filter {
		h.keys(string(r))
	}
	h.keys("enter", key)
	if h.m.dialog == nil {
		t.Fatalf("no dialog:\n%s", h.screen())
	}
	return h
}

func TestTriggerAndEnterDoNothing(t *testing.T) {
	for _, trigger := range []string{"r", "e", "x"} {
		for _, then := range [][]string{{"enter"}, {trigger}, {trigger, "enter"}, {"y"}, {"Y"}, {" "}, {"y", "enter"}, {"left", "up", "esc"}} {
			h := open(t, "invoice", trigger)
			h.keys(then...)
			h.run()
			if n := len(h.operator.requests); n != 0 {
				t.Errorf("%s then %v acted %d times", trigger, then, n)
			}
		}
	}
}

func TestSameClientWithAnotherTokenIsTold(t *testing.T) {
	h := open(t, "invoice", "r")
	locks := fixtureLocks(noon)
	changed := *locks[1]
	changed.Holders = []inspector.Holder{holder("worker-7:b2", locks[1].Holders[0].Label, 0)}
	locks[1] = &changed
	h.show(snapshotOf(2, noon, locks))
	h.wantSeen("by now worker-7 has acquired it again; look again", "[ Look again ]")
}

func TestConfirmActsOnWhatWasSeen(t *testing.T) {
	h := open(t, "invoice", "r")
	seen := h.m.dialog.lock
	// The lock changes hands, and there is no news of that yet.
	h.operator.outcome = actions.Outcome{Result: actions.ResultNotHolder, Holder: "worker-8"}
	h.keys("tab", "enter")
	h.wantSeen("… release lock:invoice:7731")
	h.answer()
	if len(h.operator.requests) != 1 {
		t.Fatalf("%d requests", len(h.operator.requests))
	}
	r := h.operator.requests[0]
	if r.Lock != seen || r.Owner != "worker-7" || r.Verb != actions.VerbRelease || r.Follow == nil {
		t.Errorf("the request is for %p %q %q, want the lock %p that was seen", r.Lock, r.Owner, r.Verb, seen)
	}
	h.wantSeen("✖ ")
	if h.source.notes[0].Cause != "" {
		t.Errorf("nothing was released, and noted is %+v", h.source.notes[0])
	}
	if len(h.source.notes) != 1 || h.source.notes[0].Kind != inspector.EventOperator || h.source.notes[0].Key != "lock:invoice:7731" {
		t.Errorf("noted %+v", h.source.notes)
	}
	if h.m.toast.kind != toastBad || !h.m.toast.sticky {
		t.Errorf("the toast is %+v", h.m.toast)
	}
	h.keys("esc")
	if h.m.toast.text != "" {
		t.Error("esc takes the toast away")
	}
}

// TestAnotherHolderIsLookedAtAgain: the lock changes hands while the dialog is read. Nothing is sent before the operator has seen that.
func TestAnotherHolderIsLookedAtAgain(t *testing.T) {
	h := open(t, "invoice", "r")
	h.keys("up", "I", "N", "C")
	locks := fixtureLocks(noon)
	changed := *locks[1]
	changed.Holders = []inspector.Holder{holder("worker-8", "worker-8", 0)}
	locks[1] = &changed
	h.show(snapshotOf(2, noon, locks))
	h.wantSeen("by now it is held by worker-8; look again", "holder   worker-7", "[ Look again ]")
	h.keys("tab", "tab", "enter")
	h.run()
	h.wantSeen("holder   worker-8", "[ Release ]", "INC")
	h.wantUnseen("look again")
	if n := len(h.operator.requests); n != 0 || h.m.dialog.focus != controlCancel {
		t.Fatalf("%d requests; the focus is on %d", n, h.m.dialog.focus)
	}
	h.keys("tab", "enter")
	h.answer()
	if r := h.operator.requests[0]; r.Lock != &changed || r.Owner != "worker-8" || r.Reason != "INC" {
		t.Errorf("requested %+v", r)
	}
}

// TestFreeByNowIsNotLookedAt: there is nothing left to act on.
func TestFreeByNowIsNotLookedAt(t *testing.T) {
	h := open(t, "invoice", "r")
	h.show(snapshotOf(2, noon, fixtureLocks(noon)[:1]))
	h.wantSeen("it is free by now; look again")
	h.keys("tab", "enter")
	h.run()
	if h.m.dialog != nil || len(h.operator.requests) != 0 {
		t.Errorf("%d requests:\n%s", len(h.operator.requests), h.screen())
	}
	h.wantSeen("is free by now; there is nothing to release")
}

func TestReleaseOfReentrantAsksHowMuch(t *testing.T) {
	for _, c := range []struct {
		keys    []string
		entries int64
		word    string
	}{
		{[]string{"tab", "enter"}, 1, "[ Release one entry ]"},
		{[]string{"up", "up", "right", "tab", "tab", "tab", "enter"}, 0, "[ Release all entries ]"},
		{[]string{"up", "up", "right", "left", "down", "down", "down", "enter"}, 1, "[ Release one entry ]"},
	} {
		h := open(t, "orders", "r")
		h.keys(c.keys[:len(c.keys)-1]...)
		h.wantSeen(c.word)
		h.keys(c.keys[len(c.keys)-1])
		h.answer()
		if len(h.operator.requests) != 1 || h.operator.requests[0].Entries != c.entries {
			t.Errorf("%v requested %+v", c.keys, h.operator.requests)
		}
	}
}

func TestExtendAsksTheLease(t *testing.T) {
	h := open(t, "orders", "e")
	h.keys("up", "up")
	for range 3 {
		h.keys("backspace")
	}
	h.keys("tab", "tab", "tab", "enter")
	h.run()
	if len(h.operator.requests) != 0 {
		t.Fatal("an empty lease was confirmed")
	}
	h.wantSeen("write a time such as 30s")
	h.keys("up", "up", "up")
	for _, r := range "1m30s" {
		h.keys(string(r))
	}
	h.keys("tab", "tab", "tab", "enter")
	h.answer()
	if len(h.operator.requests) != 1 || h.operator.requests[0].TTL != 90*time.Second {
		t.Errorf("requested %+v", h.operator.requests)
	}
}

func TestParseLease(t *testing.T) {
	for in, want := range map[string]time.Duration{"30s": 30 * time.Second, " 45 ": 45 * time.Second, "1.5": 1500 * time.Millisecond, "2h": 2 * time.Hour} {
		if got, err := parseLease(in); err != nil || got != want {
			t.Errorf("parseLease(%q) = %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "x", "0", "-3s", "1e99", "NaN", "Inf", "1us"} {
		if got, err := parseLease(in); err == nil {
			t.Errorf("parseLease(%q) = %v, want an error", in, got)
		}
	}
}

func TestSeveralHoldersAreChosenFrom(t *testing.T) {
	h := open(t, "锁", "r")
	h.wantSeen("holder   工人-1, entered 2 times")
	h.keys("up", "up", "up", "right")
	h.wantSeen("holder   worker-5, entered once")
	h.keys("tab", "tab", "tab", "tab", "enter")
	h.answer()
	if len(h.operator.requests) != 1 || h.operator.requests[0].Owner != "worker-5" {
		t.Errorf("requested %+v", h.operator.requests)
	}
}

func TestReadOnlySaysWhy(t *testing.T) {
	h := withFixture(t, 120, 40, "default")
	h.operator.readOnly = true
	h.m.keys.setReadOnly(true)
	for _, k := range []string{"r", "e", "x"} {
		h.keys(k)
		if h.m.dialog != nil {
			t.Errorf("%s opened a dialog", k)
		}
		h.wantSeen("is off: locktop runs read-only", "READ-ONLY")
		h.m.toast = toast{}
	}
	h.wantSeen("r release")
	h.keys("?")
	h.wantSeen("release (off: read-only)")
}

// TestActionsThatAreOffSayWhy: what is said before the dashboard begins is covered by it, so the dashboard says it again, at the
// beginning and at each key that acts.
func TestActionsThatAreOffSayWhy(t *testing.T) {
	config := Config{
		Source: &fakeSource{next: make(chan *inspector.Snapshot, 1)}, Operator: &fakeOperator{readOnly: true}, Where: "prod-cache",
		Off: "the audit file cannot be written: mkdir /x\x1b[2J: permission denied",
	}
	h := withFixture(t, 120, 40, "default")
	h.m = newModel(t.Context(), config, h.m.theme)
	h.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	h.show(fixture())
	h.wantSeen("▲ actions are off: the audit file cannot be written", "READ-ONLY")
	h.keys("esc")
	h.wantUnseen("the audit file")
	h.keys("x")
	h.wantSeen("force-expire is off: the audit file cannot be written", `\x1b[2J`)
	h.keys("2", "r")
	h.wantSeen("release is off: the audit file cannot be written")
}

// TestADialogSaysThatItsServerIsSilent: what a dialog shows is from before, once its server answers no more.
func TestADialogSaysThatItsServerIsSilent(t *testing.T) {
	silent := func(h *harness) {
		s := fixture()
		s.Seq++
		s.Nodes[0].Connected, s.Nodes[0].StaleSince = false, noon
		h.show(s)
	}
	h := open(t, "7731", "x")
	h.wantUnseen("does not answer since")
	silent(h)
	h.wantSeen("▲ "+string(testNode)+" does not answer since "+noon.Local().Format(time.TimeOnly), "so any more")
	h = marked(t, 120, 40, "lock:invoice:7731", "cart:100")
	h.keys("x")
	h.wantUnseen("does not answer since")
	silent(h)
	h.wantSeen("force-expire 2 marked locks", "does not answer since")

	h = showing(t, 120, 40, redlockFixture())
	h.keys("j", "j", "x")
	h.wantUnseen("does not answer since") // of a master that was silent before, the votes say so
	s := redlockFixture()
	s.Seq++
	s.Nodes[0].Connected, s.Nodes[0].StaleSince = false, noon
	h.show(s)
	h.wantSeen("▲ " + string(s.Nodes[0].Node) + " does not answer since")
}

func TestNothingToActOn(t *testing.T) {
	for filter, want := range map[string]string{
		"cart:991": "cart:991 is free already", "mutex:queue": "nobody holds mutex:queue",
	} {
		h := withFixture(t, 120, 40, "default")
		h.keys("/")
		for _, r := range filter {
			h.keys(string(r))
		}
		h.keys("enter", "r")
		if h.m.dialog != nil {
			t.Errorf("%s: a dialog opened", filter)
		}
		h.wantSeen(want)
	}
}

func TestTinyWindowConfirmsNothing(t *testing.T) {
	h := open(t, "invoice", "x")
	h.m.width, h.m.height = 20, 5
	h.keys("tab", "enter")
	h.run()
	if len(h.operator.requests) != 0 {
		t.Error("an action was confirmed in a window that could not show it")
	}
}

func TestDialogFreezesTheScreen(t *testing.T) {
	h := open(t, "cart", "r")
	before := strings.Split(h.screen(), "\n")[4:]
	h.now = h.now.Add(3 * time.Second)
	h.send(tickMsg{})
	if got := strings.Split(h.screen(), "\n")[4:]; !slices.Equal(got, before) {
		t.Error("the screen under the dialog goes on")
	}
	h.keys("esc")
	if h.m.at != h.now {
		t.Error("the screen stands still after the dialog")
	}
}

func TestOutcomesAreToasts(t *testing.T) {
	for result, want := range map[actions.Result]toastKind{
		actions.ResultReleased: toastGood, actions.ResultExtended: toastGood, actions.ResultGone: toastBad,
		actions.ResultUnknown: toastBad, actions.ResultReadOnly: toastBad, actions.ResultDryRun: toastInfo,
	} {
		msg := outcomeMsg{actions.Request{Verb: actions.VerbRelease, Lock: fixtureLocks(noon)[1], Owner: "worker-7"}, actions.Outcome{Result: result}, noon}
		if got := outcomeToast(msg, noon); got.kind != want {
			t.Errorf("%s is a toast of kind %d, want %d", result, got.kind, want)
		}
	}
}

// slowOperator answers when it is told to.
type slowOperator struct {
	fakeOperator
	answer chan struct{}
}

func (o *slowOperator) Do(ctx context.Context, r actions.Request) actions.Outcome {
	<-o.answer
	return o.fakeOperator.Do(ctx, r)
}

func TestQuitWaitsForTheAction(t *testing.T) {
	slow := &slowOperator{answer: make(chan struct{})}
	h := open(t, "invoice", "x")
	h.m.config.Operator = slow
	h.keys("tab", "enter", "q")
	if !h.m.quitting {
		t.Fatal("it does not quit")
	}
	for _, cmd := range h.pending {
		go cmd()
	}
	finished := make(chan struct{})
	go func() {
		h.m.finish()
		close(finished)
	}()
	select {
	case <-finished:
		t.Fatal("it did not wait")
	case <-time.After(20 * time.Millisecond):
	}
	close(slow.answer)
	<-finished
	if len(slow.requests) != 1 {
		t.Errorf("%d requests", len(slow.requests))
	}
}
