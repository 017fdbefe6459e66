package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/ui/report"
	"locktop/ui/text"
)

// This file tells what "show" knows of a lock's past: with --for, what it saw happen to the lock meanwhile.

// watchKey observes one key for a while; nil: it was no lock at the end, and none ended meanwhile.
func (a *app) watchKey(ctx context.Context, s *session, rules schemeRules, whose identity, key string, span time.Duration) (*inspector.Snapshot, error) {
	rules.rules = rules.rules.WithKey(key)
	look := observing{rules: rules, whose: whose, notify: "auto", poll: time.Second, reserved: keyspace.Escape(key)}
	var last *inspector.Snapshot // with the lock; one that has ended goes from later snapshots after a while
	seen, err := a.lookOn(ctx, s, &look, span, func(next *inspector.Snapshot) {
		if i := slices.IndexFunc(next.Locks, func(l *inspector.Lock) bool { return l.Key == key }); i >= 0 {
			one := *next
			one.Locks = next.Locks[i : i+1]
			last = &one
		}
	})
	if err != nil || last == nil || last.Seq != seen.Seq && last.Locks[0].State != inspector.StateFreed {
		return nil, err
	}
	return last, nil
}

// writeStatistics prints for people what is known of the past of a lock, and the holds.
func writeStatistics(line func(name, value string), l *inspector.Lock, at time.Time) {
	if l.Renewals > 0 {
		rhythm := l.Rhythm()
		said := text.Count(int64(l.Renewals))
		if rhythm.Period > 0 {
			said += fmt.Sprintf(", every %s", text.Lag(rhythm.Period))
			if len(rhythm.Gaps) > 1 {
				said += fmt.Sprintf(" ± %s", text.Lag(rhythm.Jitter))
			}
		}
		if !rhythm.Last.IsZero() {
			said += ", the last " + text.Ago(at.Sub(rhythm.Last))
		}
		line("renewals", said)
	}
	perMinute := l.AcquisitionsPerMinute(at)
	if sum := perMinute.Last(len(perMinute)); sum > 0 {
		line("acquired", fmt.Sprintf("%s, as far as was seen; failed attempts cannot be", text.Plural(int64(sum), "time")))
	}
	if times := l.HoldTimes(); times.Count > 0 {
		about := ""
		if times.Approximate {
			about = ", within 9 %"
		}
		line("held for", fmt.Sprintf("p50 %s, p90 %s, p99 %s, at most %s (%s%s)", text.Lag(times.P50), text.Lag(times.P90), text.Lag(times.P99),
			text.Lag(times.Max), holdsCounted(times.Count), about))
	}
	past := formerHolds(l)
	for i, h := range past[max(0, len(past)-maxPastShown):] {
		name := ""
		if i == 0 {
			name = "past"
		}
		line(name, pastHold(h))
	}
}

// formerHolds are the holds that are over, oldest first. A present holder is printed above, and a lock may have several.
func formerHolds(l *inspector.Lock) []inspector.Hold {
	return slices.DeleteFunc(slices.Clone(l.History), func(h inspector.Hold) bool { return h.Until.IsZero() })
}

// maxPastShown bounds the former holds that are printed.
const maxPastShown = 20

// holdsCounted is how many holds figures are of.
func holdsCounted(n int) string {
	if n == 1 {
		return "1 hold seen from begin to end"
	}
	return text.Count(int64(n)) + " holds seen from begin to end"
}

// pastHold is one former hold in a line.
func pastHold(h inspector.Hold) string {
	owner := h.Label
	if owner == "" {
		owner = h.Owner
	}
	if owner == "" {
		owner = "(nobody saw whose)"
	}
	atLeast := ""
	if !h.SinceExact || !h.UntilExact {
		atLeast = "at least "
	}
	said := fmt.Sprintf("%s  %s%s  %s  %s", report.Instant(h.Since), atLeast, text.Lag(h.Until.Sub(h.Since)), text.Escape(owner), h.Cause)
	if h.WasLost() {
		said += ", while it was at work"
	}
	return said
}
