package cli

import (
	"context"
	"slices"
	"time"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// This file observes a lock while a person reads what an action would do to it.

// siblings are the keys beside a lock that have its value under another number; they may be parts of
// it.
func (s *session) siblings(ctx context.Context, l *inspector.Lock) (keys []string, err error) {
	if l == nil || s.servers.Topology() == keyspace.Redlock {
		return nil, nil
	}
	asked := l.Siblings()
	if asked == nil {
		return nil, nil
	}
	records, err := s.servers.Read(ctx, asked...)
	if err != nil {
		return nil, failed("reading the keys beside %s: %w", named(l.Key), err)
	}
	for _, r := range records {
		if r.Type == keyspace.TypeString && r.Value.Text == l.Observed.Value.Text {
			keys = append(keys, r.Key)
		}
	}
	return keys, nil
}

// hears reports whether the hold of a request is observed, and by events.
func (s *session) hears(r actions.Request) bool {
	if r.Follow == nil {
		return false
	}
	return !slices.ContainsFunc(s.locks.Latest().Nodes, func(n keyspace.Status) bool { return n.Feed == keyspace.FeedPoll })
}

// followTimeout is how long it may take until the observation shows the lock.
const followTimeout = 2 * time.Second

// follow observes the lock of a request from now on: a renewal meanwhile does not refuse the
// action, but another hold does. If the lock cannot be observed, it says so; then a renewal refuses
// the action too.
func (a *app) follow(
	ctx context.Context, s *session, c *acting, r actions.Request,
) (actions.Request, error) {
	rules := schemeRules{rules: c.about.rulesOf(r.Lock.Key)}
	look := observing{
		rules: rules, notify: "auto", poll: time.Second, reserved: keyspace.Escape(r.Lock.Key),
		readOnly: c.readOnly,
	}
	if err := a.observe(ctx, s, &look, false); err != nil {
		return r, err
	}
	s.reread(r.Lock.Key) // so that there is no wait for the next pass
	waiting, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	for after := uint64(0); ; {
		snapshot, err := s.locks.Next(waiting, after)
		switch {
		case ctx.Err() != nil:
			return r, ctx.Err()
		case err != nil || snapshot.Done:
			a.say("%s cannot be watched while you read: if it is renewed meanwhile, the action will be refused",
				text.Escape(r.Lock.Key))
			return r, nil
		}
		after = snapshot.Seq
		same := func(l *inspector.Lock) bool {
			return l.Key == r.Lock.Key && slices.EqualFunc(l.Holders, r.Lock.Holders, sameOwner) && r.SameLease(r.Lock, l)
		}
		if i := slices.IndexFunc(snapshot.Locks, same); i >= 0 {
			r.Lock = snapshot.Locks[i]
			return r.FollowIn(s.locks), nil
		}
	}
}
