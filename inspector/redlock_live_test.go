package inspector_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/inspector"
	"locktop/keyspace"
	"locktop/keyspace/redistest"
)

// merged is a Source of the updates of several observations.
type merged chan keyspace.Update

func (m merged) Updates() <-chan keyspace.Update { return m }

// startRedlock starts independent masters, and watches them as one Redlock.
func startRedlock(t *testing.T, masters int, o inspector.Options) ([]*redistest.Server, *inspector.Inspector) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	all, updates := make([]*redistest.Server, masters), make(merged)
	var feeds sync.WaitGroup
	for n := range all {
		all[n] = redistest.Start(t)
		c, err := keyspace.Connect(t.Context(), keyspace.Options{Network: "tcp", Addr: all[n].Addr})
		if err != nil {
			t.Fatal(err)
		}
		observation, err := c.Observe(ctx, keyspace.ObserveOptions{
			Patterns: inspector.DefaultPatterns(), Follow: inspector.Rules(nil).Follow, Nudge: true, Companions: inspector.Rules(nil),
		})
		if err != nil {
			t.Fatal(err)
		}
		feeds.Go(func() {
			for u := range observation.Updates() {
				updates <- u
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	o.Masters = masters
	i := inspector.Start(context.WithoutCancel(ctx), updates, o) // it ends with its source
	t.Cleanup(func() {
		cancel()
		feeds.Wait()
		close(updates)
		redistest.Eventually(t, 5*time.Second, func() (bool, string) { return i.Latest().Done, "the inspector still runs" })
	})
	redistest.Eventually(t, 10*time.Second, func() (bool, string) {
		latest := i.Latest()
		return latest.Complete && len(latest.Nodes) == masters, fmt.Sprintf("%+v", latest)
	})
	slices.SortFunc(all, func(a, b *redistest.Server) int { return strings.Compare(a.Addr, b.Addr) })
	return all, i
}

// votes waits until a lock is in a state with so many votes.
func votes(t *testing.T, i *inspector.Inspector, key string, state inspector.State, n int) *inspector.Lock {
	t.Helper()
	return lock(t, i, key, func(l *inspector.Lock) bool { return l.State == state && l.Quorum != nil && l.Quorum.For == n })
}

// found waits until a lock has a finding of that code and severity.
func found(t *testing.T, i *inspector.Inspector, key string, code inspector.Code, severity inspector.Severity) inspector.Finding {
	t.Helper()
	var f inspector.Finding
	lock(t, i, key, func(l *inspector.Lock) bool {
		n := slices.IndexFunc(l.Findings, func(f inspector.Finding) bool { return f.Code == code && f.Severity == severity })
		if n >= 0 {
			f = l.Findings[n]
		}
		return n >= 0
	})
	return f
}

const redlockToken = "n4L/2ZlftbtoJhoNxYjXOg=="

func TestLifeOnFiveMasters(t *testing.T) {
	t.Parallel()
	masters, i := startRedlock(t, 5, inspector.Options{Linger: 2 * time.Second})
	on := func(from, to int, args ...any) {
		for _, m := range masters[from:to] {
			m.Do(args...)
		}
	}
	on(0, 5, "SET", "lock:a", redlockToken, "NX", "PX", 60000)
	if l := votes(t, i, "lock:a", inspector.StateHeld, 5); !l.HeldExact || len(l.Holders) != 1 || l.Holders[0].Owner != redlockToken ||
		l.Quorum.Margin() != 2 || !l.Quorum.ValidUntil.Before(l.ExpiresAt) || l.Quorum.Votes[0].Node != keyspace.Node(masters[0].Addr) {
		t.Errorf("acquired: %+v %+v", l, l.Quorum)
	}
	on(0, 5, "PEXPIRE", "lock:a", 70000)
	if l := lock(t, i, "lock:a", func(l *inspector.Lock) bool {
		return !slices.ContainsFunc(l.Quorum.Votes, func(v inspector.Vote) bool { return time.Until(v.ExpiresAt) < 61*time.Second })
	}); l.Renewals != 1 {
		t.Errorf("renewed %d times", l.Renewals)
	}
	on(0, 5, "DEL", "lock:a")
	if l := votes(t, i, "lock:a", inspector.StateFreed, 0); l.FreedBy != inspector.CauseFreed {
		t.Errorf("released: %+v", l)
	}
	on(0, 5, "SET", "lock:a", "u7Qm2Zt7LbWc4RpAnxYjXQ==", "NX", "PX", 60000)
	votes(t, i, "lock:a", inspector.StateHeld, 5)
	on(0, 3, "DEL", "lock:a") // a release that does not reach all
	if l := votes(t, i, "lock:a", inspector.StateMinority, 2); len(l.History) != 2 || l.History[1].Cause != inspector.CauseFreed {
		t.Errorf("left over: %+v", l)
	}
	want := []string{
		"acquired " + redlockToken + "< ", "renewed " + redlockToken + "< ", "released " + redlockToken + "< freed",
		"acquired u7Qm2Zt7LbWc4RpAnxYjXQ==< ", "released u7Qm2Zt7LbWc4RpAnxYjXQ==< freed",
	}
	got := events(i, "lock:a")
	for n := range got { // a renewal may be told as an extension, if the votes came slowly
		got[n] = strings.Replace(got[n], "extended", "renewed", 1)
	}
	if !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}

	on(0, 2, "SET", "lock:b", "one", "PX", 60000)
	on(3, 5, "SET", "lock:b", "two", "PX", 60000)
	if l := votes(t, i, "lock:b", inspector.StateSplit, 2); len(l.Holders) != 2 || l.Holders[0].Owner != "one" || l.Severity() != inspector.SeverityCritical {
		t.Errorf("two owners: %+v", l)
	}
	on(3, 5, "DEL", "lock:b")
	on(2, 5, "SET", "lock:b", "one", "NX", "PX", 60000)
	votes(t, i, "lock:b", inspector.StateHeld, 5)
}

func TestMastersFail(t *testing.T) {
	t.Parallel()
	masters, i := startRedlock(t, 5, inspector.Options{})
	for _, m := range masters {
		m.Do("SET", "lock:a", redlockToken, "NX", "PX", 600000)
	}
	votes(t, i, "lock:a", inspector.StateHeld, 5)
	ballot := func(n int, want inspector.Ballot) {
		t.Helper()
		lock(t, i, "lock:a", func(l *inspector.Lock) bool { return l.Quorum.Votes[n].Ballot == want })
	}
	masters[0].Kill()
	votes(t, i, "lock:a", inspector.StateHeld, 4)
	ballot(0, inspector.BallotDown)
	f := found(t, i, "lock:a", inspector.CodeDegradedQuorum, inspector.SeverityWarning)
	if !strings.Contains(f.Text, masters[0].Addr+" is down") || !strings.Contains(f.Text, "it may lose 1 more") {
		t.Errorf("one is down: %s", f.Text)
	}
	masters[1].Pause()
	defer masters[1].Resume()
	votes(t, i, "lock:a", inspector.StateHeld, 3)
	ballot(1, inspector.BallotTimeout)
	f = found(t, i, "lock:a", inspector.CodeDegradedQuorum, inspector.SeverityCritical)
	if !strings.Contains(f.Text, masters[1].Addr+" does not answer in time") {
		t.Errorf("two fail: %s", f.Text)
	}
	masters[2].Kill()
	l := votes(t, i, "lock:a", inspector.StateMinority, 2)
	if text := l.Findings[0].Text; !strings.Contains(text, "3 masters do not answer, and it may still be held") {
		t.Errorf("three fail: %s", text)
	}
	if last := l.History[len(l.History)-1]; !last.Until.IsZero() || len(l.Holders) != 1 {
		t.Errorf("nobody saw it end: %+v", l)
	}
	masters[1].Resume()
	votes(t, i, "lock:a", inspector.StateHeld, 3)
	masters[0].Revive() // empty
	ballot(0, inspector.BallotAbsent)
	if got, want := events(i, "lock:a"), []string{"acquired " + redlockToken + "< "}; !slices.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
	masters[3].Do("DEL", "lock:a")
	lock(t, i, "lock:a", func(l *inspector.Lock) bool {
		return l.Quorum.For == 2 && l.Quorum.Votes[3].Ballot == inspector.BallotAbsent
	})
	masters[2].Revive() // and so it is known that nobody has it
	lock(t, i, "lock:a", func(l *inspector.Lock) bool {
		return l.State == inspector.StateMinority && l.Quorum.For == 2 && l.Quorum.Votes[2].Ballot == inspector.BallotAbsent &&
			!l.History[len(l.History)-1].Until.IsZero()
	})
}
