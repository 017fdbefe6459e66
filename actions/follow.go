package actions

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/keyspace"
)

const (
	// mostHops is how often an action is sent on within a cluster.
	mostHops = 5
	// movingTries and movingPause are how often an action is tried, and how long apart, whose keys are on two nodes while their slot is
	// moved: a second in all.
	movingTries = 10
	movingPause = 100 * time.Millisecond
)

// errMoving says that a slot is being moved, and that what was to be asked or done takes several keys that need not be on the same node.
var errMoving = errors.New("the keys are on two nodes")

// trial is one way to try a plan at a place: to rehearse it, or to carry it out.
type trial func(ctx context.Context, at place, p plan, r Request) attempt

// follow tries a plan where the lock is, and goes after the lock: through a cluster, which says where it has gone, and to a new
// master. It goes on only after answers that say that nothing was done.
func (o *Operator) follow(ctx context.Context, at place, p plan, r Request, try trial) attempt {
	a := try(ctx, at, p, r)
	for hops, tries, renewed := 0, 1, false; ; {
		a.at = at.node()
		if a.out.Result == ResultUnknown || ctx.Err() != nil {
			return a
		}
		next, refused := at, (*Outcome)(nil)
		switch sent, isSent := keyspace.RedirectionOf(a.out.Err); {
		case isSent && hops == mostHops:
			return a.because(fmt.Sprintf("nothing was done: the cluster has sent it on %d times, to %s at last: try again when its slots have settled", hops, sent.Addr))
		case isSent:
			hops++
			next, refused = o.redirected(ctx, at, sent, r.Lock.Ref)
			p = p.afterMove()
		case isMoving(a.out.Err) && tries == movingTries:
			return a.because(fmt.Sprintf("nothing was done: slot %d is being moved to another node: try again", keyspace.Slot(r.Lock.Key)))
		case isMoving(a.out.Err):
			tries, hops = tries+1, 0
			if !pause(ctx, movingPause) {
				return a
			}
			next, refused = o.place(ctx, r.Lock.Ref)
		case isDemoted(a.out) && !renewed:
			renewed = true
			if next, refused = o.place(ctx, r.Lock.Ref); next.client == at.client {
				return a
			}
		default:
			return a
		}
		if refused != nil {
			return attempt{out: *refused, at: a.at}
		}
		at = next
		a = try(ctx, at, p, r)
	}
}

// because gives an attempt other words.
func (a attempt) because(why string) attempt {
	a.out.Result, a.out.Detail = ResultFailed, why
	return a
}

// redirected is where a cluster has sent us.
func (o *Operator) redirected(ctx context.Context, from place, to keyspace.Redirection, ref keyspace.Ref) (place, *Outcome) {
	client, err := o.servers.Redirected(ctx, keyspace.Resolve(to.Addr, from.client.Options().Addr))
	if err != nil {
		return place{}, &Outcome{Result: ResultFailed, Woken: -1, Err: err, Detail: "nothing was done: " + printable(err.Error())}
	}
	at, refused := placeOf(client, ref)
	at.asking = to.Asking
	return at, refused
}

// isMoving says whether the keys of a plan are on two nodes just now.
func isMoving(err error) bool {
	return errors.Is(err, errMoving) || redis.HasErrorPrefix(err, "TRYAGAIN")
}

// isDemoted says whether the server may not be the master any more: it takes no writes, or nothing listens there.
func isDemoted(out Outcome) bool {
	var op *net.OpError
	return out.Result == ResultReplica || errors.As(out.Err, &op) && op.Op == "dial"
}

// pause waits; false where the context ended before.
func pause(ctx context.Context, span time.Duration) bool {
	timer := time.NewTimer(span)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
