package embedded

import (
	"container/heap"
	"hash/fnv"
	"time"
)

// database is what the server knows of one numbered database beside the values, which are the store's.
type database struct {
	number   int
	keys     map[string]*entry
	volatile int // how many of the keys have a deadline
}

// entry is what the server knows of one key.
type entry struct {
	db       *database
	key      string
	position uint64 // where SCAN finds it: a hash of the key, never 0
	touched  time.Time
	deadline int64 // Unix milliseconds; 0: none
	reapAt   int64 // when the active cycle removes it, Unix milliseconds
	index    int   // in the queue of deadlines; -1: not in it
}

func newDatabase(number int) *database {
	return &database{number: number, keys: map[string]*entry{}}
}

func newEntry(db *database, key string, now time.Time) *entry {
	return &entry{db: db, key: key, position: scanPosition(key), touched: now, index: -1}
}

// positions is how many places SCAN has: few enough for a cursor to be exact in every client's number type.
const positions = 1 << 48

// scanPosition spreads the keys evenly over the places.
func scanPosition(key string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key)) // a hash takes every byte
	return max(h.Sum64()%positions, 1)
}

// expired says that the deadline has passed; as in Redis the key still lives in the very millisecond of its deadline.
func (e *entry) expired(now int64) bool { return e.deadline != 0 && now > e.deadline }

// deadlines is a heap of the entries that the active cycle will have to remove, the next one first.
type deadlines []*entry

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].reapAt < d[j].reapAt }

func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].index, d[j].index = i, j
}

// Push is for package heap.
func (d *deadlines) Push(x any) {
	e := x.(*entry)
	e.index = len(*d)
	*d = append(*d, e)
}

// Pop is for package heap.
func (d *deadlines) Pop() any {
	old := *d
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*d = old[:len(old)-1]
	e.index = -1
	return e
}

// expireAt sets the deadline, in Unix milliseconds.
func (s *Server) expireAt(e *entry, deadline int64) {
	if e.deadline == 0 {
		e.db.volatile++
	}
	e.deadline = deadline
	e.reapAt = max(deadline+1, s.now.UnixMilli()) + s.reapDelay().Milliseconds()
	if e.index < 0 {
		heap.Push(&s.deadlines, e)
	} else {
		heap.Fix(&s.deadlines, e.index)
	}
	if e.index == 0 {
		s.wakeReaper()
	}
}

// persist takes the deadline away, and says whether there was one.
func (s *Server) persist(e *entry) bool {
	if e.deadline == 0 {
		return false
	}
	heap.Remove(&s.deadlines, e.index)
	e.deadline, e.reapAt = 0, 0
	e.db.volatile--
	return true
}

// create makes the entry of a key that has come into being, and emits "new"; where the key is there already it returns that.
func (s *Server) create(db *database, key string) *entry {
	if e := db.keys[key]; e != nil {
		return e
	}
	e := newEntry(db, key, s.now)
	db.keys[key] = e
	s.notify(classNew, "new", db, key)
	return e
}

// forget drops the entry of a key that the store no longer has.
func (s *Server) forget(e *entry) {
	s.persist(e)
	delete(e.db.keys, e.key)
}

// remove deletes a key from the store and forgets it. It emits nothing.
func (s *Server) remove(e *entry) {
	s.store(e.db, "DEL", e.key)
	s.forget(e)
}

// clear empties a database, without an event for any key, as FLUSHDB does.
func (s *Server) clear(db *database) {
	for key, e := range db.keys {
		s.persist(e)
		s.touch(db.number, key)
	}
	clear(db.keys)
	s.store(db, "FLUSHDB")
}
