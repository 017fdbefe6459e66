package tui

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
)

// everyKey is what the fuzzers type: every binding, and some letters that are none.
var everyKey = []string{
	"up", "down", "k", "j", "g", "G", "home", "end", "pgup", "pgdown", "ctrl+u", "ctrl+d", "ctrl+b", "ctrl+f", "1", "3",
	"enter", "esc", "/", "!", "s", "S", "I", "c", " ", "m", "y", "Y", "r", "e", "x", "?", "q", "tab", "shift+tab", "left", "right",
	"backspace", "a", "*", "[", "0", "锁", "\u202e", "w", "2", "4",
	"5", "f", "n", "p", "-", "+", "=", "R", "t", "M", "z", "Z", "h", "l", "A", "P", ",", ".", "<", ">",
}

// TestFrameAtEverySize checks the bounds of every view in every window from nothing to 300x100.
func TestFrameAtEverySize(t *testing.T) {
	t.Parallel()
	states := map[string]func(h *harness){
		"locks":   func(*harness) {},
		"events":  func(h *harness) { h.keys("3") },
		"holders": func(h *harness) { h.show(holdersFixture()); h.keys("2", "j") },
		"holder":  func(h *harness) { h.show(holdersFixture()); h.keys("2", "enter") },
		"nodes":   func(h *harness) { h.show(clusterFixture()); h.keys("4", "j") },
		"map":     func(h *harness) { h.show(redlockFixture()); h.keys("4", "j") },
		"votes":   func(h *harness) { h.show(redlockFixture()); h.keys("enter") },
		"split":   func(h *harness) { h.show(redlockFixture()); h.keys("r") },
		"detail":  func(h *harness) { h.keys("j", "enter") },
		"lost":    func(h *harness) { h.show(lostFixture()); h.keys("z", "left") },
		"back":    func(h *harness) { h.show(lostFixture()); h.keys("enter", "Z", "left", "left") },
		"help":    func(h *harness) { h.keys("?") },
		"release": func(h *harness) { h.keys("j", "j", "r") },
		"extend":  func(h *harness) { h.keys("e") },
		"marked":  func(h *harness) { h.keys("m", "m", "m", "m", "x") },
		"guarded": func(h *harness) { h.m.config.Production = true; h.keys("m", "m", "r") },
		"lapsed":  func(h *harness) { h.operator.until = noon; h.keys("e") },
		"actions": func(h *harness) {
			h.operator.lines = fixtureActions(noon)
			h.keys("A")
			h.run(func() bool { return h.m.lastActions.read })
		},
		"report": func(h *harness) { h.keys("m", "m", "m", "m", "r", "tab", "enter"); h.finishRun() },
		"typing": func(h *harness) { h.keys("/", "a", "锁") },
		"toast": func(h *harness) {
			h.m.toast = infoToast("a long message that must be broken into several lines because it tells much", h.now)
		},
		"stale": func(h *harness) {
			s := fixture()
			s.Seq = 2
			s.Nodes[0].Connected, s.Nodes[0].StaleSince, s.Nodes[0].Err = false, noon, "dial tcp: connection refused"
			h.show(s)
		},
		"nothing": func(h *harness) { h.show(nothingFixture()) },
		"first":   func(h *harness) { h.show(firstLookFixture()) },
		"silent":  func(h *harness) { h.show(silentFixture()) },
		"columns": func(h *harness) { h.keys("c", "j", " ", "j", "j", " ") },
		"trouble": func(h *harness) { h.keys("3", "!", "k") },
		"demo":    func(h *harness) { h.keys("5", "j", "j", "j") },
		"told":    func(h *harness) { h.play.scene.Now.Text = strings.Repeat("a long sentence about 锁:订单:42 ", 10) },
		"held":    func(h *harness) { h.play.scene.Held = true },
	}
	for name, prepare := range states {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := withDemo(t, 80, 24, "default")
			prepare(h)
			h.send(tickMsg{})
			for width := 0; width <= 300; width += 1 + width/20 {
				for height := 0; height <= 100; height += 1 + height/12 {
					h.m.width, h.m.height = width, height
					if err := checkFrame(h.m.render(), width, height); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// FuzzKeys types at random into windows at random: the bounds hold, nothing breaks, and nothing is done unless the focus
// was on the button that says so.
func FuzzKeys(f *testing.F) {
	f.Add(uint64(1), uint8(80), uint8(24), []byte{26, 27, 6, 6})
	f.Add(uint64(2), uint8(45), uint8(10), []byte{16, 16, 28, 31, 6})
	f.Add(uint64(3), uint8(1), uint8(1), []byte{26, 31, 16, 18, 38, 39, 40, 16})
	f.Fuzz(func(t *testing.T, seed uint64, width, height uint8, typed []byte) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newWalker(t, profiles[seed%uint64(len(profiles))], "default", int(width), int(height), random)
		for _, b := range typed {
			err := w.press(everyKey[int(b)%len(everyKey)])
			if err == nil && w.m.dialog != nil && w.m.dialog.focus == controlTyped && random.IntN(4) == 0 {
				err = w.typeName()
			}
			if err == nil && !w.m.quitting && random.IntN(3) == 0 {
				err = w.disturb()
			}
			if err != nil {
				t.Fatalf("%v, after %q", err, w.pressed)
			}
			if w.m.quitting {
				return
			}
		}
	})
}

// FuzzHostileText shows hostile names wherever names are shown.
func FuzzHostileText(f *testing.F) {
	f.Add("\x1b[2J\x1b]0;x\a\u202e\u200b\x00\xff", uint8(100), uint8(40))
	f.Fuzz(func(t *testing.T, hostile string, width, height uint8) {
		h := newHarness(t, int(width), int(height), "default")
		h.m.config.Where = hostile
		h.stage(hostileScene(hostile))
		l := *fixtureLocks(noon)[0]
		l.Key, l.Scheme, l.State = hostile, inspector.Scheme("token"), inspector.StateHeld
		l.Holders = []inspector.Holder{{Owner: hostile, Label: hostile}, {Owner: hostile + "2", Label: hostile}}
		l.Observed, l.Evidence = companionOf(hostile), []string{hostile}
		l.Findings = []inspector.Finding{{Code: inspector.CodeLapsed, Severity: inspector.SeverityWarning, Text: hostile, Advice: hostile}}
		l.History = []inspector.Hold{
			{
				Owner: hostile + "2", Label: hostile + "2", Since: noon.Add(-50 * time.Second), Until: noon.Add(-40 * time.Second),
				Cause: inspector.CauseExpired, Lost: &inspector.Loss{At: noon.Add(-40 * time.Second), Text: hostile},
			},
			{Owner: hostile + "3", Label: hostile, Since: noon.Add(-40 * time.Second), Until: noon.Add(-30 * time.Second), Cause: inspector.Cause(hostile)},
			{Owner: hostile, Label: hostile, Since: noon.Add(-time.Minute)},
		}
		s := snapshotOf(1, noon, []*inspector.Lock{&l})
		s.Nodes[0].Software, s.Nodes[0].Version, s.Nodes[0].FeedReason = hostile, hostile, hostile
		s.Nodes[0].Feed, s.Nodes[0].Patterns, s.Nodes[0].Node = keyspace.FeedPoll, []string{hostile}, keyspace.Node(hostile)
		s.Nodes[0].Topology = keyspace.Redlock
		s.Nodes[0].Replication = keyspace.Replication{Replicas: []keyspace.Replica{{Addr: hostile}}, MasterAddr: hostile}
		s.Nodes[0].LastGapWhy, s.Nodes[0].Gaps, s.Nodes[0].WritesRefused = hostile, 1, hostile
		s.Unseen = []inspector.Unseen{{Node: keyspace.Node(hostile), From: noon.Add(-time.Second), Why: hostile}}
		silent := s.Nodes[0]
		silent.Connected, silent.Err, silent.Role = false, hostile, hostile
		s.Nodes = append(s.Nodes, silent)
		l.Quorum = &inspector.Quorum{Needed: 1, Votes: []inspector.Vote{
			{Node: keyspace.Node(hostile), Ballot: inspector.BallotOther, Owner: hostile, Label: hostile, Detail: hostile},
			{Node: "other", Ballot: inspector.Ballot(hostile), Detail: hostile},
		}}
		for i := range s.Events {
			s.Events[i].Key, s.Events[i].Owner, s.Events[i].Label, s.Events[i].Text = hostile, hostile, hostile, hostile
		}
		h.show(s)
		for _, keys := range [][]string{nil, {"3"}, {"4"}, {"5"}, {"f", "R"}, {"1", "enter"}, {"r"}, {"esc", "x"}, {"esc", "esc", "/"}} {
			h.keys(keys...)
			h.m.toast = infoToast("", h.now)
			if err := checkFrame(h.m.View(), int(width), int(height)); err != nil {
				t.Fatalf("after %v: %v", keys, err)
			}
		}
		h.m.config.Production, h.m.config.Profile = true, hostile
		h.keys("esc", "esc", "esc", "1", "m", "r", "shift+tab", "a")
		guarded := h.m.View()
		h.m.dialog = nil
		h.operator.outcome = actions.Outcome{Result: actions.ResultNotHolder, Holder: hostile}
		h.m.run = &bulkRun{title: "release", deeds: []bulkDeed{{
			request: actions.Request{Verb: actions.VerbRelease, Lock: &l, Owner: hostile}, fate: deedOver, outcome: h.operator.outcome,
		}}}
		h.send(nil)
		report := h.m.View()
		h.m.run, h.m.lastActions = nil, &actionPanel{read: true, lines: []actions.AuditLine{{
			Phase: actions.PhaseOutcome, Verb: actions.Verb(hostile), Key: hostile, Actor: actions.AuditActor{User: hostile, Host: hostile}, Where: hostile,
			Saw: actions.AuditObserved{Owner: hostile, Label: hostile}, Asked: actions.AuditRequest{Reason: hostile},
			Outcome: actions.Result(hostile), Detail: hostile, Holder: hostile,
		}}}
		h.send(nil)
		for _, frame := range []string{guarded, report, h.m.View()} {
			if err := checkFrame(frame, int(width), int(height)); err != nil {
				t.Fatal(err)
			}
		}
		h.m.lastActions, h.m.config.Production = nil, false
		cluster := *s
		cluster.Nodes = append(cluster.Nodes[:0:0], s.Nodes...)
		cluster.Nodes[0].Topology = keyspace.Cluster
		h.show(&cluster)
		h.keys("esc", "esc", "4", "j")
		if err := checkFrame(h.m.View(), int(width), int(height)); err != nil {
			t.Fatal(err)
		}
		stale := *s
		stale.Nodes = []keyspace.Status{{
			Node: keyspace.Node(hostile), Err: hostile, StaleSince: noon, Trouble: keyspace.Trouble{Kind: hostile, Why: hostile, Mend: hostile},
		}}
		nothing := *s
		nothing.Locks, nothing.Nodes = nil, s.Nodes[:1]
		gone := stale
		gone.Locks = nil
		for _, shown := range []*inspector.Snapshot{&stale, &nothing, &gone} {
			shown.Seq = h.m.sequence + 1
			h.show(shown)
			h.keys("esc", "1")
			if err := checkFrame(h.m.View(), int(width), int(height)); err != nil {
				t.Fatal(err)
			}
		}
	})
}
