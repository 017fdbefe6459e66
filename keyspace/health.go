package keyspace

import (
	"context"
	"slices"
	"strings"
	"time"
)

// health is what the feed remembers from one look at INFO to the next.
type health struct {
	runID  string
	sweeps map[string]string // how often each command was called that changes keys or the server without any event; nil: not known
	blind  bool              // those counters are not to be had
	// suspected is when everything was read again because the server's configuration had been set.
	suspected time.Time
	// replication is how the copies were.
	replication replication
}

// sweepers change keys wholesale, and no keyspace notification tells of them.
var sweepers = []string{"flushall", "flushdb", "swapdb"}

// meddlers change what the server is or tells. They have us look at it again at once, since who goes by notifications that
// were switched off hears nothing.
var meddlers = []string{setter, "replicaof", "slaveof"}

// setter may have switched notifications off and on again before we look, so that everything is read again; but not more often
// than once in so long, for those servers that somebody tunes all the time.
const (
	setter   = "config|set"
	setAgain = time.Minute
)

// check looks, every few seconds, for what nothing announces: another server at the address, a changed role, changed
// notification flags, a flush, a swap of databases, a clock that was set.
func (f *feed) check(ctx context.Context) error {
	now := time.Now()
	f.checkOwnClock(now)
	if !now.Before(f.nextClock) {
		if err := f.checkClock(ctx); err != nil {
			return err
		}
		f.nextClock = now.Add(clockEvery)
	}
	if err := f.checkSettings(ctx, now); err != nil || now.Before(f.nextSweeps) {
		return err
	}
	if err := f.checkSweeps(ctx); err != nil {
		return err
	}
	f.nextSweeps = now.Add(sweepsEvery)
	return f.checkSettings(ctx, now) // somebody may have meddled
}

// checkSettings looks at what the server is and tells.
func (f *feed) checkSettings(ctx context.Context, now time.Time) error {
	if !now.Before(f.nextServer) {
		if err := f.checkServer(ctx); err != nil {
			return err
		}
		if err := f.checkFlags(ctx); err != nil {
			return err
		}
		f.nextServer = now.Add(serverEvery)
		if f.status.Feed != FeedPush && f.options.Notify != NotifyOff {
			f.nextServer = now.Add(mendedEvery)
		}
	}
	if now.Before(f.nextReplication) {
		return nil
	}
	if err := f.checkReplication(ctx); err != nil {
		return err
	}
	f.nextReplication = now.Add(serverEvery)
	if f.health.replication.copied || f.status.Role == "replica" {
		f.nextReplication = now.Add(replicationEvery)
	}
	return nil
}

func (f *feed) checkServer(ctx context.Context) error {
	s, err := f.connection.askServer(ctx)
	if err != nil {
		return err
	}
	f.status.Version, f.status.Software = s.Version, s.Software
	if s.Limited != "" {
		f.status.Role = s.Role // else it is checkReplication that sees it change
	}
	before := f.health.runID
	f.health.runID = s.RunID
	if before == "" || s.RunID == before {
		return nil
	}
	f.health.sweeps = nil // the counters of another process are not comparable
	f.shared.Lock()
	f.shared.heard, f.shared.deafUntil = false, time.Time{}
	f.shared.Unlock()
	f.gap("another server process answers at this address now", time.Now())
	f.retune()
	f.connection.clock.forget() // it may be another machine, too
	return f.checkClock(ctx)
}

// The reasons for a gap that a sweep is: which command it was, or, where CLIENT TRACKING told of it, that it was a flush.
const whyFlushed = "the database was flushed"

func wasCalled(sweeper string) string { return strings.ToUpper(sweeper) + " was called" }

// Flushed says whether the last gap is a flush, which leaves no key.
func (s *Status) Flushed() bool {
	switch s.LastGapWhy {
	case whyFlushed, wasCalled("flushall"), wasCalled("flushdb"):
		return true
	default:
		return false
	}
}

func (f *feed) checkSweeps(ctx context.Context) error {
	info, err := f.connection.reader.Info(ctx, "commandstats").Result()
	if f.health.blind = isAnswer(err); f.health.blind {
		return nil // denied or absent: see doubts
	}
	if err != nil {
		return err
	}
	before := f.health.sweeps
	counts := sweepsOf(info)
	f.health.sweeps = counts
	if before == nil {
		return nil
	}
	called := func(name string) bool { return counts[name] != "" && counts[name] != before[name] }
	if slices.ContainsFunc(meddlers, called) {
		f.nextServer, f.nextReplication = time.Time{}, time.Time{}
	}
	if called(setter) && f.status.Feed == FeedPush && time.Since(f.health.suspected) > setAgain {
		f.health.suspected = time.Now()
		f.startOver("the server's configuration was set")
	}
	if n := slices.IndexFunc(sweepers, called); n >= 0 {
		f.gap(wasCalled(sweepers[n]), time.Now())
		f.health.sweeps = counts // read before the pass that this gap begins
	}
	return nil
}

// sweepsOf reads "cmdstat_flushall:calls=1,usec=..." lines of INFO commandstats.
func sweepsOf(info string) map[string]string {
	calls := make(map[string]string, len(sweepers)+len(meddlers))
	fields := InfoFields(info)
	for _, name := range slices.Concat(sweepers, meddlers) {
		count, _, _ := strings.Cut(strings.TrimPrefix(fields["cmdstat_"+name], "calls="), ",")
		calls[name] = count
	}
	return calls
}

// checkFlags reads the notification flags again: a restart clears them, and the subscription looks healthy all the same.
func (f *feed) checkFlags(ctx context.Context) error {
	flags, err := f.connection.Notifications(ctx)
	if err != nil {
		return err
	}
	f.status.Flags, f.status.FlagsKnown = flags.Old, flags.Known
	f.shared.Lock()
	wereOn := f.eventsAreOn()
	changed := flags != f.shared.flags
	f.shared.flags = flags
	if changed {
		f.shared.deafUntil, f.shared.heard = time.Time{}, false
	}
	f.shared.Unlock()
	if !changed {
		return nil
	}
	if f.status.Feed == FeedPush && wereOn && flags.Known && !flags.Enough() {
		f.gap("notifications were switched off: "+flags.why(), time.Now())
	}
	f.retune()
	return nil
}

// retune has the listener judge anew what it can hear.
func (f *feed) retune() {
	f.shared.Lock()
	f.shared.epoch++
	retune := f.shared.retune
	f.shared.Unlock()
	if retune != nil {
		retune()
	}
}
