package actions

import (
	"context"
	"fmt"
	"slices"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// attempt is what became of one plan. It is outdated where it was made of companions that are not as they were seen.
type attempt struct {
	out      Outcome
	by       string
	outdated bool
	// at is the server that was acted on at last.
	at keyspace.Node
}

// lookTries is how often an action is planned again because its companions changed: a queue in which clients come and go.
const lookTries = 16

// untilCurrent tries a plan, and plans again as long as it is outdated. What the operator saw of the holder stays what he saw:
// the companions are read anew, and of the lock itself what the commands are made of, where the plan rests on it.
func (o *Operator) untilCurrent(ctx context.Context, at place, p plan, r Request, try trial) attempt {
	a := o.follow(ctx, at, p, r, try)
	for range lookTries {
		if !a.outdated || o.options.Look == nil {
			return a
		}
		lock, err := o.lookAgain(ctx, p, r.Lock, r.Owner)
		if err != nil {
			return attempt{out: Outcome{Result: ResultFailed, Woken: -1, Err: err, Detail: "nothing was done: " + printable(err.Error())}}
		}
		if r.first == nil {
			r.first = r.Lock
		}
		r.Lock = lock
		if p, err = makePlan(r, time.Now()); err != nil {
			return attempt{out: *asRefusal(err).outcome()}
		}
		a = o.follow(ctx, at, p, r, try)
	}
	return a
}

// lookAgain is the lock with what is there now. The lock that was seen is shared, and stays as it is.
func (o *Operator) lookAgain(ctx context.Context, p plan, seen *inspector.Lock, owner string) (*inspector.Lock, error) {
	keys, own := p.keys[1:], p.restsOnLock()
	if own {
		keys = p.keys
	}
	records, err := o.options.Look(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("look at the lock and its companions again: %w", err)
	}
	again := *seen
	again.Observed.Companions = nil
	for _, record := range records {
		switch {
		case own && record.Key == seen.Key:
			again.Observed = withContent(again.Observed, record, owner)
		case record.Exists() || record.Denied() != "": // as everywhere, those that are not there are left out
			again.Observed.Companions = append(again.Observed.Companions, record)
		}
	}
	return &again, nil
}

// restsOnLock says whether the commands are made of more in the lock's own key than what the operator saw of the holder.
func (p plan) restsOnLock() bool {
	return slices.ContainsFunc(p.facts, func(f fact) bool { return f.blame == blameContext && f.ask[1] == p.keys[0] })
}

// withContent is a record with the content of a later one. Its type, whether it has a TTL, and the owner's field stay as they were
// seen: they are compared.
func withContent(seen, now keyspace.Record, owner string) keyspace.Record {
	if now.Type != seen.Type {
		return seen
	}
	isOwner := func(f keyspace.Field) bool { return f.Name == owner }
	fields := slices.Clone(now.Value.Fields)
	if was, is := slices.IndexFunc(seen.Value.Fields, isOwner), slices.IndexFunc(fields, isOwner); was >= 0 && is >= 0 {
		fields[is] = seen.Value.Fields[was]
	}
	seen.Value, seen.Size, seen.Truncated = keyspace.Value{Text: now.Value.Text, Fields: fields}, now.Size, now.Truncated
	if now.ExpiresAt.IsZero() == seen.ExpiresAt.IsZero() {
		seen.ExpiresAt = now.ExpiresAt
	}
	return seen
}
