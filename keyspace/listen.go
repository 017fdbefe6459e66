package keyspace

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	pingEvery    = time.Second
	deadAfter    = 2200 * time.Millisecond // one pong late by more than a second
	backOffFirst = 50 * time.Millisecond
	backOffLast  = time.Second // with its jitter two
)

// listen hears the server until ctx ends: one session after another, each on a connection of its own, so that it is always
// known where something may have been missed. It is read again with the next session, and counted as a gap unless we ended the
// former session ourselves, to hear better: whoever has it judged anew because it heard too little counts that. The first
// session is open already.
func (f *feed) listen(ctx context.Context, s *session) {
	pause := backOffFirst
	for ctx.Err() == nil {
		var err error
		started := time.Now()
		if s == nil {
			if s, err = f.open(ctx); err == nil {
				if f.flood.lasts(time.Now()) {
					s.why = strings.TrimPrefix(s.why+"; "+floodedWhy, "; ")
				}
				f.mail.subscribed(s.hearing, s.why)
			}
		}
		if err == nil {
			err = f.hear(ctx, s)
		}
		s = nil
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errRetune) {
			pause = backOffFirst
			continue
		}
		f.flood.lost(time.Now())
		f.mail.lost("the watching connection was lost: " + err.Error())
		if time.Since(started) > backOffLast {
			pause = backOffFirst
		}
		if !sleep(ctx, pause+rand.N(pause)) {
			return
		}
		pause = min(2*pause, backOffLast)
	}
}

// errRetune ends a session because something else can be heard now.
var errRetune = errors.New("what can be heard has changed")

// hear receives until the connection fails, falls silent, or is to be judged anew. It closes the session.
func (f *feed) hear(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var alive sync.WaitGroup
	defer alive.Wait()
	defer cancel(nil)
	defer s.close()
	closed := sync.OnceFunc(func() { _ = s.pubsub.Close() }) // its error is the one that Receive returns
	stop := context.AfterFunc(ctx, closed)
	defer stop()
	retune := func() { cancel(errRetune) }
	f.shared.Lock()
	f.shared.retune = retune
	outdated := f.shared.epoch != s.epoch
	f.shared.Unlock()
	if outdated {
		return errRetune
	}
	alive.Go(func() { f.keepAlive(ctx, cancel, s.pubsub) })
	if wait := time.Until(f.flood.until); wait > 0 {
		defer time.AfterFunc(wait, retune).Stop()
	}
	for {
		message, err := s.pubsub.Receive(ctx)
		if declinesPing(err) {
			f.mail.answered(err)
			continue
		}
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return err
		}
		switch m := message.(type) {
		case *redis.Message:
			if slices.Contains(f.announcements, m.Pattern) {
				if f.flood.add(m, time.Now()) {
					return errRetune
				}
				f.announced(m)
				continue
			}
			if s.doubtful && f.believe() {
				retune()
			}
			f.heard(m)
		case *redis.Pong:
			f.ponged(m)
		case *redis.Subscription:
			return errors.New("subscribed twice") // the library reconnected behind our back
		}
	}
}

// heard takes one keyspace notification. A key that several patterns name is announced once for each; only the first counts.
// One that none names may be announced too: see [feed.channel].
func (f *feed) heard(m *redis.Message) {
	key, ok := strings.CutPrefix(m.Channel, f.channelPrefix)
	if !ok {
		return
	}
	first := f.matcher.first(key)
	if first < 0 || f.channel(f.options.Patterns[first]) != m.Pattern {
		return
	}
	f.hint(key, m.Payload)
}

// announced takes one message about the release of a key. It counts once for a key: the server
// sends it for each pattern that names its channel, and its text may name the same key as the
// channel.
func (f *feed) announced(m *redis.Message) {
	if first := f.announcing.first(m.Channel); first < 0 || f.announcements[first] != m.Pattern {
		return
	}
	keys := f.options.Companions.Announced(m.Channel, m.Payload)
	for i, key := range keys {
		if !slices.Contains(keys[:i], key) && f.matcher.match(key) {
			f.mail.announce(Hint{Ref: f.ref(key), Event: EventAnnounced, At: time.Now()})
		}
	}
}

func (f *feed) hint(key, event string) {
	f.mail.hint(Hint{Ref: f.ref(key), Event: event, At: time.Now()})
}

func (f *feed) ponged(p *redis.Pong) {
	sent, err := strconv.ParseInt(p.Payload, 10, 64)
	if err != nil {
		return // the ping that opened a connection without patterns carries no time
	}
	f.mail.alive(time.Since(time.Unix(0, sent)))
}

// keepAlive pings, and ends the session when no pong came for too long: a connection that is half open says nothing.
func (f *feed) keepAlive(ctx context.Context, cancel context.CancelCauseFunc, pubsub *redis.PubSub) {
	for tick := 0; sleep(ctx, pingEvery/4); tick++ {
		if silence := f.mail.silence(); silence > deadAfter {
			cancel(fmt.Errorf("no answer for %.1f s", silence.Seconds()))
			return
		}
		if tick%4 != 0 {
			continue
		}
		if err := pubsub.Ping(ctx, strconv.FormatInt(time.Now().UnixNano(), 10)); err != nil {
			cancel(err)
			return
		}
	}
}

// sleep waits, and says false where ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
