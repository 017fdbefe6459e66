package demo

import (
	"context"
	"time"

	"locktop/inspector"
)

// timestamp is the lock without a TTL whose value says when it ends, and what can happen when that time is over, or seems to be.
func timestamp() script {
	all := script{
		Scenario: Scenario{
			Name: "timestamp",
			Shows: "Locks without a TTL, whose value is the end of the lease: a holder crashes, the time passes, the key stays, and two " +
				"workers take it over at once, by one script, by GETSET and by DEL. On a fourth lock a worker's clock is wrong.",
			LookFor: "The state lapsed (over by its value, still there), then the takeover: " + scriptLock + " and " + getSetLock +
				" let one in, " + deleteLock + " lets two in. " + skewedLock + " is taken from its holder, and then ends in an hour.",
			Fault: "a holder crashes, and a clock is an hour ahead",
		},
		lanes: []lane{
			{Variant: Variant{Name: "script", Shows: "taken over by one script: " + scriptLock}},
			{Variant: Variant{Name: "getset", Shows: "taken over by GETSET: " + getSetLock}},
			{Variant: Variant{Name: "del", Shows: "taken over by DEL, then SETNX: " + deleteLock, Flawed: true}},
			{Variant: Variant{Name: "skew", Shows: "one clock is an hour ahead: " + skewedLock, Flawed: true}},
		},
		thresholds: inspector.Thresholds{LongLease: 30 * time.Minute},
	}
	for i, l := range stampLanes() {
		all.lanes[i].play = l.play
	}
	return all
}

// stampLanes are the lanes, in their order.
func stampLanes() []stampLane {
	return []stampLane{
		{
			label: scriptLock, first: 3 * time.Second, rivals: closeRivals,
			way: stampWay{ask: (*stamp).takeByScript, take: (*stamp).takeByScript, lost: (*stamp).tellRefused, release: (*stamp).releaseOwn},
		},
		{
			label: getSetLock, first: 5 * time.Second, rivals: closeRivals,
			way: stampWay{ask: (*stamp).ask, look: (*stamp).look, take: (*stamp).takeByGetSet, lost: (*stamp).tellMoved, release: (*stamp).releaseMoved},
		},
		{
			label: deleteLock, first: 6 * time.Second, rivals: 800 * time.Millisecond, flawed: true,
			way: stampWay{ask: (*stamp).ask, look: (*stamp).look, take: (*stamp).takeByDelete, release: (*stamp).releaseOwn},
		},
		{
			label: skewedLock, first: 2 * time.Second, rivals: closeRivals, ahead: time.Hour,
			way: stampWay{ask: (*stamp).ask, look: (*stamp).look, take: (*stamp).takeByGetSet, lost: (*stamp).tellMoved, release: (*stamp).releaseOwn},
		},
	}
}

const (
	scriptLock = "orders:checkout_lock"
	getSetLock = "invoice:7731_lock"
	deleteLock = "cart:991_lock"
	skewedLock = "report:daily_lock"

	stampLease = 7 * time.Second
	nextStrike = 28 * time.Second

	// closeRivals is by how much the second of two takers is later than the first: it moves the end of the lease by that.
	closeRivals = 40 * time.Millisecond
	// lapsedFor is how long nobody takes over what has lapsed, so that it can be seen.
	lapsedFor = 4 * time.Second
)

// stampWay is how the workers of a lane go about a timestamp lock.
type stampWay struct {
	ask  func(*stamp, context.Context) (bool, error) // everyday's attempt to get it
	look func(*stamp, context.Context) (bool, error) // to see that it has lapsed; nil: take sees that itself
	take func(*stamp, context.Context) (bool, error) // to get what has lapsed
	lost func(loser, winner *stamp)                  // tells that take did not get it
	// release says false where the lock is not the worker's own any more.
	release func(*stamp, context.Context) (bool, error)
}
