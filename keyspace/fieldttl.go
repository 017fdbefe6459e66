package keyspace

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// This file reads the TTLs that fields of a hash have of their own (Redis 7.4, Valkey 9.0). The
// command takes the names of the fields, which are known only after HGETALL. A hash without such a
// TTL costs one command more. Of a hash with one, the elements and the TTLs are read once more, so
// that the record is of one state: an end names a hold to the millisecond, and equal ends before
// and after the elements say that what lies between them is of the same holder.

// fieldTTL is the command that tells when fields expire, where by tells it of keys.
func (by expiryCommand) fieldTTL() string {
	if by == byInstant {
		return "HPEXPIRETIME"
	}
	return "HPTTL"
}

// askFields puts the command for the fields of a record into a pipeline.
func (by expiryCommand) askFields(ctx context.Context, pipe redis.Pipeliner, r *Record) *redis.Cmd {
	args := make([]any, 0, 4+len(r.Value.Fields))
	args = append(args, by.fieldTTL(), r.Key, "FIELDS", len(r.Value.Fields))
	for _, f := range r.Value.Fields {
		args = append(args, f.Name)
	}
	return pipe.Do(ctx, args...)
}

// readFieldTTLs is the last stage, for hashes whose fields were read.
func (c *Connection) readFieldTTLs(ctx context.Context, readings []reading, by expiryCommand) error {
	if !c.server.HasFieldTTLs() || c.noFieldTTLs.Load() {
		return nil
	}
	pipe := c.reader.Pipeline()
	for i := range readings {
		if r := &readings[i]; r.fields != nil && !r.again && r.record.Type == TypeHash && len(r.record.Value.Fields) > 0 {
			r.ends = by.askFields(ctx, pipe, r.record)
		}
	}
	if pipe.Len() == 0 {
		return nil
	}
	asked, err := timedExec(ctx, pipe)
	if err != nil {
		return err
	}
	pipe = c.reader.Pipeline()
	for i := range readings {
		r := &readings[i]
		if r.ends == nil || !c.takeFieldTTLs(r) {
			continue
		}
		r.before = by.ask(ctx, pipe, r.record.Key)
		r.fields = pipe.HGetAll(ctx, r.record.Key)
		r.proof = by.askFields(ctx, pipe, r.record)
		r.after = by.ask(ctx, pipe, r.record.Key)
	}
	if pipe.Len() == 0 {
		return nil
	}
	proved, err := timedExec(ctx, pipe)
	if err != nil {
		return err
	}
	for i := range readings {
		r := &readings[i]
		if r.proof == nil {
			continue
		}
		if r.proved(by, trip{sent: asked.sent, received: proved.received}) {
			c.takeProved(r, by, proved)
			c.settle(r, by, proved)
		} else {
			r.again, r.record.FieldTTLsUnread = true, true
		}
	}
	return nil
}

// takeFieldTTLs takes the first answer about a hash, and reports whether a field has a TTL, so that
// the second answer is needed.
func (c *Connection) takeFieldTTLs(r *reading) bool {
	ends, err := r.ends.Int64Slice()
	switch {
	case err == nil:
	case isAbsent(err): // by another name; what is not known to be absent is unknown
		c.noFieldTTLs.Store(true)
		return false
	case isDenied(err):
		return false
	default: // the key changed its type or its node
		r.again = true
		return false
	}
	some := false
	for _, end := range ends {
		some = some || end >= 0
		r.again = r.again || end == expiresGone
	}
	r.record.FieldTTLsUnread = r.again
	return some && !r.again
}

// proved reports whether nothing changed between the two answers about a hash.
func (r *reading) proved(by expiryCommand, t trip) bool {
	before, errBefore := r.ends.Int64Slice()
	after, errAfter := r.proof.Int64Slice()
	fields, errFields := r.fields.Result()
	if errors.Join(errBefore, errAfter, errFields) != nil || len(after) != len(before) || len(fields) != len(before) {
		return false
	}
	for i, f := range r.record.Value.Fields {
		if _, is := fields[f.Name]; !is || !by.agree(before[i], after[i], t) {
			return false
		}
	}
	return true
}

// takeProved takes the elements and the TTLs of a hash from the second answer.
func (c *Connection) takeProved(r *reading, by expiryCommand, t trip) {
	ends, fields := r.proof.Val().([]any), r.fields.Val()
	for i := range r.record.Value.Fields {
		f := &r.record.Value.Fields[i]
		f.Value = fields[f.Name]
		if end, is := ends[i].(int64); is {
			c.endField(f, by, end, t)
		}
	}
}

// endField notes when a field expires, by an answer of the server.
func (c *Connection) endField(f *Field, by expiryCommand, answer int64, t trip) {
	f.ExpireTime, f.EndsAt = 0, 0
	switch {
	case answer < 0:
	case by == byInstant:
		f.ExpireTime = answer
		f.EndsAt = time.UnixMilli(answer).Add(-c.clock.offset()).UnixMicro()
	default:
		f.EndsAt = t.sent.Add(t.half()).Add(time.Duration(min(answer, longestRest)) * time.Millisecond).UnixMicro()
	}
}

// firstFieldEnd is when the first of the fields expires that have a TTL, in Unix milliseconds on
// the local clock, rounded up; 0 if none does.
func (r *Record) firstFieldEnd() int64 {
	first := int64(0)
	for _, f := range r.Value.Fields {
		if end := f.EndsAt/1000 + 1; f.EndsAt != 0 && (first == 0 || end < first) {
			first = end
		}
	}
	return first
}
