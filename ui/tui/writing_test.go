package tui

import (
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
)

// inProduction is a harness of a production profile.
func inProduction(t testing.TB, profile string) *harness {
	h := withFixture(t, 120, 40, "default")
	h.m.config.Production, h.m.config.Profile = true, profile
	h.send(tickMsg{})
	return h
}

func (h *harness) typing(s string) {
	for _, r := range s {
		h.keys(string(r))
	}
}

func TestProductionDemandsTheName(t *testing.T) {
	h := inProduction(t, "prod")
	h.wantSeen(" PRODUCTION ")
	h.keys("r")
	h.wantSeen("PRODUCTION · release lock:invoice:7731", "type     lock:invoice:7731", "type the name first")
	// Neither the Tab key nor anything else reaches the button.
	for range 5 {
		h.keys("tab")
		if h.m.dialog.focus == controlConfirm {
			t.Fatal("the button was reached")
		}
	}
	h.m.dialog.focus = controlConfirm
	h.keys("enter")
	if h.run(); len(h.operator.requests) != 0 {
		t.Fatal("it was confirmed without the name")
	}
	h.m.dialog.focus = controlTyped
	h.typing("lock:invoice:773")
	h.keys("tab", "tab")
	if h.m.dialog.focus == controlConfirm {
		t.Fatal("a part of the name is enough")
	}
	h.m.dialog.focus = controlTyped
	h.keys("1", "enter", "tab")
	if h.m.dialog.focus != controlConfirm {
		t.Fatalf("the focus is on %d", h.m.dialog.focus)
	}
	h.keys("enter")
	h.answer()
	if len(h.operator.requests) != 1 {
		t.Errorf("%d requests", len(h.operator.requests))
	}
	h = inProduction(t, "prod")
	h.keys("e", "tab", "enter") // an extension destroys nothing
	h.answer()
	if len(h.operator.requests) != 1 {
		t.Errorf("%d requests", len(h.operator.requests))
	}
}

func TestProductionNameIsNotPasted(t *testing.T) {
	h := inProduction(t, "prod")
	h.keys("x", "shift+tab")
	for _, paste := range []tea.KeyMsg{
		{Type: tea.KeyRunes, Runes: []rune("lock:invoice:7731"), Paste: true},
		{Type: tea.KeyRunes, Runes: []rune("lock:invoice:7731")}, // by a terminal that does not mark it
	} {
		h.send(paste)
		if h.m.dialog.typed.Value() != "" {
			t.Errorf("pasted %q", h.m.dialog.typed.Value())
		}
		h.wantSeen("it is not pasted but typed")
		h.keys("a", "backspace")
		h.wantUnseen("it is not pasted but typed")
	}
	h.keys("shift+tab")
	h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("INC-77 is why"), Paste: true})
	if got := h.m.dialog.reason.Value(); got != "INC-77 is why" {
		t.Errorf("the reason is %q", got)
	}
}

// TestProductionNameAsShown: an escaped key is typed as it is on the screen.
func TestProductionNameAsShown(t *testing.T) {
	h := inProduction(t, "")
	h.keys("/", "e", "v", "i", "l", "enter", "r", "shift+tab")
	h.typing(`evil\x1b[2J\x1b]0;pwned\x07\u202ekcol`)
	h.keys("tab", "tab")
	if h.m.dialog.focus != controlConfirm {
		t.Error("the escaped form was not taken")
	}
}

func TestProductionBulkDemandsTheProfile(t *testing.T) {
	for profile, name := range map[string]string{"prod-eu": "prod-eu", "": "production"} {
		h := inProduction(t, profile)
		markKeys(h, "cart:100", "cart:137")
		h.keys("r")
		h.wantSeen("PRODUCTION · release 2 marked locks", "type     "+name)
		h.keys("tab")
		if h.m.dialog.focus == controlConfirm {
			t.Fatal("the button was reached")
		}
		h.keys("shift+tab", "shift+tab")
		h.m.dialog.focus = controlTyped
		h.typing(name)
		h.keys("tab", "tab", "enter")
		h.finishRun()
		if len(h.operator.requests) != 2 {
			t.Errorf("%d requests", len(h.operator.requests))
		}
		h.wantSeen("PRODUCTION · release 2 marked locks")
	}
}

func TestWritingLapses(t *testing.T) {
	h := withFixture(t, 120, 40, "default")
	h.operator.until = noon.Add(9*time.Minute + 42*time.Second)
	h.send(tickMsg{})
	h.wantSeen(" WRITE 9:42 ")
	h.keys("r", "tab")
	h.now = noon.Add(9*time.Minute + 12*time.Second)
	h.send(tickMsg{})
	h.wantSeen(" WRITE 0:30 ")
	h.now = noon.Add(9*time.Minute + 42*time.Second)
	h.send(tickMsg{})
	h.wantSeen("READ-ONLY", "writing has lapsed")
	h.keys("enter")
	if h.run(); len(h.operator.requests) != 0 {
		t.Fatal("it was confirmed after the lapse")
	}
	h.keys("esc", "x")
	h.wantSeen("Write for another 10m?", "over since 14:13:09", "[ Cancel ]", "[ Write ]")
	h.keys("enter")
	if h.run(); h.operator.rearmed != 0 {
		t.Fatal("Cancel armed it")
	}
	h.keys("x", "tab", "enter")
	h.run(func() bool { return h.operator.rearmed == 1 && h.m.toast.text != "" })
	h.wantSeen("writing until 14:23:09", " WRITE 10:00 ")
	h.keys("r")
	h.wantSeen("release lock:invoice:7731")
}

func TestRearmInProductionDemandsTheProfile(t *testing.T) {
	h := inProduction(t, "prod")
	h.operator.until = noon.Add(-time.Second)
	h.keys("r")
	h.wantSeen("PRODUCTION · writing has lapsed", "type     prod")
	h.keys("tab")
	if h.m.dialog.focus == controlConfirm {
		t.Fatal("the button was reached")
	}
	h.typing("prod")
	h.keys("tab", "tab", "enter")
	h.run(func() bool { return h.operator.rearmed == 1 })
}

func TestReasonAndDelayAreAsked(t *testing.T) {
	h := open(t, "orders", "x")
	h.wantSeen("in       0", "reason", "Force-expiring it now")
	h.keys("up", "up", "backspace", "5", "s")
	h.wantSeen("Force-expiring it in 5 s")
	h.keys("tab")
	h.typing("the job hangs, Y or q or 1?")
	if h.m.dialog == nil || len(h.copied) > 0 {
		t.Fatal("letters of the reason were taken for keys")
	}
	h.keys("tab", "tab", "enter")
	h.answer()
	if len(h.operator.requests) != 1 {
		t.Fatalf("requested %+v", h.operator.requests)
	}
	if r := h.operator.requests[0]; r.TTL != 5*time.Second || r.Reason != "the job hangs, Y or q or 1?" {
		t.Errorf("requested %+v", r)
	}
	h = open(t, "orders", "x")
	h.keys("up", "up", "backspace", "1", "h", "tab", "tab", "tab", "enter")
	h.wantSeen("it ends sooner already, in 22.4 s: a delay can only shorten that")
	if h.run(); len(h.operator.requests) != 0 {
		t.Error("a delay that is longer than the lease was asked for")
	}
	for in, want := range map[string]time.Duration{"": 0, "0": 0, " 0s ": 0, "5": 5 * time.Second, "1m": time.Minute} {
		if got, err := parseDelay(in); err != nil || got != want {
			t.Errorf("parseDelay(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"-1", "s", "x", "1us"} {
		if _, err := parseDelay(in); err == nil {
			t.Errorf("parseDelay(%q) is taken", in)
		}
	}
}

func TestCountdown(t *testing.T) {
	for in, want := range map[time.Duration]string{
		0: "0:00", time.Millisecond: "0:01", 61 * time.Second: "1:01", 9*time.Minute + 42*time.Second: "9:42", 2*time.Hour + 62*time.Second: "2:01:02",
	} {
		if got := countdown(in); got != want {
			t.Errorf("countdown(%v) = %q, want %q", in, got, want)
		}
	}
}

func TestThePanelTellsOfActions(t *testing.T) {
	h := withFixture(t, 160, 40, "default")
	h.operator.lines = fixtureActions(noon)
	h.keys("A")
	h.run(func() bool { return h.m.lastActions.read })
	h.wantSeen("the last actions", "lock:invoice:7731", "ann@ops-1", "released", "INC-123", "▲ unknown: no outcome was written", "… under way", "now held by worker-8",
		"armed again for 10m", "lapsed", `evil\x1b[2J`)
	h.keys("enter", "r", "x", "tab", "enter")
	if h.run(); len(h.operator.requests) != 0 || h.m.lastActions == nil || h.m.dialog != nil {
		t.Error("the panel shows, and does nothing")
	}
	h.operator.lines = h.operator.lines[:1]
	h.now = h.now.Add(lastActionsEvery)
	h.send(tickMsg{})
	h.run(func() bool { return len(h.m.lastActions.lines) == 1 })
	h.keys("esc")
	if h.m.lastActions != nil {
		t.Error("esc closes it")
	}
}

// fixtureActions are actions as an audit has them.
func fixtureActions(now time.Time) []actions.AuditLine {
	line := func(ago time.Duration, phase string, verb actions.Verb, key, owner string, result actions.Result) actions.AuditLine {
		return actions.AuditLine{
			ID: key, Phase: phase, At: now.Add(-ago), Actor: actions.AuditActor{User: "ann", Host: "ops-1", PID: 7}, Verb: verb, Key: key,
			Saw: actions.AuditObserved{Owner: owner}, Outcome: result,
		}
	}
	list := []actions.AuditLine{
		line(time.Second, actions.PhaseIntent, actions.VerbRelease, "cart:100", "worker-0", ""),
		line(12*time.Second, actions.PhaseOutcome, actions.VerbRelease, "lock:invoice:7731", "worker-7", actions.ResultReleased),
		line(40*time.Second, actions.PhaseSession, actions.SessionRearm, "", "", ""),
		line(50*time.Second, actions.PhaseSession, actions.SessionLapse, "", "", ""),
		line(2*time.Minute, actions.PhaseOutcome, actions.VerbForceExpire, "orders:checkout", "0f4d3a52 thread 42", actions.ResultNotHolder),
		line(3*time.Minute, actions.PhaseIntent, actions.VerbForceExpire, "reports:nightly", "77ab01c2 thread 7", ""),
		line(26*time.Hour, actions.PhaseOutcome, actions.VerbExtend, "evil\x1b[2J", "own\ner", actions.ResultDenied),
	}
	list[1].Asked.Reason = "INC-123"
	list[2].Asked.TTL = (10 * time.Minute).Milliseconds()
	list[4].Holder = "worker-8"
	list[6].Detail = "mend: ACL SETUSER default +eval"
	return list
}

// What has changed is not said to have changed twice.
func TestADeedSaysOnceThatItsLockHasChanged(t *testing.T) {
	h := withFixture(t, 80, 24, "default")
	line := fixtureActions(noon)[4]
	line.Outcome, line.Detail = actions.ResultChanged, "changed while you were reading: it has a lease now"
	if _, _, said := h.m.deedSaid(&line); said != "changed while you were reading: it has a lease now" {
		t.Errorf("%q", said)
	}
	line.Outcome, line.Detail = actions.ResultDenied, "mend: ACL"
	if _, _, said := h.m.deedSaid(&line); said != "denied by ACL: mend: ACL" {
		t.Errorf("%q", said)
	}
}
