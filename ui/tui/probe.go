package tui

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// Prober listens to who asks for a lock; *inspector.Prober is one.
type Prober interface {
	Cost(ctx context.Context, l *inspector.Lock) (inspector.ProbeCost, error)
	Probe(ctx context.Context, l *inspector.Lock, o inspector.ProbeOptions) (*inspector.Sample, error)
}

// ProbePolicy says whether a contention probe may be asked for.
type ProbePolicy string

// The policies. ProbeAsk is the default, and means off in a production profile; ProbeAllow means the same everywhere. A probe is always
// asked for in a dialog.
const (
	ProbeAsk   ProbePolicy = "ask"
	ProbeAllow ProbePolicy = "allow"
	ProbeOff   ProbePolicy = "off"
)

// probe is a contention probe: the dialog that asks for it, and then the probe itself, until its sample is there. While the dialog asks
// the screen stands still; while the probe runs it goes on.
type probe struct {
	lock *inspector.Lock
	// cost is what the servers say; costErr is why they do not. Neither: they were not heard yet.
	cost    *inspector.ProbeCost
	costErr error
	focus   control // controlCancel, controlConfirm or controlTTL
	span    textinput.Model

	running *listening // nil: it is being asked for
}

// listening is a probe under way. The numbers are written by whoever listens.
type listening struct {
	since        time.Time
	span         time.Duration
	lines, bytes atomic.Int64
	cancel       context.CancelFunc
	cancelled    bool
	done         chan struct{} // closed once the connections are
}

// costMsg is what a probe would cost, probedMsg what it found.
type (
	costMsg struct {
		asked *probe
		cost  inspector.ProbeCost
		err   error
	}
	probedMsg struct {
		asked  *probe
		sample *inspector.Sample
		err    error
	}
)

// probeTimeout bounds the question what a probe would cost.
const probeTimeout = 5 * time.Second

// probeSpan is for how long it listens where nothing else is said.
const probeSpan = keyspace.DefaultProbe

// refusedProbe says why no probe may be asked for; empty: one may.
func (c *Config) refusedProbe() string {
	switch {
	case c.Prober == nil:
		return "there is nothing here that could be probed"
	case c.Probe == ProbeOff:
		return "the probe is off: --probe ask switches it on"
	case c.Production && c.Probe != ProbeAllow:
		profile := "a production profile"
		if c.Profile != "" {
			profile = text.Escape(c.Profile) + ", which is production"
		}
		return "the probe is off in " + profile + ": it costs the server much; --probe allow lifts that"
	}
	return ""
}

// openProbe opens the dialog of a probe of the selected lock, or says why there is none.
func (m *model) openProbe() tea.Cmd {
	l := m.selected()
	why := m.config.refusedProbe()
	switch {
	case why != "":
	case l == nil:
		why = "there is no lock here to probe"
	case allSilent(m.latest) || m.over:
		why = "the server does not answer: there is nothing to probe"
	}
	if why != "" {
		m.toast = infoToast(why, m.clock())
		return nil
	}
	p := &probe{lock: l, span: newField(probeSpan.String(), maxProbeSpan)}
	m.probe = p
	parent, prober := m.ctx, m.config.Prober
	return guard(func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, probeTimeout)
		defer cancel()
		cost, err := prober.Cost(ctx, l)
		return costMsg{p, cost, err}
	})
}

// asked is for how long the probe is to listen.
func (p *probe) asked() (time.Duration, error) {
	d, err := parseLease(p.span.Value())
	switch {
	case err != nil:
		return 0, errors.New("write a time such as 2s")
	case d > keyspace.LongestProbe:
		return 0, fmt.Errorf("%s at most: it costs the server much", text.Duration(keyspace.LongestProbe))
	case d < 100*time.Millisecond:
		return 0, errors.New("that is too short to hear anything: 2s, say")
	}
	return d, nil
}

// ready says that the probe can begin: what it costs was said, and the server is not too busy for it.
func (p *probe) ready() bool {
	_, err := p.asked()
	return err == nil && p.cost != nil && !p.cost.TooBusy()
}

// handleProbeKey gives a key to the dialog, or to the probe that runs, which knows but one.
func (m *model) handleProbeKey(msg tea.KeyMsg) tea.Cmd {
	p, k := m.probe, m.keys
	controls := []control{controlTTL, controlCancel, controlConfirm}
	step := func(by int) {
		for i, c := range controls {
			if c == p.focus {
				p.focus = controls[(i+by+len(controls))%len(controls)]
				return
			}
		}
	}
	switch {
	case p.running != nil:
		if key.Matches(msg, k.Cancel) || key.Matches(msg, k.Quit) {
			p.running.stop()
		}
	case key.Matches(msg, k.Cancel):
		return m.closeProbe()
	case key.Matches(msg, k.Choose):
		switch p.focus {
		case controlCancel:
			return m.closeProbe()
		case controlConfirm:
			if p.ready() && m.probeFits() {
				return m.startProbe()
			}
		default:
			step(1)
		}
	case p.focus == controlTTL && (msg.Type == tea.KeyLeft || msg.Type == tea.KeyRight):
		p.span, _ = p.span.Update(msg)
	case key.Matches(msg, k.Next):
		step(1)
	case key.Matches(msg, k.Previous):
		step(-1)
	case p.focus == controlTTL:
		p.span, _ = p.span.Update(msg)
	}
	return nil
}

// paste puts pasted text into the field for how long.
func (p *probe) paste(msg tea.KeyMsg) {
	if p.running == nil && p.focus == controlTTL {
		p.span, _ = p.span.Update(msg)
	}
}

// closeProbe lets the screen go on.
func (m *model) closeProbe() tea.Cmd {
	m.probe = nil
	if m.frozen {
		return m.arrangeIfDue()
	}
	return m.showLatest()
}

// takeCost notes what the probe that is being asked for would cost.
func (m *model) takeCost(msg costMsg) {
	if m.probe != msg.asked {
		return
	}
	if msg.err != nil {
		m.probe.costErr = msg.err
		return
	}
	m.probe.cost = &msg.cost
}

// startProbe begins to listen.
func (m *model) startProbe() tea.Cmd {
	p := m.probe
	span, err := p.asked()
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	run := &listening{since: m.clock(), span: span, cancel: cancel, done: make(chan struct{})}
	p.running = run
	prober := m.config.Prober
	listen := guard(func() tea.Msg {
		defer close(run.done)
		defer cancel()
		sample, err := prober.Probe(ctx, p.lock, inspector.ProbeOptions{For: span, Progress: func(lines, bytes int64) {
			run.lines.Store(lines)
			run.bytes.Store(bytes)
		}})
		return probedMsg{p, sample, err}
	})
	var resume tea.Cmd
	if !m.frozen {
		resume = m.showLatest()
	}
	return tea.Batch(listen, resume)
}

// stop ends it early: the connections are closed at once.
func (l *listening) stop() {
	l.cancelled = true
	l.cancel()
}

// takeProbed shows what a probe found, in the detail of its lock.
func (m *model) takeProbed(msg probedMsg) tea.Cmd {
	if m.probe == msg.asked {
		m.probe = nil
	}
	now := m.clock()
	switch {
	case errors.Is(msg.err, context.Canceled):
		m.toast = infoToast("the probe was cancelled before anything was heard", now)
		return nil
	case msg.err != nil:
		m.toast = failedToast("no probe: "+errorText(msg.err), now)
		return nil
	}
	if m.overlaid() || m.typing { // somebody is busy with something else by now
		m.toast = infoToast("probed "+text.Escape(msg.sample.Key)+": "+msg.sample.AttemptsText(), now)
		return nil
	}
	if m.detail == nil || m.detail.id != idOf(msg.sample.Ref) {
		l := findLock(m.shown, idOf(msg.sample.Ref))
		if l == nil {
			l = msg.asked.lock // it has gone meanwhile
		}
		m.detail = newDetail(l, m.shown)
	}
	m.detail.sample, m.detail.showSample = msg.sample, true
	return nil
}

// endProbe ends a probe that runs, because the dashboard ends or is suspended. What it returns is closed once nothing is listened to any
// more; nil: there was nothing.
func (m *model) endProbe() <-chan struct{} {
	if m.probe == nil || m.probe.running == nil {
		return nil
	}
	m.probe.running.stop()
	return m.probe.running.done
}

// hangUpTimeout bounds the wait for that.
const hangUpTimeout = 3 * time.Second

// suspend gives the terminal back to the shell, once nothing is listened to: a server keeps for us whatever we do not read.
func (m *model) suspend() tea.Cmd {
	done := m.endProbe()
	if done == nil {
		return tea.Suspend
	}
	return guard(func() tea.Msg {
		select {
		case <-done:
		case <-time.After(hangUpTimeout):
		}
		return tea.Suspend()
	})
}
