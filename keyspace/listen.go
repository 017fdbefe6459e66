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
	"github.com/redis/go-redis/v9/push"
)

const (
	pingEvery   = time.Second
	deadAfter   = 2500 * time.Millisecond // two pongs missed
	backOffMin  = 50 * time.Millisecond
	backOffMax  = 2 * time.Second
	noSuchKey   = "locktop:no-key-has-this-prefix:"
	noPushNamed = "invalidate"
)

// listen hears the server until ctx ends: one session after another, each on a connection of its own, so that what was
// missed between two of them is always known as a gap.
func (f *feed) listen(ctx context.Context) {
	pause := backOffMin
	for ctx.Err() == nil {
		started := time.Now()
		err := f.session(ctx)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errRetune) {
			f.mail.missed("the subscription was renewed: " + err.Error())
			pause = backOffMin
			continue
		}
		f.mail.lost("the watching connection was lost: " + err.Error())
		if time.Since(started) > backOffMax {
			pause = backOffMin
		}
		if !sleep(ctx, pause+rand.N(pause)) {
			return
		}
		pause = min(2*pause, backOffMax)
	}
}

// errRetune ends a session because the server's flags have changed: another feed is the best one now.
var errRetune = errors.New("notify-keyspace-events changed")

// session subscribes, says what it hears, and receives until the connection fails or the flags change.
func (f *feed) session(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	flags := f.currentFlags()
	tracking := f.trackingPrefixes(flags)
	var trackingErr error // written by OnConnect before the first Receive returns
	o := f.connection.redisOptions(f.connection.options.ClientName+"-watch", 1)
	o.OnConnect = func(ctx context.Context, conn *redis.Conn) error {
		for _, args := range [][]any{{"CLIENT", "NO-TOUCH", "ON"}, tracking} {
			err := conn.Do(ctx, args...).Err()
			if err != nil && !isAnswer(err) {
				return err
			}
			if args[1] == "TRACKING" {
				trackingErr = err
			}
		}
		return nil
	}
	client := redis.NewClient(o)
	client.AddHook(counter{f.connection.sent})
	defer client.Close()
	if err := client.RegisterPushNotificationHandler(noPushNamed, invalidations{f}, false); err != nil {
		return err
	}
	pubsub, denied, err := f.subscribe(ctx, client)
	if err != nil {
		return err
	}
	closed := sync.OnceFunc(func() { _ = pubsub.Close() }) // its error is the one that Receive returns
	defer closed()
	stop := context.AfterFunc(ctx, closed)
	defer stop()
	hearing, why := judge(flags, denied, trackingErr)
	f.mail.subscribed(hearing, why)
	go f.keepAlive(ctx, cancel, pubsub)
	f.tune(flags, func() { cancel(errRetune) })
	for {
		message, err := pubsub.Receive(ctx)
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return err
		}
		switch m := message.(type) {
		case *redis.Message:
			f.heard(m)
		case *redis.Pong:
			f.ponged(m)
		case *redis.Subscription:
			return errors.New("the server was subscribed to twice") // the library reconnected behind our back
		}
	}
}

// subscribe opens the connection and receives the answer to every pattern: only Receive tells of a denied one. Where the
// ACL denies a pattern the connection is opened without any, for tracking's sake.
func (f *feed) subscribe(ctx context.Context, client *redis.Client) (*redis.PubSub, error, error) {
	channels := make([]string, len(f.options.Patterns))
	for i, p := range f.options.Patterns {
		channels[i] = f.channelPrefix + p.Glob
	}
	ctx, cancel := context.WithTimeout(ctx, f.connection.options.CommandTimeout)
	defer cancel()
	pubsub := client.PSubscribe(ctx, channels...)
	for range channels {
		if _, err := pubsub.Receive(ctx); err != nil {
			_ = pubsub.Close() // the error of Receive says more
			if !isDenied(err) {
				return nil, nil, err
			}
			pubsub = client.Subscribe(ctx)
			return pubsub, err, pubsub.Ping(ctx)
		}
	}
	return pubsub, nil, nil
}

// judge says what a session hears, and why nothing better.
func judge(flags Notifications, denied, tracking error) (hearing Feed, why string) {
	switch {
	case denied != nil:
		why = "keyspace notifications are denied (" + denied.Error() + "); the ACL must grant the channel pattern literally"
	case flags.Enough():
		return FeedPush, ""
	default:
		why = flags.why() + "; for push: " + flags.Line()
	}
	if tracking == nil {
		return FeedTracking, why
	}
	return FeedPoll, why + "; and CLIENT TRACKING: " + tracking.Error()
}

func (n Notifications) why() string {
	if !n.Known {
		return "notify-keyspace-events cannot be read here"
	}
	return fmt.Sprintf("notify-keyspace-events is %q, without %s", n.Old, n.Missing)
}

// trackingPrefixes is the CLIENT TRACKING command of a session. With push it is the second ear: a prefix that no key has
// costs the server nothing, and still tells of FLUSHALL and FLUSHDB, which keyspace notifications do not.
func (f *feed) trackingPrefixes(flags Notifications) []any {
	prefixes := []string{noSuchKey}
	if !flags.Enough() {
		prefixes = literalPrefixes(f.options.Patterns)
	}
	args := []any{"CLIENT", "TRACKING", "ON", "BCAST"}
	for _, prefix := range prefixes {
		args = append(args, "PREFIX", prefix)
	}
	return args
}

// literalPrefixes are the shortest prefixes that cover the patterns; the server refuses prefixes that overlap.
func literalPrefixes(patterns []Pattern) []string {
	var prefixes []string
	for _, p := range patterns {
		prefixes = append(prefixes, p.prefix())
	}
	slices.Sort(prefixes) // a prefix comes right before what it covers
	var kept []string
	for _, prefix := range prefixes {
		if len(kept) == 0 || !strings.HasPrefix(prefix, kept[len(kept)-1]) {
			kept = append(kept, prefix)
		}
	}
	return kept
}

// heard takes one keyspace notification. A key that several patterns name is announced once for each; only the first counts.
func (f *feed) heard(m *redis.Message) {
	key, ok := strings.CutPrefix(m.Channel, f.channelPrefix)
	if !ok {
		return
	}
	if len(f.options.Patterns) > 1 {
		first := firstMatch(f.options.Patterns, key)
		if first < 0 || f.channelPrefix+f.options.Patterns[first].Glob != m.Pattern {
			return
		}
	}
	f.mail.hint(Hint{Ref: f.ref(key), Event: m.Payload, At: time.Now()})
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
	for sleep(ctx, pingEvery) {
		if silence := f.mail.silence(); silence > deadAfter {
			cancel(fmt.Errorf("no answer for %.1f s", silence.Seconds()))
			return
		}
		f.connection.sent.Add(1) // the hook does not see what a PubSub sends
		if err := pubsub.Ping(ctx, strconv.FormatInt(time.Now().UnixNano(), 10)); err != nil {
			cancel(err)
			return
		}
	}
}

// invalidations receives CLIENT TRACKING's messages.
type invalidations struct{ feed *feed }

// HandlePushNotification takes ["invalidate", keys]; keys are nil after FLUSHALL or FLUSHDB.
func (i invalidations) HandlePushNotification(_ context.Context, _ push.NotificationHandlerContext, message []any) error {
	if len(message) < 2 {
		return fmt.Errorf("an invalidation of %d parts", len(message))
	}
	keys, _ := message[1].([]any)
	if keys == nil {
		i.feed.mail.missed("the database was flushed")
		return nil
	}
	now := time.Now()
	for _, k := range keys {
		if key, ok := k.(string); ok && firstMatch(i.feed.options.Patterns, key) >= 0 {
			i.feed.mail.hint(Hint{Ref: i.feed.ref(key), Event: "invalidate", At: now})
		}
	}
	return nil
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
