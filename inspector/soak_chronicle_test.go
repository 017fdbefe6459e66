package inspector_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktop/inspector"
)

// ends and begins are the events after which nobody holds a lock, and somebody does.
var (
	ends   = []inspector.EventKind{inspector.EventReleased, inspector.EventExpired, inspector.EventDeleted}
	begins = []inspector.EventKind{inspector.EventAcquired, inspector.EventHandedOver}
	during = []inspector.EventKind{inspector.EventReentered, inspector.EventRenewed, inspector.EventExtended}
)

// chronicle checks that events follow from one another.
type chronicle struct {
	t    testing.TB
	i    *inspector.Inspector
	seen uint64          // the last event that was looked at
	free map[string]bool // by the events, nobody holds these
}

func newChronicle(t testing.TB, i *inspector.Inspector) *chronicle {
	return &chronicle{t: t, i: i, free: make(map[string]bool)}
}

// follows reads the events since the last time: a hold that is over is neither prolonged nor ended again.
func (s *chronicle) follows() {
	s.t.Helper()
	events, lost := s.i.EventsSince(s.seen)
	if lost > 0 {
		s.t.Fatalf("%d events are forgotten already", lost)
	}
	for _, e := range events {
		if e.Seq != s.seen+1 {
			s.t.Fatalf("event %d follows event %d", e.Seq, s.seen)
		}
		s.seen = e.Seq
		switch over := e.Kind != inspector.EventReleased || !e.Count.Known || e.Count.N == 0; {
		case slices.Contains(begins, e.Kind):
			delete(s.free, e.Key)
		case s.free[e.Key] && (slices.Contains(during, e.Kind) || slices.Contains(ends, e.Kind)):
			s.t.Fatalf("nobody held it: %+v; %s", e, s.story(e.Key))
		case over && slices.Contains(ends, e.Kind):
			s.free[e.Key] = true
		}
	}
}

// story is what the events tell of a key.
func (s *chronicle) story(key string) string {
	all, _ := s.i.EventsSince(0)
	var lines []string
	for _, e := range all {
		if e.Key == key || e.Kind == inspector.EventGap {
			lines = append(lines, fmt.Sprintf("%s %s %s %q %s %s", e.At.Format("15:04:05.000"), e.Kind, e.Cause, e.Owner, e.Text, fmt.Sprint(e.Count)))
		}
	}
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}
