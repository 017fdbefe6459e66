package keyspace

import (
	"container/heap"
	"time"
)

// deadlines orders followed keys by the local instant at which they expire; each is in it once at most, and leaves it with
// the books. A key that is renewed is left where it is, and put back when it comes up, so that a renewal costs nothing here.
type deadlines []*entry

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].queued < d[j].queued }

// Swap keeps each entry's place.
func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].place, d[j].place = int32(i), int32(j)
}

// Push and Pop serve container/heap.
func (d *deadlines) Push(x any) {
	e := x.(*entry)
	e.place = int32(len(*d))
	*d = append(*d, e)
}

// Pop serves container/heap.
func (d *deadlines) Pop() any {
	last := (*d)[len(*d)-1]
	(*d)[len(*d)-1] = nil
	*d = (*d)[:len(*d)-1]
	last.queued = 0
	return last
}

// How long to wait before a key is nudged again that a nudge found alive: its server's clock is behind what we believe. The
// pause doubles each time, since nobody knows by how much.
const (
	nudgeAgain     = 50     // milliseconds
	nudgeAgainLast = 10_000 // milliseconds
)

// add has the key come up when it expires. One that is over already by our clock, and was nonetheless read just now, comes up
// after a pause.
func (d *deadlines) add(e *entry) {
	at := e.ends()
	if at > e.readAt {
		e.pause = 0
	} else {
		at = e.readAt + int64(max(e.pause, nudgeAgain))
	}
	switch {
	case e.queued == 0:
		e.queued = at
		heap.Push(d, e)
	case at < e.queued:
		e.queued = at
		heap.Fix(d, int(e.place))
	}
}

// remove takes out a key that is no longer followed.
func (d *deadlines) remove(e *entry) {
	if e.queued != 0 {
		heap.Remove(d, int(e.place))
	}
}

// due takes out the keys whose time has come.
func (d *deadlines) due(now time.Time, most int) []string {
	var keys []string
	for len(*d) > 0 && (*d)[0].queued <= now.UnixMilli() && len(keys) < most {
		e := heap.Pop(d).(*entry)
		switch {
		case e.ends() == 0:
		case e.ends() > now.UnixMilli():
			d.add(e)
		default:
			e.pause = min(max(2*e.pause, nudgeAgain), nudgeAgainLast)
			keys = append(keys, e.key)
		}
	}
	return keys
}

// next is the first deadline; false where there is none.
func (d deadlines) next() (time.Time, bool) {
	if len(d) == 0 {
		return time.Time{}, false
	}
	return time.UnixMilli(d[0].queued), true
}
