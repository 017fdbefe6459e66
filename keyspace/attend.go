package keyspace

import (
	"context"
	"maps"
	"slices"
	"time"
)

const (
	attendEvery = time.Second
	// maxAttended bounds the channels of one command.
	maxAttended = 1000
	// attendGone is for how long it is asked who listens for a key that is gone.
	attendGone = 10 * time.Minute
)

// attention is what the feed knows of those who wait. Nothing announces that clients subscribe, or that a command blocks them, so
// that it asks once a second, while there is a followed key for which it matters.
type attention struct {
	next     time.Time
	round    int
	channels map[string]int64 // subscribers
	sharded  map[string]int64
	commands map[string]int64 // blocked clients
	// listened and blocked count the followed keys that have channels and commands.
	listened, blocked int
	// gone are keys that are gone and for which clients listened. Who is left there waits for a message that did not come.
	gone map[string]goneKey
}

// goneKey is a key for which clients listened when it went.
type goneKey struct {
	at   time.Time
	told bool // the consumer was told that some are left
}

// goes notes that a followed key is gone.
func (a *attention) goes(e *entry, at time.Time) {
	if !e.listened || len(a.gone) >= maxAttended {
		return
	}
	if a.gone == nil {
		a.gone = make(map[string]goneKey)
	}
	a.gone[e.key] = goneKey{at: at}
}

// attends notes what belongs to an entry that nothing announces. Owners are those of [Companions].
func (a *attention) attends(e *entry, r Record, owners func(channel string) []string) {
	a.forgets(e)
	e.listened = r.open
	for _, c := range r.Companions {
		e.listened = e.listened || c.Type == TypeChannel
		e.shared = e.shared || c.Type == TypeChannel && !slices.Contains(owners(c.Key), e.key)
		e.blocked = e.blocked || c.Type == TypeClients
	}
	if e.listened {
		a.listened++
	}
	if e.blocked {
		a.blocked++
	}
}

// forgets takes an entry out.
func (a *attention) forgets(e *entry) {
	if e.listened {
		a.listened--
	}
	if e.blocked {
		a.blocked--
	}
	e.listened, e.shared, e.blocked = false, false, false
}

// attend asks who waits, and has the keys read again for which that has changed.
func (f *feed) attend(ctx context.Context) error {
	a := &f.attention
	now := time.Now()
	if f.options.Companions == nil || a.listened+a.blocked+len(a.gone) == 0 || now.Before(a.next) {
		return nil
	}
	a.next = now.Add(attendEvery)
	a.round++
	if a.listened+len(a.gone) > 0 {
		if err := f.attendChannels(ctx); err != nil {
			return err
		}
		if err := f.attendGone(ctx, now); err != nil {
			return err
		}
	}
	if a.blocked == 0 {
		return nil
	}
	counts, known, err := f.connection.blockedClients(ctx)
	if err != nil || !known || maps.Equal(counts, a.commands) {
		return err
	}
	a.commands = maps.Clone(counts)
	for key, e := range f.followed {
		if e.blocked {
			f.dirty[key] = struct{}{}
		}
	}
	return nil
}

func (f *feed) attendChannels(ctx context.Context) error {
	a, c := &f.attention, f.connection
	if c.noNumSub.Load() {
		return nil
	}
	if err := c.listChannels(ctx, f.options.Companions, attendEvery); err != nil {
		return err
	}
	var plain, sharded []string // of the keys that are followed, and of those that are gone
	for _, owner := range c.listing.owners() {
		if _, gone := a.gone[owner]; gone || owner == sharedChannels || f.followed[owner] != nil {
			some, more := c.listing.of(owner)
			plain, sharded = append(plain, some...), append(sharded, more...)
		}
	}
	for _, some := range []struct {
		count string
		names []string
		known *map[string]int64
	}{{"NUMSUB", plain, &a.channels}, {"SHARDNUMSUB", sharded, &a.sharded}} {
		counts, err := c.subscribers(ctx, some.count, a.turn(some.names))
		if err != nil {
			return err
		}
		now := make(map[string]int64, len(some.names))
		for _, name := range some.names {
			n, asked := counts[name]
			if !asked {
				n = (*some.known)[name]
			}
			if n > 0 {
				now[name] = n
			}
		}
		f.compare(*some.known, now)
		*some.known = now
	}
	return nil
}

// turn is which of these channels are counted in this round: all of a few, and of many a thousand after the other.
func (a *attention) turn(names []string) []string {
	if len(names) <= maxAttended {
		return names
	}
	turns := (len(names) + maxAttended - 1) / maxAttended
	from := a.round % turns * maxAttended
	return names[from:min(from+maxAttended, len(names))]
}

// attendGone tells the consumer of the clients that still listen for keys that are gone, and of their end.
func (f *feed) attendGone(ctx context.Context, now time.Time) error {
	a := &f.attention
	left := make(map[string][]Record)
	for _, some := range []map[string]int64{a.channels, a.sharded} {
		for channel, n := range some {
			for _, owner := range f.options.Companions.Owners(channel) {
				if _, gone := a.gone[owner]; gone && n > 0 {
					left[owner] = append(left[owner], Record{Ref: f.ref(channel), Type: TypeChannel, Size: n})
				}
			}
		}
	}
	var keys []string
	for key, gone := range a.gone {
		if len(left[key]) > 0 || gone.told {
			keys = append(keys, key)
		}
		if len(left[key]) == 0 || now.Sub(gone.at) > attendGone {
			delete(a.gone, key)
			continue
		}
		gone.told = true
		a.gone[key] = gone
	}
	records, err := f.connection.readAll(ctx, f.options.Companions, keys)
	if err != nil {
		return err
	}
	for i := range records {
		if r := &records[i]; r.Type == TypeNone {
			if r.Companions = left[r.Key]; r.Companions == nil {
				r.Companions = []Record{{Type: TypeChannel}} // nobody is left
			}
			for k := range r.Companions {
				r.Companions[k].ReadAt = r.ReadAt
			}
		}
	}
	f.learn(records, asked)
	return nil
}

// pairs reads names and numbers, as RESP2 (in turn) and RESP3 (a map) give them.
func pairs(answer any) map[string]int64 {
	out := make(map[string]int64)
	add := func(key, value any) {
		name, isText := key.(string)
		if n, isNumber := value.(int64); isText && isNumber {
			out[name] = n
		}
	}
	switch all := answer.(type) {
	case []any:
		for i := 0; i+1 < len(all); i += 2 {
			add(all[i], all[i+1])
		}
	case map[any]any:
		for key, value := range all {
			add(key, value)
		}
	}
	return out
}

// compare has the keys read again for whose channels the numbers differ.
func (f *feed) compare(before, now map[string]int64) {
	for _, some := range []map[string]int64{before, now} {
		for channel := range some {
			if before[channel] == now[channel] {
				continue
			}
			owners := f.options.Companions.Owners(channel)
			if len(owners) == 0 {
				f.rereadShared()
			}
			for _, owner := range owners {
				if e := f.followed[owner]; e != nil && e.listened {
					f.dirty[owner] = struct{}{}
				}
			}
		}
	}
}

// ownersOf are the keys to which a channel belongs.
func (f *feed) ownersOf(channel string) []string {
	if f.options.Companions == nil {
		return nil
	}
	return f.options.Companions.Owners(channel)
}

// rereadShared has the keys read again that have a channel in common with others.
func (f *feed) rereadShared() {
	for key, e := range f.followed {
		if e.shared {
			f.dirty[key] = struct{}{}
		}
	}
}

// companionHint marks the keys dirty to which the key of a hint belongs.
func (f *feed) companionHint(key string, now time.Time) {
	if f.options.Companions == nil {
		return
	}
	for _, owner := range f.options.Companions.Owners(key) {
		if f.options.others != nil && f.options.others.related(f.connection.Node(), owner) {
			continue
		}
		if f.followed[owner] != nil || f.matcher.match(owner) && f.worthReading(owner, "", now) {
			f.dirty[owner] = struct{}{}
		}
	}
}
