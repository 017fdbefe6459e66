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
}
