package keyspace

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

// listenEvery is how old the list of channels may be when a key is read. A feed asks more often.
const listenEvery = 2 * attendEvery

// listening maps each key to the channels that belong to it and on which clients listen. Asking for
// the existing channels costs the same for one key as for a hundred thousand.
type listening struct {
	mu    sync.Mutex
	at    time.Time
	byKey map[string][]channel
}

// channel is one on which clients listen.
type channel struct {
	name        string
	subscribers int64
}

// of returns the channels of a key, in order.
func (l *listening) of(key string) []channel {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byKey[key]
}

// learn stores the answers for plain and sharded channels.
func (l *listening) learn(companions Companions, asked ...map[string]int64) {
	byKey := make(map[string][]channel)
	for _, channels := range asked {
		for name, n := range channels {
			for _, owner := range companions.Owners(name) {
				known := byKey[owner]
				if at := slices.IndexFunc(known, func(c channel) bool { return c.name == name }); at >= 0 {
					known[at].subscribers += n
				} else if n > 0 {
					byKey[owner] = append(known, channel{name, n})
				}
			}
		}
	}
	for _, channels := range byKey {
		slices.SortFunc(channels, func(a, b channel) int { return cmp.Compare(a.name, b.name) })
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at, l.byKey = time.Now(), byKey
}

// listen asks which channels clients listen on if the last answer is older than this.
func (c *Connection) listen(ctx context.Context, companions Companions, age time.Duration) error {
	c.listening.mu.Lock()
	fresh := time.Since(c.listening.at) < age
	c.listening.mu.Unlock()
	if fresh || c.noNumSub.Load() {
		return nil
	}
	plain, err := c.listeners(ctx, companions, "CHANNELS", "NUMSUB")
	if err != nil {
		return err
	}
	var sharded map[string]int64
	if !c.noShardNumSub.Load() {
		if sharded, err = c.listeners(ctx, companions, "SHARDCHANNELS", "SHARDNUMSUB"); err != nil {
			return err
		}
	}
	c.listening.learn(companions, plain, sharded)
	return nil
}
