package actions

import (
	"context"
	"fmt"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// attempt is what became of one plan. It is outdated where it was made of companions that are not as they were seen.
type attempt struct {
	out      Outcome
	by       string
	outdated bool
}

// lookTries is how often an action is planned again because its companions changed: a queue in which clients come and go.
const lookTries = 16

// untilCurrent tries a plan, and plans again as long as it is outdated. What the operator saw stays what he saw: only the
// companions are read anew.
func (o *Operator) untilCurrent(ctx context.Context, p plan, r Request, try func(context.Context, plan, Request) attempt) attempt {
	a := try(ctx, p, r)
	for range lookTries {
		if !a.outdated || o.options.Look == nil {
			return a
		}
		companions, err := o.lookAgain(ctx, p.keys[1:])
		if err != nil {
			return attempt{out: Outcome{Result: ResultFailed, Woken: -1, Err: err, Detail: "nothing was done: " + printable(err.Error())}}
		}
		r.Lock = withCompanions(r.Lock, companions)
		if p, err = makePlan(r, time.Now()); err != nil {
			return attempt{out: *asRefusal(err).outcome()}
		}
		a = try(ctx, p, r)
	}
	return a
}

// lookAgain reads the companions of a lock; as everywhere, those that are not there are left out.
func (o *Operator) lookAgain(ctx context.Context, keys []string) ([]keyspace.Record, error) {
	records, err := o.options.Look(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("look at the companions again: %w", err)
	}
	var companions []keyspace.Record
	for _, record := range records {
		if record.Exists() || record.Denied() != "" {
			companions = append(companions, record)
		}
	}
	return companions, nil
}

// withCompanions is the lock with other companions. The lock itself is shared, and stays as it is.
func withCompanions(lock *inspector.Lock, companions []keyspace.Record) *inspector.Lock {
	again := *lock
	again.Observed.Companions = companions
	return &again
}
