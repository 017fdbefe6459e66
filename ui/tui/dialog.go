package tui

import (
	"errors"
	"fmt"
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
	controlTTL
)

// dialog asks before an action. It holds the very lock that its words describe, and the action is done on that one: where
// the lock has changed meanwhile, the guard of the action refuses.
//
// It opens with the focus on Cancel, and takes no letter as a confirmation: the key that opened it does nothing in it, and
// Enter cancels until the focus was moved to the other button.
type dialog struct {
	verb     actions.Verb
	lock     *inspector.Lock
	controls []control // in the order of the Tab key, from the top of the dialog to its bottom
	focus    control
	holder   int  // index in lock.Holders
	all      bool // release all entries of a re-entrant lock, else one
	ttl      textinput.Model
}

// openDialog opens the dialog of an action on the selected lock, or says why there is nothing to do.
func (m *model) openDialog(verb actions.Verb) tea.Cmd {
	say := func(s string) tea.Cmd {
		m.toast = infoToast(s, m.clock())
		return nil
	}
	l := m.selected()
	switch {
	case m.replays():
		return say(string(verb) + " is off: a recording cannot be acted on")
	case m.config.Operator.ReadOnly():
		return say(string(verb) + " is off: locktop runs read-only")
	case l == nil:
		return say("there is no lock here to " + string(verb))
	case l.State == inspector.StateFreed || m.detail != nil && m.detail.gone:
		return say(text.Escape(l.Key) + " is free already; there is nothing to " + string(verb))
	case len(l.Holders) == 0 && verb != actions.VerbForceExpire:
		return say("nobody holds " + text.Escape(l.Key) + "; there is nothing to " + string(verb))
	}
	if n := refusedBy(m.latest, l); n != nil {
		return say(refusal(verb, n))
	}
	m.dialog = newDialog(verb, l)
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
	if verb == actions.VerbExtend {
		d.controls = append(d.controls, controlTTL)
		d.ttl = textinput.New()
		d.ttl.Prompt = ""
		d.ttl.CharLimit = 20
		d.ttl.KeyMap.Paste.SetEnabled(false)
		d.ttl.SetValue(defaultLease(l))
		d.ttl.CursorEnd()
		d.ttl.Focus()
	}
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
func (d *dialog) request() (actions.Request, error) {
	r := actions.Request{Verb: d.verb, Lock: d.lock, Force: true} // the dialog says what is discouraged, and why
	if d.holder < len(d.lock.Holders) {
		h := d.lock.Holders[d.holder]
		r.Owner = h.Owner
		if d.verb == actions.VerbRelease && !d.all && h.Count.Known && h.Count.N > 1 {
			r.Entries = 1
		}
	}
	if d.verb == actions.VerbExtend {
		ttl, err := parseLease(d.ttl.Value())
		if err != nil {
			return r, err
		}
		r.TTL = ttl
	}
	return r, nil
}

// handleDialogKey gives a key to the dialog.
func (m *model) handleDialogKey(msg tea.KeyMsg) tea.Cmd {
	d, k := m.dialog, m.keys
	switch {
	case key.Matches(msg, k.Cancel):
		return m.closeDialog()
	case key.Matches(msg, k.Choose):
		switch d.focus {
		case controlCancel:
			return m.closeDialog()
		case controlConfirm:
			return m.confirm()
		case controlHolder, controlEntries, controlTTL:
			d.step(1)
		}
	case (msg.Type == tea.KeyLeft || msg.Type == tea.KeyRight) && d.turn(msg):
	case key.Matches(msg, k.Next):
		d.step(1)
	case key.Matches(msg, k.Previous):
		d.step(-1)
	case d.focus == controlTTL:
		d.ttl, _ = d.ttl.Update(msg)
	case key.Matches(msg, k.CopyCommand):
		if r, err := d.request(); err == nil {
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
	case controlTTL:
		d.ttl, _ = d.ttl.Update(msg)
	case controlCancel, controlConfirm:
		return false
	}
	return true
}

// step moves the focus.
func (d *dialog) step(by int) {
	for i, c := range d.controls {
		if c == d.focus {
			d.focus = d.controls[(i+by+len(d.controls))%len(d.controls)]
			return
		}
	}
}

// paste puts pasted text where text is asked for, and nowhere else.
func (d *dialog) paste(msg tea.KeyMsg) {
	if d.focus == controlTTL {
		d.ttl, _ = d.ttl.Update(msg)
	}
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
	r, err := m.dialog.request()
	if err != nil || !m.dialogFits() {
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

// changed says in words how the lock differs by now from what the dialog shows; empty: it does not.
func (d *dialog) changed(latest *inspector.Snapshot) string {
	now := findLock(latest, idOf(d.lock.Ref))
	switch {
	case now == nil || now.State == inspector.StateFreed:
		return "it is free by now"
	case len(now.Holders) != len(d.lock.Holders):
		return "its holders are others by now"
	}
	for i := range now.Holders {
		was, is := d.lock.Holders[i], now.Holders[i]
		switch {
		case was.Owner != is.Owner && was.Label == is.Label: // another token of the same client
			return "by now " + text.Escape(is.Label) + " has acquired it anew"
		case was.Owner != is.Owner:
			return "by now it is held by " + text.Escape(is.Label)
		case was.Count != is.Count:
			return "the count is by now " + countText(now)
		}
	}
	if now.ExpiresAt.IsZero() != d.lock.ExpiresAt.IsZero() {
		return "its TTL was set or taken away by now"
	}
	return ""
}
