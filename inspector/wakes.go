package inspector

import (
	"container/heap"
	"time"

	"locktop/keyspace"
)

// wakes orders tracks by the moment at which they change by themselves. Outdated entries stay until they come up; the
// track knows its present moment.
type wakes []wakeup

type wakeup struct {
	at    time.Time
	track *track
}

func (w wakes) Len() int           { return len(w) }
func (w wakes) Less(i, j int) bool { return w[i].at.Before(w[j].at) }
func (w wakes) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }

// Push and Pop serve container/heap.
func (w *wakes) Push(x any) { *w = append(*w, x.(wakeup)) }

// Pop serves container/heap.
func (w *wakes) Pop() any {
	last := (*w)[len(*w)-1]
	(*w)[len(*w)-1] = wakeup{}
	*w = (*w)[:len(*w)-1]
	return last
}

func (w *wakes) add(at time.Time, t *track) { heap.Push(w, wakeup{at, t}) }

func (w *wakes) due(now time.Time) []*track {
	var tracks []*track
	for len(*w) > 0 && !(*w)[0].at.After(now) {
		tracks = append(tracks, heap.Pop(w).(wakeup).track)
	}
	return tracks
}

func (w wakes) next() (time.Time, bool) {
	if len(w) == 0 {
		return time.Time{}, false
	}
	return w[0].at, true
}

// rebuild drops outdated entries when they are the most.
func (w *wakes) rebuild(tracks map[keyspace.Ref]*track) {
	if len(*w) < 2*len(tracks)+1024 {
		return
	}
	*w = (*w)[:0]
	for _, t := range tracks {
		if !t.wakeAt.IsZero() {
			*w = append(*w, wakeup{t.wakeAt, t})
		}
	}
	heap.Init(w)
}
