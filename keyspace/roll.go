package keyspace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// CLIENT LIST walks over all clients while the server does nothing else. So it is asked at least rollEvery apart, and at least
// rollShare times as long as it took: it costs the server one part in a hundred of its time at most.
const (
	rollEvery = 5 * time.Second
	rollShare = 100
	// rollMost is the number of clients above which CLIENT LIST costs the server too much.
	rollMost = 10_000
	// rollDenied is how often it is said again that the list is denied.
	rollDenied = time.Minute
)

// Roll is the list of the clients of one node, as of one moment. It is immutable.
type Roll struct {
	Node Node
	// TakenAt is the local time at which the list was asked for: whoever connected later may not be on it.
	TakenAt time.Time
	// Clients are in the order of their ids; replicas are none, nor are masters.
	Clients []Client
	// Partial says in words why not all clients are listed; empty: they are.
	Partial string
	// Denied says that this is so because this user may not ask, or the server does not know the command.
	Denied bool
}

// registrar keeps the last roll of a connection's node, and what it is asked for beside: who is blocked.
type registrar struct {
	mu       sync.Mutex
	most     int64 // rollMost
	roll     *Roll // nil: none was taken yet
	due      time.Time
	counts   map[string]int64 // of blocked clients, by their command; nil: not known
	fresh    time.Time        // until when counts are
	noCounts bool             // what they take is denied
}

// nextRoll is the list of the node's clients: a new one where the last one may be followed by another, else the last one; and when
// there may be another one. Where it may not be asked for, or there are too many clients, it says so and is empty. An error is one of
// the connection.
func (c *Connection) nextRoll(ctx context.Context) (*Roll, time.Time, error) {
	r := &c.registrar
	r.mu.Lock()
	defer r.mu.Unlock()
	roll, err := c.callRoll(ctx)
	return roll, r.due, err
}

// callRoll needs the registrar's lock.
func (c *Connection) callRoll(ctx context.Context) (*Roll, error) {
	r := &c.registrar
	began := time.Now()
	if r.roll != nil && (r.roll.Denied || began.Before(r.due)) {
		return r.roll, nil
	}
	roll, err := c.listClients(ctx)
	if err != nil && !isAnswer(err) {
		return nil, wrap("client list", err)
	}
	if err != nil {
		roll.Denied, roll.Partial = true, fmt.Sprintf("CLIENT LIST: %v", err)
	}
	roll.Node = c.Node()
	took := time.Since(began)
	r.roll, r.due = &roll, began.Add(max(rollEvery, rollShare*took))
	return r.roll, nil
}

// listClients asks who is connected, unless there are too many.
func (c *Connection) listClients(ctx context.Context) (Roll, error) {
	info, err := c.reader.Info(ctx, "clients").Result()
	if err != nil && !isAnswer(err) { // who may not ask for their number may all the same list them
		return Roll{}, err
	}
	roll := Roll{TakenAt: time.Now()}
	if n := infoNumber(info, "connected_clients"); n > c.registrar.most {
		roll.Partial = fmt.Sprintf("%d clients are connected, and more than %d are not listed, since that would hold up the server", n, c.registrar.most)
		return roll, nil
	}
	list, err := c.reader.Do(ctx, "CLIENT", "LIST").Text()
	if err != nil {
		return roll, err
	}
	roll.Clients = parseClients(c.Node(), list)
	return roll, nil
}

// callRoll tells the consumer who is connected, when that is due.
func (f *feed) callRoll(ctx context.Context) error {
	if !f.options.Clients || time.Now().Before(f.nextRoll) {
		return nil
	}
	roll, due, err := f.connection.nextRoll(ctx)
	if err != nil {
		return err
	}
	if f.nextRoll = due; roll.Denied {
		f.nextRoll = time.Now().Add(rollDenied) // nothing is asked for it
	}
	f.out.setRoll(roll)
	return nil
}

// sameEnd is by how much the end of a TTL may differ between two reads of a single look, of which nobody touched it.
const sameEnd = 50 * time.Millisecond

// callRollOnce is callRoll for a single look. The list comes after all reads, for whoever has a lock was connected then; and who has
// let go of one since, and left, is not to be looked for on it. So all that is followed is read once more, and told of where it is
// not as it was.
func (f *feed) callRollOnce(ctx context.Context) error {
	if !f.options.Once || !f.options.Clients {
		return nil
	}
	if err := f.callRoll(ctx); err != nil {
		return err
	}
	keys := slices.Collect(maps.Keys(f.followed))
	for batch := range slices.Chunk(keys, readersAtOnce*readBatch) {
		records, err := f.connection.readAll(ctx, f.options.Companions, batch)
		if err != nil {
			return err
		}
		f.learn(slices.DeleteFunc(records, f.asBefore), asked)
	}
	return nil
}

// asBefore says whether a record tells nothing new of a followed key.
func (f *feed) asBefore(r Record) bool {
	e := f.followed[r.Key]
	if e == nil || e.digest != f.digest(&r) {
		return false
	}
	expires := int64(0)
	if !r.ExpiresAt.IsZero() {
		expires = r.ExpiresAt.UnixMilli() + 1
	}
	return asBefore(e.expires, expires) && asBefore(e.fieldEnds, r.firstFieldEnd())
}

// asBefore reports whether two ends, in Unix milliseconds or 0 for none, may be the same one.
func asBefore(was, is int64) bool {
	return (was == 0) == (is == 0) && time.Duration(max(was-is, is-was))*time.Millisecond < sameEnd
}
