package keyspace

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// listenEvery is how old the list of channels may be when a key is read. A feed asks more often.
const listenEvery = 2 * attendEvery

// PUBSUB CHANNELS compares the names of all channels while the server does nothing else: 115 ms for a million of them, and the
// names of 100,000 are 4 MB. So it is asked at least listShare times as long apart as it took, as CLIENT LIST is, and no faster
// than listBytes a second. In between, the subscribers of the channels that are known are counted.
const (
	listShare = rollShare
	listBytes = 256 << 10
)

// listApart is how long after a list of the channels the next one may be asked for.
func listApart(took time.Duration, bytes int) time.Duration {
	return max(attendEvery, listShare*took, time.Duration(bytes)*time.Second/listBytes)
}

// listing is the names of the channels on which clients listen, by the keys to which they belong. To list the channels costs the
// same for one key as for a hundred thousand. It is safe for concurrent use.
type listing struct {
	mu             sync.Mutex
	at             time.Time
	due            time.Time // of the next list
	plain, sharded map[string][]string
	keys           []string // that have channels, in order
}

// sharedChannels is the key of channels that belong to none: everybody who waits may listen on them.
const sharedChannels = ""

// maxListed bounds the names that are kept of one list.
const maxListed = 200_000

// isDue reports whether the channels may be listed, and the last list is older than this.
func (l *listing) isDue(age time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.at) >= age && !time.Now().Before(l.due)
}

// of returns the plain and the sharded channels of a key, in order.
func (l *listing) of(key string) (plain, sharded []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.plain[key], l.sharded[key]
}

// owners are the keys that have channels on which somebody listens.
func (l *listing) owners() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keys
}

// listChannels asks for the names of the channels on which clients listen, if that is due and the last list is older than this.
// Where this may not be asked there are none.
func (c *Connection) listChannels(ctx context.Context, companions Companions, age time.Duration) error {
	if c.noNumSub.Load() || !c.listing.isDue(age) {
		return nil
	}
	began := time.Now()
	plain, bytes, err := c.channelNames(ctx, companions, "CHANNELS")
	if err != nil {
		return err
	}
	var sharded map[string][]string
	if !c.noShardNumSub.Load() {
		more := 0
		if sharded, more, err = c.channelNames(ctx, companions, "SHARDCHANNELS"); err != nil {
			return err
		}
		bytes += more
	}
	took := time.Since(began) - 2*c.clock.best().roundTrip
	l := &c.listing
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.due, l.plain, l.sharded = time.Now(), began.Add(listApart(took, bytes)), plain, sharded
	l.keys = slices.AppendSeq(slices.Collect(maps.Keys(plain)), maps.Keys(sharded))
	slices.Sort(l.keys)
	l.keys = slices.Compact(l.keys)
	return nil
}

// channelNames lists channels, by the keys to which they belong, and says how many bytes their names have.
func (c *Connection) channelNames(ctx context.Context, companions Companions, list string) (byOwner map[string][]string, bytes int, err error) {
	pipe := c.reader.Pipeline()
	for _, glob := range companions.Channels() {
		pipe.Do(ctx, "PUBSUB", list, glob)
	}
	byOwner = make(map[string][]string)
	answers, err := pipe.Exec(ctx)
	if isAnswer(err) {
		return byOwner, 0, nil
	}
	if err != nil {
		return nil, 0, wrap("pubsub channels", err)
	}
	listed := 0
	for _, answer := range answers {
		command, is := answer.(*redis.Cmd)
		if !is {
			continue
		}
		names, _ := command.StringSlice() // none is an error
		for _, name := range names {
			bytes += len(name)
			if listed++; listed > maxListed {
				continue
			}
			owners := companions.Owners(name)
			if len(owners) == 0 {
				owners = []string{sharedChannels}
			}
			for _, owner := range owners {
				byOwner[owner] = append(byOwner[owner], name)
			}
		}
	}
	for owner, names := range byOwner {
		slices.Sort(names)
		byOwner[owner] = slices.Compact(names) // two globs may name one
	}
	return byOwner, bytes, nil
}

// subscribers counts the subscribers of some channels. Where this may not be asked there are none.
func (c *Connection) subscribers(ctx context.Context, count string, names []string) (map[string]int64, error) {
	counts := make(map[string]int64, len(names))
	for some := range slices.Chunk(names, maxAttended) {
		words := []any{"PUBSUB", count}
		for _, name := range some {
			words = append(words, name)
		}
		answer, err := c.reader.Do(ctx, words...).Result()
		if isAnswer(err) {
			return nil, nil
		}
		if err != nil {
			return nil, wrap("pubsub numsub", err)
		}
		maps.Copy(counts, pairs(answer))
	}
	return counts, nil
}

// openChannels are the channels of some keys that only their subscribers tell of, with those subscribers: plain and sharded ones
// together.
func (c *Connection) openChannels(ctx context.Context, keys []string) (map[string]int64, error) {
	var plain, sharded []string
	for _, key := range keys {
		some, more := c.listing.of(key)
		plain, sharded = append(plain, some...), append(sharded, more...)
	}
	counts := make(map[string]int64)
	for _, some := range []struct {
		count string
		names []string
	}{{"NUMSUB", plain}, {"SHARDNUMSUB", sharded}} {
		found, err := c.subscribers(ctx, some.count, some.names)
		if err != nil {
			return nil, err
		}
		for name, n := range found {
			counts[name] += n
		}
	}
	return counts, nil
}
