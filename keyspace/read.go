package keyspace

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

// readBatch is how many keys one pipeline reads: enough to hide the round trip, and well below a millisecond of the
// server's time.
const readBatch = 500

// readersAtOnce is how many batches may be under way.
const readersAtOnce = 4

// maxListBytes bounds the lists whose first elements are read. MEMORY USAGE takes the average of a list's nodes, which have one
// element or a hundred: the first elements may be as large as all of the list together.
const maxListBytes = 1 << 20

// maxKey is how long the name of a key may be that is read, which sends it to the server a dozen times.
const maxKey = 16 << 10

// memorySamples makes MEMORY USAGE look at every element of a collection that we would read.
const memorySamples = MaxFields

// Read reads the named keys once, bounded as in [Record]; a Record each, in the same order, without companions.
func (c *Connection) Read(ctx context.Context, keys ...string) ([]Record, error) {
	return c.ReadWith(ctx, nil, keys...)
}

// ReadWith is [Connection.Read] with what belongs to the keys; nil: nothing.
func (c *Connection) ReadWith(ctx context.Context, companions Companions, keys ...string) ([]Record, error) {
	records, err := c.readAll(ctx, companions, keys)
	if err != nil {
		return nil, fmt.Errorf("read %d keys of %s: %w", len(keys), c.Node(), err)
	}
	return records, nil
}

// readAll reads in batches, some of them at the same time, which a server that is far away needs to keep busy.
func (c *Connection) readAll(ctx context.Context, companions Companions, keys []string) ([]Record, error) {
	switch {
	case len(keys) == 0:
		return nil, nil
	case len(keys) <= readBatch:
		return c.readTogether(ctx, companions, keys)
	}
	records := make([]Record, len(keys))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readersAtOnce)
	for start := 0; start < len(keys); start += readBatch {
		group.Go(func() error {
			batch, err := c.readTogether(ctx, companions, keys[start:min(start+readBatch, len(keys))])
			copy(records[start:], batch)
			return err
		})
	}
	return records, group.Wait()
}

// reading is one key on its way through the stages of a batch.
type reading struct {
	record  *Record
	kind    *redis.StatusCmd
	size    *redis.IntCmd
	text    *redis.StringCmd
	memory  *redis.IntCmd
	coding  *redis.StringCmd
	fields  *redis.MapStringStringCmd // of a hash, in no order
	members *redis.ZSliceCmd          // of a sorted set, by score
	names   *redis.StringSliceCmd     // of a set or a list
	// ends ask for the TTLs of the fields, and proof for the same once more: see readFieldTTLs.
	ends, proof *redis.Cmd
	// before and after ask for the expiry on either side of what a stage reads: see settle.
	before, after *redis.Cmd
	wanted        bool // a collection that is small enough to be read
	head          bool // of which only the beginning is read, because it is longer
	again         bool // to be read once more: it changed meanwhile, or we have learnt what the server can do
}

// readTries is how often a batch reads the keys that change meanwhile. One that changed each time is left to the hints that
// such changes cause.
const readTries = 3

// readBatch reads in three pipelines: what is it, how large is it and what is the string, and, of small collections only, what
// is in it. Where fields may have TTLs of their own, a fourth asks for those. What is read of a key belongs together, or it is
// read again.
func (c *Connection) readBatch(ctx context.Context, keys []string) ([]Record, error) {
	records := make([]Record, len(keys))
	readings := make([]reading, len(keys))
	for i, key := range keys {
		records[i].Ref = Ref{Node: c.Node(), DB: c.options.DB, Key: key}
		readings[i].record = &records[i]
	}
	for try := 0; try < readTries && len(readings) > 0; try++ {
		if err := c.readStages(ctx, readings); err != nil {
			return nil, err
		}
		var again []reading
		for i := range readings {
			if readings[i].again {
				again = append(again, reading{record: readings[i].record})
			}
		}
		readings = again
	}
	return records, nil
}

func (c *Connection) readStages(ctx context.Context, readings []reading) error {
	if err := c.readTypes(ctx, readings); err != nil {
		return err
	}
	by := c.expiryCommand()
	if err := c.readSizes(ctx, readings, by); err != nil {
		return err
	}
	if err := c.readElements(ctx, readings, by); err != nil {
		return err
	}
	return c.readFieldTTLs(ctx, readings, by)
}

// readTypes is the first stage: TYPE.
func (c *Connection) readTypes(ctx context.Context, readings []reading) error {
	pipe := c.reader.Pipeline()
	for i := range readings {
		if key := readings[i].record.Key; len(key) <= maxKey {
			readings[i].kind = pipe.Type(ctx, key)
		}
	}
	t := trip{received: time.Now()}
	if pipe.Len() > 0 {
		var err error
		if t, err = timedExec(ctx, pipe); err != nil {
			return err
		}
	}
	for i := range readings {
		r := &readings[i]
		*r.record = Record{Ref: r.record.Ref, ReadAt: t.received}
		if r.kind == nil {
			r.deny(fmt.Errorf("its name has %d bytes, and names of more than %d are not read", len(r.record.Key), maxKey))
			continue
		}
		kind, err := r.kind.Result()
		if err != nil {
			r.deny(err)
			continue
		}
		r.record.Type = Type(kind)
	}
	return nil
}

// readSizes is the second stage: the expiry, how large it is, and of a string its beginning, which is bounded in itself.
func (c *Connection) readSizes(ctx context.Context, readings []reading, by expiryCommand) error {
	pipe := c.reader.Pipeline()
	for i := range readings {
		r := &readings[i]
		key := r.record.Key
		if !r.record.Exists() {
			continue
		}
		switch r.record.Type {
		case TypeString:
			r.before = by.ask(ctx, pipe, key)
			r.size = pipe.StrLen(ctx, key)
			r.text = pipe.GetRange(ctx, key, 0, MaxText-1)
		case TypeHash:
			r.size = pipe.HLen(ctx, key)
		case TypeList:
			r.size = pipe.LLen(ctx, key)
		case TypeSet:
			r.size = pipe.SCard(ctx, key)
		case TypeZSet:
			r.size = pipe.ZCard(ctx, key)
		case TypeStream:
			r.size = pipe.XLen(ctx, key)
		default: // a module's type
		}
		if r.record.Type.collection() {
			if c.noMemoryUsage.Load() {
				r.coding = pipe.ObjectEncoding(ctx, key)
			} else {
				r.memory = pipe.MemoryUsage(ctx, key, memorySamples)
			}
		}
		r.after = by.ask(ctx, pipe, key)
	}
	if pipe.Len() == 0 {
		return nil
	}
	t, err := timedExec(ctx, pipe)
	if err != nil {
		return err
	}
	for i := range readings {
		if r := &readings[i]; r.after != nil {
			c.takeSize(r)
			c.settle(r, by, t)
		}
	}
	return nil
}

func (c *Connection) takeSize(r *reading) {
	if r.size == nil {
		return
	}
	size, err := r.size.Result()
	switch {
	case hasPrefix(err, "WRONGTYPE"):
		r.again = true
		return
	case err != nil && r.record.Type != TypeString && r.record.Type != TypeHash:
		return // a length that we may not ask for is worth less than the rest
	case err != nil:
		r.deny(err)
		return
	}
	r.record.Size = size
	r.record.FieldTTLsUnread = r.record.Type == TypeHash && c.server.HasFieldTTLs()
	switch r.record.Type {
	case TypeString:
		text, err := r.text.Result()
		if err != nil {
			r.again = hasPrefix(err, "WRONGTYPE")
			if !r.again {
				r.deny(err)
			}
			return
		}
		r.record.Value.Text = text
		r.record.Truncated = size > int64(len(text))
	case TypeHash, TypeList, TypeSet, TypeZSet:
		r.head = size > MaxFields && (r.record.Type == TypeList || r.record.Type == TypeZSet)
		r.wanted = c.small(r) && size > 0 && (size <= MaxFields || r.head)
		r.record.Truncated = !r.wanted || r.head
	default:
	}
}

// collection says whether keys of this type have elements that are read.
func (t Type) collection() bool {
	return t == TypeHash || t == TypeList || t == TypeSet || t == TypeZSet
}

// small says whether what would be read of a collection is small enough: all of it, or of a longer one the first [MaxFields]
// elements. MEMORY USAGE looks at those of a sorted set; of a longer list, all has to be small. Where MEMORY USAGE is not to be had, the
// encoding bounds it: the server keeps only short elements in a listpack (hash-max-listpack-value, 64 bytes), and none but
// numbers in an intset; a list has no such encoding before Redis 7.2, and is then not read. Only miniredis knows neither; it is no
// server of anybody's production.
func (c *Connection) small(r *reading) bool {
	switch {
	case r.memory != nil:
		memory, err := r.memory.Result()
		_, elsewhere := RedirectionOf(err)
		if isAnswer(err) && !isNil(err) && !elsewhere && (!isDenied(err) || isCommandDenied(err)) { // or SAMPLES is not known there
			c.noMemoryUsage.Store(true)
			r.again = true
		}
		if r.head && r.record.Type == TypeList && memory > maxListBytes {
			return false
		}
		if r.head {
			memory = memory / r.record.Size * MaxFields
		}
		return err == nil && memory <= MaxHashBytes
	case c.server.Software == "miniredis" && isAnswer(r.coding.Err()):
		return true
	default:
		coding := r.coding.Val()
		return r.coding.Err() == nil && (coding == "listpack" || coding == "ziplist" || coding == "intset")
	}
}

// readElements is the third stage.
func (c *Connection) readElements(ctx context.Context, readings []reading, by expiryCommand) error {
	pipe := c.reader.Pipeline()
	for i := range readings {
		r := &readings[i]
		if !r.wanted || r.again {
			continue
		}
		key := r.record.Key
		r.before = by.ask(ctx, pipe, key)
		switch r.record.Type {
		case TypeHash:
			r.fields = pipe.HGetAll(ctx, key)
		case TypeZSet:
			r.members = pipe.ZRangeWithScores(ctx, key, 0, MaxFields-1)
		case TypeSet:
			r.names = pipe.SMembers(ctx, key)
		default:
			r.names = pipe.LRange(ctx, key, 0, MaxFields-1)
		}
		r.after = by.ask(ctx, pipe, key)
	}
	if pipe.Len() == 0 {
		return nil
	}
	t, err := timedExec(ctx, pipe)
	if err != nil {
		return err
	}
	for i := range readings {
		if r := &readings[i]; r.wanted && r.hasElements() {
			r.takeElements()
			c.settle(r, by, t)
		}
	}
	return nil
}

func (r *reading) hasElements() bool { return r.fields != nil || r.members != nil || r.names != nil }

// deny keeps the server's reason why a key may not be read, and nothing else. In a cluster it may be that another node has it.
func (r *reading) deny(err error) {
	if to, is := RedirectionOf(err); is {
		r.redirected(to)
		return
	}
	*r.record = Record{Ref: r.record.Ref, Type: TypeDenied, Value: Value{Text: err.Error()}, ReadAt: r.record.ReadAt}
}

// takeElements takes what the third stage read.
func (r *reading) takeElements() {
	elements, err := r.elements()
	switch {
	case hasPrefix(err, "WRONGTYPE"):
		r.again = true
		return
	case err != nil && r.record.Type != TypeHash: // its size is worth something by itself
		r.record.Truncated = true
		return
	case err != nil:
		r.deny(err)
		return
	}
	r.record.Value.Fields = elements
	if read := int64(len(elements)); !r.head || read < MaxFields { // else there may be more of them
		r.record.Size, r.record.Truncated = read, false
	}
}

// elements are in the order that [Value] promises.
func (r *reading) elements() ([]Field, error) {
	var out []Field
	switch {
	case r.fields != nil:
		fields, err := r.fields.Result()
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			out = append(out, Field{Name: name, Value: fields[name]})
		}
	case r.members != nil:
		members, err := r.members.Result()
		if err != nil {
			return nil, err
		}
		for _, m := range members {
			name, isText := m.Member.(string)
			if !isText {
				return nil, fmt.Errorf("a member of a sorted set is a %T", m.Member)
			}
			out = append(out, Field{Name: name, Value: strconv.FormatFloat(m.Score, 'f', -1, 64)})
		}
	default:
		names, err := r.names.Result()
		if err != nil {
			return nil, err
		}
		if r.record.Type == TypeSet {
			slices.Sort(names)
		}
		for _, name := range names {
			out = append(out, Field{Name: name})
		}
	}
	return out, nil
}

// exec runs a pipeline and returns an error only where the connection failed or the server answers nobody: an error that
// it answered to one command is for the reader of that command.
func exec(ctx context.Context, pipe redis.Pipeliner) error {
	cmds, err := pipe.Exec(ctx)
	if err == nil || errors.Is(err, redis.Nil) && len(cmds) == 1 {
		return nil
	}
	if !isAnswer(err) {
		return err
	}
	for _, cmd := range cmds {
		if err := cmd.Err(); err != nil && !isAnswer(err) {
			return err
		}
	}
	return nil
}
