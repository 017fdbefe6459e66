package actions

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
)

// wakeUp is how those who wait for a lock are told that it is free; the zero value tells nobody. wake.lua says how the
// one is found who is told.
type wakeUp struct {
	channel string
	// queue is the list of a fair lock's waiters, and ends the sorted set that says until when they wait. Neither need be
	// there.
	queue, ends string
}

// keys are what is read to find out who is to be told.
func (w wakeUp) keys() []string {
	if w.channel == "" {
		return nil
	}
	return []string{w.queue, w.ends}
}

// ask puts what wake.lua asks to a pipeline. Once that was run, channel is where the one listens who is to be told; empty:
// nobody is.
func (w wakeUp) ask(ctx context.Context, pipe redis.Pipeliner) (channel func() (string, error)) {
	if w.channel == "" {
		return func() (string, error) { return "", nil }
	}
	queue, ends, now := pipe.LRange(ctx, w.queue, 0, -1), pipe.ZRangeWithScores(ctx, w.ends, 0, -1), pipe.Time(ctx)
	return func() (string, error) {
		for _, reply := range []redis.Cmder{queue, ends, now} {
			if err := reply.Err(); err != nil {
				return "", fmt.Errorf("%s: %w", reply.FullName(), err)
			}
		}
		over := map[any]bool{}
		for _, z := range ends.Val() {
			over[z.Member] = z.Score <= float64(now.Val().UnixMilli())
		}
		first := slices.IndexFunc(queue.Val(), func(waiter string) bool { return !over[waiter] })
		if first < 0 {
			return w.channel, nil
		}
		return w.channel + ":" + queue.Val()[first], nil
	}
}

// commands are the ACL rules for the commands that it takes.
func (w wakeUp) commands() []string {
	if w.channel == "" {
		return nil
	}
	return []string{"+lrange", "+zrange", "+time", "+publish"}
}

// channelRules are the ACL rules for the channels of which one is told.
func (w wakeUp) channelRules() []string {
	if w.channel == "" {
		return nil
	}
	first := keyspace.ACLWord("&" + keyspace.ACLGlob(keyspace.Escape(w.channel+":")) + "*")
	return []string{keyRule("&", w.channel), first}
}
