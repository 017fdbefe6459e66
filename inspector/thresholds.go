package inspector

import "time"

// Thresholds are the limits at which a lock becomes a finding.
type Thresholds struct {
	// LongLease: a lock with more TTL than this is unusual. Default one hour.
	LongLease time.Duration
	// AboutToLapse: the part of the lease that is left when a lock that was renewed before counts as about to lapse.
	// Default 0.1.
	AboutToLapse float64
	// RenewedForever: a hold that is kept by renewal for longer than this. Default ten minutes.
	RenewedForever time.Duration
	// LostFor: for how long a lock shows that the holder before lost it. Default five minutes.
	LostFor time.Duration
	// Settles: how long the votes on a Redlock have to stay as they are before a lock that nobody has, or that lacks votes, is worth a
	// word: acquisitions, failed attempts and releases pass through that in no time. Default one second; a single look takes what
	// it sees to be settled, and sets the least.
	Settles time.Duration
}

// The rest of what findings depend on, which nobody had to change yet.
const (
	// missedRenewal is how many periods without a renewal make one missed; lateRenewal how many make it late, below which a
	// short lease alone says nothing: some clients renew at the last moment by design.
	missedRenewal, lateRenewal = 1.5, 1.1
	// renewalGrace is added to both: clocks, networks and polls are not exact.
	renewalGrace = 200 * time.Millisecond
	// regular is how many renewals make a holder one that renews.
	regular = 2
	// leakPart is the part of the lease that is left when entries that nobody releases count as leaked.
	leakPart = 0.2
	// leakSteps is how often in a row the count has to stay higher after a release than before.
	leakSteps = 3
)

// Judge finds out anew what is wrong with a lock of a single look; zero values stand for the defaults.
func (t Thresholds) Judge(l *Lock, now time.Time) {
	l.Findings, _ = t.withDefaults().judge(l, now)
}

func (t Thresholds) withDefaults() Thresholds {
	if t.LongLease == 0 {
		t.LongLease = time.Hour
	}
	if t.AboutToLapse == 0 {
		t.AboutToLapse = 0.1
	}
	if t.RenewedForever == 0 {
		t.RenewedForever = 10 * time.Minute
	}
	if t.LostFor == 0 {
		t.LostFor = 5 * time.Minute
	}
	if t.Settles == 0 {
		t.Settles = time.Second
	}
	return t
}
