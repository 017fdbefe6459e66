package keyspace

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// herald tells the consumer the status: when it changed, and once a second whatever the feed's goroutine is doing. A feed
// that has been waiting for an answer for too long is not connected, even though no command has failed yet.
type herald struct {
	feed *feed

	mu        sync.Mutex
	status    Status    // as the feed last said it
	missed    time.Time // as in feed
	said      time.Time
	busySince time.Time
	answered  time.Time // when the server has last answered all that was asked
	rate      rate      // of commands
	fetched   rate      // of bytes
}

// hangs is how long the feed may wait for an answer before the picture counts as stale.
const hangs = 1500 * time.Millisecond

func (h *herald) busy() {
	h.mu.Lock()
	h.busySince = time.Now()
	h.mu.Unlock()
}

// idle notes that a step has ended, and whether the server has answered. It says since when no answer was noted: that is since the
// last one, although nothing was asked for a while, because the server may have been gone by then.
func (h *herald) idle(err error) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	since := h.unanswered()
	h.busySince = time.Time{}
	if err == nil {
		h.answered = time.Now()
	}
	return since
}

// unanswered needs the lock.
func (h *herald) unanswered() time.Time {
	if h.answered.IsZero() {
		return h.busySince
	}
	return sooner(h.answered, h.busySince)
}

// progress notes that the server has answered, while one step of the feed goes on.
func (h *herald) progress() {
	h.mu.Lock()
	if !h.busySince.IsZero() {
		h.busySince = time.Now()
		h.answered = h.busySince
	}
	h.mu.Unlock()
}

// run ends with ctx.
func (h *herald) run(ctx context.Context) {
	for sleep(ctx, statusEvery/4) {
		h.mu.Lock()
		if time.Since(h.said) >= statusEvery*3/4 && !h.said.IsZero() {
			h.publish()
		}
		h.mu.Unlock()
	}
}

// say publishes a status that the feed has made.
func (h *herald) say(s Status, missed time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.said
	changed := s.Gaps != h.status.Gaps || s.Connected != h.status.Connected || s.Feed != h.status.Feed ||
		s.FeedReason != h.status.FeedReason || s.Err != h.status.Err || s.LastPass != h.status.LastPass ||
		s.Replication.Stream != h.status.Replication.Stream
	h.status, h.missed = s, missed
	if changed || time.Since(at) >= statusEvery {
		h.publish()
	}
}

// publish needs the lock.
func (h *herald) publish() {
	h.said = time.Now()
	s := h.status
	s.Hints, s.HintsDropped, s.Lag = h.feed.mail.counts()
	s.Commands = h.feed.connection.meter.commands.Load()
	s.CommandsPerSecond = h.rate.add(h.said, s.Commands)
	s.Fetched, s.Sent = h.feed.connection.meter.bytes()
	s.FetchedPerSecond = h.fetched.add(h.said, s.Fetched)
	s.WritesRefused = h.feed.mail.writesRefused()
	if s.Connected && !h.busySince.IsZero() && h.said.Sub(h.busySince) > hangs {
		s.Connected, s.StaleSince, s.TimedOut = false, staleSince(h.missed, h.unanswered()), true
		waited := h.said.Sub(h.busySince).Seconds()
		s.Err = fmt.Sprintf("%s has not answered for %.1f s", s.Node, waited)
		s.Trouble = Trouble{
			Kind: ErrNoAnswer.Error(), Why: fmt.Sprintf("it has not answered for %.1f s", waited),
			Mend: "it may hang, or be busy: locktop goes on asking",
		}
	}
	h.feed.out.setStatus(s)
}

// say makes the present status known.
func (f *feed) say() {
	s := f.status
	s.LastPass = f.lastPass
	if f.pass != nil {
		scanning := f.pass.Pass
		scanning.At = time.Now()
		s.Scanning = &scanning
	}
	s.Followed, s.Seen = len(f.followed), len(f.followed)+len(f.others)
	s.Denied = f.denied
	if s.Connected && s.Denied > 0 {
		unread := fmt.Sprintf("%d of %d keys may not be read, and whether they are locks is not known: %s",
			s.Denied, s.Seen, f.deniedWhy)
		s.Err = strings.TrimPrefix(s.Err+"; "+unread, "; ")
	}
	f.herald.say(s, f.missed)
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
	// The first commands come all at once: a few milliseconds are no measure of a second.
	return float64(count-first.count) / max(1, at.Sub(first.at).Seconds())
}
