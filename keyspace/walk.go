package keyspace

import (
	"context"
	"slices"
	"time"
)

// walkBatch is how many keys a walk asks SCAN for, and reads at a time: a fraction of a millisecond of the server's time.
const walkBatch = 100

// Walk reads every key of the database once, on each of the servers, with companions as [Servers.ReadWith] does, and hands the
// records over batch by batch with how far it has come. Of independent masters, which have the same locks, it reads one. It is in no
// hurry: between two batches it rests, so that it reads keysPerSecond at most. It ends with ctx, whose error
// it returns then, or with the first error of take.
func (s *Servers) Walk(ctx context.Context, companions Companions, keysPerSecond int, take func([]Record, Pass) error) error {
	var connections []*Connection
	walk := Pass{Started: time.Now()}
	for _, node := range s.Nodes() {
		c, err := s.Connection(ctx, node)
		if err != nil && s.topology == Redlock {
			continue
		}
		if err != nil {
			return err
		}
		size, err := c.reader.DBSize(ctx).Result()
		if err != nil && !isAnswer(err) {
			return wrap("dbsize", err)
		}
		walk.KeysInDB += size
		if connections = append(connections, c); s.topology == Redlock {
			break
		}
	}
	for i, c := range connections {
		if err := c.walk(ctx, companions, keysPerSecond, &walk, i == len(connections)-1, take); err != nil {
			return err
		}
	}
	return nil
}

func (c *Connection) walk(ctx context.Context, companions Companions, keysPerSecond int, walk *Pass, last bool, take func([]Record, Pass) error) error {
	var cursor uint64
	for {
		keys, next, err := c.reader.Scan(ctx, cursor, "", walkBatch).Result()
		if err != nil {
			return wrap("scan", err)
		}
		records, err := c.readAll(ctx, companions, keys)
		if err != nil {
			return wrap("read", err)
		}
		walk.Scanned += int64(len(keys))
		cursor = next
		if cursor == 0 && last {
			walk.Ended = time.Now()
		}
		records = slices.DeleteFunc(records, func(r Record) bool { return r.Type == typeElsewhere }) // its own node tells of it
		if err := take(records, *walk); err != nil {
			return err
		}
		if cursor == 0 {
			return nil
		}
		due := walk.Started.Add(time.Duration(walk.Scanned) * time.Second / time.Duration(max(keysPerSecond, 1)))
		if !sleep(ctx, time.Until(due)) {
			return ctx.Err()
		}
	}
}
