package keyspace

import (
	"context"
	"time"
)

// walkBatch is how many keys a walk asks SCAN for, and reads at a time: a fraction of a millisecond of the server's time.
const walkBatch = 100

// Walk reads every key of the database once, with companions as [Connection.ReadWith] does, and hands the records over batch by batch with how far it
// has come. It is in no hurry: between two batches it rests, so that it reads keysPerSecond at most. It ends with ctx, whose error
// it returns then, or with the first error of take.
func (c *Connection) Walk(ctx context.Context, companions Companions, keysPerSecond int, take func([]Record, Pass) error) error {
	size, err := c.reader.DBSize(ctx).Result()
	if err != nil && !isAnswer(err) {
		return wrap("dbsize", err)
	}
	walk := Pass{Started: time.Now(), KeysInDB: size}
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
		if cursor == 0 {
			walk.Ended = time.Now()
		}
		if err := take(records, walk); err != nil {
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
