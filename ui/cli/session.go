package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// endTimeout is what each step of an orderly end may take; the server may be gone by then.
const endTimeout = 3 * time.Second

// session is the servers that are looked at, and what was opened for them.
type session struct {
	servers *keyspace.Servers
	// connection is to one of their masters.
	connection *keyspace.Connection
	locks      *inspector.Inspector
	reread     func(keys ...string) // of the observation that locks are from
	operator   *actions.Operator
	audit      *actions.Audit // nil: no action is possible
	closers    []func() error
}

// atEnd adds a step to the end; the last one added is taken first.
func (s *session) atEnd(step func() error) { s.closers = append(s.closers, step) }

// close undoes and closes everything, in the reverse order of its opening, whatever fails.
func (s *session) close() error {
	var errs []error
	for _, step := range slices.Backward(s.closers) {
		errs = append(errs, step())
	}
	s.closers = nil
	return errors.Join(errs...)
}

// connect dials the servers.
func connect(ctx context.Context, place keyspace.Place) (*session, error) {
	servers, err := keyspace.Dial(ctx, place)
	if err != nil {
		return nil, unreachable(place, err)
	}
	s := &session{servers: servers}
	s.atEnd(servers.Close)
	if s.connection, err = servers.AnyMaster(ctx); err != nil {
		return nil, errors.Join(unreachable(place, err), s.close())
	}
	return s, nil
}

// observe starts the feed and the inspector over it. A single look is one complete pass without notifications.
func (a *app) observe(ctx context.Context, s *session, look *observing, single bool) error {
	options, thresholds := look.options(), look.thresholds
	if thresholds == (inspector.Thresholds{}) { // a demo has its own
		thresholds = a.limits()
	}
	if single {
		thresholds.Settles = time.Nanosecond
		options.Once, options.Notify = true, keyspace.NotifyOff
	}
	if options.Notify == keyspace.NotifyEnable {
		if err := a.enableNotifications(ctx, s); err != nil {
			return err
		}
	}
	feed, stop := context.WithCancel(ctx)
	observation, err := s.servers.Observe(feed, options)
	if err != nil {
		stop()
		return failed("%w", err)
	}
	s.reread = observation.Reread
	// The inspector ends when the feed's channel is closed, which is after its last goroutine: it is how we wait for them.
	s.locks = inspector.Start(context.WithoutCancel(ctx), observation, inspector.Options{Thresholds: thresholds, Rules: look.ruling(), Masters: s.servers.Masters(), OwnerNames: look.whose.names.rules})
	s.atEnd(func() error {
		stop()
		return s.ended(ctx)
	})
	return nil
}

// enableNotifications sets the flags that the masters lack, says so, and gives back the old ones at the end.
func (a *app) enableNotifications(ctx context.Context, s *session) error {
	for _, node := range s.servers.Nodes() {
		connection, err := s.servers.Connection(ctx, node)
		if err == nil {
			err = a.enableOn(ctx, s, connection)
		}
		if err != nil {
			return failed("%w", err)
		}
	}
	return nil
}

// enableOn is enableNotifications for one of them.
func (a *app) enableOn(ctx context.Context, s *session, connection *keyspace.Connection) error {
	flags, err := connection.Notifications(ctx)
	if err != nil || flags.Enough() {
		return err
	}
	if !flags.Known {
		return fmt.Errorf("--notify enable: the server does not let this user read notify-keyspace-events, so it could not be restored; "+
			"have an administrator run: %s", flags.Line())
	}
	client := connection.NewClient("locktop")
	s.atEnd(client.Close)
	restore, old, err := actions.EnableNotifications(ctx, client, flags.New, flags.Restore)
	s.atEnd(func() error {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
		defer cancel()
		if err := restore(ending); err != nil {
			return failed("restoring notify-keyspace-events of %s to %q: %w", connection.Node(), old, err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("--notify enable: %w; have an administrator run: %s", err, flags.Line())
	}
	a.say("%snotify-keyspace-events was %q and is %q until the end", s.of(connection), old, flags.New)
	return nil
}

// of names a server where there are several: "10.0.0.1:6379: ".
func (s *session) of(connection *keyspace.Connection) string {
	if len(s.servers.Nodes()) == 1 {
		return ""
	}
	return text.Escape(string(connection.Node())) + ": "
}

// ended waits for the end of the feed.
func (s *session) ended(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	var seen uint64
	for {
		snapshot, err := s.locks.Next(ctx, seen)
		if err != nil {
			return failed("the feed did not end: %w", err)
		}
		if snapshot.Done {
			return nil
		}
		seen = snapshot.Seq
	}
}

// mayAct opens what acting needs: a client of its own, and the audit file, without which nothing is done.
func (s *session) mayAct(place keyspace.Place, readOnly bool, writeFor time.Duration) error {
	audit, err := actions.OpenAudit("")
	if err != nil {
		return failed("the audit file cannot be written, and nothing is done without it: %w; XDG_STATE_HOME moves it", err)
	}
	s.atEnd(audit.Close)
	s.audit = audit
	s.operate(actions.Options{ReadOnly: readOnly, WriteFor: writeFor, Audit: audit, Where: where(place)})
	return nil
}

// operate makes the operator.
func (s *session) operate(o actions.Options) {
	o.Look = s.servers.Read
	s.operator = actions.NewOperator(s.servers, o)
	s.atEnd(s.operator.Close)
}

// limit ends a context after a while; zero: it does not. The context has no deadline: a command that is under way at the
// end would run into it, and be told as a lost connection.
func limit(ctx context.Context, span time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if span > 0 {
		timer := time.AfterFunc(span, cancel)
		return ctx, func() {
			timer.Stop()
			cancel()
		}
	}
	return ctx, cancel
}

// unreachable is a failed connection in words. Where nothing answers there is still something to see.
func unreachable(place keyspace.Place, err error) error {
	switch {
	case !errors.Is(err, keyspace.ErrUnreachable):
		return failed("%w", err)
	case place.Servers[0].TLS != nil: // A server that does not speak TLS waits for the rest of what it takes for a command.
		return failed("%w; if the server does not speak TLS, leave --tls (rediss://) out; without a server there is locktop demo", err)
	default:
		return failed("%w; name another server with -h and -p or --url, or see locks without one: locktop demo", err)
	}
}
