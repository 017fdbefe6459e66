package keyspace

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Intervals of a feed's own housekeeping. Together with a ping a second they keep an idle feed below five commands a
// second whatever the number of keys.
const (
	sweepsEvery = 5 * time.Second  // INFO commandstats
	serverEvery = 30 * time.Second // INFO server and replication, CONFIG GET
	mendedEvery = 5 * time.Second  // the same while something better than the present feed may come to be had
	clockEvery  = 10 * time.Second // TIME
	// replicationEvery is how often INFO replication is asked for where there is any, else every serverEvery.
	replicationEvery = time.Second
	statusEvery      = time.Second
	passPause        = 30 * time.Second
	passPausePoll    = 5 * time.Second
	pacedScan        = 500 * time.Millisecond // between two SCANs of a pass that is in no hurry
	pacedScanPoll    = 25 * time.Millisecond  // the same where only passes find new keys
	verifyEvery      = 10 * time.Second       // reads of followed keys that nothing calls for
	verifyAtOnce     = 2
	readEvery        = 20 * time.Millisecond // between two rounds of reads under load; a lone hint is answered at once
	settle           = time.Millisecond      // one command causes several events
	nudgeBatch       = 1000
	nudgeAfter       = 5 * time.Millisecond   // past the local zero, for what the clocks may differ
	strictEarly      = 100 * time.Millisecond // before its end, a key is read no more in strict mode: the read takes some time
	readAfterNudge   = 3 * time.Millisecond   // lets the event come before the record that it explains
)

// feed follows the keys of one node. Its goroutine (run) owns every field below the line; the listener speaks to it
// through the mailbox, and it speaks to the consumer through the outbox.
type feed struct {
	connection    *Connection
	options       ObserveOptions
	channelPrefix string
	announcements []string // of the companions
	announcing    *matcher // of the same
	flood         flood
	matcher       *matcher
	mail          *mailbox
	out           *outbox
	herald        *herald

	shared struct {
		sync.Mutex
		flags Notifications
		// deafUntil is set when events did not come although they should have: one that comes after it is believed again.
		deafUntil time.Time
		heard     bool   // an event came, so that they are on although the flags are not known
		epoch     uint64 // counts the calls of retune
		retune    func() // ends the listener's session, which then judges anew
	}

	// ------------------------------------------------------------------------------------------------------------------
	books
	dirty           map[string]struct{}
	unasked         map[string]struct{} // to be read although nothing has named them: see doubts
	doubts          doubts
	pardoned        time.Time // when changes that no event told of were last put down to a swap of databases
	pass            *pass     // the one under way, or nil
	passes          uint64
	lastPass        Pass
	nextPass        time.Time
	hurry           string    // why every key is to be read again at full speed, until a pass has done so; empty: it need not
	inGap           bool      // since the last gap the server has not both answered and been heard
	missed          time.Time // since when there may be changes that were missed, and that no pass has read since; zero: there are none
	unheard         bool      // the listener has lost the server
	health          health
	own             ownClock
	began           time.Time
	status          Status
	nextRead        time.Time
	nextPoll        time.Time
	nextClock       time.Time
	nextSweeps      time.Time
	nextServer      time.Time
	nextReplication time.Time
	nextVerify      time.Time
	nextRoll        time.Time
	backOff         time.Duration
	retries         int           // see retryOnce
	reckonedBy      time.Duration // the clock's offset when everything was last read again: see checkClock
}

func newFeed(c *Connection, o ObserveOptions, flags Notifications) *feed {
	f := &feed{
		connection: c, options: o,
		channelPrefix: channelPrefix(c.options.DB),
		matcher:       newMatcher(o.Patterns),
		mail:          newMailbox(), out: newOutbox(c.Node()),
		books: newBooks(), dirty: make(map[string]struct{}), unasked: make(map[string]struct{}), doubts: newDoubts(),
		hurry: "first look", began: time.Now(),
	}
	f.shared.flags = flags
	f.status = Status{
		Node: c.Node(), DB: c.options.DB, Version: c.server.Version, Software: c.server.Software, Role: c.server.Role,
		Connected: true, Feed: FeedPoll, ClockOffset: c.clock.offset(), Flags: flags.Old, FlagsKnown: flags.Known,
		Err: c.server.limits(),
	}
	if o.Notify == NotifyOff {
		f.status.FeedReason = "notifications are switched off (--notify off)"
	}
	for _, p := range o.Patterns {
		f.status.Patterns = append(f.status.Patterns, p.String())
	}
	if o.Companions != nil {
		f.announcements = o.Companions.Announcements()
		f.announcing = newMatcher(patternsOf(f.announcements))
	}
	f.reckonedBy = f.status.ClockOffset
	f.herald = &herald{feed: f}
	f.nextVerify = time.Now().Add(verifyEvery)
	return f
}

func (f *feed) ref(key string) Ref {
	return Ref{Node: f.connection.Node(), DB: f.connection.options.DB, Key: key}
}

// run is the feed's one goroutine. A server that does not answer makes it wait and ask again, and never give up, unless it was
// to look once.
func (f *feed) run(ctx context.Context) {
	if !f.options.Once {
		f.say() // before the first records, so that it is known that nothing was seen until then
	}
	for ctx.Err() == nil {
		f.herald.busy()
		err := f.step(ctx)
		answered := f.herald.idle(err)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && f.options.Once:
			if !f.retryOnce(err) {
				f.giveUp(err)
				return
			}
		case err != nil:
			f.down(ctx, err, answered)
		case f.options.Once && f.pass == nil && f.lastPass.Generation > 0:
			f.say()
			return
		default:
			f.up()
			f.say()
			f.wait(ctx)
		}
	}
}

// step does what is due, in the order of urgency.
func (f *feed) step(ctx context.Context) error {
	f.takeMail()
	if f.nextReplication.IsZero() && !f.options.Once { // it may be another master: what it says of that comes before its records
		if err := f.check(ctx); err != nil {
			return err
		}
		f.say() // it says how the server is heard
	}
	if err := f.nudge(ctx); err != nil {
		return err
	}
	if err := f.readDirty(ctx); err != nil {
		return err
	}
	if f.options.Once {
		if f.nextReplication.IsZero() {
			if err := f.checkReplication(ctx); err != nil {
				return err
			}
			f.nextReplication = time.Now().Add(serverEvery)
		}
		return f.scan(ctx)
	}
	if err := f.check(ctx); err != nil { // before a pass, so that none of its time goes unobserved
		return err
	}
	if err := f.scan(ctx); err != nil {
		return err
	}
	f.poll()
	f.readSilent()
	f.verify()
	if err := f.attend(ctx); err != nil {
		return err
	}
	if err := f.callRoll(ctx); err != nil {
		return err
	}
	if err := f.weighDoubts(ctx); err != nil {
		return err
	}
	return f.readUnasked(ctx)
}

// gap counts a time at which changes may have been missed, and has everything read again. It lasts until the server answers
// and is heard again; what is found out meanwhile belongs to it, so that an outage or a restart is one gap.
func (f *feed) gap(why string, at time.Time) {
	if !f.inGap {
		f.inGap = true
		f.status.Gaps++
		f.status.LastGap, f.status.LastGapWhy = at, why
	}
	if f.missed.IsZero() {
		f.missed = at
	}
	f.startOver(why)
	f.health.sweeps = nil // whatever was swept until the pass begins, it sees
	f.nextClock, f.nextSweeps, f.nextServer, f.nextReplication = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	f.say() // before the records that it explains
}

// startOver makes a pass begin that reads every key again at full speed.
func (f *feed) startOver(why string) {
	f.hurry = why
	f.pass = nil
	f.nextPass = time.Time{}
	f.doubts = newDoubts()
}

// readDirty reads what hints, deadlines and polls have named.
func (f *feed) readDirty(ctx context.Context) error {
	now := time.Now()
	f.takeLater(now)
	if len(f.dirty) == 0 || now.Before(f.nextRead) {
		return nil
	}
	f.nextRead = now.Add(readEvery)
	keys := make([]string, 0, min(len(f.dirty), readersAtOnce*readBatch))
	for key := range f.dirty {
		if f.overdue(f.followed[key], now) {
			delete(f.dirty, key)
			continue
		}
		if keys = append(keys, key); len(keys) == cap(keys) {
			break
		}
	}
	records, err := f.connection.readAll(ctx, f.options.Companions, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		delete(f.dirty, key)
	}
	if len(f.dirty) > 0 {
		f.nextRead = now // the next round may begin as soon as the mail is taken
	}
	f.learn(records, asked)
	return nil
}

// overdue says whether strict read-only mode forbids to touch the key: reading it would make the server delete it.
func (f *feed) overdue(e *entry, now time.Time) bool {
	if f.options.Nudge || f.options.Once || e == nil {
		return false
	}
	at := now.Add(strictEarly).UnixMilli()
	return e.expires != 0 && e.expires <= at || e.companion != 0 && e.companion <= at
}

// nudge makes the server notice that keys have expired: any access does, and EXISTS costs the least. The reads that follow
// tell the consumer, also where no notification comes.
func (f *feed) nudge(ctx context.Context) error {
	if !f.options.Nudge || f.options.Once {
		return nil
	}
	now := time.Now()
	keys := f.deadlines.due(now.Add(-nudgeAfter), nudgeBatch)
	if len(keys) == 0 {
		return nil
	}
	for _, key := range keys { // first, so that none is forgotten if the server does not answer
		f.dirty[key] = struct{}{}
	}
	pipe := f.connection.reader.Pipeline()
	for _, key := range keys {
		pipe.Exists(ctx, key)
	}
	if err := exec(ctx, pipe); err != nil {
		return err
	}
	f.nextRead = later(f.nextRead, time.Now().Add(readAfterNudge))
	return nil
}

// poll marks every followed key dirty once an interval, where nothing announces changes. A poll that is not done when the
// next one is due delays it.
func (f *feed) poll() {
	now := time.Now()
	if f.status.Feed != FeedPoll || now.Before(f.nextPoll) || len(f.dirty) > 0 {
		return
	}
	f.nextPoll = now.Add(f.options.Poll)
	for key := range f.followed {
		f.dirty[key] = struct{}{}
	}
}

// down notes that the server has not answered since the given instant, keeps the picture, and waits before the next try.
func (f *feed) down(ctx context.Context, err error, since time.Time) {
	if f.status.Connected {
		f.status.Connected, f.status.StaleSince = false, staleSince(f.missed, since)
		f.backOff = backOffFirst
		f.gap("the connection was lost: "+err.Error(), since)
	}
	lost := lostError(f.connection.options, err)
	if f.backOff > backOffFirst && isHangUp(err) && f.connection.options.TLS == nil { // on a connection of its own, so that it is no answer to what we had asked
		lost.Mend = "what answers there closes every connection: a proxy without its server, or a server that wants TLS now (--tls)"
	}
	f.status.Err, f.status.Trouble, f.status.TimedOut = lost.Error(), lost.trouble(), isTimeout(err)
	f.pass, f.nextPass = nil, time.Time{}
	f.say()
	sleep(ctx, f.backOff+rand.N(f.backOff))
	f.backOff = min(2*f.backOff, backOffLast)
}

// staleSince is from when on the picture may be old, if the server was asked in vain since then: it may have been old before.
func staleSince(missed, asked time.Time) time.Time {
	if missed.IsZero() {
		return asked
	}
	return sooner(missed, asked)
}

// up notes that the server answered.
func (f *feed) up() {
	f.inGap = f.inGap && f.unheard
	if f.status.Connected {
		return
	}
	f.status.Connected, f.status.StaleSince, f.status.TimedOut, f.status.Trouble = true, time.Time{}, false, Trouble{}
	f.status.Err = f.connection.server.limits()
}

// wait sleeps until the mail comes or something is due.
func (f *feed) wait(ctx context.Context) {
	now := time.Now()
	next := sooner(f.nextSweeps, f.nextReplication)
	if f.pass != nil {
		next = sooner(next, f.pass.nextAt)
	} else {
		next = sooner(next, f.nextPass)
	}
	if len(f.dirty) > 0 {
		next = sooner(next, f.nextRead)
	}
	if len(f.later) > 0 {
		next = sooner(next, f.nextLater)
	}
	if f.status.Feed == FeedPoll {
		next = sooner(next, f.nextPoll)
	}
	if at, found := f.deadlines.next(); found && f.options.Nudge {
		next = sooner(next, at.Add(nudgeAfter))
	}
	if f.attention.listened+f.attention.blocked+len(f.attention.gone) > 0 {
		next = sooner(next, f.attention.next)
	}
	if lists, sets, strangers := f.silent(); lists || sets || strangers {
		next = sooner(next, f.silence.next)
	}
	if f.options.Clients {
		next = sooner(next, f.nextRoll)
	}
	next = sooner(next, f.doubts.next())
	timer := time.NewTimer(next.Sub(now))
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-f.mail.arrived:
		sleep(ctx, settle)
	}
}

// sooner is the earlier of two instants, later the later one.
func sooner(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.Before(a) {
		return a
	}
	return b
}
