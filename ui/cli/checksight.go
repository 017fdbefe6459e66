package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/text"
)

// settleTimeout is how long the feed may take to find out what it can have.
const settleTimeout = 5 * time.Second

// checkSight looks as the dashboard does. Where this user may not, there is an item that says so, and the rights say more.
func (a *app) checkSight(ctx context.Context, s *session, look *observing) (*inspector.Snapshot, itemJSON, error) {
	err := a.observe(ctx, s, look, false)
	if errors.Is(err, keyspace.ErrPermission) || errors.Is(err, keyspace.ErrAbsent) {
		return nil, itemJSON{Name: "keys", Detail: err.Error()}, nil
	}
	if err != nil {
		return nil, itemJSON{}, err
	}
	seen, err := settled(ctx, s.locks)
	return seen, itemJSON{}, err
}

// settled is the first complete snapshot whose feeds know what they can have, or the last one before the time is over.
func settled(ctx context.Context, locks *inspector.Inspector) (*inspector.Snapshot, error) {
	waiting, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	latest, err := locks.Next(waiting, 0)
	for err == nil {
		if latest.Complete && len(latest.Nodes) > 0 && !slices.ContainsFunc(latest.Nodes, unsettled) {
			return latest, nil
		}
		if latest.Done {
			return nil, failed("the feed ended: %w", cmp.Or(latest.Err, errors.New("nobody said why")))
		}
		var next *inspector.Snapshot
		if next, err = locks.Next(waiting, latest.Seq); err == nil {
			latest = next
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if latest == nil {
		return nil, failed("nothing was seen in %v: %w", settleTimeout, err)
	}
	return latest, nil
}

// seenIn says which keys are seen on a node, and how.
func seenIn(s *inspector.Snapshot, node keyspace.Node) []itemJSON {
	i := slices.IndexFunc(s.Nodes, func(n keyspace.Status) bool { return n.Node == node })
	if i < 0 {
		return []itemJSON{{Name: "keys", Detail: "it has told nothing yet"}}
	}
	n := s.Nodes[i]
	locks := 0
	for _, l := range present(s.Locks) {
		if l.Node == node || l.Quorum != nil && slices.ContainsFunc(l.Quorum.Votes, func(v inspector.Vote) bool { return v.Node == node && v.Owner != "" }) {
			locks++
		}
	}
	keys := itemJSON{Name: "keys", OK: n.Err == "" && n.LastPass.Generation > 0, Detail: fmt.Sprintf("%s keys, %s of them match %s, %s are locks",
		text.Count(n.LastPass.Scanned), text.Count(n.LastPass.Matched), strings.Join(n.Patterns, " "), text.Count(int64(locks)))}
	switch {
	case n.Err != "":
		keys.Detail += ": " + n.Err
	case n.LastPass.Generation == 0:
		keys.Detail = "the first pass over " + text.Count(keysOf(n)) + " keys is not over yet"
	}
	live := itemJSON{Name: "changes", OK: n.Feed != keyspace.FeedPoll, Detail: "seen by " + string(n.Feed)}
	if n.FeedReason != "" {
		live.Detail += ": " + n.FeedReason
	}
	return []itemJSON{keys, live}
}

// keysOf is the size of the database under the running pass.
func keysOf(n keyspace.Status) int64 {
	if n.Scanning == nil {
		return 0
	}
	return n.Scanning.KeysInDB
}
