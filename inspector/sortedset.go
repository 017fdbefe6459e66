package inspector

import (
	"strconv"
	"time"

	"locktop/keyspace"
)

// This file reads locks whose holders are the members of a sorted set, each with a time for its score.

// membership is a member of a sorted set, and when its holder's right ends.
type membership struct {
	owner, label string
	end          time.Time
}

// isSortedSet says whether a sorted set was read in full, and each of its members fits.
func isSortedSet(r keyspace.Record, fits func(member string) bool) bool {
	if r.Type != keyspace.TypeZSet || r.Truncated || len(r.Value.Fields) == 0 {
		return false
	}
	for _, f := range r.Value.Fields {
		if !fits(f.Name) {
			return false
		}
	}
	return true
}

// scoreOf is a score as a number of milliseconds or seconds since 1970.
func scoreOf(f keyspace.Field) (float64, bool) {
	score, err := strconv.ParseFloat(f.Value, 64)
	return score, err == nil && score > 0 && score < 1e15
}

// lastScore is the highest score; false where one of them is no time.
func lastScore(r keyspace.Record) (float64, bool) {
	last := 0.0
	for _, f := range r.Value.Fields {
		score, ok := scoreOf(f)
		if !ok {
			return 0, false
		}
		last = max(last, score)
	}
	return last, true
}

// share makes holders of the leases that are not over: libraries leave those that are until somebody acquires. Where all are over,
// the key shows that of the last one, which has lapsed. The key may end before the lease.
func (c *candidate) share(found *recognition, leases []membership) {
	for _, l := range leases {
		found.leaseEnds = later(found.leaseEnds, l.end)
	}
	lapsed := !found.leaseEnds.After(c.ReadAt)
	for _, l := range leases {
		if l.end.After(c.ReadAt) || lapsed && l.end.Equal(found.leaseEnds) {
			found.holders = append(found.holders, Holder{Owner: l.owner, Label: l.label, ExpiresAt: earlier(l.end, c.ExpiresAt)})
		}
	}
}

// Scores between these may be seconds since 1970, and scores from the second one on milliseconds.
const (
	firstSecond      = 1e9
	firstMillisecond = 1e12
)
