package demo

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// replicatedLock is a token lock on a master that may be replaced by its replica at any time.
type replicatedLock struct {
	*tokenLock
	// synced: nobody goes in before WAIT has said that the replica has the lock. Without it, the lock may be lost with the
	// master.
	synced bool
	// givenBack is how often it was had, and given back because no replica had it in time.
	givenBack int
}

const (
	// syncPatience is how long WAIT may take: a replica that is well confirms within a millisecond. It is of our time at the most, for
	// a replica knows no tempo.
	syncPatience = time.Second
	// outageDelay is how long a worker waits until it tries again while the master is being replaced.
	outageDelay = 400 * time.Millisecond
)

func (w *worker) replicatedLock(label string, lease time.Duration, synced bool) *replicatedLock {
	return &replicatedLock{tokenLock: w.tokenLock(label, lease), synced: synced}
}

// acquire says false where the master is being replaced: whoever seeks the lock asks again.
func (l *replicatedLock) acquire(ctx context.Context) (bool, error) {
	acquired, _, err := l.excused(ctx, func() (bool, error) {
		if l.synced {
			return l.acquireSynced(ctx)
		}
		return l.tokenLock.acquire(ctx)
	})
	return acquired, err
}

// release tries again while the master is being replaced, as long as there is a lease to release.
func (l *replicatedLock) release(ctx context.Context) (bool, error) {
	for {
		released, again, err := l.excused(ctx, func() (bool, error) { return l.tokenLock.release(ctx) })
		if !again || l.worker.clock.now() >= l.ends() {
			return released, err
		}
	}
}

// excused does something once. That it fails is no failure where the master is being replaced; then it waits a little, and again is
// true.
func (l *replicatedLock) excused(ctx context.Context, do func() (bool, error)) (done, again bool, err error) {
	w := l.worker
	mark := w.outage.mark()
	done, err = do()
	if err == nil || !w.outage.since(mark) {
		return done, false, err
	}
	w.ledger.fact("a command went unanswered while the master was being replaced")
	w.say("%s was not answered about %s, for the master is being replaced; it asks again", w.name, l.label)
	return false, w.pause(ctx, outageDelay), nil
}

// acquireSynced is SET, and then WAIT on the same connection, for WAIT asks after what its own connection wrote. A client that
// died between the two would leave a lock that ends with its lease.
func (l *replicatedLock) acquireSynced(ctx context.Context) (acquired bool, err error) {
	conn := l.worker.client.Conn()
	defer func() { err = errors.Join(err, conn.Close()) }()
	won, err := l.set(func(ours time.Duration) (bool, error) {
		won, err := conn.SetNX(ctx, l.key, l.owner, ours).Result()
		if err != nil {
			return false, fmt.Errorf("SET %s NX: %w", l.key, err)
		}
		return won, nil
	})
	if err != nil || !won {
		return false, err
	}
	confirmed, err := conn.Wait(ctx, 1, min(l.worker.scaled(syncPatience), syncPatience)).Result()
	switch {
	case err != nil:
		return false, fmt.Errorf("WAIT for %s: %w", l.key, err)
	case confirmed > 0:
		return true, nil
	}
	l.givenBack++
	l.worker.ledger.fact("a lock that no replica had was given back")
	_, err = l.tokenLock.release(ctx)
	l.owner = l.worker.token() // the next attempt is not this one
	return false, err
}
