package tui

import (
	"cmp"
	"slices"

	"locktop/inspector"
)

// eventsKept bounds the memory of the view of events.
const eventsKept = 4096

// eventLog is what happened, for the view of events. It follows the newest event until the cursor is moved off it.
type eventLog struct {
	all  []inspector.Event // oldest first
	last uint64            // Seq of the newest in all
	// shown is the Seq of the newest event on the screen, which stands still while the screen does.
	shown uint64
	// cursor is the Seq of the selected event; 0: the newest, whichever it is.
	cursor uint64
	// top is the Seq of the first event on the screen, which stays there while the newest is not followed.
	top     uint64
	trouble bool   // only what may be trouble is shown
	missed  uint64 // events that came and went between two snapshots

	// matching are the indices of the events that pass the filter, kept until one of the things it depends on changes.
	matching []int
	madeFor  struct {
		filter      string
		trouble     bool
		shown, last uint64
	}
}

// take takes the events of a snapshot. Those of a recording may be others than were to follow, earlier ones too: then they are all that
// there is.
func (e *eventLog) take(list []inspector.Event, replayed bool) {
	if replayed && e.last > 0 && (len(list) == 0 || list[len(list)-1].Seq < e.last || list[0].Seq > e.last+1) {
		*e = eventLog{cursor: e.cursor, trouble: e.trouble}
	}
	e.add(list)
}

// add takes the events of a snapshot that are not yet known.
func (e *eventLog) add(list []inspector.Event) {
	from, _ := slices.BinarySearchFunc(list, e.last+1, func(ev inspector.Event, seq uint64) int {
		return cmp.Compare(ev.Seq, seq)
	})
	fresh := list[from:]
	if len(fresh) == 0 {
		return
	}
	if e.last > 0 {
		e.missed += fresh[0].Seq - e.last - 1
	}
	e.last = fresh[len(fresh)-1].Seq
	e.all = append(e.all, fresh...)
	if len(e.all) > 2*eventsKept {
		e.all = append(e.all[:0], e.all[len(e.all)-eventsKept:]...)
	}
}

// catchUp brings the newest events on the screen.
func (e *eventLog) catchUp() { e.shown = e.last }

// list is the indices of the events to show, oldest first.
func (e *eventLog) list(f filter) []int {
	if e.matching != nil && e.madeFor.filter == f.text && e.madeFor.trouble == e.trouble && e.madeFor.shown == e.shown && e.madeFor.last == e.last {
		return e.matching
	}
	e.madeFor.filter, e.madeFor.trouble, e.madeFor.shown, e.madeFor.last = f.text, e.trouble, e.shown, e.last
	e.matching = make([]int, 0, len(e.all))
	for i := max(0, len(e.all)-eventsKept); i < len(e.all); i++ {
		if e.all[i].Seq <= e.shown && (!e.trouble || troubling(&e.all[i])) && f.event(&e.all[i]) {
			e.matching = append(e.matching, i)
		}
	}
	return e.matching
}

// troubling says whether an event may be trouble, or tells of an operator who met it. A lock that changed hands after a
// release is everyday life, and so is one of which nobody saw how it did.
func troubling(e *inspector.Event) bool {
	switch e.Kind {
	case inspector.EventLost, inspector.EventExpired, inspector.EventDeleted, inspector.EventEdited, inspector.EventGap, inspector.EventOperator:
		return true
	case inspector.EventHandedOver:
		return e.Cause == inspector.CauseTakenOver || e.Cause == inspector.CauseExpired ||
			e.Cause == inspector.CauseEvicted || e.Cause == inspector.CauseFlushed || e.Cause == inspector.CauseFailOver
	case inspector.EventAcquired, inspector.EventReentered, inspector.EventRenewed, inspector.EventExtended, inspector.EventReleased:
	}
	return false
}

// window is the place of the first event on a screen of so many lines. While the newest is followed it is at the bottom; else
// the events stand still, whatever comes.
func (e *eventLog) window(list []int, height int) int {
	last := max(len(list)-height, 0)
	from := last
	if e.cursor != 0 {
		at := e.position(list)
		from, _ = slices.BinarySearchFunc(list, e.top, func(i int, seq uint64) int { return cmp.Compare(e.all[i].Seq, seq) })
		from = max(min(from, at, last), at-height+1, 0)
	}
	if from < len(list) {
		e.top = e.all[list[from]].Seq
	}
	return from
}

// position is the cursor's place in the list; -1: the list is empty.
func (e *eventLog) position(list []int) int {
	if e.cursor == 0 {
		return len(list) - 1
	}
	i, _ := slices.BinarySearchFunc(list, e.cursor, func(i int, seq uint64) int { return cmp.Compare(e.all[i].Seq, seq) })
	return min(i, len(list)-1)
}

// current is the event under the cursor; nil: there is none.
func (e *eventLog) current(f filter) *inspector.Event {
	list := e.list(f)
	i := e.position(list)
	if i < 0 {
		return nil
	}
	return &e.all[list[i]]
}

// move moves the cursor; at the newest event it follows again.
func (e *eventLog) move(by int, f filter) {
	list := e.list(f)
	i := e.position(list) + by
	if i >= len(list)-1 || len(list) == 0 {
		e.cursor = 0
		return
	}
	e.cursor = e.all[list[max(i, 0)]].Seq
}

func (e *eventLog) moveToEnd(last bool, f filter) {
	e.cursor = 0
	if list := e.list(f); !last && len(list) > 0 {
		e.cursor = e.all[list[0]].Seq
	}
}

// selectLine puts the cursor on what a line of the screen shows.
func (e *eventLog) selectLine(line int, f filter) {
	list := e.list(f)
	top, _ := slices.BinarySearchFunc(list, e.top, func(i int, seq uint64) int { return cmp.Compare(e.all[i].Seq, seq) })
	if top+line < len(list) {
		e.move(top+line-e.position(list), f)
	}
}
