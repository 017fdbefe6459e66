package tui

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
)

// walker types into a dashboard, and watches over what comes of it: only what a dialog has listed and the screen has asked for is done,
// once it was confirmed by Enter on its button, with the name typed where one is demanded; only a probe that was asked for begins; only S
// saves; and every frame fits the window. What is to be done is found out from what the dialogs show, and not as they do it.
type walker struct {
	*harness
	random        *rand.Rand
	width, height int
	profile       string
	waiting       []tea.Cmd // begun, and not yet answered
	granted       map[string]int
	arms, probes  int // that were confirmed
	saves, saved  int // that were asked for, and done
	acted, probed int
	pressed       []string
}

// profiles are the dashboards that are walked through.
var profiles = []string{"plain", "production", "lapsing", "both", "read-only", "replay", "demo"}

func newWalker(t testing.TB, profile, themeName string, width, height int, random *rand.Rand) *walker {
	t.Helper()
	w := &walker{random: random, width: width, height: height, profile: profile, granted: make(map[string]int)}
	switch profile {
	case "demo":
		w.harness = withDemo(t, width, height, themeName)
	case "replay":
		w.harness = withReel(t, width, height, themeName)
	default:
		w.harness = withFixture(t, width, height, themeName)
	}
	c := &w.m.config
	c.Save = func(Settings) (string, error) { w.saved++; return "views.toml", nil }
	w.operator.answers = func(actions.Request) actions.Outcome {
		results := []actions.Result{actions.ResultReleased, actions.ResultGone, actions.ResultNotHolder, actions.ResultUnknown, actions.ResultFailed}
		return actions.Outcome{Result: results[random.IntN(len(results))]}
	}
	w.operator.lines = fixtureActions(noon)
	switch profile {
	case "production":
		c.Production, c.Profile = true, "prod-eu"
	case "lapsing":
		w.operator.until = noon.Add(30 * time.Second)
	case "both":
		c.Production, c.Profile, w.operator.until = true, "prod-eu", noon.Add(time.Minute)
	case "read-only":
		w.operator.readOnly = true
		w.m.keys.setReadOnly(true)
	}
	if random.IntN(3) == 0 {
		c.Probe = ProbeAllow
	}
	w.prober.cost = inspector.ProbeCost{Known: true, Ops: 612, Busiest: 612, Masters: 1}
	if random.IntN(4) == 0 {
		w.prober.cost.Ops, w.prober.cost.Busiest = 61_000, 61_000
	}
	w.prober.sample = aSample(w.m.table.rows[0].Ref)
	w.prober.hold = make(chan struct{})
	close(w.prober.hold) // it ends as soon as its command is run
	w.m.mouse.on = random.IntN(2) == 0
	w.pending = nil
	return w
}

// visibleName is what is to be typed for a dialog in production, as an operator reads it from the screen.
func visibleName(d *dialog) string {
	if d.lock != nil {
		return visibleKey(d.lock)
	}
	return "prod-eu"
}

// expect notes what Enter would confirm now, if the screen says so.
func (w *walker) expect(name string) {
	if name != "enter" || !confirmFocused(w.m) {
		return
	}
	if p := w.m.probe; p != nil {
		if span, err := p.asked(); p.running == nil && p.focus == controlConfirm && p.cost != nil && p.cost.Ops < 10_000 && err == nil && span <= 30*time.Second {
			w.probes++
		}
		return
	}
	d := w.m.dialog
	if d == nil || d.focus != controlConfirm {
		return
	}
	if w.m.config.Production && (d.rearm > 0 || d.verb != actions.VerbExtend) && strings.TrimSpace(d.typed.Value()) != visibleName(d) {
		return
	}
	if d.rearm > 0 {
		w.arms++
		return
	}
	if until := w.operator.until; !until.IsZero() && !w.now.Before(until) {
		return
	}
	if d.lock != nil {
		owner := ""
		if len(d.lock.Holders) > 0 {
			owner = d.lock.Holders[d.holder].Owner
		}
		w.granted[deedOf(d.verb, d.lock, owner)]++
		return
	}
	for i := range d.bulk.items {
		if item := &d.bulk.items[i]; d.bulk.does(item) {
			w.granted[deedOf(d.verb, item.lock, item.owner)]++
		}
	}
}

func deedOf(verb actions.Verb, l *inspector.Lock, owner string) string {
	return fmt.Sprintf("%s %v of %q", verb, l.Ref, owner)
}

// press types a key, and lets what it began go on, or has it wait.
func (w *walker) press(name string) error {
	w.pressed = append(w.pressed, name)
	w.expect(name)
	if name == "S" {
		w.saves++
	}
	return w.give(keyMsg(name))
}

// give sends a message, and checks all that must hold after it.
func (w *walker) give(msg tea.Msg) error {
	w.send(msg)
	w.waiting, w.pending = append(w.waiting, w.pending...), nil
	if err := w.check(); err != nil || w.m.quitting {
		return err
	}
	switch w.random.IntN(4) {
	case 0: // it is slow
	case 1:
		return w.answerOne()
	default:
		for len(w.waiting) > 0 {
			if err := w.answerOne(); err != nil {
				return err
			}
		}
		clear(w.granted) // what was confirmed is over, or was refused
	}
	return nil
}

// answerOne runs one of the commands that wait, and what its answer changes.
func (w *walker) answerOne() error {
	if len(w.waiting) == 0 {
		return nil
	}
	i := w.random.IntN(len(w.waiting))
	cmd := w.waiting[i]
	w.waiting = slices.Delete(w.waiting, i, i+1)
	before := len(w.operator.requests)
	msg := cmd()
	for _, r := range w.operator.requests[before:] {
		deed := deedOf(r.Verb, r.Lock, r.Owner)
		if w.granted[deed] == 0 {
			return fmt.Errorf("nobody confirmed to %s; there was confirmed %v", deed, w.granted)
		}
		w.granted[deed]--
		w.acted++
	}
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, one := range msg {
			if one != nil {
				w.waiting = append(w.waiting, one)
			}
		}
	case nil, tea.QuitMsg, tea.SuspendMsg:
	default:
		w.send(msg)
		w.waiting, w.pending = append(w.waiting, w.pending...), nil
	}
	return w.check()
}

// check says what is wrong.
func (w *walker) check() error {
	w.probed = len(w.prober.asked)
	switch {
	case w.operator.rearmed > w.arms:
		return errors.New("it was armed, which nobody confirmed")
	case w.probed > w.probes:
		return errors.New("a probe began, which nobody confirmed")
	case w.m.config.Production && w.m.config.Probe != ProbeAllow && w.m.probe != nil:
		return errors.New("a probe is asked for in production")
	case w.saved > w.saves:
		return errors.New("the view was saved, which nobody asked for")
	case w.operator.ReadOnly() && (len(w.operator.requests) > 0 || w.m.dialog != nil || w.m.run != nil):
		return errors.New("there is something to do where nothing may be done")
	}
	return checkFrame(w.m.View(), w.width, w.height)
}

// typeName types what a dialog demands, mostly the right way.
func (w *walker) typeName() error {
	d := w.m.dialog
	d.typed.SetValue("")
	name := []rune(visibleName(d))
	if w.random.IntN(3) == 0 {
		name = name[:len(name)-1]
	}
	for _, r := range name {
		w.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}})
	}
	w.waiting, w.pending = append(w.waiting, w.pending...), nil
	if got := d.typed.Value(); got != string(name) {
		return fmt.Errorf("%q was typed, and became %q", string(name), got)
	}
	return w.check()
}

// disturb does what no key does: the window, the clock, the locks and the mouse change, and something is pasted.
func (w *walker) disturb() error {
	switch w.random.IntN(8) {
	case 0:
		w.width, w.height = windowOf(w.random)
		return w.give(tea.WindowSizeMsg{Width: w.width, Height: w.height})
	case 1, 2:
		w.now = w.now.Add(time.Duration(w.random.IntN(5000)) * time.Millisecond)
		w.show(w.snapshot())
		w.pending = nil // it would wait for the next one
		return w.check()
	case 3:
		w.now = w.now.Add(time.Second)
		w.send(tickMsg{})
		w.pending = nil // it would wait for the clock
		return w.check()
	case 4:
		if err := w.give(tea.MouseMsg{X: w.random.IntN(w.width + 1), Y: w.random.IntN(w.height + 1), Button: tea.MouseButtonLeft, Action: tea.MouseActionPress}); err != nil {
			return err
		}
		return w.give(tea.MouseMsg{X: w.m.mouse.x, Y: w.m.mouse.y, Button: tea.MouseButtonLeft, Action: tea.MouseActionPress})
	case 5:
		wheel := []tea.MouseButton{tea.MouseButtonWheelUp, tea.MouseButtonWheelDown, tea.MouseButtonRight, tea.MouseButtonMiddle}
		return w.give(tea.MouseMsg{X: 3, Y: 9, Button: wheel[w.random.IntN(len(wheel))], Action: tea.MouseActionPress})
	case 6:
		pasted := []string{"prod-eu", "lock:invoice:7731\r", "\r\r", "rx\t\r"}[w.random.IntN(4)]
		if d := w.m.dialog; d != nil && d.demand != "" {
			before := d.typed.Value()
			err := w.give(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(pasted), Paste: true})
			if d.typed.Value() != before {
				return errors.New("a name was pasted")
			}
			return err
		}
		return w.give(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(pasted), Paste: true})
	}
	return w.give(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("rmjx")}) // a burst, of a slow connection
}

// snapshot is another one: of some of the locks, with or without their clients; of a Redlock or a cluster; or of servers that are silent.
func (w *walker) snapshot() *inspector.Snapshot {
	seq := w.m.sequence + 1
	var s *inspector.Snapshot
	switch w.random.IntN(12) {
	case 0:
		s = redlockFixture()
	case 1:
		s = clusterFixture()
	case 2:
		s = silentFixture()
	case 3, 4, 5:
		s = holdersFixture()
	default:
		s = snapshotOf(seq, w.now, fixtureLocks(w.now))
	}
	s.Seq = seq
	w.random.Shuffle(len(s.Locks), func(i, j int) { s.Locks[i], s.Locks[j] = s.Locks[j], s.Locks[i] })
	s.Locks = s.Locks[:len(s.Locks)-w.random.IntN(len(s.Locks)/2+1)]
	if w.random.IntN(20) == 0 {
		s.Locks = nil
	}
	return s
}
