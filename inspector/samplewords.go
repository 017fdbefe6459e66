package inspector

import (
	"fmt"
	"strconv"
	"strings"

	"locktop/keyspace"
)

// EndText says how a probe ended early, after a comma; empty: it did not.
func (s *Sample) EndText() string {
	switch s.Ended {
	case keyspace.ProbeTime:
		return ""
	case keyspace.ProbeLines:
		return ", cut short: so many lines came"
	case keyspace.ProbeBytes:
		return ", cut short: so many bytes came"
	case keyspace.ProbeUnread:
		return ", cut short: the server sent faster than locktop read"
	case keyspace.ProbeCancelled:
		return ", cancelled"
	case keyspace.ProbeLost:
		return ", cut short: a connection was lost"
	}
	return ", " + string(s.Ended)
}

// AttemptsText says how often somebody tried to acquire the lock.
func (s *Sample) AttemptsText() string {
	if s.Attempts == 0 {
		return "none seen"
	}
	parts := []string{fmt.Sprintf("%d, %s a second", s.Attempts, rateText(s.PerSecond(s.Attempts)))}
	failed := fmt.Sprintf("%d in vain, %s a second", s.Failed, rateText(s.PerSecond(s.Failed)))
	if s.Unknown() > 0 {
		failed = "at least " + failed
	}
	parts = append(parts, failed, fmt.Sprintf("%d acquired", s.Acquired))
	if n := s.Unknown(); n > 0 {
		parts = append(parts, fmt.Sprintf("of %d it is not known", n))
	}
	return strings.Join(parts, "; ")
}

// WaitingText says how many clients were left without the lock.
func (s *Sample) WaitingText() string {
	switch s.Waiting {
	case 0:
		return "nobody was seen waiting; who asks less often than that was not heard"
	case 1:
		return "1 client at least asked for it and had not got it at the end"
	}
	return fmt.Sprintf("%d clients at least asked for it and had not got it at the end", s.Waiting)
}

// LoadText says how busy a master was before a probe and during it.
func (n SampledNode) LoadText() string {
	if !n.LoadKnown {
		return "how busy the server was is not known"
	}
	said := fmt.Sprintf("%.0f commands a second before, %.0f during", n.OpsBefore, n.OpsDuring)
	if n.CPU > 0 {
		said += fmt.Sprintf("; %.0f %% of a core", n.CPU*100)
	}
	return said
}

// rateText is a rate with as many figures as it has a right to.
func rateText(perSecond float64) string {
	if perSecond < 10 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return fmt.Sprintf("%.0f", perSecond)
}

// RateText is [Sample.PerSecond] in words.
func (s *Sample) RateText(times int) string { return rateText(s.PerSecond(times)) }

// Text says how many attempts were done: "3", "1 of 3", or "≥1 of 3" where more of them may have
// been.
func (t Tries) Text() string {
	switch {
	case t.Done == t.All:
		return strconv.Itoa(t.All)
	case t.Unknown() > 0:
		return fmt.Sprintf("≥%d of %d", t.Done, t.All)
	}
	return fmt.Sprintf("%d of %d", t.Done, t.All)
}

// Program is what a client's library says of itself; empty: nothing.
func (c *SampledClient) Program() string {
	return strings.TrimSpace(c.Library + " " + c.LibraryVersion)
}
