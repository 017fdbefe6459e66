package tui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/inspector"
	"locktop/ui/text"
)

// Incident is what an incident report is about: some locks as the screen shows them, and what happened to them.
type Incident struct {
	// At is the moment that the screen shows.
	At       time.Time
	Snapshot *inspector.Snapshot
	// Locks are those that were chosen; All says that they are all suspects, and that the report is of the whole picture.
	Locks []*inspector.Lock
	All   bool
	// Gone says that the one lock has left the picture; it is told of as it was seen last.
	Gone bool
	// Events are those of the locks, gaps and what the operator did, oldest first, as far as they are remembered.
	Events []inspector.Event
}

// report writes a report of the lock that is open or selected, of all marked ones, or, where the view has no locks, of all suspects.
func (m *model) report() tea.Cmd {
	if m.config.Report == nil || m.shown == nil {
		m.toast = infoToast("there is nothing to report yet", m.clock())
		return nil
	}
	i := Incident{At: m.at, Snapshot: m.shown, Events: m.events.seen()}
	chosen := func(l *inspector.Lock) bool { return suspect(l) }
	switch {
	case m.detail != nil:
		i.Locks, i.Gone = []*inspector.Lock{m.detail.lock}, m.detail.gone
	case m.onLocks() && len(m.table.marks) > 0:
		marks := make(map[lockID]struct{}, len(m.table.marks))
		for id := range m.table.marks {
			marks[id] = struct{}{}
		}
		chosen = func(l *inspector.Lock) bool {
			_, marked := marks[idOf(l.Ref)]
			return marked
		}
	case m.onLocks() && m.table.current() != nil:
		i.Locks = []*inspector.Lock{m.table.current()}
	default:
		i.All = true
	}
	ctx, write := m.ctx, m.config.Report
	return guard(func() tea.Msg {
		if i.Locks == nil {
			for _, l := range i.Snapshot.Locks {
				if chosen(l) {
					i.Locks = append(i.Locks, l)
				}
			}
		}
		i.Events = eventsOf(i.Events, i.Locks, i.All)
		path, err := write(ctx, i)
		return reportedMsg{path, err}
	})
}

// seen is a copy of the events that the screen may show.
func (e *eventLog) seen() []inspector.Event {
	return slices.DeleteFunc(slices.Clone(e.all), func(ev inspector.Event) bool { return ev.Seq > e.shown })
}

// eventsOf are the events of some locks, and the gaps, which concern all; of the whole picture also whatever an operator did.
func eventsOf(events []inspector.Event, locks []*inspector.Lock, all bool) []inspector.Event {
	of := make(map[lockID]bool, len(locks))
	for _, l := range locks {
		of[idOf(l.Ref)] = true
	}
	return slices.DeleteFunc(events, func(e inspector.Event) bool {
		return e.Kind != inspector.EventGap && (e.Kind != inspector.EventOperator || !all) && !of[idOf(e.Ref)]
	})
}

// reportedToast says where the report is, for as long as somebody may need to read it.
func reportedToast(msg reportedMsg, now time.Time) toast {
	if msg.err != nil {
		return failedToast("no report was written: "+errorText(msg.err), now)
	}
	return toast{
		text: "✔ report: " + text.Legible(msg.path) + " (and .json; y copies the path)", kind: toastGood, until: now.Add(2 * toastFor),
		path: msg.path,
	}
}
