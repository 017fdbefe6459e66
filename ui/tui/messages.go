package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
)

// actTimeout bounds one action: an answer that takes longer is lost, and the outcome unknown.
const actTimeout = 5 * time.Second

// The messages of the dashboard besides Bubble Tea's own. There is none for a single event of a lock: the view is made
// once a message, so events arrive only as part of a snapshot.
type (
	// snapshotMsg brings the latest snapshot, or says why there is no more.
	snapshotMsg struct {
		snapshot *inspector.Snapshot
		err      error
	}
	// arrangedMsg brings rows that were sorted outside Update; a generation that is not the latest is thrown away.
	arrangedMsg struct {
		generation uint64
		arranged   arranged
	}
	// outcomeMsg is the answer to an action.
	outcomeMsg struct {
		request actions.Request
		outcome actions.Outcome
		asked   time.Time
	}
	// copiedMsg says what was put on the clipboard, or why it was not.
	copiedMsg struct {
		what string
		err  error
	}
	// reportedMsg says where an incident report was written, or why it was not.
	reportedMsg struct {
		path string
		err  error
	}
	// controlledMsg is the answer to a control of the demo or the recording.
	controlledMsg struct {
		controlled
		err error
	}
	// tickMsg is the local clock.
	tickMsg struct{}
	// fatalMsg is a panic in a command.
	fatalMsg struct{ err *PanicError }
)

// next waits for a snapshot that is newer than the one at hand. It is armed anew with every snapshot: one is under way
// at any time, and whatever comes meanwhile is skipped by the source.
func (m *model) next() tea.Cmd {
	ctx, source, after := m.ctx, m.config.Source, m.sequence
	return guard(func() tea.Msg {
		s, err := source.Next(ctx, after)
		return snapshotMsg{s, err}
	})
}

// The paces of the local clock: the fast one while something on the screen changes by tenths of a second.
const (
	tickFast = 250 * time.Millisecond
	tickIdle = time.Second
)

// tick arms the clock; exactly one tick is under way at any time, since only a tick arms the next.
func (m *model) tick() tea.Cmd {
	pace := tickIdle
	if m.lively() {
		pace = tickFast
	}
	return tea.Tick(pace, func(time.Time) tea.Msg { return tickMsg{} })
}

// arrange sorts outside Update.
func (m *model) arrangeLater() tea.Cmd {
	generation, how, locks, ranks, seen := m.generation, m.order, m.shown.Locks, m.table.ranks, m.picture
	return guard(func() tea.Msg {
		return arrangedMsg{generation, how.apply(locks, ranks, seen)}
	})
}

// act carries out an action.
func (m *model) act(r actions.Request) tea.Cmd {
	asked := m.clock()
	return m.perform(r, func(o actions.Outcome) tea.Msg { return outcomeMsg{r, o, asked} })
}

// perform carries out an action, notes its outcome among the events, and answers with it.
func (m *model) perform(r actions.Request, answer func(actions.Outcome) tea.Msg) tea.Cmd {
	parent, operator, source := m.ctx, m.config.Operator, m.config.Source
	m.acting.Add(1)
	return guard(func() tea.Msg {
		defer m.acting.Done()
		ctx, cancel := context.WithTimeout(parent, actTimeout)
		defer cancel()
		outcome := operator.Do(ctx, r.FollowIn(source))
		note := inspector.Event{Ref: r.Lock.Ref, Kind: inspector.EventOperator, Scheme: r.Lock.Scheme, Owner: r.Owner, Text: outcome.Sentence(r)}
		if took(r, outcome) {
			note.Cause = inspector.CauseOperator
		}
		source.Note(note)
		return answer(outcome)
	})
}

// took reports whether an action took the lock from its holder at once.
func took(r actions.Request, o actions.Outcome) bool {
	return o.Result == actions.ResultReleased || o.Result == actions.ResultExpired && r.TTL <= 0
}

// finish waits, after the last frame, for an action that is still under way: whoever quits right after confirming must find
// its outcome in the audit. It waits no longer than an action may take.
func (m *model) finish() {
	if listening := m.endProbe(); listening != nil {
		select {
		case <-listening:
		case <-time.After(hangUpTimeout):
		}
	}
	done := make(chan struct{})
	go func() {
		m.acting.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(actTimeout):
	}
}

// copyText puts a text on the clipboard of the terminal.
func (m *model) copyText(what, content string) tea.Cmd {
	clip := m.copy
	return guard(func() tea.Msg { return copiedMsg{what, clip(content)} })
}
