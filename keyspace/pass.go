package keyspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// pass is a walk over all keys that is under way.
type pass struct {
	Pass
	cursor uint64
	// why is hurried where every key that a pattern names is read, and not only those that we do not know.
	why    source
	nextAt time.Time
	waits  []string // keys to read, until there are enough for a batch
}

// scanAtOnce is how long a pass in a hurry goes on before it lets the feed look at its mail.
const scanAtOnce = 5 * time.Millisecond

// scan begins a pass when one is due, or goes further with the one under way: by one SCAN, or, in a hurry, by some.
func (f *feed) scan(ctx context.Context) error {
	start := time.Now()
	for {
		if err := f.scanOne(ctx, time.Now()); err != nil {
			return err
		}
		if f.pass == nil || f.pass.why != hurried || time.Since(start) > scanAtOnce {
			return nil
		}
	}
}

func (f *feed) scanOne(ctx context.Context, now time.Time) error {
	if f.pass == nil {
		if now.Before(f.nextPass) || f.options.Once && f.lastPass.Generation > 0 {
			return nil
		}
		if err := f.beginPass(ctx, now); err != nil {
			return err
		}
	}
	p := f.pass
	if now.Before(p.nextAt) {
		return nil
	}
	switch {
	case p.why == hurried:
	case f.status.Feed == FeedPoll:
		p.nextAt = now.Add(pacedScanPoll)
	default:
		p.nextAt = now.Add(pacedScan)
	}
	match := ""
	if len(f.options.Patterns) == 1 {
		match = f.options.Patterns[0].Glob // several patterns cost less here than one pass each on the server
	}
	keys, cursor, err := f.connection.reader.Scan(ctx, p.cursor, match, f.options.ScanCount).Result()
	if err != nil {
		return wrap("scan", err)
	}
	f.herald.progress()
	if match == "" {
		p.Scanned += int64(len(keys))
	} else {
		p.Scanned = min(p.Scanned+f.options.ScanCount, p.KeysInDB)
	}
	for _, key := range keys {
		if match != "" || f.matcher.match(key) {
			f.seen(p, key)
		}
	}
	p.cursor = cursor
	if cursor == 0 {
		return f.endPass(ctx, p)
	}
	if len(p.waits) >= readersAtOnce*readBatch || p.why != hurried {
		return f.readWaiting(ctx, p)
	}
	return nil
}

func (f *feed) beginPass(ctx context.Context, now time.Time) error {
	size, err := f.connection.reader.DBSize(ctx).Result()
	if err != nil && !isAnswer(err) {
		return err
	}
	if err := f.countDatabases(ctx); err != nil {
		return err
	}
	f.shrink()
	f.passes++
	f.pass = &pass{Pass: Pass{Generation: f.passes, Started: now, KeysInDB: size}, why: unasked}
	if f.hurry != "" {
		f.pass.why = hurried
	}
	return nil
}

// seen notes a key that a SCAN returned. One that is overdue is read even in strict mode: SCAN returns no expired keys, so
// that this one must have been renewed.
func (f *feed) seen(p *pass, key string) {
	if e := f.followed[key]; e != nil {
		if e.generation == p.Generation {
			return // SCAN may return a key twice, and one that was read during the pass needs no more
		}
		e.generation = p.Generation
		p.Matched++
		if p.why == hurried || e.denied || f.overdue(e, time.Now()) && e.companion == 0 {
			p.waits = append(p.waits, key)
		}
		return
	}
	hash := f.hash(key)
	o, known := f.others[hash]
	if known && o.generation == p.Generation {
		return
	}
	p.Matched++
	if known && p.why != hurried && (f.status.Feed != FeedPoll || time.Now().UnixMilli()-o.readAt < pauseLast) {
		o.generation = p.Generation
		f.others[hash] = o
		return
	}
	p.waits = append(p.waits, key)
}

func (f *feed) readWaiting(ctx context.Context, p *pass) error {
	for batch := range slices.Chunk(p.waits, readersAtOnce*readBatch) {
		records, err := f.connection.readAll(ctx, f.options.Companions, batch)
		if err != nil {
			return err
		}
		f.learn(records, p.why)
	}
	p.waits = p.waits[:0]
	return nil
}

// endPass confirms by a read that the keys which the pass did not see are gone, and closes the books on it.
func (f *feed) endPass(ctx context.Context, p *pass) error {
	now := time.Now()
	var overdue []string
	for key, e := range f.followed {
		switch {
		case e.generation >= p.Generation:
		case f.overdue(e, now):
			overdue = append(overdue, key)
		default:
			p.waits = append(p.waits, key)
		}
	}
	if err := f.readWaiting(ctx, p); err != nil {
		return err
	}
	if err := f.confirmOverdue(ctx, overdue); err != nil {
		return err
	}
	if err := f.callRollOnce(ctx); err != nil {
		return err
	}
	for hash, o := range f.others {
		if o.generation < p.Generation {
			f.dropOther(hash)
		}
	}
	p.Ended = time.Now()
	f.lastPass, f.pass = p.Pass, nil
	f.shrink()
	if p.why == hurried {
		f.hurry, f.missed = "", time.Time{}
	}
	pause := f.options.PassInterval
	if pause == 0 {
		pause = passPause
		if f.status.Feed == FeedPoll {
			pause = passPausePoll
		}
	}
	f.nextPass = p.Ended.Add(pause)
	f.out.endPass(f.lastPass)
	return nil
}

// confirmOverdue asks about keys that strict mode must not touch and that a pass did not return: MEMORY USAGE is the one
// command that tells whether a key is still there without making the server delete it.
func (f *feed) confirmOverdue(ctx context.Context, keys []string) error {
	var gone []Record
	for batch := range slices.Chunk(keys, readBatch) {
		pipe := f.connection.reader.Pipeline()
		for _, key := range batch {
			pipe.MemoryUsage(ctx, key)
		}
		cmds, err := pipe.Exec(ctx)
		if err != nil && !isAnswer(err) {
			return err
		}
		for i, cmd := range cmds {
			if isNil(cmd.Err()) {
				gone = append(gone, Record{Ref: f.ref(batch[i]), Type: TypeNone, ReadAt: time.Now()})
			}
		}
	}
	f.learn(gone, asked)
	return nil
}

// verify reads, now and then, the followed keys whose last read is the oldest, and those whose changes no event has
// explained: hints can be lost without a trace.
func (f *feed) verify() {
	now := time.Now()
	if f.status.Feed == FeedPoll || now.Before(f.nextVerify) || f.pass != nil && f.pass.why == hurried {
		return
	}
	f.nextVerify = now.Add(verifyEvery)
	for _, key := range f.longestUnread(verifyAtOnce) {
		f.unasked[key] = struct{}{}
	}
}

func (f *feed) readUnasked(ctx context.Context) error {
	if len(f.unasked) == 0 {
		return nil
	}
	keys := make([]string, 0, len(f.unasked))
	for key := range f.unasked {
		keys = append(keys, key)
	}
	records, err := f.connection.readAll(ctx, f.options.Companions, keys)
	if err != nil {
		return err
	}
	clear(f.unasked)
	f.learn(records, unasked)
	return nil
}

// longestUnread are the followed keys whose last read is the oldest.
func (f *feed) longestUnread(n int) []string {
	type unread struct {
		key string
		at  int64
	}
	var oldest []unread
	older := func(a, b unread) int { return cmp.Compare(a.at, b.at) }
	now := time.Now()
	for key, e := range f.followed {
		if f.overdue(e, now) {
			continue
		}
		u := unread{key, e.readAt}
		if len(oldest) == n && u.at >= oldest[n-1].at {
			continue
		}
		at, _ := slices.BinarySearchFunc(oldest, u, older)
		oldest = slices.Insert(oldest, at, u)
		oldest = oldest[:min(len(oldest), n)]
	}
	keys := make([]string, len(oldest))
	for i, u := range oldest {
		keys[i] = u.key
	}
	return keys
}

// String names a pass for people: "pass 3, 12000 of 50000 keys".
func (p Pass) String() string {
	return fmt.Sprintf("pass %d, %d of %d keys", p.Generation, p.Scanned, p.KeysInDB)
}
