package keyspace

import (
	"context"
	"time"
)

// doubts finds out whether events come at all. A server tells nobody that its notification flags were cleared, that an ACL
// or a proxy filters its channels, or that a service has them off and hides its configuration; but then keys change without
// an event. Two things say so: an invalidation (CLIENT TRACKING, the second ear) that no event accompanies, and a read that
// nothing had asked for which finds another state than the last one. The latter also says when databases were swapped.
type doubts struct {
	// suspects were invalidated, and may have changed; accused have changed. Both wait for an event that explains it.
	suspects, accused map[string]time.Time
	// heard are the keys of which an event told just now, before those of a moment before: an invalidation comes later.
	heard, heardBefore map[string]struct{}
	heardSince         time.Time
	// quiet is until when no invalidation is suspected: most are explained, and those of another database never will be.
	quiet time.Time
	pause time.Duration
	count int
	first time.Time
}

const (
	eventGrace   = time.Second // how much later than the change an event may come
	doubtsToTry  = 3           // changes without events, within
	doubtsKept   = time.Minute
	maxDoubts    = 1000
	maxSuspects  = 20
	suspectPause = time.Minute      // at most, between two rounds of suspicion
	deafFor      = 10 * time.Minute // before events that come after all are believed again
)

func newDoubts() doubts {
	return doubts{
		suspects: make(map[string]time.Time), accused: make(map[string]time.Time),
		heard: make(map[string]struct{}), heardBefore: make(map[string]struct{}), heardSince: time.Now(), pause: eventGrace,
	}
}

// suspect notes that the key was invalidated.
func (d *doubts) suspect(key string, now time.Time) {
	_, just := d.heard[key]
	_, before := d.heardBefore[key]
	if !just && !before && len(d.suspects) < maxSuspects && !now.Before(d.quiet) {
		d.suspects[key] = now
	}
}

// unannounced notes that the key was found changed, and that no event has told of it yet.
func (d *doubts) unannounced(key string) {
	if len(d.accused) < maxDoubts {
		d.accused[key] = time.Now()
	}
}

// announced notes an event: the key's change is explained.
func (d *doubts) announced(key string, now time.Time) {
	if now.Sub(d.heardSince) > eventGrace {
		d.heardBefore, d.heard, d.heardSince = d.heard, make(map[string]struct{}), now
	}
	d.heard[key] = struct{}{}
	delete(d.suspects, key)
	delete(d.accused, key)
}

// next is when some doubt is old enough to be weighed; far away where there is none.
func (d *doubts) next() time.Time {
	next := time.Now().Add(statusEvery)
	for _, all := range []map[string]time.Time{d.suspects, d.accused} {
		for _, at := range all {
			next = sooner(next, at.Add(eventGrace))
			break // they are nearly of one age, and a late look does no harm
		}
	}
	return next
}

// weighDoubts reads the suspects whose time is over, and judges when some of the accused were not acquitted by an event.
func (f *feed) weighDoubts(ctx context.Context) error {
	d := &f.doubts
	if len(d.suspects)+len(d.accused) == 0 {
		return nil
	}
	if f.status.Feed == FeedPoll { // which sees every change
		*d = newDoubts()
		return nil
	}
	now := time.Now()
	over := now.Add(-eventGrace)
	for key, at := range d.suspects {
		if at.Before(over) {
			delete(d.suspects, key)
			f.unasked[key] = struct{}{}
			d.quiet, d.pause = now.Add(d.pause), min(2*d.pause, suspectPause)
		}
	}
	found := false
	for key, at := range d.accused {
		if at.After(over) {
			continue
		}
		delete(d.accused, key)
		d.quiet, d.pause = time.Time{}, eventGrace
		if d.count == 0 || at.Sub(d.first) > doubtsKept {
			d.count, d.first = 0, at
		}
		d.count++
		found = true
	}
	if !found {
		return nil
	}
	return f.judge(ctx, now)
}

// judge says what the changes mean of which no hint has told. Databases may have been swapped, which the counters tell. Where
// they are denied, and where we go by tracking, which has no such reason to fail as notifications have, one change is enough
// for a gap, which reads everything again. Else notifications are given up for a while after the third change.
func (f *feed) judge(ctx context.Context, now time.Time) error {
	if err := f.checkSweeps(ctx); err != nil {
		return err
	}
	const why = "keys changed, and nothing told of it"
	switch swapped := f.doubts.count == 0; {
	case swapped: // and the gap that was made of it has settled all doubts
	case f.status.Feed != FeedPush, f.health.blind && now.Sub(f.pardoned) > deafFor:
		f.pardoned = now
		f.gap(why, now)
	case f.doubts.count >= doubtsToTry:
		f.shared.Lock()
		f.shared.deafUntil, f.shared.heard = now.Add(deafFor), false
		f.shared.Unlock()
		f.gap(why, now)
		f.retune()
	}
	return nil
}
