package actions

import (
	"context"
	"errors"
	"slices"
	"time"

	"locktop/inspector"
)

// This file is about requests that follow a hold: a renewal of the hold does not refuse the action,
// but the next hold does.

// followTries is how often an action is retried because its lock was renewed at that very moment.
const followTries = 5

// newsTimeout is how long an action waits until the renewal that refused it is observed.
const newsTimeout = 2 * time.Second

// FollowFunc returns the lock of a request as it is now if that is still the intended hold; else
// why is the reason, safe for a terminal. refused is the observation that the guard has just
// refused because the lease has another end; the returned lock is later than that. It is nil if
// nothing was tried yet.
type FollowFunc func(ctx context.Context, refused *inspector.Lock) (now *inspector.Lock, why string, err error)

// Snapshots is a source of observed locks; *inspector.Inspector is one.
type Snapshots interface {
	Next(ctx context.Context, after uint64) (*inspector.Snapshot, error)
}

// FollowIn lets the request follow its hold. Its lock is from these snapshots, and their history
// distinguishes a renewal from a release and a new acquisition.
func (r Request) FollowIn(snapshots Snapshots) Request {
	r.Follow = func(ctx context.Context, refused *inspector.Lock) (*inspector.Lock, string, error) {
		return r.newer(ctx, snapshots, refused)
	}
	return r
}

// StillThat reports whether a later observation shows, by its history, what the request is about:
// the same hold of the owner, or of all holders if the action ends it for all. If not, why is the
// reason, safe for a terminal. now is nil if the lock is gone.
func (r Request) StillThat(now *inspector.Lock) (same bool, why string) {
	if EndsForAll(r) || len(r.Lock.Holders) == 0 {
		return inspector.SameHolds(r.Lock, now)
	}
	return inspector.SameHold(r.Lock, now, r.Owner)
}

// SameLease reports whether the leases that the request concerns end at the same time in both
// observations.
func (r Request) SameLease(a, b *inspector.Lock) bool {
	if !EndsForAll(r) {
		return inspector.SameLease(a, b, r.Owner)
	}
	return !slices.ContainsFunc(a.Holders, func(h inspector.Holder) bool { return !inspector.SameLease(a, b, h.Owner) })
}

// newer is the [FollowFunc] of [Request.FollowIn].
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

// lockIn returns the lock in a snapshot, or nil.
func lockIn(snapshot *inspector.Snapshot, seen *inspector.Lock) *inspector.Lock {
	at := slices.IndexFunc(snapshot.Locks, func(l *inspector.Lock) bool { return l.Key == seen.Key && l.DB == seen.DB })
	if at < 0 {
		return nil
	}
	return snapshot.Locks[at]
}

// followed returns the request with the newest observation of its hold, or the outcome if the hold
// is over.
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

// following tries a request, and retries it if the guard finds another end of the lease that is a
// renewal of the same hold.
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

// renewed reports whether an action did nothing only because the lease has another end.
func (o Outcome) renewed() bool {
	if len(o.Nodes) == 0 {
		return o.Renewed
	}
	return slices.ContainsFunc(o.Nodes, func(n NodeOutcome) bool { return n.Asked && n.Renewed }) &&
		!slices.ContainsFunc(o.Nodes, func(n NodeOutcome) bool { return n.Asked && !n.Renewed })
}
