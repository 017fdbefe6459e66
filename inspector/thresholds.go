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
	// LostFor: for how long a lock that was lost while held stays a finding. Default five minutes.
	LostFor time.Duration
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
	return t
}
