package inspector

import "time"

// wakes is a heap of slots by the moment at which they change by time alone. A slot is in it at most once, and may be in it
// too early: a lease that is renewed costs nothing until its old end comes.
type wakes struct {
	heap  []int32
	slots *[]slot
}

// add makes sure that the slot wakes at that time, in Unix nanoseconds, or earlier.
func (w *wakes) add(i int32, due int64) {
	s := &(*w.slots)[i]
	switch {
	case due == 0:
		return
	case s.heapAt < 0:
		s.due, s.heapAt = due, int32(len(w.heap))
		w.heap = append(w.heap, i)
		w.up(int(s.heapAt))
	case due < s.due:
		s.due = due
		w.up(int(s.heapAt))
	}
}

// pop takes the first slot that is due.
func (w *wakes) pop(now int64) (int32, bool) {
	if len(w.heap) == 0 || (*w.slots)[w.heap[0]].due > now {
		return 0, false
	}
	i := w.heap[0]
	w.remove(i)
	return i, true
}

// next is when the first slot is due.
func (w *wakes) next() (time.Time, bool) {
	if len(w.heap) == 0 {
		return time.Time{}, false
	}
	return time.Unix(0, (*w.slots)[w.heap[0]].due), true
}

// remove takes a slot out.
func (w *wakes) remove(i int32) {
	at := int((*w.slots)[i].heapAt)
	if at < 0 {
		return
	}
	(*w.slots)[i].heapAt = -1
	last := len(w.heap) - 1
	moved := w.heap[last]
	w.heap = w.heap[:last]
	if at == last {
		return
	}
	w.put(at, moved)
	w.up(at)
	w.down(int((*w.slots)[moved].heapAt))
}

func (w *wakes) put(at int, i int32) {
	w.heap[at] = i
	(*w.slots)[i].heapAt = int32(at)
}

func (w *wakes) due(at int) int64 { return (*w.slots)[w.heap[at]].due }

func (w *wakes) swap(a, b int) {
	x, y := w.heap[a], w.heap[b]
	w.put(a, y)
	w.put(b, x)
}

func (w *wakes) up(at int) {
	for at > 0 && w.due(at) < w.due((at-1)/2) {
		w.swap(at, (at-1)/2)
		at = (at - 1) / 2
	}
}

func (w *wakes) down(at int) {
	for {
		child := 2*at + 1
		if child >= len(w.heap) {
			return
		}
		if child+1 < len(w.heap) && w.due(child+1) < w.due(child) {
			child++
		}
		if w.due(at) <= w.due(child) {
			return
		}
		w.swap(at, child)
		at = child
	}
}
