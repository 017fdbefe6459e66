package tui

import (
	"context"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"locktop/ui/text"
)

const (
	// controlTimeout bounds one control: a demo that begins anew may have to start its servers again.
	controlTimeout = 30 * time.Second
	// maxControls bounds the controls that wait; who keeps a key pressed does not mean more of them.
	maxControls = 8
)

// controlled is a control that was asked for, and what there is to say of it when it is done.
type controlled struct {
	control Control
	said    string
}

// controlOf is the control that a key stands for; empty: none, or there is nothing to control.
func (m *model) controlOf(msg tea.KeyMsg) Control {
	k := m.keys
	for _, c := range []struct {
		binding key.Binding
		control Control
	}{
		{k.Fault, ControlFault},
		{k.Step, ControlStep},
		{k.Hold, ControlHold},
		{k.Slower, ControlSlower},
		{k.Faster, ControlFaster},
		{k.Restart, ControlRestart},
		{k.Rewind, ControlBack},
		{k.Forward, ControlForward},
		{k.RewindMinute, ControlBackMinute},
		{k.ForwardMinute, ControlForwardMinute},
	} {
		if key.Matches(msg, c.binding) {
			return c.control
		}
	}
	return ""
}

// control has the demo go on otherwise. Controls are carried out one after another, in the order of their keys.
func (m *model) control(c Control) tea.Cmd {
	asked := controlled{control: c}
	switch {
	case c == ControlFault && m.scene.Fault == "":
		m.toast = infoToast("there is no fault to let happen in this scenario", m.clock())
		return nil
	case len(m.controls) >= maxControls:
		return nil
	case c == ControlFault:
		asked.said = "fault: " + text.Legible(m.scene.Fault)
	case c == ControlRestart:
		asked.said = "from the beginning"
	}
	if asked.said != "" {
		m.toast = toast{text: "… " + asked.said, kind: toastInfo, until: m.clock().Add(controlTimeout + time.Second)}
	}
	m.controls = append(m.controls, asked)
	if len(m.controls) > 1 {
		return nil
	}
	return m.nextControl()
}

// nextControl carries out the first of the controls that wait.
func (m *model) nextControl() tea.Cmd {
	if len(m.controls) == 0 {
		return nil
	}
	parent, play, asked := m.ctx, m.config.Play, m.controls[0]
	return guard(func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, controlTimeout)
		defer cancel()
		return controlledMsg{asked, play.Control(ctx, asked.control)}
	})
}

// takeControlled says what came of a control, where nothing else does.
func (m *model) takeControlled(msg controlledMsg) tea.Cmd {
	m.controls = m.controls[1:]
	now := m.clock()
	switch {
	case msg.err != nil:
		m.toast = failedToast("could not "+controlWords(msg.control)+": "+errorText(msg.err), now)
	case msg.said != "":
		m.toast = infoToast(msg.said, now)
	case !m.showsTempo(msg.control):
		m.toast = infoToast(m.scene.progressText(), now)
	}
	return m.nextControl()
}

// showsTempo says that the narration shows what a control of the tempo did.
func (m *model) showsTempo(c Control) bool {
	if c == ControlHold || c == ControlStep || m.replays() {
		return m.height >= heightNarration
	}
	return m.height >= heightTempo
}

// controlWords is what a control does, in words.
func controlWords(c Control) string {
	switch c {
	case ControlFault:
		return "let the fault happen"
	case ControlStep:
		return "go on to the next sentence"
	case ControlHold:
		return "hold or go on"
	case ControlSlower:
		return "go slower"
	case ControlFaster:
		return "go faster"
	case ControlRestart:
		return "begin anew"
	case ControlBack, ControlBackMinute:
		return "go back"
	case ControlForward, ControlForwardMinute:
		return "go forward"
	}
	return text.Escape(string(c))
}
