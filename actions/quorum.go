package actions

import (
	"context"
	"sync"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// This file is about a Redlock, which several independent masters vote on. Each master that has the lock for the holder is acted on by a
// plan of its own, made from what was seen there; all at the same time, and none waits for another. Masters that do not answer, or where
// somebody else or nobody has it, are left alone: there is nothing to compare an action with.

// masterTimeout is what one of several masters may take. The others are done by then.
const masterTimeout = 3 * time.Second

// NodeOutcome is what became of an action on one of several independent masters.
type NodeOutcome struct {
	Node keyspace.Node
	// Asked is false where nothing was sent: the master was not seen to have the lock for the holder, or cannot be acted on.
	Asked  bool
	Result Result
	// Holder is who has the lock there (ResultNotHolder, ResultChanged).
	Holder string
	// Detail is said beside the result; it is safe for a terminal.
	Detail string
	Err    error
	// Renewed is as in [Outcome].
	Renewed bool

	by string
}

// done says whether the action was done there, or would be.
func (n NodeOutcome) done() bool { return n.Asked && (n.Result.Done() || n.Result == ResultDryRun) }

// everyKey names all keys.
var everyKey = func() keyspace.Pattern {
	all, err := keyspace.NewPattern("*")
	if err != nil {
		panic(err) // it is a constant
	}
	return all
}()

// lockOf is the lock as one master has it: what was seen there, and of the rest what is known of the whole. False: nothing was seen
// there that could be compared.
func lockOf(seen *inspector.Lock, vote inspector.Vote) (*inspector.Lock, bool) {
	if !vote.Observed.Exists() {
		return nil, false
	}
	rules := inspector.Rules{{Pattern: everyKey, Scheme: seen.Scheme}}
	own, is := rules.Inspect(vote.Observed, vote.Observed.ReadAt)
	if !is {
		return nil, false
	}
	lock := *seen
	lock.Ref, lock.Observed, lock.Quorum = own.Ref, own.Observed, nil
	lock.Node = vote.Node
	lock.Scheme, lock.Mode, lock.State, lock.Holders = own.Scheme, own.Mode, own.State, own.Holders
	lock.ExpiresAt, lock.LeaseEnds, lock.Waiters = own.ExpiresAt, own.LeaseEnds, own.Waiters
	return &lock, true
}

// askedOf is the request to one master; false: it is left alone, for it has the lock for nobody or for somebody else.
func askedOf(r Request, vote inspector.Vote) (Request, bool) {
	if vote.Ballot != inspector.BallotFor && vote.Ballot != inspector.BallotOther {
		return Request{}, false
	}
	lock, is := lockOf(r.Lock, vote)
	if !is {
		return Request{}, false
	}
	r.Lock = lock
	_, has := holderOf(r)
	return r, has
}

// hasQuorum is who holds a Redlock; false: nobody does.
func hasQuorum(lock *inspector.Lock) (owner string, has bool) {
	if len(lock.Holders) == 0 || lock.Quorum.For < lock.Quorum.Needed {
		return "", false
	}
	return lock.Holders[0].Owner, true
}

// refuseVotes is the outcome of a request that none of the masters is asked for; nil: some are.
func refuseVotes(r Request, now time.Time) *Outcome {
	if r.Lock.State == inspector.StateFreed {
		return &Outcome{Result: ResultGone, Woken: -1}
	}
	holder, held := hasQuorum(r.Lock)
	if _, is := holderOf(r); held && !is && r.Verb == VerbExtend {
		return refusal{result: ResultNotHolder, holder: holder, reason: "to extend what is left of another's would be in its way"}.outcome()
	}
	var refused *Outcome
	for _, vote := range r.Lock.Quorum.Votes {
		request, asked := askedOf(r, vote)
		if !asked {
			continue
		}
		_, err := makePlan(request, now)
		if err == nil {
			return nil
		}
		if refused == nil {
			refused = asRefusal(err).outcome()
		}
	}
	switch {
	case refused != nil:
		return refused
	case held && holder != r.Owner:
		return refusal{result: ResultNotHolder, holder: holder}.outcome()
	case len(r.Lock.Holders) > 0 && r.Lock.Holders[0].Owner != r.Owner:
		return refusal{result: ResultNotHolder, holder: r.Lock.Holders[0].Owner}.outcome()
	default:
		return refusal{result: ResultFailed, reason: "none of the masters that answer was seen to have it for that owner"}.outcome()
	}
}

// onMasters tries the request on every master that has the lock for the owner.
func (o *Operator) onMasters(ctx context.Context, r Request, now time.Time, try trial) attempt {
	votes := r.Lock.Quorum.Votes
	attempts, nodes := make([]attempt, len(votes)), make([]NodeOutcome, len(votes))
	var asking sync.WaitGroup
	for i, vote := range votes {
		request, asked := askedOf(r, vote)
		if !asked {
			nodes[i] = leftAlone(r, vote)
			continue
		}
		asking.Go(func() {
			attempts[i] = o.onMaster(ctx, request, now, try)
			out := attempts[i].out
			nodes[i] = NodeOutcome{
				Node: vote.Node, Asked: true, Result: out.Result, Holder: out.Holder, Detail: out.Detail, Err: out.Err, Renewed: out.Renewed,
				by: attempts[i].by,
			}
		})
	}
	asking.Wait()
	return attempt{out: fused(r, attempts, nodes, now)}
}

// onMaster tries the request on one master. What belongs to the lock is not looked at again there: another look is one at all of them.
func (o *Operator) onMaster(ctx context.Context, r Request, now time.Time, try trial) attempt {
	ctx, cancel := context.WithTimeout(ctx, masterTimeout)
	defer cancel()
	p, err := makePlan(r, now)
	if err != nil {
		return attempt{out: *asRefusal(err).outcome()}
	}
	at, refused := o.place(ctx, r.Lock.Ref)
	if refused != nil {
		return attempt{out: *refused}
	}
	return o.follow(ctx, at, p, r, try)
}

// leftAlone is what is said of a master that is not asked.
func leftAlone(r Request, vote inspector.Vote) NodeOutcome {
	n := NodeOutcome{Node: vote.Node, Detail: printable(vote.Detail)}
	if vote.Owner == r.Owner {
		n.Result, n.Detail = ResultFailed, "it was not read there, so there is nothing to compare it with"
		return n
	}
	switch vote.Ballot {
	case inspector.BallotFor, inspector.BallotOther:
		n.Result, n.Holder = ResultNotHolder, vote.Owner
	case inspector.BallotAbsent:
		n.Result = ResultGone
	case inspector.BallotWrong:
		n.Result = ResultUnsupported
	case inspector.BallotDenied:
		n.Result = ResultDenied
	case inspector.BallotTimeout, inspector.BallotDown, inspector.BallotUnread:
		n.Result = ResultFailed
		n.Detail = string(vote.Ballot)
		if vote.Detail != "" {
			n.Detail += " (" + printable(vote.Detail) + ")"
		}
	}
	return n
}
