package demo

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/demo/servers"
)

// rounds are the lanes of the scenario on masters of the test's own.
func rounds(t *testing.T, server Server, play func(t *testing.T, s *stage, m *servers.Masters, l lane)) {
	t.Helper()
	for _, l := range redlock().lanes {
		if l.setsClocks && server == ServerRedis {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			s, m, _ := newTestVoters(t, server, testSpeed, 0)
			play(t, s, m, l)
		})
	}
}

// asBefore fails the test unless all masters are alive, free of locks, and have the right time.
func asBefore(t *testing.T, m *servers.Masters) {
	t.Helper()
	for i, o := range m.Connections() {
		if !m.Alive(i) {
			t.Errorf("master %d is dead", i)
			continue
		}
		ask(t, o, "SET", "k", "v", "EXAT", time.Now().Add(time.Minute).Unix())
		if left := ask(t, o, "TTL", "k").(int64); left < 45 || left > 60 {
			t.Errorf("master %d gives a minute %d s", i, left)
		}
		if n := ask(t, o, "DBSIZE").(int64); n != 1 {
			t.Errorf("master %d has %d locks", i, n-1)
		}
	}
}

// A round shows what its lane is about, and leaves the masters as they were.
func TestRedlockRounds(t *testing.T) {
	t.Parallel()
	onServers(t, func(t *testing.T, server Server) {
		rounds(t, server, func(t *testing.T, s *stage, m *servers.Masters, l lane) {
			eventually(t, "a round that does not come to nothing", func(context.Context) bool {
				l.play(t.Context(), s)
				asBefore(t, m)
				return judge(s.ledger).Played > 0
			})
			v := s.ledger.verdict(l.Variant)
			if v.Played != 1 || v.Failures > 0 || (v.Violations > 0) != l.Flawed {
				t.Errorf("%+v", v)
			}
			told := func(words ...string) bool {
				for _, n := range s.narrator.sentences() {
					if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(n.Text, word) }) {
						return true
					}
				}
				return false
			}
			if told("two majorities") != l.Flawed || l.Flawed && !told("with 2 votes left") {
				t.Errorf("told: %+v", s.narrator.sentences())
			}
			if l.Name == "node-dies" && (!told(" has 3 of 5 left") || !told("without a majority nobody gets")) {
				t.Errorf("told: %+v", s.narrator.sentences())
			}
		})
	})
}

// Whatever the tempo, a vote lasts as long as its voter thinks, also while masters are dead or have another time.
func TestRedlockRoundsAtAnyTempo(t *testing.T) {
	rounds(t, ServerEmbedded, func(t *testing.T, s *stage, m *servers.Masters, l lane) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for rate, clock := 2.0, newClock(1); clock.sleep(ctx, 150*time.Millisecond); rate = 1 / rate {
				if err := s.change(ctx, func(t *Tempo) { t.Rate = rate }); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		}()
		l.play(t.Context(), s)
		cancel()
		<-ended
		asBefore(t, m)
		if v := s.ledger.verdict(l.Variant); v.Played != 1 || v.Failures > 0 || (v.Violations > 0) != l.Flawed {
			t.Errorf("%+v", v)
		}
	})
}

// A round that comes to nothing, because somebody else has the lock, is none, and still leaves the masters as they were.
func TestRedlockRoundOfALockThatSomebodyHas(t *testing.T) {
	rounds(t, ServerEmbedded, func(t *testing.T, s *stage, m *servers.Masters, l lane) {
		key := map[string]string{
			"node-dies": survivingLock, "delayed-restart": patientLock, "restart": forgottenLock, "clock": jumpedLock,
		}[l.Name]
		for _, o := range m.Connections() {
			ask(t, o, "SET", key, "operator")
		}
		l.play(t.Context(), s)
		for i, o := range m.Connections() {
			if m.Alive(i) {
				ask(t, o, "DEL", key)
			}
		}
		asBefore(t, m)
		if v := s.ledger.verdict(l.Variant); v.Played != 0 || v.Acquisitions != 0 || v.Failures > 0 {
			t.Errorf("%+v", v)
		}
	})
}

// Where clocks cannot be set, the lane that sets one is not offered.
func TestRedlockOnRealServersSetsNoClocks(t *testing.T) {
	for server, want := range map[Server]int{ServerAuto: 4, ServerEmbedded: 4, ServerRedis: 3} {
		s, err := redlock().choose("", server)
		if err != nil || len(s.lanes) != want || len(s.Variants) != want {
			t.Errorf("%s: %d lanes, %d variants, %v", server, len(s.lanes), len(s.Variants), err)
		}
	}
}
