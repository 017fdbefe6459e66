package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
	"locktop/keyspace"
)

// fakeProber answers what it was told to. A probe lasts until it is let go, or cancelled.
type fakeProber struct {
	mu      sync.Mutex
	cost    inspector.ProbeCost
	costErr error
	sample  *inspector.Sample
	err     error
	asked   []inspector.ProbeOptions
	locks   []*inspector.Lock
	hold    chan struct{} // nil: it answers at once
	ended   bool          // by its context
}

func (p *fakeProber) Cost(context.Context, *inspector.Lock) (inspector.ProbeCost, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cost, p.costErr
}

func (p *fakeProber) Probe(ctx context.Context, l *inspector.Lock, o inspector.ProbeOptions) (*inspector.Sample, error) {
	p.mu.Lock()
	p.asked, p.locks = append(p.asked, o), append(p.locks, l)
	hold := p.hold
	p.mu.Unlock()
	o.Progress(1204, 48_000)
	select {
	case <-hold:
	case <-ctx.Done():
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sample, p.err
}

// costs sets what the next questions for the cost are answered; one that was asked before may still run.
func (p *fakeProber) costs(cost inspector.ProbeCost, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cost, p.costErr = cost, err
}

func (p *fakeProber) wasEnded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// aSample is what a probe of the fixture's first lock finds.
func aSample(of keyspace.Ref) *inspector.Sample {
	at := noon.Add(-2 * time.Second)
	s := &inspector.Sample{
		Ref: of, From: at, To: noon, Ended: keyspace.ProbeTime, Waiting: 3, Lines: 1204, Bytes: 148_120,
		Sampled: inspector.Sampled{Attempts: 121, Acquired: 2, Failed: 117, Releases: inspector.Tries{All: 1, Done: 1}},
		Nodes:   []inspector.SampledNode{{Node: "127.0.0.1:6379", Lines: 1204, Bytes: 148_120, LoadKnown: true, OpsBefore: 612, OpsDuring: 598, CPU: 0.07}},
		Clients: []inspector.SampledClient{
			{Addr: "10.0.0.7:50312", Connections: 4, Name: "checkout-7f9c", Library: "go-redis", LibraryVersion: "9.23.0", Owners: 61, Sampled: inspector.Sampled{Attempts: 61, Failed: 61}, First: at, Last: noon, Waiting: true},
			{Addr: "10.0.0.8:50114", Connections: 1, Name: "支付-worker", Library: "redis-py", LibraryVersion: "5.0.1", Owner: "w-8", Owners: 1, Sampled: inspector.Sampled{Attempts: 40, Acquired: 1, Failed: 39, Releases: inspector.Tries{All: 1, Done: 1}}, First: at, Last: noon, Waiting: true},
			{Addr: "10.0.0.9:41022", Connections: 1, Owner: "\x1b[2Jevil\u202e", Owners: 1, Sampled: inspector.Sampled{Attempts: 20, Acquired: 1, Failed: 17}, First: at, Last: noon, Waiting: true},
			{Addr: "unix:/run/redis.sock", Connections: 1, Owner: "\x1b[2Jevil\u202e", Owners: 1, Sampled: inspector.Sampled{Extends: inspector.Tries{All: 2, Done: 2}}, First: at, Last: noon},
		},
	}
	return s
}

// withProbe is a harness whose dialog of a probe is open, with its cost known.
func withProbe(t testing.TB, width, height int, themeName string) *harness {
	t.Helper()
	h := withFixture(t, width, height, themeName)
	h.prober.cost = inspector.ProbeCost{Known: true, Ops: 612, Busiest: 612, Masters: 1}
	h.prober.sample = aSample(h.m.table.rows[0].Ref)
	h.keys("P")
	h.run(func() bool { return h.m.probe.cost != nil })
	return h
}

// started has the probe begin, and waits until it listens.
func (h *harness) started() *harness {
	h.t.Helper()
	h.prober.hold = make(chan struct{})
	h.keys("tab", "enter")
	if h.m.probe == nil || h.m.probe.running == nil {
		h.t.Fatalf("nothing was begun:\n%s", h.screen())
	}
	results := h.pending
	h.pending = nil
	for _, cmd := range results {
		go h.later(cmd)
	}
	for deadline := time.Now().Add(10 * time.Second); h.m.probe.running.lines.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			h.t.Fatal("nobody listens")
		}
	}
	h.send(tickMsg{}) // the numbers come with the clock
	return h
}

// later runs a command, and keeps its answers for [harness.run].
func (h *harness) later(cmd tea.Cmd) {
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			go h.later(c)
		}
	default:
		h.answers <- msg
	}
}

// probed waits for the end of the probe.
func (h *harness) probed() {
	h.t.Helper()
	for h.m.probe != nil {
		select {
		case msg := <-h.answers:
			if msg, is := msg.(probedMsg); is {
				h.send(msg)
			}
		case <-time.After(10 * time.Second):
			h.t.Fatal("the probe does not end")
		}
	}
}

func TestProbeGolden(t *testing.T) {
	screens := map[string]func(h *harness){
		"probe":         func(*harness) {},
		"probe-running": func(h *harness) { h.started(); h.now = h.now.Add(700 * time.Millisecond); h.send(tickMsg{}) },
		"probe-busy": func(h *harness) {
			h.m.probe.cost = &inspector.ProbeCost{Known: true, Ops: 61_000, Busiest: 61_000, Masters: 1}
			h.keys("tab")
		},
		"probed": func(h *harness) {
			h.started()
			close(h.prober.hold)
			h.probed()
		},
	}
	for name, prepare := range screens {
		for _, size := range [][2]int{{60, 15}, {80, 24}, {120, 40}, {200, 50}, {45, 20}} {
			for _, themeName := range []string{"default", "mono"} {
				t.Run(fmt.Sprintf("%s-%dx%d-%s", name, size[0], size[1], themeName), func(t *testing.T) {
					h := withProbe(t, size[0], size[1], themeName)
					prepare(h)
					frame := h.m.View()
					if err := checkFrame(frame, size[0], size[1]); err != nil {
						t.Error(err)
					}
					compareGolden(t, frame)
				})
			}
		}
	}
}

func TestProbeIsShownInTheDetail(t *testing.T) {
	h := withProbe(t, 120, 40, "default")
	h.wantSeen("The server runs 612 commands a second now: about 1,224 lines.", "about half of the throughput", "[ Cancel ]", "[ Probe ]")
	h.keys("shift+tab", "backspace", "backspace", "1", "5", "s")
	h.wantSeen("about 9,180 lines.")
	h.keys("tab") // back to Cancel
	h.started()
	h.wantSeen("1,204 lines, 48 kB", "esc ends it", "of 15 s")
	if o := h.prober.asked[0]; o.For != 15*time.Second || o.Force || h.prober.locks[0] != h.m.probe.lock {
		t.Errorf("%+v", o)
	}
	if h.m.paused() {
		t.Error("the screen stands still while the probe runs")
	}
	close(h.prober.hold)
	h.probed()
	h.wantSeen("Waiters (sampled 2.0 s at 14:03:25)", "3 clients at least asked for it", "at least 117 in vain", "checkout-7f9c", "支付-worker",
		"612 commands a second before, 598 during; 7 % of a core", `\x1b[2Jevil\u202e`)
	h.keys("esc")
	if h.m.detail != nil {
		t.Error("esc does not leave the detail")
	}
}

func TestProbeIsCancelled(t *testing.T) {
	h := withProbe(t, 80, 24, "default").started()
	h.prober.sample.Ended = keyspace.ProbeCancelled
	h.keys("j", "enter", "x", "esc")
	h.probed()
	if !h.prober.wasEnded() {
		t.Error("the probe went on")
	}
	h.wantSeen("sampled 2.0 s at 14:03:25)", "cancelled")
}

// How far a result can be trusted is never cut off.
func TestProbeThatWasCutShortSaysWhy(t *testing.T) {
	h := withProbe(t, 60, 15, "default").started()
	h.prober.sample.Ended = keyspace.ProbeUnread
	close(h.prober.hold)
	h.probed()
	h.wantSeen("cut short: the server sent faster than", "locktop read")
}

// What was found is on the screen at once, also in a window that shows only a part of the page.
func TestProbeIsBroughtIntoSight(t *testing.T) {
	for _, size := range [][2]int{{45, 20}, {60, 15}, {80, 24}, {200, 50}} {
		h := withProbe(t, size[0], size[1], "default").started()
		close(h.prober.hold)
		h.probed()
		h.wantSeen("Waiters (sampled 2.0 s", "attempts")
	}
}

// Whoever quits or suspends hangs up first.
func TestProbeEndsBeforeTheDashboardDoes(t *testing.T) {
	h := withProbe(t, 80, 24, "default").started()
	h.keys("ctrl+z")
	suspend := h.pending[len(h.pending)-1]
	if _, is := suspend().(tea.SuspendMsg); !is || !h.prober.wasEnded() {
		t.Error("it was suspended while it listened")
	}
	h = withProbe(t, 80, 24, "default").started()
	h.keys("ctrl+c")
	h.m.finish()
	if !h.m.quitting || !h.prober.wasEnded() {
		t.Error("it ended while it listened")
	}
}

func TestProbeThatIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config)
		want   string
	}{
		"off":                   {func(c *Config) { c.Probe = ProbeOff }, "the probe is off"},
		"production":            {func(c *Config) { c.Production, c.Profile = true, "pay" }, "the probe is off in pay, which is production"},
		"production, asked":     {func(c *Config) { c.Production, c.Probe = true, ProbeAsk }, "--probe allow lifts that"},
		"production, allowed":   {func(c *Config) { c.Production, c.Probe = true, ProbeAllow }, ""},
		"nothing to probe with": {func(c *Config) { c.Prober = nil }, "nothing here that could be probed"},
	} {
		t.Run(name, func(t *testing.T) {
			h := withFixture(t, 120, 30, "default")
			test.change(&h.m.config)
			h.keys("P")
			if opened := h.m.probe != nil; opened != (test.want == "") {
				t.Errorf("a dialog: %v", opened)
			}
			h.wantSeen(test.want)
		})
	}
}

// Nothing begins that should not: while the cost is not known, on a busy server, for too long, in a window that shows nothing of it.
func TestProbeDoesNotBeginLightly(t *testing.T) {
	h := withFixture(t, 120, 30, "default")
	h.keys("P", "tab", "enter")
	h.wantSeen("asking how busy the server is")
	if h.m.probe.running != nil {
		t.Fatal("it began before anybody knew what it costs")
	}
	h.keys("esc")
	h.prober.costs(inspector.ProbeCost{}, errors.New("NOPERM this user has no permissions"))
	h.keys("P")
	h.run(func() bool { return h.m.probe.costErr != nil })
	h.keys("tab", "enter")
	h.wantSeen("It cannot be probed: NOPERM")
	h.keys("esc")
	h.prober.costs(inspector.ProbeCost{Known: true, Ops: 90_000, Busiest: 45_000, Masters: 2}, nil)
	h.keys("P")
	h.run(func() bool { return h.m.probe.cost != nil })
	h.keys("tab", "enter")
	h.wantSeen("Refused: the server runs 45,000 commands a second", "--force")
	h.keys("esc")
	h.prober.costs(inspector.ProbeCost{Known: true, Ops: 9, Busiest: 9, Masters: 1}, nil)
	h.keys("P")
	h.run(func() bool { return h.m.probe.cost != nil })
	for _, span := range []string{"31s", "0s", "x", "-1s", ""} {
		h.m.probe.span.SetValue(span)
		h.m.probe.focus = controlConfirm
		h.keys("enter")
	}
	h.m.probe.span.SetValue("2s")
	h.send(tea.WindowSizeMsg{Width: 25, Height: 6})
	h.keys("enter")
	if h.m.probe.running != nil || len(h.prober.asked) > 0 {
		t.Errorf("it began: %+v", h.prober.asked)
	}
}

func TestProbeThatFails(t *testing.T) {
	h := withProbe(t, 100, 24, "default")
	h.prober.sample, h.prober.err = nil, errors.New("connect 127.0.0.1:6379: no permission: NOPERM; ACL SETUSER watcher +monitor")
	h.started()
	close(h.prober.hold)
	h.probed()
	h.wantSeen("no probe: connect 127.0.0.1:6379", "+monitor")
	if h.m.detail != nil {
		t.Error("there is nothing to show")
	}
}

// The lock may be gone when the probe is over, and somebody may be busy.
func TestProbeOfALockThatGoes(t *testing.T) {
	h := withProbe(t, 100, 40, "default").started()
	key := h.m.probe.lock.Key
	empty := *fixture()
	empty.Seq, empty.Locks = 99, nil
	h.show(&empty)
	close(h.prober.hold)
	h.probed()
	h.wantSeen("Waiters (sampled")
	if h.m.detail == nil || h.m.detail.lock.Key != key {
		t.Errorf("the detail is not that of %s", key)
	}
	h.keys("esc")
	h.show(fixture())
	h.keys("P")
	h.run(func() bool { return h.m.probe.cost != nil })
	h.started()
	h.m.help = true
	close(h.prober.hold)
	h.probed()
	if h.m.detail != nil || !strings.Contains(h.m.toast.text, "probed ") {
		t.Errorf("%+v", h.m.toast)
	}
}
