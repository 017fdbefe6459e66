package keyspace

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/redis/go-redis/v9"
)

// What PEXPIRETIME and PTTL answer where there is no instant to tell.
const (
	expiresNever = -1
	expiresGone  = -2 // there is no such key
)

// longestRest is the most that a duration can be, in milliseconds: a TTL may be longer.
const longestRest = math.MaxInt64 / int64(time.Millisecond)

// expiryCommand is the command that tells when a key expires. PEXPIRETIME names the instant by the server's clock; it is
// of no use before 7.0, where the ACL denies it, or where we do not know that clock: PTTL then tells what is left.
type expiryCommand string

const (
	byInstant expiryCommand = "PEXPIRETIME"
	byRest    expiryCommand = "PTTL"
)

func (c *Connection) expiryCommand() expiryCommand {
	if !c.noPExpireTime.Load() && (c.clock.known() || c.noPTTL.Load()) {
		return byInstant
	}
	return byRest
}

// replaces notes that the server does not offer the command, and says whether the other one is worth a try.
func (c *Connection) replaces(by expiryCommand) bool {
	if by == byInstant {
		c.noPExpireTime.Store(true)
	} else {
		c.noPTTL.Store(true)
	}
	return c.expiryCommand() != by
}

// trip is a round trip by the local clock.
type trip struct{ sent, received time.Time }

func (t trip) half() time.Duration { return t.received.Sub(t.sent) / 2 }

// timedExec is exec, with the time that it took.
func timedExec(ctx context.Context, pipe redis.Pipeliner) (trip, error) {
	t := trip{sent: time.Now()}
	err := exec(ctx, pipe)
	t.received = time.Now()
	return t, err
}

// ask puts the command into a pipeline.
func (by expiryCommand) ask(ctx context.Context, pipe redis.Pipeliner, key string) *redis.Cmd {
	return pipe.Do(ctx, string(by), key)
}

// agree says whether two answers in one round trip are of the same lease: what is left has become less by the time that
// passed between them, which the server counts in milliseconds.
func (by expiryCommand) agree(before, after int64, t trip) bool {
	if by == byInstant || before < 0 || after < 0 {
		return before == after
	}
	passed := before - after
	return passed >= 0 && passed <= t.received.Sub(t.sent).Milliseconds()+1
}

// settle ends a stage that has read something of the key between two questions for its expiry (or before one). Each key has
// one expiry at a time, so that equal answers say that what lies between them is of the same holder; a key whose holder
// changed meanwhile is read again. That the key is gone is an answer as well, whatever was read before.
func (c *Connection) settle(r *reading, by expiryCommand, t trip) {
	if r.record.Type == TypeDenied || r.record.Type == typeElsewhere {
		return
	}
	after, err := r.after.Int64()
	before := after
	if r.before != nil {
		var errBefore error
		before, errBefore = r.before.Int64()
		err = cmp.Or(errBefore, err)
	}
	if err != nil {
		if (isAbsent(err) || isCommandDenied(err)) && c.replaces(by) {
			r.again = true
		} else {
			r.deny(err)
		}
		return
	}
	r.record.ReadAt = t.received
	r.record.ExpiresAt, r.record.ExpiryError, r.record.ExpireTime = time.Time{}, 0, 0
	switch {
	case after == expiresGone:
		*r.record = Record{Ref: r.record.Ref, Type: TypeNone, ReadAt: t.received}
		r.wanted, r.again = false, false
		return
	case !by.agree(before, after, t), r.hollow():
		r.again = true
	}
	switch {
	case after == expiresNever:
	case by == byInstant:
		r.record.ExpiresAt, r.record.ExpireTime = time.UnixMilli(after).Add(-c.clock.offset()), after
	default:
		r.record.ExpiresAt = t.sent.Add(t.half()).Add(time.Duration(min(after, longestRest)) * time.Millisecond)
		r.record.ExpiryError = InMicros(t.half())
	}
}

// hollow says that nothing was found in a key that was there: no collection is ever empty, only strings are.
func (r *reading) hollow() bool {
	return r.size != nil && r.size.Err() == nil && r.record.Size == 0 && r.record.Type != TypeString
}
