package keyspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/push"
)

// noSuchKey is a prefix for the second ear that no key has: it costs the server nothing, and still tells of FLUSHALL and
// FLUSHDB, of which keyspace notifications do not.
const noSuchKey = "locktop:no-key-has-this-prefix:"

// session is one connection that hears the server, on a client of its own.
type session struct {
	client *redis.Client
	pubsub *redis.PubSub
	// hearing is what the feed goes by, and why says why it is nothing better.
	hearing Feed
	why     string
	// doubtful says that events may or may not come: nobody could tell us whether they are on, or they did not come once.
	doubtful bool
	// denied is the server's error if the ACL forbids the events, unannounced if it forbids
	// [Companions.Announcements].
	denied, unannounced error
	// tracking is its word where it does not offer CLIENT TRACKING; written before subscribe returns.
	tracking error
	// epoch is that of the judgement, which may be outdated before the session is open.
	epoch uint64
}

// open connects, subscribes, and judges what can be heard.
func (f *feed) open(ctx context.Context) (*session, error) {
	f.shared.Lock()
	flags, deaf, eventsAreOn := f.shared.flags, !f.shared.deafUntil.IsZero(), f.eventsAreOn()
	s := &session{epoch: f.shared.epoch, doubtful: deaf || !flags.Known && !f.shared.heard}
	f.shared.Unlock()
	if err := s.connect(ctx, f, f.trackingCommand(eventsAreOn)); err != nil {
		return nil, err
	}
	if s.denied != nil && eventsAreOn { // then CLIENT TRACKING has to tell of all keys
		s.close()
		if err := s.connect(ctx, f, f.trackingCommand(false)); err != nil {
			return nil, err
		}
	}
	switch {
	case isAbsent(s.denied):
		s.why = "keyspace notifications cannot be subscribed to (" + s.denied.Error() + ")"
	case s.denied != nil:
		s.why = "keyspace notifications are denied (" + s.denied.Error() + "); to mend it: " + f.connection.Mend(channelRule(s.denied, f.channels()))
	case eventsAreOn:
		s.hearing = FeedPush
		if !flags.Known {
			s.why = flags.why() + ", but events arrive"
		}
		return s, nil
	case deaf:
		s.why = "keys changed without an event, so that notifications are off or filtered"
		if !flags.Known {
			s.why += "; for push: " + flags.Line()
		}
	default:
		s.why = flags.why() + "; for push: " + flags.Line()
	}
	s.hearing = FeedTracking
	if s.tracking != nil {
		s.hearing = FeedPoll
		s.why += "; and CLIENT TRACKING: " + s.tracking.Error()
	}
	return s, nil
}

// connect opens the connection with this CLIENT TRACKING, and subscribes. If it fails, it closes
// the session.
func (s *session) connect(ctx context.Context, f *feed, tracking []any) error {
	o := f.connection.readOptions(f.connection.options.ClientName+"-watch", 1, readCommands)
	noTouch := o.OnConnect
	o.OnConnect = func(ctx context.Context, conn *redis.Conn) error {
		if s.tracking = track(ctx, conn, tracking); s.tracking != nil && !isAnswer(s.tracking) {
			return s.tracking
		}
		return noTouch(ctx, conn)
	}
	s.client = redis.NewClient(o)
	err := s.client.RegisterPushNotificationHandler("invalidate", invalidations{f, s}, false)
	if err == nil {
		err = s.subscribe(ctx, f)
	}
	if err != nil {
		s.close()
	}
	return err
}

// eventsAreOn says whether an event is expected to tell of every change. It needs the lock of shared.
func (f *feed) eventsAreOn() bool {
	known := f.shared.flags.Enough() || !f.shared.flags.Known && f.shared.heard
	return known && f.shared.deafUntil.IsZero()
}

// believe takes an event as the proof that events are on, unless they failed us just now.
func (f *feed) believe() bool {
	f.shared.Lock()
	defer f.shared.Unlock()
	if time.Now().Before(f.shared.deafUntil) {
		return false
	}
	f.shared.heard, f.shared.deafUntil = true, time.Time{}
	return true
}

// track sends CLIENT TRACKING. A connection that fell back to RESP2 is told "OK" and never hears an invalidation.
func track(ctx context.Context, conn *redis.Conn, command []any) error {
	if err := conn.Do(ctx, "HELLO", 3).Err(); err != nil {
		return err
	}
	return conn.Do(ctx, command...).Err()
}

func (s *session) close() {
	if s.pubsub != nil {
		_ = s.pubsub.Close() // it may be closed already
	}
	_ = s.client.Close()
}

// subscribe opens the connection and subscribes. If the ACL denies the announcements or the events,
// the session notes it and works without them.
func (s *session) subscribe(ctx context.Context, f *feed) (err error) {
	ctx, cancel := context.WithTimeout(ctx, f.connection.options.DialTimeout+f.connection.options.CommandTimeout)
	defer cancel()
	s.pubsub = s.client.Subscribe(ctx)
	// The announcements come first: messages that arrive before the second answer are lost, and
	// events must not be.
	if !f.flood.lasts(time.Now()) {
		if s.unannounced, err = s.listenTo(ctx, f, f.announcements); err != nil {
			return err
		}
	}
	s.denied, err = s.listenTo(ctx, f, f.channels())
	return err
}

// listenTo subscribes to patterns. The server refuses them all if it denies one, and only Receive
// returns that.
func (s *session) listenTo(ctx context.Context, f *feed, patterns []string) (denied, err error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	if err := s.pubsub.PSubscribe(ctx, patterns...); err != nil {
		return nil, err
	}
	for confirmed := 0; confirmed < len(patterns); {
		message, err := s.pubsub.ReceiveTimeout(ctx, f.connection.options.CommandTimeout)
		if isDenied(err) || isAbsent(err) {
			return err, nil
		}
		if err != nil {
			return nil, err
		}
		if _, is := message.(*redis.Subscription); is {
			confirmed++
		}
	}
	return nil, nil
}

// channels are one pattern of channels for each pattern of keys, and never one for each key: servers up to 7.0 get slower
// with every pattern that ever was.
func (f *feed) channels() []string {
	var channels []string
	for _, p := range f.options.Patterns {
		if channel := f.channel(p); !slices.Contains(channels, channel) {
			channels = append(channels, channel)
		}
	}
	return channels
}

// channel is the pattern of channels that tells of a pattern's keys. It is one that an ACL can grant, and so may tell of a
// few keys more.
func (f *feed) channel(p Pattern) string { return f.channelPrefix + ACLGlob(p.Glob) }

// channelRule grants what was denied: the command, or these channels. A pattern is granted by the
// same pattern only, or by all of them. The rule never has both: the server refuses a rule that
// names channels to a user that has all of them.
func channelRule(denied error, channels []string) string {
	if isCommandDenied(denied) {
		return "+psubscribe"
	}
	return strings.Join(channelRules(channels), " ")
}

// channelRules let a user subscribe to these patterns.
func channelRules(channels []string) []string {
	var rules []string
	for _, channel := range channels {
		if rule := ACLWord("&" + channel); !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

func (n Notifications) why() string {
	if !n.Known {
		return "notify-keyspace-events cannot be read here (CONFIG GET is denied or unknown)"
	}
	return fmt.Sprintf("notify-keyspace-events is %q, without %s", n.Old, n.Missing)
}

// trackingCommand is the CLIENT TRACKING of a session. Where events are on it is the second ear: see [doubts].
func (f *feed) trackingCommand(eventsAreOn bool) []any {
	prefixes := literalPrefixes(f.options.Patterns)
	if eventsAreOn && prefixes[0] == "" {
		prefixes = []string{noSuchKey}
	}
	args := []any{"CLIENT", "TRACKING", "ON", "BCAST"}
	for _, prefix := range prefixes {
		args = append(args, "PREFIX", prefix)
	}
	return args
}

// literalPrefixes are the shortest prefixes that cover the patterns, sorted; the server refuses prefixes that overlap.
func literalPrefixes(patterns []Pattern) []string {
	var prefixes []string
	for _, p := range patterns {
		prefixes = append(prefixes, p.LiteralPrefix())
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

// invalidations receives CLIENT TRACKING's messages.
type invalidations struct {
	feed    *feed
	session *session
}

// HandlePushNotification takes ["invalidate", keys]; keys are nil after FLUSHALL or FLUSHDB. The keys may be of any
// database.
func (i invalidations) HandlePushNotification(_ context.Context, _ push.NotificationHandlerContext, message []any) error {
	if len(message) < 2 {
		return fmt.Errorf("an invalidation of %d parts", len(message))
	}
	keys, _ := message[1].([]any)
	if keys == nil {
		i.feed.mail.missed(whyFlushed)
		return nil
	}
	for _, k := range keys {
		key, ok := k.(string)
		switch {
		case !ok || !i.feed.matcher.match(key):
		case i.session.hearing == FeedPush:
			i.feed.mail.invalidated(key)
		default:
			i.feed.hint(key, "invalidate")
		}
	}
	return nil
}
