package keyspace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Intervals of a feed's own housekeeping. Together with a ping a second they keep an idle feed below five commands a
// second whatever the number of keys.
const (
	healthEvery     = 5 * time.Second  // INFO and the notification flags
	clockEvery      = 10 * time.Second // TIME
	statusEvery     = time.Second
	passPause       = 30 * time.Second
	passPausePoll   = 5 * time.Second
	pacedScan       = 25 * time.Millisecond // between two SCANs of a pass that is in no hurry
	unfollowedAgain = 10 * time.Second      // between two reads of a key that is not followed
	verifyPerPass   = 15                    // followed keys that a quiet pass reads again, the longest unread first
	nudgeBatch      = 1000
	nudgeAfter      = 5 * time.Millisecond // past the local zero, for what the clocks may differ
)

// feed follows the keys of one node. Its goroutine (run) owns every field below the line; the listener speaks to it
// through the mailbox, and it speaks to the consumer through the outbox.
type feed struct {
	connection    *Connection
	options       ObserveOptions
	channelPrefix string
	mail          *mailbox
	out           *outbox

	shared struct {
		sync.Mutex
		flags  Notifications
		retune func() // ends the listener's session, which then reads flags anew
	}

	// ------------------------------------------------------------------------------------------------------------------
	entries   map[string]*entry
	followed  int
	deadlines deadlines
	dirty     map[string]struct{}
	pass      *pass // the one under way, or nil
	lastPass  Pass
	nextPass  time.Time
	hurry     string // why the next pass reads every key again at full speed; empty: it need not
	health    health
	status    Status
	rate      rate
	nextPoll  time.Time
	nextClock time.Time
	nextSay   time.Time
	nextCheck time.Time
	backOff   time.Duration
}

// entry is what the feed remembers of a key that exists.
type entry struct {
	expires    int64 // unix milliseconds on the local clock; 0: never
	readAt     int64 // unix milliseconds
	generation uint64
	followed   bool
}

func newFeed(c *Connection, o ObserveOptions, flags Notifications) *feed {
	f := &feed{
		connection: c, options: o,
		channelPrefix: fmt.Sprintf("__keyspace@%d__:", c.options.DB),
		mail:          newMailbox(), out: newOutbox(c.Node()),
		entries: make(map[string]*entry), dirty: make(map[string]struct{}),
		hurry: "first look",
	}
	f.shared.flags = flags
	f.status = Status{
		Node: c.Node(), DB: c.options.DB, Version: c.server.Version, Software: c.server.Software, Role: c.server.Role,
		Connected: true, Feed: FeedPoll, ClockOffset: c.clock.offset(),
	}
	if o.Notify == NotifyOff {
		f.status.FeedReason = "notifications are switched off (--notify off)"
	}
	for _, p := range o.Patterns {
		f.status.Patterns = append(f.status.Patterns, p.String())
	}
	return f
}

func (f *feed) ref(key string) Ref {
	return Ref{Node: f.connection.Node(), DB: f.connection.options.DB, Key: key}
}

func (f *feed) currentFlags() Notifications {
	f.shared.Lock()
	defer f.shared.Unlock()
	return f.shared.flags
}

// tune says with which flags a session has begun, and how to end it when they change; it ends it at once if they have
// changed while it began.
func (f *feed) tune(begunWith Notifications, retune func()) {
	f.shared.Lock()
	f.shared.retune = retune
	now := f.shared.flags
	f.shared.Unlock()
	if now.differs(begunWith) {
		retune()
	}
}

// run is the feed's one goroutine. A server that does not answer makes it wait and ask again, never give up.
func (f *feed) run(ctx context.Context) {
	for ctx.Err() == nil {
		err := f.step(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			f.down(ctx, err)
		case f.options.Once && f.pass == nil && f.lastPass.Generation > 0:
			f.say(true)
			return
		default:
			f.up()
			f.say(false)
			f.wait(ctx)
		}
	}
}

// step does what is due, in the order of urgency.
func (f *feed) step(ctx context.Context) error {
	f.takeMail()
	if err := f.nudge(ctx); err != nil {
		return err
	}
	if err := f.readDirty(ctx); err != nil {
		return err
	}
	if err := f.scan(ctx); err != nil {
		return err
	}
	f.poll()
	return f.check(ctx)
}

// takeMail moves what the listener left into our own books, and hands the hints on before any record that answers them.
func (f *feed) takeMail() {
	m := f.mail.take()
	f.out.addHints(m.hints)
	for key := range m.dirty {
		f.dirty[key] = struct{}{}
	}
	if m.gap != "" {
		f.gap(m.gap, m.gapAt)
	}
	if m.begun { // what changed before the server knew that we listen was announced to nobody
		f.restart("a subscription began")
	}
	if f.options.Notify == NotifyOff {
		return
	}
	f.status.Feed, f.status.FeedReason = m.hearing, m.why
	if m.down != "" {
		f.status.Feed, f.status.FeedReason = FeedPoll, m.down
	}
}

// gap counts a time at which changes may have been missed, and makes the next pass read everything again.
func (f *feed) gap(why string, at time.Time) {
	f.status.Gaps++
	f.status.LastGap, f.status.LastGapWhy = at, why
	f.restart(why)
	f.say(true) // before the records that it explains
}

// restart makes a pass begin at once that reads everything.
func (f *feed) restart(why string) {
	f.hurry = why
	f.pass = nil
	f.nextPass = time.Time{}
}

// readDirty reads what hints have named. Of keys that are not followed it reads those that were not read for a while: a
// busy counter whose name looks like a lock's must not cost a read a write.
func (f *feed) readDirty(ctx context.Context) error {
	if len(f.dirty) == 0 {
		return nil
	}
	now := time.Now()
	keys := make([]string, 0, min(len(f.dirty), readBatch))
	for key := range f.dirty {
		e := f.entries[key]
		switch {
		case e != nil && !e.followed && now.UnixMilli()-e.readAt < unfollowedAgain.Milliseconds():
			delete(f.dirty, key)
			continue
		case f.overdue(e, now):
			delete(f.dirty, key)
			continue
		}
		keys = append(keys, key)
		if len(keys) == readBatch {
			break
		}
	}
	if len(keys) == 0 {
		return nil
	}
	records, err := f.connection.readBatch(ctx, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		delete(f.dirty, key)
	}
	f.learn(records)
	return nil
}

// overdue says whether strict read-only mode forbids to touch the key: reading it would make the server delete it.
func (f *feed) overdue(e *entry, now time.Time) bool {
	return !f.options.Nudge && e != nil && e.expires != 0 && e.expires <= now.UnixMilli()
}

// learn takes records into the books and hands them on.
func (f *feed) learn(records []Record) {
	for _, r := range records {
		f.learnOne(r)
	}
	f.deadlines.rebuild(f.entries)
	f.out.addRecords(records)
}

func (f *feed) learnOne(r Record) {
	e := f.entries[r.Key]
	if !r.Exists() {
		if e != nil {
			f.forget(r.Key, e)
		}
		return
	}
	if e == nil {
		e = &entry{}
		f.entries[r.Key] = e
	}
	follow := f.options.Follow(r)
	if follow != e.followed {
		e.followed = follow
		if follow {
			f.followed++
		} else {
			f.followed--
		}
	}
	e.readAt = r.ReadAt.UnixMilli()
	if f.pass != nil {
		e.generation = f.pass.Generation
	} else {
		e.generation = f.lastPass.Generation
	}
	expires := int64(0)
	if !r.ExpiresAt.IsZero() {
		expires = r.ExpiresAt.UnixMilli() + 1
	}
	if expires != e.expires {
		e.expires = expires
		if follow && expires != 0 {
			f.deadlines.add(expires, r.Key)
		}
	}
}

func (f *feed) forget(key string, e *entry) {
	if e.followed {
		f.followed--
	}
	delete(f.entries, key)
}

// nudge makes the server notice that keys have expired: any access does, and EXISTS costs the least. The reads that follow
// tell the consumer, also where no notification comes.
func (f *feed) nudge(ctx context.Context) error {
	if !f.options.Nudge || f.options.Once {
		return nil
	}
	keys := f.deadlines.due(time.Now().Add(-nudgeAfter), f.entries, nudgeBatch)
	if len(keys) == 0 {
		return nil
	}
	pipe := f.connection.reader.Pipeline()
	for _, key := range keys {
		pipe.Exists(ctx, key)
	}
	if err := exec(ctx, pipe); err != nil {
		for _, key := range keys { // they are due again as soon as the server is back
			f.deadlines.add(f.entries[key].expires, key)
		}
		return err
	}
	for _, key := range keys {
		f.dirty[key] = struct{}{}
	}
	return nil
}

// poll marks every followed key dirty once an interval, where nothing announces changes.
func (f *feed) poll() {
	if f.options.Once || f.status.Feed != FeedPoll || time.Now().Before(f.nextPoll) {
		return
	}
	f.nextPoll = time.Now().Add(f.options.Poll)
	for key, e := range f.entries {
		if e.followed {
			f.dirty[key] = struct{}{}
		}
	}
}

// down notes that the server does not answer, keeps the picture, and waits before the next try.
func (f *feed) down(ctx context.Context, err error) {
	now := time.Now()
	if f.status.Connected {
		f.status.Connected, f.status.StaleSince = false, now
		f.status.Err = connectError(f.connection.options, err).Error()
		f.gap("the connection was lost: "+err.Error(), now)
		f.backOff = backOffMin
	}
	f.nextCheck = time.Time{}
	f.say(true)
	sleep(ctx, f.backOff+rand.N(f.backOff))
	f.backOff = min(2*f.backOff, backOffMax)
}

// up notes that the server answered.
func (f *feed) up() {
	if f.status.Connected {
		return
	}
	f.status.Connected, f.status.StaleSince, f.status.Err = true, time.Time{}, ""
	f.say(true)
}

// wait sleeps until the mail comes or something is due.
func (f *feed) wait(ctx context.Context) {
	now := time.Now()
	pause := min(f.nextSay.Sub(now), f.nextCheck.Sub(now))
	switch {
	case len(f.dirty) > 0:
		return
	case f.pass != nil:
		pause = min(pause, f.pass.pause(now))
	default:
		pause = min(pause, f.nextPass.Sub(now))
	}
	if f.status.Feed == FeedPoll {
		pause = min(pause, f.nextPoll.Sub(now))
	}
	if next, any := f.deadlines.next(now); any && f.options.Nudge {
		pause = min(pause, next+nudgeAfter)
	}
	if pause <= 0 {
		return
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-f.mail.arrived:
	}
}
