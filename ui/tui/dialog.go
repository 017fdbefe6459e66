package tui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// control is a part of a dialog that can have the focus.
type control int

// The controls. Cancel is the zero value, and where the focus is when a dialog opens.
const (
	controlCancel control = iota
	controlConfirm
	controlHolder
	controlEntries
	controlTombstone
	controlTTL
	controlDelay
	controlDiscouraged
	controlReason
	controlTyped
)

// dialog asks before an action. It holds the very lock that its words describe, and the action is done on that one: where
// the lock has changed meanwhile, the guard of the action refuses.
//
// It opens with the focus on Cancel, and takes no letter as a confirmation: the key that opened it does nothing in it, and
// Enter cancels until the focus was moved to the other button. In production that button cannot be reached before a name was
// typed.
type dialog struct {
	verb     actions.Verb
	lock     *inspector.Lock // nil: it is about several, or about none
	siblings []string        // keys with the same value under another number
	seenAt   time.Time       // when the lock was as it says; zero: when the screen stopped for the dialog
	controls []control       // in the order of the Tab key, from the top of the dialog to its bottom
	focus    control
	holder   int  // index in lock.Holders
	all      bool // release all entries of a re-entrant lock, else one
	// noTombstone deletes the key of a lock that would leave a tombstone.
	noTombstone bool
	ttl         textinput.Model
	delay       textinput.Model // until a force-expiry
	reason      textinput.Model // for the audit
	// demand is what must be typed before the action can be confirmed, as the screen shows it; empty: nothing. word is why it was
	// not taken.
	demand, word string
	typed        textinput.Model

	bulk  *bulk         // what it is about, where that is several locks
	rearm time.Duration // it asks whether to write for so long again; zero: it is about an action

	offset int // of what it says, where that is more than the window has room for
}

// openDialog opens the dialog of an action on the selected lock, or on the marked ones; or says why there is nothing to do.
func (m *model) openDialog(verb actions.Verb) tea.Cmd {
	l := m.selected()
	switch {
	case m.replays():
		return m.say(string(verb) + " is off: a recording cannot be acted on")
	case m.config.Operator.ReadOnly():
		return m.sayReadOnly(verb)
	case m.lapsed():
		return m.openRearm()
	case m.detail == nil && m.onLocks() && len(m.table.marks) > 0:
		return m.openMarked(verb)
	case l == nil:
		return m.say("there is no lock here to " + string(verb))
	case l.State == inspector.StateFreed || m.detail != nil && m.detail.gone:
		return m.say(text.Escape(l.Key) + " is free already; there is nothing to " + string(verb))
	case len(l.Holders) == 0 && verb != actions.VerbForceExpire:
		return m.say("nobody holds " + text.Escape(l.Key) + "; there is nothing to " + string(verb))
	}
	if n := refusedBy(m.latest, l); n != nil {
		return m.say(refusal(verb, n))
	}
	m.dialog = newDialog(verb, l)
	m.dialog.siblings = siblingsOf(m.latest, l)[idOf(l.Ref)]
	if verb != actions.VerbExtend {
		m.dialog.demandIn(m.config, text.Escape(l.Key))
	}
	return nil
}

// numberedKey is a key and its value.
type numberedKey struct {
	db         int
	key, value string
}

// siblingsOf returns, for each of the locks, the keys of a snapshot that may be parts of it: they
// have the same value under another number. Keys that are among the locks are left out.
func siblingsOf(s *inspector.Snapshot, locks ...*inspector.Lock) map[lockID][]string {
	wanted := make(map[numberedKey][]lockID)
	for _, l := range locks {
		for _, key := range l.Siblings() {
			sibling := numberedKey{l.DB, key, l.Observed.Value.Text}
			wanted[sibling] = append(wanted[sibling], idOf(l.Ref))
		}
	}
	for _, l := range locks {
		delete(wanted, numberedKey{l.DB, l.Key, l.Observed.Value.Text})
	}
	if s == nil || len(wanted) == 0 {
		return nil
	}
	found := make(map[lockID][]string)
	for _, l := range s.Locks {
		if l.State == inspector.StateFreed {
			continue
		}
		for _, id := range wanted[numberedKey{l.DB, l.Key, l.Observed.Value.Text}] {
			found[id] = append(found[id], l.Key)
		}
	}
	return found
}

// sayReadOnly says that an action is off, and why where nobody asked for that.
func (m *model) sayReadOnly(verb actions.Verb) tea.Cmd {
	if m.config.Off != "" {
		return m.say(string(verb) + " is off: " + text.Legible(m.config.Off))
	}
	return m.say(string(verb) + " is off: locktop runs read-only")
}

// say tells in a toast why a key does nothing.
func (m *model) say(s string) tea.Cmd {
	m.toast = infoToast(s, m.clock())
	return nil
}

func newDialog(verb actions.Verb, l *inspector.Lock) *dialog {
	d := &dialog{verb: verb, lock: l}
	if len(l.Holders) > 1 {
		d.controls = append(d.controls, controlHolder)
	}
	if verb == actions.VerbRelease && d.reentrant() {
		d.controls = append(d.controls, controlEntries)
	}
	if actions.CanBury(actions.Request{Verb: verb, Lock: l}) {
		d.controls = append(d.controls, controlTombstone)
	}
	d.addFields(defaultLease(l))
	d.controls = append(d.controls, controlCancel, controlConfirm)
	return d
}

// reentrant says whether any holder has entered more than once.
func (d *dialog) reentrant() bool {
	for i := range d.lock.Holders {
		if c := d.lock.Holders[i].Count; c.Known && c.N > 1 {
			return true
		}
	}
	return false
}

// defaultLease is the lease as it was observed, in the words of the input.
func defaultLease(l *inspector.Lock) string {
	lease := leaseOf(l)
	if lease <= 0 {
		lease = 30 * time.Second
	}
	if lease >= 5*time.Second {
		return lease.Round(time.Second).String()
	}
	return max(lease.Round(time.Millisecond), time.Millisecond).String()
}

// parseLease reads a lease: a Go duration, or a bare number of seconds.
func parseLease(s string) (time.Duration, error) {
	s = strings.TrimSpace(s)
	d, err := time.ParseDuration(s)
	if err != nil {
		seconds, errSeconds := strconv.ParseFloat(s, 64)
		if errSeconds != nil || seconds > 1e9 || seconds < -1e9 {
			return 0, errors.New("write a time such as 30s, 5m or 1h30m")
		}
		d = time.Duration(seconds * float64(time.Second))
	}
	if d < time.Millisecond {
		return 0, errors.New("a lease must be longer than nothing: 30s, say")
	}
	return d, nil
}

// request is what the dialog asks for as it stands.
func (d *dialog) request(now time.Time) (actions.Request, error) {
	r := actions.Request{Verb: d.verb, Lock: d.lock, Siblings: d.siblings, Force: true} // the dialog says what is discouraged, and why
	if d.holder < len(d.lock.Holders) {
		h := d.lock.Holders[d.holder]
		r.Owner = h.Owner
		if d.verb == actions.VerbRelease && !d.all && h.Count.Known && h.Count.N > 1 {
			r.Entries = 1
		}
	}
	if err := d.complete(&r); err != nil {
		return r, err
	}
	if r.Verb == actions.VerbForceExpire && r.TTL > 0 {
		if refused := actions.RefusedBefore(r, now); refused != nil && refused.Result == actions.ResultChanged {
			return r, errors.New(refused.Detail + ": a delay can only shorten that")
		}
	}
	return r, nil
}

// handleDialogKey gives a key to the dialog.
func (m *model) handleDialogKey(msg tea.KeyMsg) tea.Cmd {
	d, k := m.dialog, m.keys
	if d.writes(msg) {
		d.write(msg)
		m.judgeBulk()
		return nil
	}
	switch {
	case key.Matches(msg, k.Cancel):
		return m.closeDialog()
	case key.Matches(msg, k.Choose):
		switch d.focus {
		case controlCancel:
			return m.closeDialog()
		case controlConfirm:
			return m.confirm()
		case controlHolder, controlEntries, controlTombstone, controlTTL, controlDelay, controlDiscouraged, controlReason, controlTyped:
			m.step(1)
		}
	case (msg.Type == tea.KeyLeft || msg.Type == tea.KeyRight) && d.turn(msg):
		m.judgeBulk()
	case key.Matches(msg, k.Next):
		m.step(1)
	case key.Matches(msg, k.Previous):
		m.step(-1)
	case key.Matches(msg, k.PageUp, k.HalfUp):
		d.offset -= m.height / 4
	case key.Matches(msg, k.PageDown, k.HalfDown):
		d.offset += m.height / 4
	case d.field(d.focus) != nil:
		d.write(msg)
		m.judgeBulk()
	case key.Matches(msg, k.CopyCommand) && d.lock != nil:
		if r, err := d.request(m.clock()); err == nil {
			if command := actions.RedisCLI(r); command != "" {
				return m.copyText("the redis-cli command", text.Legible(command))
			}
		}
	}
	return nil
}

// turn changes a choice, or moves in the text; false: the arrows mean the focus here.
func (d *dialog) turn(msg tea.KeyMsg) bool {
	switch d.focus {
	case controlHolder:
		n, by := len(d.lock.Holders), 1
		if msg.Type == tea.KeyLeft {
			by = n - 1
		}
		d.holder = (d.holder + by) % n
	case controlEntries:
		d.all = !d.all
	case controlTombstone:
		d.noTombstone = !d.noTombstone
	case controlDiscouraged:
		d.bulk.discouraged = !d.bulk.discouraged
	case controlTTL, controlDelay, controlReason, controlTyped:
		d.write(msg)
	case controlCancel, controlConfirm:
		return false
	}
	return true
}

// step moves the focus. The button that acts is passed over while it may not be pressed.
func (m *model) step(by int) {
	d := m.dialog
	n := len(d.controls)
	for i, c := range d.controls {
		if c != d.focus {
			continue
		}
		i = (i + by + n) % n
		if why := m.locked(); d.controls[i] == controlConfirm && why != "" && why != lookFirst {
			i = (i + by + n) % n
		}
		d.focus = d.controls[i]
		return
	}
}

// lookFirst is why a dialog cannot be confirmed whose lock is not any more what it shows; its button looks again.
const lookFirst = "look again first"

// locked is why the button that acts cannot be reached; empty: it can.
func (m *model) locked() string {
	switch d := m.dialog; {
	case d.rearm == 0 && m.lapsed():
		return "writing has lapsed"
	case d.bulk != nil && d.bulk.counts().will == 0:
		return "there is nothing to do"
	case d.changed(m.latest) != "":
		return lookFirst
	case !d.wasTyped():
		return "type the name first"
	}
	return ""
}

// closeDialog lets the screen go on.
func (m *model) closeDialog() tea.Cmd {
	m.dialog = nil
	if m.frozen {
		return m.arrangeIfDue()
	}
	return m.showLatest()
}

// confirm does what the dialog asks, unless the window is too small to have shown what that is.
func (m *model) confirm() tea.Cmd {
	d := m.dialog
	switch {
	case m.locked() == lookFirst && m.dialogFits():
		return m.lookAgain()
	case m.locked() != "" || !m.dialogFits():
		return nil
	case d.rearm > 0:
		return tea.Batch(m.rearm(), m.closeDialog())
	case d.bulk != nil:
		return m.confirmBulk()
	}
	r, err := d.request(m.clock())
	if err != nil {
		return nil
	}
	act := m.act(r)
	resume := m.closeDialog()
	m.toast = toast{
		text: fmt.Sprintf("… %s %s", r.Verb, text.Escape(r.Lock.Key)), kind: toastInfo,
		until: m.clock().Add(actTimeout + time.Second),
	}
	return tea.Batch(act, resume)
}

// about is the request of the dialog, as far as it says which hold is meant.
func (d *dialog) about() actions.Request {
	r := actions.Request{Verb: d.verb, Lock: d.lock}
	if d.holder < len(d.lock.Holders) {
		r.Owner = d.lock.Holders[d.holder].Owner
	}
	return r
}

// changed says in words how the lock is not any more what the dialog shows; empty: it is still the same hold, as far as is known.
func (d *dialog) changed(latest *inspector.Snapshot) string {
	if d.lock == nil || latest == nil {
		return ""
	}
	_, why := d.about().StillThat(findLock(latest, idOf(d.lock.Ref)))
	return why
}

// followDialog lets the dialog go on with the newest observation of the same hold, once its lease has another end. What it says of
// another hold stays as it was seen.
func (m *model) followDialog() {
	d := m.dialog
	if d == nil || d.lock == nil {
		return
	}
	r, now := d.about(), findLock(m.latest, idOf(d.lock.Ref))
	if same, _ := r.StillThat(now); same && !r.SameLease(d.lock, now) {
		d.see(now, r.Owner, m.clock())
	}
}

// see lets the dialog be about another observation of its lock.
func (d *dialog) see(now *inspector.Lock, owner string, at time.Time) {
	d.lock, d.seenAt = now, at
	d.holder = max(slices.IndexFunc(now.Holders, func(h inspector.Holder) bool { return h.Owner == owner }), 0)
}

// lookAgain opens the dialog again on the lock as it is now. What was written into it stays.
func (m *model) lookAgain() tea.Cmd {
	before := m.dialog
	now := findLock(m.latest, idOf(before.lock.Ref))
	if now == nil || now.State == inspector.StateFreed {
		said := text.Escape(before.lock.Key) + " is free by now; there is nothing to " + string(before.verb)
		return tea.Batch(m.closeDialog(), m.say(said))
	}
	d := newDialog(before.verb, now)
	d.siblings = siblingsOf(m.latest, now)[idOf(now.Ref)]
	if before.verb != actions.VerbExtend {
		d.demandIn(m.config, text.Escape(now.Key))
	}
	d.see(now, before.about().Owner, m.clock())
	d.ttl, d.delay, d.reason, d.typed = before.ttl, before.delay, before.reason, before.typed
	m.dialog = d
	return nil
}
