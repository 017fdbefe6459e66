package keyspace

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// health is what the feed remembers from one look at INFO to the next.
type health struct {
	known     bool
	runID     string
	sweepings map[string]string // how often each command that changes keys without any event was called
}

// sweepers change keys wholesale, and no keyspace notification tells of them.
var sweepers = []string{"flushall", "flushdb", "swapdb"}

// check looks, every few seconds, for what nothing announces: another server at the address, a changed role, changed
// notification flags, a flush, a swap of databases.
func (f *feed) check(ctx context.Context) error {
	now := time.Now()
	if f.options.Once || now.Before(f.nextCheck) {
		return nil
	}
	if now.After(f.nextClock) {
		if err := f.connection.measureClock(ctx); err != nil {
			return err
		}
		f.nextClock = now.Add(clockEvery)
		f.status.ClockOffset = f.connection.clock.offset()
	}
	if err := f.checkServer(ctx); err != nil {
		return err
	}
	if err := f.checkFlags(ctx); err != nil {
		return err
	}
	f.nextCheck = now.Add(healthEvery)
	return nil
}

func (f *feed) checkServer(ctx context.Context) error {
	pipe := f.connection.reader.Pipeline()
	server := pipe.Info(ctx, "server")
	replication := pipe.Info(ctx, "replication")
	commands := pipe.Info(ctx, "commandstats")
	if err := exec(ctx, pipe); err != nil {
		return err
	}
	for _, answer := range []*redis.StringCmd{server, replication, commands} {
		if answer.Err() != nil {
			return nil // denied or absent: what it would tell is found by the next pass
		}
	}
	s := parseServer(server.Val() + "\r\n" + replication.Val())
	f.status.Version, f.status.Software, f.status.Role = s.Version, s.Software, s.Role
	sweepings := sweepingsOf(commands.Val())
	before := f.health
	f.health = health{known: true, runID: s.RunID, sweepings: sweepings}
	if !before.known {
		return nil
	}
	if before.runID != s.RunID {
		f.gap("another server process answers at this address now", time.Now())
		return nil // its counters are not comparable
	}
	for _, name := range sweepers {
		if sweepings[name] != before.sweepings[name] && sweepings[name] != "" {
			f.gap(strings.ToUpper(name)+" was called", time.Now())
		}
	}
	return nil
}

// sweepingsOf reads "cmdstat_flushall:calls=1,usec=..." lines of INFO commandstats.
func sweepingsOf(info string) map[string]string {
	calls := make(map[string]string, len(sweepers))
	fields := infoFields(info)
	for _, name := range sweepers {
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
	changed := flags.differs(f.shared.flags)
	f.shared.flags = flags
	retune := f.shared.retune
	f.shared.Unlock()
	if changed && retune != nil {
		retune()
	}
	return nil
}

// say puts a status into the outbox when one is due.
func (f *feed) say(now bool) {
	at := time.Now()
	if !now && at.Before(f.nextSay) {
		return
	}
	f.nextSay = at.Add(statusEvery)
	s := f.status
	s.LastPass = f.lastPass
	if f.pass != nil {
		scanning := f.pass.Pass
		s.Scanning = &scanning
	}
	s.Hints, s.HintsDropped, s.Lag = f.mail.counts()
	s.Commands = f.connection.sent.Load()
	s.CommandsPerSecond = f.rate.add(at, s.Commands)
	s.Followed, s.Seen = f.followed, len(f.entries)
	f.out.setStatus(s)
}

// rateOver is the time over which commands a second are averaged.
const rateOver = 5 * time.Second

// rate turns a counter that is read now and then into a rate.
type rate struct {
	marks []rateMark
}

type rateMark struct {
	at    time.Time
	count uint64
}

func (r *rate) add(at time.Time, count uint64) float64 {
	r.marks = append(r.marks, rateMark{at, count})
	for len(r.marks) > 2 && at.Sub(r.marks[1].at) >= rateOver {
		r.marks = r.marks[1:]
	}
	first := r.marks[0]
	seconds := at.Sub(first.at).Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(count-first.count) / seconds
}

// String names a pass for people: "pass 3, 12000 of 50000 keys".
func (p Pass) String() string {
	return fmt.Sprintf("pass %d, %d of %d keys", p.Generation, p.Scanned, p.KeysInDB)
}
