package actions

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
)

// Verb is what an operator asks for.
type Verb string

// The verbs, mildest first.
const (
	VerbExtend      Verb = "extend"
	VerbRelease     Verb = "release"
	VerbForceExpire Verb = "force-expire"
)

// Request is one action on one lock, as it was observed.
type Request struct {
	Verb Verb
	// Lock is what the operator saw. The action happens only if it is still so; that of a Redlock, on each of its masters.
	Lock *inspector.Lock
	// Owner is the holder whom the action concerns; it must be one of Lock.Holders.
	Owner string
	// Entries of a re-entrant lock to release; 0 releases all.
	Entries int64
	// TTL is the new lease of VerbExtend, and for VerbForceExpire the delay until the end (0: now).
	TTL    time.Duration
	DryRun bool
	// Force does what is discouraged: [Effect].Discouraged says when it takes that.
	Force bool
	// NoTombstone deletes the key where a release would leave a tombstone; see [CanBury].
	NoTombstone bool
	// Reason is kept in the audit.
	Reason string
	// Changed says how Lock differs from what the operator was shown elsewhere, as a list of some minutes ago; empty: it does
	// not. Where it differs, the request is refused. It is safe for a terminal.
	Changed string
	// Follow, where it is set, tells what became of the hold since Lock was seen, so that a renewal of it is no reason to refuse the
	// action. It is asked right before the action, and where the guard finds another end of the lease. Without it the lock has to end
	// when it was seen to end. [Request.FollowIn] is one.
	Follow FollowFunc
	// Unheard says that no event would have told of a release and another acquisition since Lock was
	// observed: another process observed it, or the server is polled.
	Unheard bool
	// Siblings are keys with the same value whose names differ from the lock's in a number only, and
	// that are shown as locks of their own.
	Siblings []string
	// Sharded: the servers are a cluster that knows sharded channels, on which those who wait may listen. An Operator knows it of
	// its servers itself.
	Sharded bool

	// first is what the operator saw, where Lock has companions that were read again since; nil: Lock is that.
	first *inspector.Lock
	// later says that the plan is not carried out now, but some time by hand.
	later bool
}

// Outcome is the answer, with words.
type Outcome struct {
	Result Result
	// Count is what is left of the holder's entries (ResultEntryReleased), or what they are now (ResultChanged).
	Count int64
	// Holder is who has the lock now (ResultNotHolder, ResultChanged): the first 512 bytes of what the key says.
	Holder string
	// TTL is the lease after the action; negative: none.
	TTL time.Duration
	// Woken is the number of clients that received the scheme's wake-up; -1: the scheme has none, or none was sent. Where WokenMore
	// is true they are those on one node of a cluster: on the others there may have been more, whom nobody counts.
	Woken     int64
	WokenMore bool
	// Detail is said beside the result; it is safe for a terminal.
	Detail string
	Err    error
	// Renewed: the lease has another end than was seen, and nothing else differs (ResultChanged).
	Renewed bool
	// Nodes are, of a Redlock, what became of it on each of the masters, in the order of the votes; else none.
	Nodes []NodeOutcome
	// ValidUntil is until when the owner of a Redlock has the quorum after an action that leaves it to it; zero: it has none, or one
	// without an end.
	ValidUntil time.Time
}

// Options configure an Operator.
type Options struct {
	ReadOnly bool
	// WriteFor is for how long actions are possible, from the start or from [Operator.Rearm] on; zero: always.
	WriteFor time.Duration
	// Audit receives every action, refused ones too; nil: none is kept (tests).
	Audit *Audit
	// Where is the server's name for the audit, without any secret.
	Where string
	// Look reads keys anew, as [keyspace.Connection.Read] does. Where the companions of a lock are not as they were seen, the
	// action is planned again by what they are; nil: it is refused.
	Look func(ctx context.Context, keys ...string) ([]keyspace.Record, error)
}

// Operator acts on locks. It is safe for concurrent use.
type Operator struct {
	servers Servers
	options Options
	// scriptsDenied is set once a server has refused to run scripts.
	scriptsDenied atomic.Bool
	lapse         lapse
}

// NewOperator makes an Operator that acts on these servers.
func NewOperator(servers Servers, o Options) *Operator {
	operator := &Operator{servers: servers, options: o}
	operator.arm(time.Now())
	return operator
}

// ReadOnly says whether every action will be refused.
func (o *Operator) ReadOnly() bool { return o.options.ReadOnly }

// Do acts once, atomically, if the lock is still what Request.Lock shows; it never panics and always returns an Outcome.
//
// A dry run asks the same questions by reading only, and ends in ResultDryRun where the action would be done; where it
// would be refused, by us or by the server, in that refusal. What it could not find out it says.
func (o *Operator) Do(ctx context.Context, r Request) Outcome {
	now := time.Now()
	r.Sharded = o.servers.Sharded()
	line := newLine(rand.Text(), o.options.Where, r, now)
	do, refused := o.prepare(ctx, r, now, &line)
	if refused != nil {
		return o.record(line, attempt{out: *refused})
	}
	if r.DryRun {
		a := do(o.rehearse)
		a.by = ""
		return o.record(line, a)
	}
	if o.options.Audit != nil {
		intent := line
		intent.Phase, intent.At = PhaseIntent, time.Now()
		if err := o.options.Audit.write(intent); err != nil {
			return Outcome{Result: ResultFailed, Woken: -1, Err: err, Detail: "nothing was done, because it could not be put on record: " + printable(err.Error())}
		}
	}
	return o.record(line, do(o.execute))
}

// prepare returns what is to be tried, or the outcome of a request for which nothing is sent.
func (o *Operator) prepare(ctx context.Context, r Request, now time.Time, line *AuditLine) (func(trial) attempt, *Outcome) {
	if o.options.ReadOnly {
		return nil, &Outcome{Result: ResultReadOnly, Woken: -1}
	}
	if o.lapse.over(now) {
		o.noteLapse()
		return nil, &Outcome{Result: ResultLapsed, Woken: -1}
	}
	if r.Changed != "" {
		return nil, notAsShown(r)
	}
	r, refused := r.followed(ctx, nil)
	if refused != nil {
		return nil, refused
	}
	do, refused := o.planned(ctx, r, now, line)
	if refused != nil {
		return nil, refused
	}
	return func(try trial) attempt { return o.following(ctx, r, do, line, try) }, nil
}

// planned is a request with its plan, or the plans of a Redlock, and says in the line of the audit where that is tried; or the outcome of
// a request for which nothing is sent.
func (o *Operator) planned(ctx context.Context, r Request, now time.Time, line *AuditLine) (func(trial) attempt, *Outcome) {
	if r.Lock != nil && r.Lock.Quorum != nil {
		if refused := refuseVotes(r, now); refused != nil {
			return nil, refused
		}
		if err := ctx.Err(); err != nil {
			return nil, nothingSent(err)
		}
		line.addAsked(r)
		return func(try trial) attempt { return o.onMasters(ctx, r, now, try) }, nil
	}
	p, err := makePlan(r, now)
	if err != nil {
		return nil, asRefusal(err).outcome()
	}
	if err := ctx.Err(); err != nil {
		return nil, nothingSent(err)
	}
	at, refused := o.place(ctx, r.Lock.Ref)
	if refused != nil {
		return nil, refused
	}
	line.Node = string(at.node())
	return func(try trial) attempt { return o.untilCurrent(ctx, at, p, r, try) }, nil
}

// notAsShown refuses a request whose lock is not the one that the operator was shown.
func notAsShown(r Request) *Outcome {
	out := &Outcome{Result: ResultChanged, Woken: -1, Detail: "it is not the lock that was listed: " + r.Changed}
	if holder, held := holderOf(r); held {
		out.Holder, out.Count = holder.Owner, holder.Count.N
	} else if r.Lock != nil && len(r.Lock.Holders) > 0 {
		out.Result, out.Holder = ResultNotHolder, r.Lock.Holders[0].Owner
	}
	return out
}

// execute carries the plan out, by scripts if it may.
func (o *Operator) execute(ctx context.Context, at place, p plan, r Request) attempt {
	var (
		a   answer
		err error
		way executor
	)
	if !waitsByPattern(r) {
		p.listeners = p.listening(ctx, at)
	}
	for _, next := range o.ways() { // nothing is done where a way is not to be had, so that the next one may be tried
		b, nextErr := next.execute(ctx, at, p)
		if errors.Is(nextErr, errNoCompare) {
			break // the way before says what it would take
		}
		a, err, way = b, nextErr, next
		if scriptsDenied(err) {
			o.scriptsDenied.Store(true)
		} else if !errors.Is(err, errApart) && !transactionsDenied(err) {
			break
		}
	}
	if err != nil {
		return attempt{out: failure(err, p, way, at), by: way.name()}
	}
	out := outcomeOf(a, p)
	if (way == byCompare{}) && out.Result.Done() {
		out.Detail = strings.TrimPrefix(out.Detail+"; "+compareOnly, "; ")
	}
	if at.asking && p.wakesSharded() && out.Result.Done() {
		out.Detail = strings.TrimPrefix(out.Detail+"; "+wokenElsewhere, "; ")
	}
	return attempt{out: out, by: way.name(), outdated: a.code == codeContext}
}

// record writes an outcome to the audit. What it cannot write it says.
func (o *Operator) record(line AuditLine, a attempt) Outcome {
	out := a.out
	if o.options.Audit == nil {
		return out
	}
	line.addOutcome(a)
	line.At = time.Now()
	if err := o.options.Audit.write(line); err != nil {
		if out.Detail != "" {
			out.Detail += "; "
		}
		out.Detail += "the outcome could not be put on record: " + printable(err.Error())
		out.Err = cmp.Or(out.Err, err)
	}
	return out
}
