package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"locktop/actions"
	"locktop/inspector"
	"locktop/keyspace"
)

// voter is a worker that asks several independent masters for their votes. As with a worker, only its own goroutine uses it.
type voter struct {
	*worker
	links []*link // one for each master
}

func (s *stage) newVoter() *voter {
	v := &voter{worker: s.newWorker()}
	for _, conn := range s.conns {
		l := &link{conn: conn, name: v.name}
		l.open()
		v.links = append(v.links, l)
	}
	return v
}

// close ends the voter's connections, as the end of its process would.
func (v *voter) close() {
	for _, l := range v.links {
		if err := l.client.Close(); err != nil {
			v.ledger.failed(fmt.Errorf("%s: close: %w", v.name, err))
		}
	}
	v.worker.close()
}

// link is a voter's way to one of the masters.
type link struct {
	conn   *keyspace.Connection
	name   string
	client *redis.Client
	locker *actions.Locker
}

func (l *link) open() {
	l.client = l.conn.NewClient(l.name)
	l.locker = actions.NewLocker(l.client)
}

// answer is what one master said: yes or no, or nothing.
type answer struct {
	yes, silent bool
	err         error // an error that the master gave of its own accord
}

// ask asks the master one thing. That a master is silent is no error: a quorum is there to bear it.
func (l *link) ask(ctx context.Context, do func(context.Context, *link) (bool, error)) answer {
	yes, err := do(ctx, l)
	var said redis.Error
	switch {
	case err == nil:
		return answer{yes: yes}
	case errors.As(err, &said):
		return answer{err: err}
	}
	// The client library stops dialling for a second where it has failed often, and the master may be back by then.
	if err := l.client.Close(); err != nil {
		return answer{silent: true, err: err}
	}
	l.open()
	return answer{silent: true}
}

// quorumLock is a Redlock: a token lock on each of several independent masters, held by whoever has more than half of them.
type quorumLock struct {
	claim
	links []*link
	// votes is how many masters gave theirs to the last attempt.
	votes int
	// validity is for how long it was safe to work when it was acquired, in time of the script: what asking has left of the
	// lease, less what clocks may drift apart.
	validity time.Duration
}

func (v *voter) quorumLock(label string, lease time.Duration) *quorumLock {
	return &quorumLock{claim: v.claim(label, lease), links: v.links}
}

const (
	// masterPatience is how long a master may take to give its vote, in time of the script: little beside a lease.
	masterPatience = 500 * time.Millisecond
	// leastPatience is in our time: however fast a demo goes, a busy machine answers no sooner.
	leastPatience = 200 * time.Millisecond
)

// needed is how many votes make a quorum.
func (l *quorumLock) needed() int { return len(l.links)/2 + 1 }

// poll asks some masters at the same time, and counts those that say yes.
func poll(ctx context.Context, links []*link, do func(context.Context, *link) (bool, error)) (yes int, err error) {
	answers := make([]answer, len(links))
	var all sync.WaitGroup
	for i, l := range links {
		all.Go(func() { answers[i] = l.ask(ctx, do) })
	}
	all.Wait()
	var errs []error
	for _, a := range answers {
		if a.yes {
			yes++
		}
		errs = append(errs, a.err)
	}
	return yes, errors.Join(errs...)
}

// gather asks some masters for votes that are good for the lease, and says whether they make a quorum with time left to work.
func (l *quorumLock) gather(ctx context.Context, links []*link, vote func(context.Context, *link, time.Duration) (bool, error)) (bool, error) {
	enough, err := l.set(func(ours time.Duration) (_ bool, err error) {
		ctx, cancel := context.WithTimeout(ctx, min(max(l.worker.scaled(masterPatience), leastPatience), ours/2))
		defer cancel()
		l.votes, err = poll(ctx, links, func(ctx context.Context, k *link) (bool, error) { return vote(ctx, k, ours) })
		return l.votes >= l.needed(), err
	})
	if !enough || err != nil {
		return false, err
	}
	l.until = l.until.add(-inspector.Drift(l.lease))
	l.validity = l.worker.clock.now().until(l.until)
	return l.validity > 0, nil
}

// attempt asks some masters for their votes, and keeps those that it gets. Each attempt has a token of its own, so that no vote
// of an earlier one is taken for one of this.
func (l *quorumLock) attempt(ctx context.Context, links []*link) (bool, error) {
	l.owner = l.worker.token()
	return l.gather(ctx, links, func(ctx context.Context, k *link, ours time.Duration) (bool, error) {
		return k.locker.AcquireToken(ctx, l.key, l.owner, ours)
	})
}

// acquire asks all masters, and where that does not make a quorum gives back at once what it got: others wait for it.
func (l *quorumLock) acquire(ctx context.Context) (bool, error) {
	got, err := l.attempt(ctx, l.links)
	if got {
		return true, nil
	}
	_, released := l.release(ctx)
	return false, errors.Join(err, released)
}

func (l *quorumLock) extend(ctx context.Context) (bool, error) {
	return l.gather(ctx, l.links, func(ctx context.Context, k *link, ours time.Duration) (bool, error) {
		return k.locker.ExtendToken(ctx, l.key, l.owner, ours)
	})
}

// release gives every vote back, also those of masters that did not answer: their answer alone may have been lost. A master may
// take longer for it than for a vote, for nothing depends on it.
func (l *quorumLock) release(ctx context.Context) (bool, error) {
	votes, err := poll(ctx, l.links, func(ctx context.Context, k *link) (bool, error) {
		return k.locker.ReleaseToken(ctx, l.key, l.owner)
	})
	return votes >= l.needed(), err
}

// votesOf asks how many masters have a lock for its owner now, whoever that is.
func (v *voter) votesOf(ctx context.Context, l *quorumLock) int {
	n, err := poll(ctx, v.links, func(ctx context.Context, k *link) (bool, error) {
		owner, err := k.client.Get(ctx, l.key).Result()
		if errors.Is(err, redis.Nil) {
			return false, nil
		}
		return owner == l.owner, err
	})
	if err != nil {
		v.trouble(ctx, err)
	}
	return n
}

// port is how a master is called where there is little room: the rest of the address is the same for all.
func port(o keyspace.Options) string {
	_, port, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return o.Addr
	}
	return ":" + port
}
