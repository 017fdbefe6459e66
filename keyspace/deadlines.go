package keyspace

import (
	"container/heap"
	"time"
)

// deadlines orders keys by the local instant at which they expire. Renewals leave outdated entries behind, which are
// recognised when they come up: the caller knows each key's present expiry.
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
	*d = (*d)[:len(*d)-1]
	return last
}

func (d *deadlines) add(at int64, key string) { heap.Push(d, deadline{at, key}) }

// due takes out the keys whose time has come and that still expire then, by the map's word.
func (d *deadlines) due(now time.Time, entries map[string]*entry, most int) []string {
	var keys []string
	for len(*d) > 0 && (*d)[0].at <= now.UnixMilli() && len(keys) < most {
		next := heap.Pop(d).(deadline)
		if e := entries[next.key]; e != nil && e.expires == next.at {
			keys = append(keys, next.key)
		}
	}
	return keys
}

// next is how long until the first deadline; false where there is none.
func (d deadlines) next(now time.Time) (time.Duration, bool) {
	if len(d) == 0 {
		return 0, false
	}
	return max(0, time.UnixMilli(d[0].at).Sub(now)), true
}

// rebuild drops outdated entries when they are the most.
func (d *deadlines) rebuild(entries map[string]*entry) {
	if len(*d) < 2*len(entries)+1024 {
		return
	}
	*d = (*d)[:0]
	for key, e := range entries {
		if e.followed && e.expires != 0 {
			*d = append(*d, deadline{e.expires, key})
		}
	}
	heap.Init(d)
}
