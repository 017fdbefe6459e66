package actions

import (
	"context"
	"errors"
	"slices"
	"time"

	"locktop/inspector"
)

// This file is about requests that follow a hold: a renewal of it is no reason to refuse an action, and the next hold is one.

// followTries is how often an action is tried again because its lock was renewed in the very moment.
const followTries = 5

// newsTimeout is how long an action waits to hear of the renewal that refused it.
const newsTimeout = 2 * time.Second

// FollowFunc returns the lock of a request as it is by now, if that is still the hold that is meant; else why not, in words that are safe
// for a terminal. refused is the observation that the guard has just refused, because the lease has another end: what is returned is later
// than that. It is nil where nothing was tried yet.
type FollowFunc func(ctx context.Context, refused *inspector.Lock) (now *inspector.Lock, why string, err error)

// Snapshots is where locks are observed; *inspector.Inspector is one.
type Snapshots interface {
	Next(ctx context.Context, after uint64) (*inspector.Snapshot, error)
}

// FollowIn lets the request follow its hold: its lock is one of these snapshots, and their history tells a renewal from a release and
// the next acquisition.
func (r Request) FollowIn(snapshots Snapshots) Request {
	r.Follow = func(ctx context.Context, refused *inspector.Lock) (*inspector.Lock, string, error) {
		return r.newer(ctx, snapshots, refused)
	}
	return r
}

// StillThat reports whether a later observation shows what the request is about, by its history: the same hold of the owner, or of all
// holders where the action ends it for all. Where it does not, why says so in words that are safe for a terminal. now is nil where the
// lock is gone.
func (r Request) StillThat(now *inspector.Lock) (same bool, why string) {
	if EndsForAll(r) || len(r.Lock.Holders) == 0 {
		return inspector.SameHolds(r.Lock, now)
	}
	return inspector.SameHold(r.Lock, now, r.Owner)
}

// SameLease reports whether the leases that the request concerns end in two observations at the same time.
func (r Request) SameLease(a, b *inspector.Lock) bool {
	if !EndsForAll(r) {
		return inspector.SameLease(a, b, r.Owner)
	}
	return !slices.ContainsFunc(a.Holders, func(h inspector.Holder) bool { return !inspector.SameLease(a, b, h.Owner) })
}

// newer is a [FollowFunc] of the request over snapshots.
func (r Request) newer(ctx context.Context, snapshots Snapshots, refused *inspector.Lock) (*inspector.Lock, string, error) {
	ctx, cancel := context.WithTimeout(ctx, newsTimeout)
	defer cancel()
	for after := uint64(0); ; {
		snapshot, err := snapshots.Next(ctx, after)
		switch {
		case err != nil && refused != nil && errors.Is(err, context.DeadlineExceeded):
			return r.Lock, renewedWords, nil // nothing was heard of it
		case err != nil:
			return nil, "", err
		}
		now := lockIn(snapshot, r.Lock)
		switch same, why := r.StillThat(now); {
		case !same:
			return now, why, nil
		case refused == nil && r.SameLease(r.Lock, now):
			return r.Lock, "", nil
		case refused == nil || !r.SameLease(refused, now):
			return now, "", nil
		case snapshot.Done:
			return now, renewedWords, nil
		}
		after = snapshot.Seq
	}
}

// lockIn is a lock in a snapshot; nil: there is none.
func lockIn(snapshot *inspector.Snapshot, seen *inspector.Lock) *inspector.Lock {
	at := slices.IndexFunc(snapshot.Locks, func(l *inspector.Lock) bool { return l.Key == seen.Key && l.DB == seen.DB })
	if at < 0 {
		return nil
	}
	return snapshot.Locks[at]
}

// followed is the request on the newest observation of its hold; or the outcome where the hold is over.
func (r Request) followed(ctx context.Context, refused *inspector.Lock) (Request, *Outcome) {
	if r.Follow == nil {
		return r, nil
	}
	now, why, err := r.Follow(ctx, refused)
	switch {
	case err != nil:
		return r, nothingSent(err)
	case why == "":
		r.Lock = now
		return r, nil
	case now == nil || now.State == inspector.StateFreed:
		return r, &Outcome{Result: ResultGone, Woken: -1, Detail: why}
	}
	out := refusal{result: ResultChanged, reason: why, holder: r.Owner}.outcome()
	if now != nil && len(now.Holders) > 0 && !slices.ContainsFunc(now.Holders, func(h inspector.Holder) bool { return h.Owner == r.Owner }) {
		out.Result, out.Holder = ResultNotHolder, now.Holders[0].Owner
	}
	return r, out
}

// following tries a request, and again where the guard finds another end of the lease that is a renewal of the same hold.
func (o *Operator) following(ctx context.Context, r Request, do func(trial) attempt, line *AuditLine, try trial) attempt {
	a := do(try)
	for range followTries {
		if r.Follow == nil || !a.out.renewed() {
			return a
		}
		var refused *Outcome
		if r, refused = r.followed(ctx, r.Lock); refused == nil {
			do, refused = o.planned(ctx, r, time.Now(), line)
		}
		if refused != nil {
			a.out = *refused
			return a
		}
		a = do(try)
	}
	return a
}

// renewed says whether an action was refused because the lease has another end, and for nothing else, so that nothing was done.
func (o Outcome) renewed() bool {
	if len(o.Nodes) == 0 {
		return o.Renewed
	}
	return slices.ContainsFunc(o.Nodes, func(n NodeOutcome) bool { return n.Asked && n.Renewed }) &&
		!slices.ContainsFunc(o.Nodes, func(n NodeOutcome) bool { return n.Asked && !n.Renewed })
}
