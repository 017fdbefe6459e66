package demo

import "time"

// token is the token lock, and what a release does that comes so late that the lock is another's.
func token() script {
	all := script{
		Scenario: Scenario{
			Name: "token",
			Shows: "Token locks, and four ways to release them. Now and then a holder is done, but stalls before its release, until its " +
				"lease is over and another has the lock: then it matters whether the release looks whose lock it deletes.",
			LookFor: exportLock + " and " + labelsLock + ", where the late release does nothing, and " + mailingLock + " and " + refundLock +
				", where it deletes the lock of the next holder and a third one gets in.",
			Fault: "a holder is late with its release",
		},
		lanes: []lane{
			{Variant: Variant{Name: "compare-and-delete", Shows: "one script: " + exportLock}},
			{Variant: Variant{Name: "watch", Shows: "WATCH, GET, MULTI, DEL, EXEC: " + labelsLock}},
			{Variant: Variant{Name: "get-then-del", Shows: "GET, then DEL: " + mailingLock, Flawed: true}},
			{Variant: Variant{Name: "bare-del", Shows: "DEL, whoever has it: " + refundLock, Flawed: true}},
		},
	}
	for i, l := range tokenLanes() {
		all.lanes[i].play = l.play
	}
	return all
}

// tokenLanes are the lanes, in their order.
func tokenLanes() []tokenLane {
	return []tokenLane{
		{
			label: exportLock, first: 3 * time.Second, release: releaseByScript,
			outcome: "its script found the token of %s and did nothing",
		},
		{
			label: labelsLock, first: 4 * time.Second, release: releaseByWatch,
			outcome: "EXEC was aborted, as the lock had become that of %s after GET",
		},
		{
			label: mailingLock, first: 5 * time.Second, release: releaseByGetThenDelete, flawed: true,
			outcome: "its GET was in time, its DEL deleted the lock of %s",
		},
		{
			label: refundLock, first: 6 * time.Second, release: releaseByDelete, flawed: true,
			outcome: "its DEL did not look, and deleted the lock of %s",
		},
	}
}

const (
	exportLock  = "lock:orders:export"
	labelsLock  = "lock:shipping:labels"
	mailingLock = "lock:mail:invoices"
	refundLock  = "lock:refund:4711"

	tokenLease = 6 * time.Second
	nextLate   = 25 * time.Second

	// The next holder after a late one has a long job, and all others short ones with pauses that are longer than what is left
	// of it then. So a third one who gets in is out again before the next holder releases what is not its own any more, and
	// everything is well again.
	longJob    = 3500 * time.Millisecond
	shortJob   = 1200 * time.Millisecond
	shortPause = 3 * time.Second
)
