package keyspace_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// twoDatabases fills databases 0 and 1 with the same keys of other values.
func twoDatabases(s *redistest.Server) {
	s.Do("EVAL", "for db=0,1 do redis.call('SELECT', db) for i=1,500 do redis.call('SET', 'lock:'..i, 'in '..db) end end", 0)
}

// holds waits until every value of the picture is this one.
func (p *picture) holds(t *testing.T, n int, value string) {
	t.Helper()
	redistest.Eventually(t, 40*time.Second, func() (bool, string) {
		got, st, _ := p.look()
		other := 0
		for _, v := range got {
			if v != value {
				other++
			}
		}
		return len(got) == n && other == 0, fmt.Sprintf("%d of %d keys do not hold %q: %+v", other, len(got), value, st)
	})
}

// A swap of databases changes keys, and nothing tells of it. Where INFO is denied it is found out by a key that differs, and
// that is no reason to doubt notifications.
func TestSwapIsHealedWhereInfoIsDenied(t *testing.T) {
	t.Parallel()
	for flags, feed := range map[string]keyspace.Feed{"": keyspace.FeedTracking, redistest.Flags: keyspace.FeedPush} {
		t.Run(string(feed), func(t *testing.T) {
			t.Parallel() // they wait for the verification, which is slow
			s := redistest.Start(t, "--notify-keyspace-events", flags)
			twoDatabases(s)
			p, _ := watch(t, user(t, s, "~* &* +@all -info"), keyspace.ObserveOptions{PassInterval: time.Second})
			before := p.reaches(t, "pass", func(st keyspace.Status) bool { return st.LastPass.Generation > 1 && st.Feed == feed })
			p.holds(t, 500, "in 0")
			swaps := 1
			if feed == keyspace.FeedTracking {
				swaps = 2 // tracking never fails by itself, so that each one is taken for what it is
			}
			for n := range swaps {
				s.Do("SWAPDB", 0, 1)
				p.holds(t, 500, fmt.Sprintf("in %d", 1-n))
				_, healed, _ := p.look()
				st := p.reaches(t, "two passes later", func(st keyspace.Status) bool { return st.LastPass.Generation > healed.LastPass.Generation+1 })
				if st.Feed != feed || st.FeedReason != before.FeedReason || st.Gaps != before.Gaps+1+uint64(n) {
					t.Errorf("%s (%s), %d gaps, were %d", st.Feed, st.FeedReason, st.Gaps, before.Gaps)
				}
			}
		})
	}
}

// What INFO commandstats tells is a gap with its name, where no other ear hears it.
func TestSweepsAreFoundByTheirCounters(t *testing.T) {
	t.Parallel()
	for _, command := range [][]any{{"SWAPDB", 0, 1}, {"FLUSHDB"}} {
		name := command[0].(string)
		t.Run(name, func(t *testing.T) {
			s := redistest.Start(t)
			twoDatabases(s)
			p, _ := watch(t, user(t, s, "~* &* +@all -client|tracking"), keyspace.ObserveOptions{PassInterval: time.Hour})
			before := p.reaches(t, "push", live)
			p.holds(t, 500, "in 0")
			s.Do(command...)
			st := p.reaches(t, "gap", func(st keyspace.Status) bool { return st.Gaps > before.Gaps })
			if !strings.HasPrefix(st.LastGapWhy, name) || st.Gaps != before.Gaps+1 {
				t.Errorf("%d gaps, were %d; the last: %s", st.Gaps, before.Gaps, st.LastGapWhy)
			}
			p.agrees(t, s) // since every key that was known is read again
		})
	}
}

// A pass that finds changes before the counters are looked at asks them, and does not blame notifications.
func TestSwapIsNoReasonToDoubt(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	s.Do("EVAL", "redis.call('SELECT', 1) for i=1,50 do redis.call('SET', 'lock:'..i, i) end", 0)
	p, _ := watch(t, connect(t, s), keyspace.ObserveOptions{PassInterval: 10 * time.Millisecond})
	before := p.reaches(t, "push", live)
	for round := range 3 {
		s.Do("SWAPDB", 0, 1)
		st := p.reaches(t, "gap", func(st keyspace.Status) bool { return st.Gaps > before.Gaps+uint64(round) })
		if st.Feed != keyspace.FeedPush || st.LastGapWhy != "SWAPDB was called" {
			t.Errorf("%s: %s; the last gap: %s", st.Feed, st.FeedReason, st.LastGapWhy)
		}
		p.agrees(t, s)
	}
}
