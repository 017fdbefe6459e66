package keyspace

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// pass is a walk over all keys that is under way.
type pass struct {
	Pass
	cursor uint64
	// reread makes it read every key that a pattern names, not only those that we do not know.
	reread bool
	nextAt time.Time
	waits  []string // keys to read, until there are enough for a batch
}

func (p *pass) pause(now time.Time) time.Duration {
	if p.reread {
		return 0
	}
	return p.nextAt.Sub(now)
}

// scan begins a pass when one is due, or goes one SCAN further with the one under way.
func (f *feed) scan(ctx context.Context) error {
	now := time.Now()
	if f.pass == nil {
		if now.Before(f.nextPass) || f.options.Once && f.lastPass.Generation > 0 {
			return nil
		}
		if err := f.beginPass(ctx, now); err != nil {
			return err
		}
	}
	p := f.pass
	if p.pause(now) > 0 {
		return nil
	}
	p.nextAt = now.Add(pacedScan)
	match := ""
	if len(f.options.Patterns) == 1 {
		match = f.options.Patterns[0].Glob // several patterns cost less here than one pass each on the server
	}
	keys, cursor, err := f.connection.reader.Scan(ctx, p.cursor, match, f.options.ScanCount).Result()
	if err != nil {
		return wrap("scan", err)
	}
	if match == "" {
		p.Scanned += int64(len(keys))
	} else {
		p.Scanned = min(p.Scanned+f.options.ScanCount, p.KeysInDB)
	}
	for _, key := range keys {
		f.seen(p, key, match != "")
	}
	p.cursor = cursor
	if len(p.waits) >= readBatch || cursor == 0 {
		if err := f.readWaiting(ctx, p); err != nil {
			return err
		}
	}
	if cursor != 0 {
		return nil
	}
	return f.endPass(ctx, p)
}

func (f *feed) beginPass(ctx context.Context, now time.Time) error {
	size, err := f.connection.reader.DBSize(ctx).Result()
	if err != nil && !isAnswer(err) {
		return err
	}
	f.pass = &pass{
		Pass:   Pass{Generation: f.lastPass.Generation + 1, Started: now, KeysInDB: size},
		reread: f.hurry != "",
	}
	f.hurry = ""
	f.dropOutdatedGenerations()
	return nil
}

// dropOutdatedGenerations lets a pass that starts anew under a number that an interrupted one has used count afresh.
func (f *feed) dropOutdatedGenerations() {
	for _, e := range f.entries {
		if e.generation == f.pass.Generation {
			e.generation--
		}
	}
}

// seen notes a key that a SCAN returned.
func (f *feed) seen(p *pass, key string, matched bool) {
	if !matched && firstMatch(f.options.Patterns, key) < 0 {
		return
	}
	e := f.entries[key]
	if e != nil && e.generation == p.Generation {
		return // SCAN may return a key twice
	}
	p.Matched++
	if e != nil {
		e.generation = p.Generation
	}
	if e == nil || p.reread {
		if !f.overdue(e, time.Now()) {
			p.waits = append(p.waits, key)
		}
	}
}

func (f *feed) readWaiting(ctx context.Context, p *pass) error {
	for len(p.waits) > 0 {
		n := min(len(p.waits), readBatch)
		records, err := f.connection.readBatch(ctx, p.waits[:n])
		if err != nil {
			return err
		}
		f.learn(records)
		p.waits = p.waits[n:]
	}
	p.waits = nil
	return nil
}

// endPass confirms by a read that the keys which the pass did not see are gone, and closes the books on it.
func (f *feed) endPass(ctx context.Context, p *pass) error {
	now := time.Now()
	for key, e := range f.entries {
		switch {
		case e.generation >= p.Generation:
		case !e.followed:
			f.forget(key, e)
		case !f.overdue(e, now):
			p.waits = append(p.waits, key)
		}
	}
	if !p.reread && f.status.Feed != FeedPoll {
		p.waits = append(p.waits, f.longestUnread(verifyPerPass)...)
	}
	if err := f.readWaiting(ctx, p); err != nil {
		return err
	}
	p.Ended = time.Now()
	f.lastPass, f.pass = p.Pass, nil
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

// longestUnread are the followed keys whose last read is the oldest: hints can be lost without a trace.
func (f *feed) longestUnread(n int) []string {
	type unread struct {
		key string
		at  int64
	}
	var oldest []unread
	older := func(a, b unread) int { return cmp.Compare(a.at, b.at) }
	now := time.Now()
	for key, e := range f.entries {
		if !e.followed || f.overdue(e, now) {
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
