package keyspace

import (
	"container/heap"
	"time"
)

// deadlines orders followed keys by the local instant at which they expire. A key that is renewed is left where it is, and
// put back when it comes up, so that a renewal costs nothing here and a key is in it once, as a rule.
type deadlines []deadline

type deadline struct {
	at  int64 // unix milliseconds, local clock
	key string
}

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].at < d[j].at }
func (d deadlines) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }

// Push and Pop serve container/heap.
func (d *deadlines) Push(x any) { *d = append(*d, x.(deadline)) }

// Pop serves container/heap.
func (d *deadlines) Pop() any {
	last := (*d)[len(*d)-1]
	(*d)[len(*d)-1] = deadline{}
	*d = (*d)[:len(*d)-1]
	return last
}

// add has the key come up when it expires, and not before the given instant if it already has by our clock.
func (d *deadlines) add(key string, e *entry, notBefore time.Time) {
	at := e.expires
	if at <= notBefore.Add(-nudgeAgain).UnixMilli() {
		at = notBefore.UnixMilli()
	}
	if e.queued != 0 && e.queued <= at {
		return
	}
	e.queued = at
	heap.Push(d, deadline{at, key})
}

// due takes out the keys whose time has come.
func (d *deadlines) due(now time.Time, followed map[string]*entry, most int) []string {
	var keys []string
	for len(*d) > 0 && (*d)[0].at <= now.UnixMilli() && len(keys) < most {
		next := heap.Pop(d).(deadline)
		e := followed[next.key]
		if e == nil || e.queued != next.at {
			continue // gone, or moved to an earlier place
		}
		e.queued = 0
		switch {
		case e.expires == 0:
		case e.expires > now.UnixMilli():
			d.add(next.key, e, now)
		default:
			keys = append(keys, next.key)
		}
	}
	return keys
}

// next is the first deadline; false where there is none.
func (d deadlines) next() (time.Time, bool) {
	if len(d) == 0 {
		return time.Time{}, false
	}
	return time.UnixMilli(d[0].at), true
}
