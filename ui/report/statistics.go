package report

import (
	"time"

	"locktop/inspector"
)

// HoldTimes is for how long the lock was held, by the holds that were seen from begin to end; approximate: within 9 %.
type HoldTimes struct {
	Count       int   `json:"count"`
	P50         int64 `json:"p50"`
	P90         int64 `json:"p90"`
	P99         int64 `json:"p99"`
	Max         int64 `json:"max"`
	Approximate bool  `json:"approximate,omitempty"`
}

// Renewal is how regularly the present holder renews.
type Renewal struct {
	Count  int    `json:"count"`
	Period *int64 `json:"period_ms,omitempty"` // absent: not known yet
	Jitter *int64 `json:"jitter_ms,omitempty"`
	Last   *int64 `json:"last_ms_ago,omitempty"`
}

// addStatistics adds what is known of the past of a lock to its JSON.
func (out *Lock) addStatistics(l *inspector.Lock, at time.Time) {
	if times := l.HoldTimes(); times.Count > 0 {
		out.HoldTimes = &HoldTimes{
			Count: times.Count, P50: times.P50.Milliseconds(), P90: times.P90.Milliseconds(), P99: times.P99.Milliseconds(),
			Max: times.Max.Milliseconds(), Approximate: times.Approximate,
		}
	}
	if perMinute := l.AcquisitionsPerMinute(at); perMinute.Last(len(perMinute)) > 0 {
		out.AcquisitionsPerMinute = perMinute[:]
	}
	if l.Renewals == 0 {
		return
	}
	rhythm := l.Rhythm()
	out.Renewal = &Renewal{Count: l.Renewals}
	if rhythm.Period > 0 {
		period, jitter := rhythm.Period.Milliseconds(), rhythm.Jitter.Milliseconds()
		out.Renewal.Period, out.Renewal.Jitter = &period, &jitter
	}
	if !rhythm.Last.IsZero() {
		last := max(0, at.Sub(rhythm.Last).Milliseconds())
		out.Renewal.Last = &last
	}
}
