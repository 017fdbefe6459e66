package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/actions"
	"locktop/inspector"
	"locktop/ui/text"
)

// freedHere is a lock that was released here and that its holder may re-create.
type freedHere struct {
	request actions.Request
	asked   time.Time // when the action was confirmed
	done    time.Time
	until   time.Time
}

// readsLag is how long after an action a read that does not show it may still arrive.
const readsLag = 500 * time.Millisecond

// awaitReturn remembers a lock that may come back. The snapshots are searched for it, so that
// nothing waits.
func (m *model) awaitReturn(r actions.Request, o actions.Outcome, asked time.Time) {
	span := actions.LookFor(r, o)
	if span == 0 {
		return
	}
	if m.freed == nil {
		m.freed = make(map[lockID]freedHere)
	}
	now := m.clock()
	m.freed[idOf(r.Lock.Ref)] = freedHere{r, asked, now, now.Add(span + readsLag)}
}

// lookForReturns reports the locks that were released here and that the same holder holds again.
func (m *model) lookForReturns() tea.Cmd {
	if len(m.freed) == 0 {
		return nil
	}
	var told tea.Cmd
	for _, l := range m.latest.Locks {
		f, was := m.freed[idOf(l.Ref)]
		if !was || !f.isBack(l) {
			continue
		}
		delete(m.freed, idOf(l.Ref))
		back := l.HeldSince
		if back.Before(f.done) {
			back = l.Observed.ReadAt
		}
		said := text.Legible(actions.CameBackText(f.request, back.Sub(f.done)))
		m.toast = failedToast(said, m.clock())
		told = tea.Batch(told, m.noteReturn(f.request, said))
	}
	for id, f := range m.freed {
		if m.clock().After(f.until) {
			delete(m.freed, id)
		}
	}
	return told
}

// isBack reports whether the same holder holds the lock again: it was acquired after the release,
// or read long enough after it.
func (f freedHere) isBack(l *inspector.Lock) bool {
	later := l.HeldSince.After(f.asked) || l.Observed.ReadAt.After(f.done.Add(readsLag))
	return later && actions.CameBack(f.request, l)
}

// noteReturn adds a return to the events, beside the action.
func (m *model) noteReturn(r actions.Request, said string) tea.Cmd {
	source := m.config.Source
	return guard(func() tea.Msg {
		source.Note(inspector.Event{
			Ref: r.Lock.Ref, Kind: inspector.EventOperator, Scheme: r.Lock.Scheme, Owner: r.Owner, Text: said,
		})
		return nil
	})
}
